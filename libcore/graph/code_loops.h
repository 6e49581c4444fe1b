// Runs of numbers with one scale and zero point to codes of 8 or 16 bits and back: what encoding.h defines, in vectors.
#pragma once

#include <cstddef>

#include "libcore/graph/encoding.h"

namespace quern {

// The same numbers as quantize_one, without a library call an element.
struct RunGrid {
    float scale, low, high;  // limits before the zero point is added
    int32_t zero;

    RunGrid(float scale_, int64_t zero_, const Encoding& e)
        : scale(scale_),
          low(static_cast<float>(e.qmin - zero_)),
          high(static_cast<float>(e.qmax - zero_)),
          zero(static_cast<int32_t>(zero_)) {}
    int32_t code(float value) const {
        constexpr float shift = 12582912.0f;  // 1.5 * 2^23: adding it rounds half to even to a whole number
        float steps = value / scale;
        steps = steps == steps ? steps : 0.0f;
        steps = steps < low ? low : steps;
        steps = steps > high ? high : steps;
        return static_cast<int32_t>((steps + shift) - shift) + zero;
    }
};

void encode_run(const float* from, size_t count, const RunGrid& grid, int8_t* to);
void encode_run(const float* from, size_t count, const RunGrid& grid, uint8_t* to);
void encode_run(const float* from, size_t count, const RunGrid& grid, int16_t* to);
void encode_run(const float* from, size_t count, const RunGrid& grid, uint16_t* to);

void decode_run(const int8_t* from, size_t count, float scale, int32_t zero, float* to);
void decode_run(const uint8_t* from, size_t count, float scale, int32_t zero, float* to);
void decode_run(const int16_t* from, size_t count, float scale, int32_t zero, float* to);
void decode_run(const uint16_t* from, size_t count, float scale, int32_t zero, float* to);

}  // namespace quern
