#include "libcore/kernels/codes/dot_amx.h"

namespace quern::codes {

void gather_lines(const TileRows& rows, std::byte* panel) {
    for (int r = 0; r < rows.count; ++r)
        for (int tap = 0; tap < rows.taps; ++tap, panel += rows.depth)
            std::memcpy(panel, rows.starts[tap * max_rows + r], static_cast<size_t>(rows.depth));
}

}  // namespace quern::codes

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>

namespace quern::codes {
namespace {

// The registers of a thread, from configure() on to release().
struct Amx {
    static void configure(const TileShapes& shapes) { asm volatile("ldtilecfg %0" ::"m"(shapes)); }
    static void release() { asm volatile("tilerelease"); }
    template <int T>
    static void zero() {
        asm volatile("tilezero %%tmm%c0" ::"i"(T));
    }
    template <int T>
    static void load(const void* from, int64_t stride) {
        asm volatile("tileloadd (%0,%1,1), %%tmm%c2" ::"r"(from), "r"(stride), "i"(T) : "memory");
    }
    template <int T>
    static void store(void* to, int64_t stride) {
        asm volatile("tilestored %%tmm%c2, (%0,%1,1)" ::"r"(to), "r"(stride), "i"(T) : "memory");
    }
    template <int Sums, int Codes, int Weights>
    static void multiply() {
        asm volatile("tdpbusd %%tmm%c2, %%tmm%c1, %%tmm%c0" ::"i"(Sums), "i"(Codes), "i"(Weights));
    }
};

}  // namespace

const Dot amx_dot{"amx-int8", tile_rows, 1, gather_lines, avx2_row_sums, AmxLoop<Amx>::sums, avx512_depth_sums, &avx512_depth_lines};

// Linux saves the registers of processes that have asked for it (Documentation/arch/x86/xstate.rst).
bool has_amx() {
    constexpr long request_permission = 0x1023, tile_data = 18;
    constexpr unsigned tiles = 1u << 24, int8 = 1u << 25;
    unsigned a = 0, b = 0, c = 0, d = 0;
    if (!__get_cpuid_count(7, 0, &a, &b, &c, &d) || (d & (tiles | int8)) != (tiles | int8)) return false;
    return syscall(SYS_arch_prctl, request_permission, tile_data) == 0;
}

}  // namespace quern::codes
#endif
