// Eight numbers at a time. Searches over parts of blocks put a part into each lane, so that sums within a part have the order that the
// format's reference has, whatever the machine. Compilers make two registers of four of them where there is no AVX2.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>

#include "libcore/blocks/inlined.h"

namespace quern::blocks {

constexpr size_t lane_count = 8;
using Floats = float __attribute__((vector_size(4 * lane_count)));
using Ints = int32_t __attribute__((vector_size(4 * lane_count)));  // of comparisons: -1 where they hold

QUERN_INLINED Floats load_lanes(const float* from) {
    Floats lanes;
    std::memcpy(&lanes, from, sizeof lanes);
    return lanes;
}
QUERN_INLINED void store_lanes(Floats lanes, float* to) { std::memcpy(to, &lanes, sizeof lanes); }
QUERN_INLINED Floats all_lanes(float number) { return Floats{} + number; }

QUERN_INLINED Floats select(Ints where, Floats yes, Floats no) { return where ? yes : no; }
QUERN_INLINED Ints select(Ints where, Ints yes, Ints no) { return where ? yes : no; }
QUERN_INLINED Floats to_floats(Ints numbers) { return __builtin_convertvector(numbers, Floats); }
// Towards zero. Numbers are within the range of int32_t.
QUERN_INLINED Ints to_ints(Floats numbers) { return __builtin_convertvector(numbers, Ints); }

QUERN_INLINED Ints bits_of(Floats numbers) {
    Ints out;
    std::memcpy(&out, &numbers, sizeof out);
    return out;
}
QUERN_INLINED Floats as_floats(Ints bit_patterns) {
    Floats out;
    std::memcpy(&out, &bit_patterns, sizeof out);
    return out;
}
QUERN_INLINED Floats magnitude(Floats numbers) { return as_floats(bits_of(numbers) & 0x7fffffff); }

// The nearest integer, ties to even, of numbers below 2^22: adding 1.5 * 2^23 leaves it in the last digits. Something fixed of all others.
QUERN_INLINED Ints nearest(Floats numbers) { return (bits_of(numbers + 12582912.0f) & 0x7fffff) - 0x400000; }
QUERN_INLINED Ints clamp(Ints numbers, int lowest, int highest) {
    const Ints low = Ints{} + lowest, high = Ints{} + highest;
    const Ints bounded = select(numbers < high, numbers, high);
    return select(bounded > low, bounded, low);
}
// The nearest integer, ties away from zero, of numbers below 2^22; 0 of all others. (Half of one ulp less than a half does not carry over
// what is just below one.)
QUERN_INLINED Ints nearest_away(Floats numbers) {
    const Floats bounded = select(magnitude(numbers) < 4194304.0f, numbers, Floats{});
    const Ints sign = bits_of(bounded) & static_cast<int32_t>(0x80000000u);
    return to_ints(bounded + as_floats(bits_of(all_lanes(0.49999997f)) | sign));
}

// The lowest bytes of 32 numbers, in order.
QUERN_INLINED void store_bytes(const Ints (&numbers)[4], void* to) {
    using Bytes = uint8_t __attribute__((vector_size(32)));
    const Ints packed = (numbers[0] & 255) | (numbers[1] & 255) << 8 | (numbers[2] & 255) << 16 | numbers[3] << 24;
    Bytes bytes;
    std::memcpy(&bytes, &packed, sizeof bytes);
    bytes = __builtin_shufflevector(bytes, bytes, 0, 4, 8, 12, 16, 20, 24, 28, 1, 5, 9, 13, 17, 21, 25, 29,  //
                                    2, 6, 10, 14, 18, 22, 26, 30, 3, 7, 11, 15, 19, 23, 27, 31);
    std::memcpy(to, &bytes, sizeof bytes);
}

// Sixteen codes in the lower halves of bytes, sixteen in the upper ones.
QUERN_INLINED void store_nibbles(const uint8_t* lower, const uint8_t* upper, void* to) {
    using Bytes = uint8_t __attribute__((vector_size(16)));
    Bytes low, high;
    std::memcpy(&low, lower, sizeof low);
    std::memcpy(&high, upper, sizeof high);
    low = (low & 15) | high << 4;
    std::memcpy(to, &low, sizeof low);
}

// Entries 0 to 7 of a table.
QUERN_INLINED Floats pick(Floats table, Ints indexes) {
#ifdef __clang__
    Floats out;
    for (size_t lane = 0; lane < lane_count; ++lane) out[lane] = table[indexes[lane]];
    return out;
#else
    return __builtin_shuffle(table, indexes);
#endif
}

QUERN_INLINED bool any(Ints where) {
    int32_t found = 0;
    for (size_t lane = 0; lane < lane_count; ++lane) found |= where[lane];
    return found != 0;
}
QUERN_INLINED float largest(Floats numbers) {
    const Floats fours = __builtin_shufflevector(numbers, numbers, 4, 5, 6, 7, 0, 1, 2, 3);
    numbers = select(fours > numbers, fours, numbers);
    const Floats twos = __builtin_shufflevector(numbers, numbers, 2, 3, 0, 1, 6, 7, 4, 5);
    numbers = select(twos > numbers, twos, numbers);
    return numbers[1] > numbers[0] ? numbers[1] : numbers[0];
}

// `n` numbers of each of eight parts: the i-th of them all together.
template <size_t n>
struct PartsOf {
    Floats at[n];

    // Of parts that lie one after the other.
    static QUERN_INLINED PartsOf of(const float* from) {
        PartsOf parts;
        for (size_t i = 0; i < n; ++i)
            for (size_t lane = 0; lane < lane_count; ++lane) parts.at[i][lane] = from[lane * n + i];
        return parts;
    }
};
template <size_t n>
struct CodesOf {
    Ints at[n];

    QUERN_INLINED void to(uint8_t* codes) const {
        for (size_t i = 0; i < n; ++i)
            for (size_t lane = 0; lane < lane_count; ++lane) codes[lane * n + i] = static_cast<uint8_t>(at[i][lane]);
    }
};

}  // namespace quern::blocks
