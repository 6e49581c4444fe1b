// Kernels on codes: networks drawn at random give the reference's codes, and every inner loop those of the plain one.
// usage: codes_tests [--isa base|avx2|avx512] [--count N] [--seed S] | --peak | --count N --save FOLDER
#include <fmt/core.h>

#include <cstring>
#include <string>

#include "libcore/kernels/isa.h"
#include "tests/codes/loops.h"
#include "tests/codes/nets.h"
#include "tests/codes/products.h"
#include "tests/codes/real_nets.h"
#include "tests/codes/recurrent.h"
#include "tests/codes/stored.h"

int main(int argc, char** argv) {
    using namespace quern;
    if (argc == 2 && argv[1] == std::string("--peak")) return code_tests::print_peak(), 0;
    uint64_t count = 3000, seed = 1;
    for (int i = 1; i + 1 < argc; i += 2) {
        const std::string option = argv[i], value = argv[i + 1];
        if (option == "--count") count = std::stoull(value);
        if (option == "--seed") seed = std::stoull(value);
        if (option == "--save") return code_tests::save_nets(seed, count, value), 0;
        if (option != "--isa") continue;
        for (size_t k = 0; k < isa_names.size(); ++k)
            if (isa_names[k] == value) limit_isa(static_cast<Isa>(k));
    }
    const size_t wrong = code_tests::check_loops() + code_tests::check_products(300) + code_tests::check_nets(seed, count) +
                         code_tests::check_real_nets(seed, count / 2) + code_tests::check_stored(seed, count / 2) +
                         code_tests::check_recurrent(seed, count / 2);
    fmt::print("Running {} test cases\n{} wrong\n", count, wrong);
    return wrong == 0 ? 0 : 1;
}
