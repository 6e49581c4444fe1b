// Encodings that the kernels of a runtime give to an operator's result, whatever it holds.
#pragma once

#include <array>
#include <span>
#include <string_view>

#include "libcore/graph/dtype.h"

namespace quern::support {

// The result of an operator always has this encoding.
struct FixedResult {
    std::string_view op;
    DType storage;
    float scale;
    int64_t zero;
};

// TensorFlow Lite's 8-bit and 16x8 quantization specification.
inline constexpr std::array fixed_by_tflite{
    FixedResult{"Softmax", DType::i8, 1.0f / 256, -128},
    FixedResult{"Softmax", DType::u8, 1.0f / 256, 0},
    FixedResult{"Softmax", DType::i16, 1.0f / 32768, 0},
    FixedResult{"Sigmoid", DType::i8, 1.0f / 256, -128},
    FixedResult{"Sigmoid", DType::u8, 1.0f / 256, 0},
    FixedResult{"Sigmoid", DType::i16, 1.0f / 32768, 0},
    FixedResult{"Tanh", DType::i8, 1.0f / 128, 0},
    FixedResult{"Tanh", DType::u8, 1.0f / 128, 128},
    FixedResult{"Tanh", DType::i16, 1.0f / 32768, 0},
    FixedResult{"LogSoftmax", DType::i8, 16.0f / 256, 127},
    FixedResult{"LogSoftmax", DType::u8, 16.0f / 256, 255},
    FixedResult{"LpNormalization", DType::i8, 1.0f / 128, 0},
    FixedResult{"LpNormalization", DType::u8, 1.0f / 128, 128},
};

// Samsung/ONE, luci's passes.
inline constexpr std::array fixed_by_one{
    FixedResult{"Sigmoid", DType::u8, 1.0f / 256, 0}, FixedResult{"Sigmoid", DType::i16, 1.0f / 32768, 0},
    FixedResult{"Tanh", DType::u8, 2.0f / 256, 128},  FixedResult{"Tanh", DType::i16, 1.0f / 32768, 0},
    FixedResult{"Softmax", DType::u8, 1.0f / 255, 0}, FixedResult{"Softmax", DType::i16, 1.0f / 32767, 0},
};

// nullptr: the kernels take any.
const FixedResult* fixed_result(std::span<const FixedResult> rows, std::string_view op, DType storage);

}  // namespace quern::support
