// The reader of TensorFlow's graphs on any bytes: a graph that is accepted is sound. A bundle is read where the bytes are an index.
#include "formats/sniff/sniff.h"
#include "formats/tensorflow/file/sorted_table.h"
#include "formats/tensorflow/tensorflow.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const Bytes bytes = Bytes::copy(data, size);
    expect_only_refusals([&] {
        if (!tensorflow_format::sniff(bytes)) {
            tensorflow_format::read_sorted_table(bytes);
            return;
        }
        Model model = tensorflow_format::read(bytes, "-");
        infer_types(model.graph);
        verify(model.graph);
    });
    return 0;
}
