// The inner loops of kernels on codes alone, for machines that run nothing else of quern: each gives what the plain one gives.
// usage: loops [dots]: those of products alone
#include <fmt/core.h>

#include "libcore/kernels/codes/dot.h"
#include "tests/codes/loops.h"
#include "tests/codes/stand_in.h"

// QEMU would take long for them.
std::vector<const quern::codes::Dot*> code_tests::stand_ins() { return {}; }

int main(int argc, char**) {
    const size_t wrong = argc > 1 ? code_tests::check_dots() : code_tests::check_loops();
    for (const quern::codes::Dot* dot : quern::codes::all_dots()) fmt::print("{} ", dot->name);
    fmt::print("- {} wrong\n", wrong);
    return wrong == 0 ? 0 : 1;
}
