// Contexts on any bytes, their digests repaired: refused, or run once on small zeros.
#include "libcore/deploy/context.h"
#include "tests/fuzz/context_repair.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    MutableBytes file(size);
    if (size) std::memcpy(file.data(), data, size);
    repair_sections(file.data(), size);
    const Bytes bytes = std::move(file).freeze();
    if (!is_context(bytes)) return 0;
    expect_only_refusals([&] {
        const Context context(bytes);
        for (const ContextGraph& graph : context.graphs()) context.load(graph);
        Context::check_digests(bytes);
    });
    return 0;
}
