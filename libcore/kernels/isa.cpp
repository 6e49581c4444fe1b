#include "libcore/kernels/isa.h"

#include <cstdlib>

#include "libcore/base/error.h"

namespace quern {
namespace {

Isa of_machine() {
#if defined(__x86_64__) && defined(__GNUC__)
    if (__builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") && __builtin_cpu_supports("avx512bw") &&
        __builtin_cpu_supports("avx512vl"))
        return Isa::avx512;
    if (__builtin_cpu_supports("avx2")) return Isa::avx2;
#endif
    return Isa::base;
}

Isa& widest() {
    static Isa set = of_machine();
    return set;
}

}  // namespace

Isa isa() { return widest(); }

void limit_isa(Isa to) {
    if (to > of_machine()) throw unsupported("--isa: this machine does not have {}", isa_names[static_cast<size_t>(to)]);
    widest() = to;
    // oneDNN reads it when it makes its first primitive; its lowest set is SSE 4.1.
    constexpr std::array onednn{"SSE41", "AVX2", "AVX512_CORE"};
    ::setenv("DNNL_MAX_CPU_ISA", onednn[static_cast<size_t>(to)], 1);
}

}  // namespace quern
