// The reader of PyTorch's archives on any bytes: a graph that is accepted is sound.
#include "formats/sniff/sniff.h"
#include "formats/torch/torch.h"
#include "libcore/graph/op.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const Bytes bytes = Bytes::copy(data, size);
    expect_only_refusals([&] {
        if (!torch_format::sniff(bytes)) return;
        Model model = torch_format::read(bytes, "-");
        infer_types(model.graph);
        verify(model.graph);
    });
    return 0;
}
