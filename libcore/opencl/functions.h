// Functions of one number as the kernels have them, for tables of codes.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::opencl {

struct UnaryFunction {
    std::string_view op, kernel;
    float (*compute)(float x, float u, float v);
    struct Number {
        std::string_view name = {};  // of the attribute
        float fallback = 0;
    } attributes[2] = {};
    bool exact = false;  // has one result by IEEE arithmetic
};

// By the operator's name, or GeluTanh: the other form of Gelu.
const UnaryFunction& unary_function(std::string_view op);

// clip(rint(x / scale) + zero, low, high), ties to even; NaN is the zero point.
int32_t code_of(float x, float scale, int32_t zero, int32_t low, int32_t high);

}  // namespace quern::opencl
