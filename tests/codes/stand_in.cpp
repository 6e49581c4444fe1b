#include "tests/codes/stand_in.h"

#include "libcore/kernels/isa.h"

#if defined(__x86_64__)
#include <cpuid.h>
#include <immintrin.h>

#include <cstring>

#define STAND_IN __attribute__((target("avx2,fma"))) inline

// ---- the instructions ------------------------------------------------------------------------------------------------------

namespace code_tests {

struct Wide {
    int32_t lanes[16];
};

STAND_IN int32_t dot_of(int32_t sum, int32_t codes, int32_t weights) {
    for (int i = 0; i < 4; ++i)
        sum += static_cast<int32_t>(static_cast<uint8_t>(codes >> 8 * i)) * static_cast<int8_t>(static_cast<uint8_t>(weights >> 8 * i));
    return sum;
}
STAND_IN Wide wide_zero() { return {}; }
STAND_IN Wide wide_load(const void* from) {
    Wide x;
    std::memcpy(&x, from, sizeof x);
    return x;
}
STAND_IN void wide_store(void* to, const Wide& x) { std::memcpy(to, &x, sizeof x); }
STAND_IN Wide wide_all(int32_t item) {
    Wide x;
    for (int32_t& lane : x.lanes) lane = item;
    return x;
}
STAND_IN Wide wide_add(Wide x, const Wide& y) {
    for (int i = 0; i < 16; ++i) x.lanes[i] += y.lanes[i];
    return x;
}
STAND_IN Wide wide_dot(Wide sums, const Wide& codes, const Wide& weights) {
    for (int i = 0; i < 16; ++i) sums.lanes[i] = dot_of(sums.lanes[i], codes.lanes[i], weights.lanes[i]);
    return sums;
}
// Zeros where the mask has none.
STAND_IN Wide wide_bytes(uint64_t mask, const void* from) {
    Wide x{};
    for (int i = 0; i < 64; ++i)
        if (mask >> i & 1) reinterpret_cast<uint8_t*>(x.lanes)[i] = static_cast<const uint8_t*>(from)[i];
    return x;
}
template <class Lane>
Wide wide_each(const Wide& x, const Wide& y, const Lane& lane) {
    Wide z;
    for (int i = 0; i < 16; ++i) z.lanes[i] = lane(x.lanes[i], y.lanes[i]);
    return z;
}
inline Wide wide_and(const Wide& x, const Wide& y) {
    return wide_each(x, y, [](int32_t a, int32_t b) { return a & b; });
}
inline Wide wide_or(const Wide& x, const Wide& y) {
    return wide_each(x, y, [](int32_t a, int32_t b) { return a | b; });
}
inline Wide wide_right(int, const Wide& x, unsigned by) {
    return wide_each(x, x, [&](int32_t a, int32_t) { return static_cast<int32_t>(static_cast<uint32_t>(a) >> by); });
}
inline Wide wide_left(int, const Wide& x, unsigned by) {
    return wide_each(x, x, [&](int32_t a, int32_t) { return static_cast<int32_t>(static_cast<uint32_t>(a) << by); });
}
// Items of `bytes` in turn, of the lower or upper half of each 16 bytes.
template <int bytes, int half>
Wide wide_unpack(uint64_t, const Wide& x, const Wide& y) {
    Wide z;
    const auto *a = reinterpret_cast<const uint8_t*>(x.lanes), *b = reinterpret_cast<const uint8_t*>(y.lanes);
    auto* to = reinterpret_cast<uint8_t*>(z.lanes);
    for (int lane = 0; lane < 64; lane += 16)
        for (int i = 0; i < 8; i += bytes, to += 2 * bytes) {
            std::memcpy(to, a + lane + 8 * half + i, bytes);
            std::memcpy(to + bytes, b + lane + 8 * half + i, bytes);
        }
    return z;
}
inline Wide wide_shuffle(int, const Wide& x, const Wide& y, int how) {
    Wide z;
    for (int i = 0; i < 4; ++i) std::memcpy(z.lanes + 4 * i, (i < 2 ? x : y).lanes + 4 * (how >> 2 * i & 3), 16);
    return z;
}
STAND_IN Wide wide_insert(int, Wide x, __m256i half, int at) {
    _mm256_storeu_si256(reinterpret_cast<__m256i*>(x.lanes + 8 * at), half);
    return x;
}
STAND_IN __m256i dot_of_eight(__m256i sums, __m256i codes, __m256i weights) {
    alignas(32) int32_t s[8], c[8], w[8];
    _mm256_store_si256(reinterpret_cast<__m256i*>(s), sums);
    _mm256_store_si256(reinterpret_cast<__m256i*>(c), codes);
    _mm256_store_si256(reinterpret_cast<__m256i*>(w), weights);
    for (int i = 0; i < 8; ++i) s[i] = dot_of(s[i], c[i], w[i]);
    return _mm256_load_si256(reinterpret_cast<const __m256i*>(s));
}

}  // namespace code_tests

// ---- the loops -------------------------------------------------------------------------------------------------------------

#define QUERN_VNNI512 __attribute__((target("avx2,fma")))
#define QUERN_VNNI256 QUERN_VNNI512
#define __m512i code_tests::Wide
#define _mm512_setzero_si512 code_tests::wide_zero
#define _mm512_loadu_si512 code_tests::wide_load
#define _mm512_storeu_si512 code_tests::wide_store
#define _mm512_set1_epi32 code_tests::wide_all
#define _mm512_add_epi32 code_tests::wide_add
#define _mm512_dpbusd_epi32 code_tests::wide_dot
#define _mm512_maskz_inserti64x4 code_tests::wide_insert
#define _mm512_maskz_loadu_epi8 code_tests::wide_bytes
#define _mm512_and_si512 code_tests::wide_and
#define _mm512_or_si512 code_tests::wide_or
#define _mm512_maskz_srli_epi32 code_tests::wide_right
#define _mm512_maskz_slli_epi32 code_tests::wide_left
#define _mm512_maskz_unpacklo_epi8 code_tests::wide_unpack<1, 0>
#define _mm512_maskz_unpackhi_epi8 code_tests::wide_unpack<1, 1>
#define _mm512_maskz_unpacklo_epi16 code_tests::wide_unpack<2, 0>
#define _mm512_maskz_unpackhi_epi16 code_tests::wide_unpack<2, 1>
#define _mm512_maskz_shuffle_i32x4 code_tests::wide_shuffle
#define _mm256_dpbusd_avx_epi32 code_tests::dot_of_eight
#define avx512_vnni_dot stand_in_512
#define avx512_depth_sums stand_in_depth_sums
#define avx512_depth_lines stand_in_depth_lines
#define avx_vnni_dot stand_in_256
#define has_avx512_vnni has_512
#define has_avx_vnni has_256

namespace quern::codes {
extern const Dot stand_in_512, stand_in_256;
extern const DepthLines stand_in_depth_lines;
void stand_in_depth_sums(const TileRows& rows, int64_t channel, int columns, const int8_t* weights, int32_t* sums);
}  // namespace quern::codes
#include "libcore/kernels/codes/dot_lines_vnni.cpp"
#include "libcore/kernels/codes/dot_vnni.cpp"

std::vector<const quern::codes::Dot*> code_tests::stand_ins() {
    if (quern::isa() < quern::Isa::avx2) return {&stand_in_amx()};
    return {&quern::codes::stand_in_512, &quern::codes::stand_in_256, &stand_in_amx()};
}

#else

std::vector<const quern::codes::Dot*> code_tests::stand_ins() { return {&stand_in_amx()}; }

#endif
