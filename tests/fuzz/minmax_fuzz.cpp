// onert's minmax.bin on any bytes: what is accepted is written back byte by byte.
#include "libcore/quant/ranges/minmax_bin.h"
#include "libcore/quant/ranges/ranges_json.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const Bytes bytes = Bytes::borrow(data, size);
    expect_only_refusals([&] {
        const auto runs = onert::parse_minmax(bytes);
        if (onert::write_minmax(runs) != bytes.text()) std::abort();
        size_t skipped = 0;
        const onert::Places places{{"a", "", "b"}, {"x"}};
        (void)to_json(onert::ranges_of_minmax(runs, places, skipped));
    });
    return 0;
}
