#include "libcore/kernels/code_table.h"

#include <vector>

#include "libcore/kernels/isa.h"

#if defined(__x86_64__)
#include <immintrin.h>
#define QUERN_AVX2 __attribute__((target("avx2")))
#endif

namespace quern {
namespace {

constexpr size_t grain = 1 << 16;  // codes that are worth a task

void run_plain(const uint8_t* table, const uint8_t* from, uint8_t* to, size_t count) {
    for (size_t i = 0; i < count; ++i) to[i] = table[from[i]];
}
constexpr ByteLookup plain{"portable", run_plain};

#if defined(__x86_64__)

// Thirty-two codes at a time: each line of sixteen entries is asked for the lower half of the codes, and of two answers one is taken by
// each higher bit, which is brought to where blendv looks.
struct Lines {
    __m256i lines[16];

    QUERN_AVX2 inline __attribute__((always_inline)) explicit Lines(const uint8_t* table) {
#pragma GCC unroll 16
        for (int i = 0; i < 16; ++i)
            lines[i] = _mm256_broadcastsi128_si256(_mm_loadu_si128(reinterpret_cast<const __m128i*>(table + 16 * i)));
    }

    QUERN_AVX2 inline __attribute__((always_inline)) __m256i of(__m256i codes) const {
        const __m256i low = _mm256_and_si256(codes, _mm256_set1_epi8(15));
        const __m256i a = four<0>(low, codes), b = four<4>(low, codes), c = four<8>(low, codes), d = four<12>(low, codes);
        const __m256i third = _mm256_slli_epi16(codes, 1);
        return _mm256_blendv_epi8(_mm256_blendv_epi8(a, b, third), _mm256_blendv_epi8(c, d, third), codes);
    }

   private:
    // Of four lines from `first` on.
    template <int first>
    QUERN_AVX2 inline __attribute__((always_inline)) __m256i four(__m256i low, __m256i codes) const {
        const __m256i one = _mm256_slli_epi16(codes, 3), two = _mm256_slli_epi16(codes, 2);
        const __m256i a = _mm256_blendv_epi8(_mm256_shuffle_epi8(lines[first], low), _mm256_shuffle_epi8(lines[first + 1], low), one);
        const __m256i b = _mm256_blendv_epi8(_mm256_shuffle_epi8(lines[first + 2], low), _mm256_shuffle_epi8(lines[first + 3], low), one);
        return _mm256_blendv_epi8(a, b, two);
    }
};

QUERN_AVX2 void run_avx2(const uint8_t* table, const uint8_t* from, uint8_t* to, size_t count) {
    const Lines lines(table);
    size_t i = 0;
    for (; i + 32 <= count; i += 32) {
        const __m256i codes = _mm256_loadu_si256(reinterpret_cast<const __m256i*>(from + i));
        _mm256_storeu_si256(reinterpret_cast<__m256i*>(to + i), lines.of(codes));
    }
    run_plain(table, from + i, to + i, count - i);
}
constexpr ByteLookup avx2{"avx2", run_avx2};

#endif

template <class From, class To>
Buffer words(const CodeTable& table, const std::byte* codes, size_t count, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count * sizeof(To));
    const auto* from = reinterpret_cast<const From*>(codes);
    const auto* entries = reinterpret_cast<const To*>(table.entries);
    auto* to = reinterpret_cast<To*>(out.data.get());
    pool.run_ranges(count, grain, [&](size_t begin, size_t end) {
        for (size_t i = begin; i < end; ++i) to[i] = entries[from[i]];
    });
    return out;
}

Buffer bytes(const CodeTable& table, const std::byte* codes, size_t count, Memory& memory, ThreadPool& pool) {
    Buffer out = memory.take(count);
    look_up_bytes(reinterpret_cast<const uint8_t*>(table.entries), reinterpret_cast<const uint8_t*>(codes),
                  reinterpret_cast<uint8_t*>(out.data.get()), count, pool);
    return out;
}

}  // namespace

std::span<const ByteLookup* const> all_byte_lookups() {
    static const std::vector<const ByteLookup*> all = [] {
        std::vector<const ByteLookup*> kinds;
#if defined(__x86_64__)
        if (isa() >= Isa::avx2) kinds.push_back(&avx2);
#endif
        kinds.push_back(&plain);
        return kinds;
    }();
    return all;
}

const ByteLookup& byte_lookup() { return *all_byte_lookups().front(); }

void look_up_bytes(const uint8_t* table, const uint8_t* from, uint8_t* to, size_t count, ThreadPool& pool) {
    pool.run_ranges(count, grain, [&](size_t begin, size_t end) { byte_lookup().run(table, from + begin, to + begin, end - begin); });
}

Buffer looked_up(const CodeTable& table, const std::byte* codes, size_t count, Memory& memory, ThreadPool& pool) {
    const bool from_words = bits_of(table.from) > 8, to_words = bits_of(table.to) > 8;
    const auto kernel =
        from_words ? (to_words ? words<uint16_t, uint16_t> : words<uint16_t, uint8_t>) : (to_words ? words<uint8_t, uint16_t> : bytes);
    return kernel(table, codes, count, memory, pool);
}

}  // namespace quern
