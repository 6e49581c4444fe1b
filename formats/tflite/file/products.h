// Where the products of a file have their operands.
#pragma once

#include <algorithm>
#include <array>

#include "formats/tflite/file/file.h"

namespace quern::tflite_format {

struct ProductRow {
    Code code;
    size_t data, weights, bias;
    bool says_bias_type;  // has an option for it
};
inline constexpr std::array products{
    ProductRow{Code::CONV_2D, 0, 1, 2, true},
    ProductRow{Code::DEPTHWISE_CONV_2D, 0, 1, 2, false},
    ProductRow{Code::FULLY_CONNECTED, 0, 1, 2, true},
    ProductRow{Code::TRANSPOSE_CONV, 2, 1, 3, true},
};

inline const ProductRow* product_row(Code code) {
    const auto row = std::find_if(products.begin(), products.end(), [&](const ProductRow& r) { return r.code == code; });
    return row == products.end() ? nullptr : row;
}

// weights.cpp: products of real numbers with weights that a DEQUANTIZE makes of codes get the codes themselves, and option weight_only.
void take_weights_as_codes(Subgraph& graph);

}  // namespace quern::tflite_format
