// The kinds of an inner loop: a plain one, one for AVX2, and one for what every machine of an architecture has.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "libcore/kernels/isa.h"

namespace quern::codes {

// Those that this machine, or its limit (isa.h), has: the fastest first. `avx2` is there on x86-64 only, `baseline` where it is not
// the plain one.
template <const auto& avx2, const auto& portable, const auto& baseline = portable>
auto all_kinds() {
    using Kind = std::remove_cvref_t<decltype(portable)>;
    static const std::vector<const Kind*> kinds = [] {
        std::vector<const Kind*> all;
#if defined(__x86_64__)
        if (isa() >= Isa::avx2) all.push_back(&avx2);
#endif
        if (&baseline != &portable) all.push_back(&baseline);
        all.push_back(&portable);
        return all;
    }();
    return std::span<const Kind* const>(kinds);
}

}  // namespace quern::codes
