#include "libcore/ops/integer/sum_codes.h"

#include "libcore/ops/shared/requantization.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// One number for all channels, or one each.
template <class T>
void spread(std::vector<T>& items, size_t channels, std::string_view what) {
    if (items.size() != 1 && items.size() != channels)
        throw bad_input("{} {}, need 1 or {}, one per channel", items.size(), what, channels);
    items.resize(channels, items[0]);
}

SumCodes by_tflite(const SumOperands& operands, ProductScaling scaling) {
    SumCodes codes;
    codes.wide = has_wide_sums(operands.x, operands.bias_encoding);
    std::vector<double> factors = tflite_factors(operands.x, operands.w, operands.out, scaling);
    spread(factors, operands.channels, "scales of weights");
    if (operands.bias) codes.bias = to_ints(*operands.bias);
    if (!codes.bias.empty()) spread(codes.bias, operands.channels, "biases");
    if (scaling == ProductScaling::real) {
        codes.by = SumCodes::By::doubles;
        codes.doubles = std::move(factors);
        return codes;
    }
    codes.by = SumCodes::By::fixed;
    for (const double factor : factors) codes.fixed.push_back(FixedFactor::of(factor));
    return codes;
}

}  // namespace

SumCodes onnx_sum_codes(const SumOperands& operands) {
    SumCodes codes;
    std::vector<float> scales = product_scales(operands.x, operands.w);
    spread(scales, operands.channels, "scales of weights");
    codes.floats = requantization_factors(scales, operands.out);
    codes.wide = has_wide_products(operands.x, operands.w);
    if (operands.bias) codes.bias = bias_codes(*operands.bias, operands.bias_encoding, scales, operands.channels, codes.wide);
    return codes;
}

SumCodes tflite_sum_codes(const SumOperands& operands) {
    return by_tflite(operands, tflite_scaling(operands.node.op->name, operands.x, operands.w));
}

SumCodes tflm_gemm_sum_codes(const SumOperands& operands) {
    return by_tflite(operands, operands.w.per_tensor() ? ProductScaling::float_product : ProductScaling::double_product);
}

bool has_wide_products(const Encoding& x, const Encoding& w) { return bits_of(x.storage) + bits_of(w.storage) > 16; }

}  // namespace quern
