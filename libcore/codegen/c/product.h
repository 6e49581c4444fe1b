// What products of codes or real numbers have in common as C: what becomes of a sum, how operands are rounded, the call of a kernel.
#pragma once

#include "libcore/codegen/c/emit.h"
#include "libcore/ops/shared/requantization.h"

namespace quern::cgen {

// What follows a sum: C parameters, the expression of the result, the kernels it calls, the arguments of the call.
struct Finish {
    std::string variant, accumulator, parameters, expression, term;
    std::vector<std::string> arguments;
    std::string y_type, start;  // start: of sums that begin with the bias
    std::string codes;          // of folded products: a call that makes codes of sums, of channels from first, and says of how many
};

bool has_bytes(const Encoding& e);  // codes of 8 bits, of an encoding that is known

struct Product {
    size_t bias_input;
    size_t channels;
    int64_t depth;
    int64_t max_bias = 0;  // if not 0, the bias is in what sums begin with, and this is the greatest one
    bool folded() const { return max_bias != 0; }
};

// What is added to the sums of a product, and how many bits they have: narrow in 32, wide in 64 at all times, else cut to 32 behind.
struct Sums {
    std::vector<int64_t> bias = {};  // one per channel, or none
    bool wide = false, narrow = false;
};
Sums tflite_sums(Emit& e, const Product& p);
Sums onnx_sums(Emit& e, const Product& p);

// Activations are rounded a slice at a time (libcore/ops/integer/hybrid.h): the kernel that does it, what it makes, how scales are
// multiplied.
struct Rounding {
    bool symmetric, channel_first;
    std::string_view kernel() const { return symmetric ? "symmetric_codes" : "asymmetric_codes"; }
    DType storage() const { return symmetric ? DType::i8 : DType::i16; }  // codes minus their zero point
};

struct Weights {
    std::string at, type;
    int64_t zero;
};
// Those with zero points per channel are stored with these subtracted.
Weights weight_codes(Emit& e, size_t i);
// A bias of real numbers, one per channel; empty if there is none.
std::string real_bias(Emit& e, size_t input, size_t channels);
bool has_dynamic_operand(Emit& e);
// Zero points as input i has them, of input x without it.
std::string zero_points(Emit& e, size_t i, size_t x);
// The sums themselves (ConvInteger, MatMulInteger): zero points are inputs of the node.
Finish integer_finish(Emit& e, const Product& p);
// Requantized by scales that are inputs of the node (QLinearConv, QLinearMatMul).
Finish qlinear_finish(Emit& e, const Product& p);

Finish tflite_finish(Emit& e, const Product& p, int64_t w_zero, ProductScaling scaling);
Finish onnx_finish(Emit& e, const Product& p, int64_t w_zero);
Finish dynamic_finish(Emit& e, const Product& p, int64_t w_zero);  // the scale of an operand is found in the run
Finish real_finish(const std::string& bias);
Finish hybrid_finish(Emit& e, const std::string& bias, const Rounding& rounding);

// A call of kernel `piece`; `behind`: arguments between the result and its shape.
void call_product(Emit& e, std::string_view piece, const Finish& finish, const std::string& x, std::string_view x_type,
                  const std::string& w, std::string_view w_type, const std::string& y, const std::string& shape, const Words& more = {},
                  const std::vector<std::string>& behind = {});

}  // namespace quern::cgen
