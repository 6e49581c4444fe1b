// The instruction set of the float kernels. Results of one set are the same on every machine that has it; those of two may differ in
// the last bits.
#pragma once

#include <array>
#include <cstdint>
#include <string_view>

namespace quern {

enum class Isa : uint8_t { base, avx2, avx512 };
constexpr std::array<std::string_view, 3> isa_names{"base", "avx2", "avx512"};

// The widest set that kernels use: the machine's, or what it was limited to.
Isa isa();
// Has it the vectors of vectors.h? QUERN_VECTORS: where one may.
bool has_vectors();
#if defined(__x86_64__) || defined(__aarch64__)
#define QUERN_VECTORS
#endif
// Was it limited?
bool is_isa_limited();
// Before the first kernel is chosen. Throws Exit::unsupported if the machine does not have it.
void limit_isa(Isa widest);
// Of a context made for the set of this name. Throws Exit::bad_input if there is none of it, Exit::unsupported if it is wider than isa().
void need_isa(std::string_view name);

}  // namespace quern
