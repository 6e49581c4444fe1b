// Instructions that multiply codes and add the products. The processor is asked itself: what the compiler's __builtin_cpu_supports knows of
// later extensions is not there in every library of a process.
#pragma once

#if defined(__x86_64__)
#include <cpuid.h>

namespace quern {

inline bool cpu_has(unsigned leaf, unsigned part, unsigned bits(unsigned a, unsigned c)) {
    unsigned a = 0, b = 0, c = 0, d = 0;
    return __get_cpuid_count(leaf, part, &a, &b, &c, &d) && (bits(a, c) & 1);
}

inline bool cpu_has_avx512_vnni() {
    return cpu_has(7, 0, [](unsigned, unsigned c) { return c >> 11; });
}
inline bool cpu_has_avx_vnni() {
    return cpu_has(7, 1, [](unsigned a, unsigned) { return a >> 4; });
}

}  // namespace quern
#endif
