#include "libcore/ops/shared/requantization.h"

#include <algorithm>
#include <cmath>

#include "libcore/graph/encoding.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

std::vector<int64_t> zeros_of(const Encoding& encoding) {
    return encoding.zero.defined() ? to_ints(encoding.zero) : std::vector<int64_t>(1, 0);
}

std::vector<float> product_scales(const Encoding& x, const Encoding& w) {
    const float x_scale = to_floats(x.scale)[0];
    std::vector<float> scales = to_floats(w.scale);
    for (float& scale : scales) scale = x_scale * scale;
    return scales;
}

namespace {

template <class T>
const T& of_channel(std::span<const T> items, size_t channel) {
    return items[items.size() == 1 ? 0 : channel];
}

bool has_scales(const Encoding& encoding, std::span<const float> scales, size_t channels) {
    if ((encoding.storage != DType::i32 && encoding.storage != DType::i64) || !encoding.symmetric()) return false;
    const std::vector<float> own = to_floats(encoding.scale);
    for (size_t i = 0; i < channels; ++i)
        if (of_channel<float>(own, i) != of_channel(scales, i)) return false;
    return true;
}

// What the codes stand for without float32's rounding, which biases of more than 24 bits would lose by.
std::vector<double> exact_numbers(const Tensor& bias, const Encoding* encoding) {
    if (!encoding || !encoding->symmetric() || encoding->block > 0) return to_doubles(encoding ? dequantize(bias, *encoding) : bias);
    std::vector<double> numbers = to_doubles(bias);
    const std::vector<double> scales = to_doubles(encoding->scale);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] *= of_channel<double>(scales, i);
    return numbers;
}

}  // namespace

std::vector<int64_t> bias_codes(const Tensor& bias, const Encoding* encoding, std::span<const float> scales, size_t channels, bool wide) {
    if (const auto count = static_cast<size_t>(bias.count()); count != 1 && count != channels)
        throw bad_input("bias is {}, need {} numbers", to_string(bias.dims), channels);
    std::vector<int64_t> out(channels);
    if (encoding && has_scales(*encoding, scales, channels)) {
        const std::vector<int64_t> codes = to_ints(bias);
        for (size_t i = 0; i < channels; ++i) out[i] = of_channel<int64_t>(codes, i);
        return out;
    }
    if (wide) {
        const std::vector<double> real = exact_numbers(bias, encoding);
        constexpr double max = 4.0e18;
        for (size_t i = 0; i < channels; ++i) {
            const double code = of_channel<double>(real, i) / static_cast<double>(of_channel(scales, i));
            out[i] = std::isnan(code) ? 0 : static_cast<int64_t>(std::nearbyint(std::clamp(code, -max, max)));
        }
        return out;
    }
    const std::vector<float> real = to_floats(encoding ? dequantize(bias, *encoding) : bias);
    for (size_t i = 0; i < channels; ++i) out[i] = quantize_one(of_channel<float>(real, i), of_channel(scales, i), 0, INT32_MIN, INT32_MAX);
    return out;
}

std::vector<float> requantization_factors(std::span<const float> scales, const Encoding& out) {
    const float y_scale = to_floats(out.scale)[0];
    std::vector<float> factors(scales.begin(), scales.end());
    for (float& factor : factors) factor = factor / y_scale;
    return factors;
}

ProductScaling tflite_scaling(std::string_view op, const Encoding& x, const Encoding& w) {
    if (op == "Gemm") return ProductScaling::real;
    const bool one_scale = x.storage == DType::u8 && w.per_tensor();  // with channels, as onert's kernels: LiteRT has no such codes
    return op == "MatMul" || one_scale ? ProductScaling::float_product : ProductScaling::double_product;
}

std::vector<double> tflite_factors(const Encoding& x, const Encoding& w, const Encoding& out, ProductScaling scaling) {
    const float x_scale = to_floats(x.scale)[0], y_scale = to_floats(out.scale)[0];
    std::vector<double> factors;
    for (const float w_scale : to_floats(w.scale)) {
        const double product = scaling == ProductScaling::float_product ? static_cast<double>(x_scale * w_scale)
                                                                        : static_cast<double>(x_scale) * static_cast<double>(w_scale);
        factors.push_back(product / static_cast<double>(y_scale));
    }
    return factors;
}

bool has_wide_sums(const Encoding& x, const Encoding* bias) { return bits_of(x.storage) > 8 && (!bias || bias->storage == DType::i64); }

}  // namespace quern
