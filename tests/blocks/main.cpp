// Products with weights in blocks: every loop gives what the plain ones give, and graphs drawn at random what their references do.
// usage: blocks_tests [--isa base|avx2|avx512] [--count N] [--seed S] | --peak
#include <fmt/core.h>

#include <string>

#include "libcore/kernels/isa.h"
#include "tests/blocks/loops.h"
#ifndef LOOPS_ONLY
#include "tests/blocks/nets.h"
#endif

int main(int argc, char** argv) {
    using namespace quern;
    if (argc > 1 && argv[1] == std::string("--peak")) return block_tests::print_peak(argc > 2 ? argv[2] : ""), 0;
    uint64_t count = 60, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i], value = argv[i + 1];
        if (option == "--count") count = std::stoull(value);
        if (option == "--seed") seed = std::stoull(value);
        if (option != "--isa") continue;
        for (size_t k = 0; k < isa_names.size(); ++k)
            if (isa_names[k] == value) limit_isa(static_cast<Isa>(k));
    }
    size_t wrong = block_tests::check_loops(seed, count);
#ifndef LOOPS_ONLY
    wrong += block_tests::check_nets(seed, 10 * count);
#endif
    fmt::print("Running {} test cases\n{} wrong\n", count, wrong);
    return wrong == 0 ? 0 : 1;
}
