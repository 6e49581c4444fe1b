// The kinds of an inner loop: a plain one, and one of vectors.
#pragma once

#include <span>
#include <type_traits>
#include <vector>

#include "libcore/kernels/isa.h"

namespace quern::codes {

// Those that this machine, or its limit (isa.h), has: the fastest first. `vectors` is there on x86-64 and, where `on_arm` says so, on
// aarch64.
template <const auto& vectors, const auto& portable>
auto all_kinds() {
    using Kind = std::remove_cvref_t<decltype(portable)>;
    static const std::vector<const Kind*> kinds = [] {
        std::vector<const Kind*> all;
#if defined(QUERN_VECTORS)
        if (has_vectors()) all.push_back(&vectors);
#endif
        all.push_back(&portable);
        return all;
    }();
    return std::span<const Kind* const>(kinds);
}

}  // namespace quern::codes
