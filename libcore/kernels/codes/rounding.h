// Real numbers to codes by a scale that follows from the numbers themselves: the loops over them, one family an instruction set. All give
// the same as dynamic_encoding() and quantize() (graph/encoding.h).
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace quern::codes {

// Of some numbers and 0; NaN is passed over.
struct NumberRange {
    float low = 0, high = 0;
};

// Codes, as bytes that begin at 0 for the least code.
struct ByteGrid {
    float scale;
    int32_t zero, low, high;
};

struct Rounding {
    std::string_view name;
    NumberRange (*range)(const float* x, size_t count);
    void (*codes)(const ByteGrid& grid, const float* x, size_t count, uint8_t* out);
};

const Rounding& rounding();                        // the fastest here
std::span<const Rounding* const> all_roundings();  // for tests
extern const Rounding portable_rounding, vectors_rounding;

}  // namespace quern::codes
