// The machines that contexts are made for, by name.
#pragma once

#include <array>
#include <string_view>

namespace quern {

// The sets of x86-64 (isa.h), and other machines as a whole.
constexpr std::array<std::string_view, 4> context_isas{"base", "avx2", "avx512", "aarch64"};

// Which of them contexts that are made here are for; "other" on a machine that is not one of them.
std::string_view context_isa();
// Do contexts for this one run here? (need_isa() says why not.)
bool runs_isa(std::string_view name);

}  // namespace quern
