// Blobs of the built-in back ends on any bytes, their digests repaired: refused, or loaded through the interface of back ends, described,
// and opened with their memory plan.
#include "libcore/backend/client.h"
#include "libcore/backend/program_blob.h"
#include "tests/fuzz/context_repair.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    MutableBytes file(size);
    if (size) std::memcpy(file.data(), data, size);
    repair_sections(file.data(), size);
    const Bytes bytes = std::move(file).freeze();
    if (!context_format::is_program(bytes)) return 0;
    expect_only_refusals([&] { context_format::check_program(bytes); });
    static const auto cpu = Backend::open("cpu"), ref = Backend::open("ref");
    for (const auto& backend : {cpu, ref})
        expect_only_refusals([&] {
            const auto executable = backend->load(bytes);
            executable->inputs();
            executable->outputs();
            executable->choices();
            executable->open({});
        });
    return 0;
}
