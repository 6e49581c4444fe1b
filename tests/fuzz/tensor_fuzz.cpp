// Arrays, archives and streams of samples on any bytes.
#include "formats/samples/stream.h"
#include "formats/tensors/npy.h"
#include "formats/tensors/npz.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const Bytes bytes = Bytes::borrow(data, size);
    expect_only_refusals([&] { parse_npy(bytes); });
    expect_only_refusals([&] {
        const Npz npz(bytes);
        for (size_t i = 0; i < npz.names().size(); ++i) npz.array(i);
    });
    expect_only_refusals([&] {
        const std::vector<InputSpec> specs{{"x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{2})), {}}};
        const auto source = stream_samples(specs, bytes, "stream", false);
        for (uint64_t i = 0; i < source->count(); ++i) source->sample(i);
    });
    return 0;
}
