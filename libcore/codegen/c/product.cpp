#include "libcore/codegen/c/product.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "libcore/integer/requantize.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

std::string requant(Emit& e, int64_t x_zero, int64_t w_zero, const Encoding* out, size_t factors) {
    const Grid y = out ? Grid(*out) : Grid(Encoding{.qmin = 0, .qmax = 0, .scale = Tensor::scalar(1.0f), .zero = {}, .min = {}});
    const auto n = [](int64_t number) { return static_cast<int32_t>(number); };
    const requant_t q{n(x_zero), n(w_zero), n(y.zero), n(y.low), n(y.high), factors > 1 ? 1 : 0};
    return e.source.parameters("requant_t", q, e.label("grid"));
}

// The greatest |sum| of `depth` products of centred codes, to see whether int32 holds it.
bool fits_int32(Emit& e, int64_t depth, std::span<const int64_t> bias) {
    const auto reach = [](const Encoding& enc) {
        const auto [low, high] = int_range(enc.storage);
        if (enc.is_dynamic()) return static_cast<double>(high - low);
        double max = 0;
        for (const int64_t zero : zeros_of(enc)) max = std::max({max, static_cast<double>(high - zero), static_cast<double>(zero - low)});
        return max;
    };
    double max = static_cast<double>(depth) * reach(*e.in_encoding(0)) * reach(*e.in_encoding(1));
    double added = 0;
    for (const int64_t b : bias) added = std::max(added, std::abs(static_cast<double>(b)));
    return max + added < 2147483647.0;
}

std::string integer_term(std::string_view accumulator, bool wide) {
    return wide ? fmt::format("({})(u - q->x_zero) * (v - q->w_zero)", accumulator) : std::string("(u - q->x_zero) * (v - q->w_zero)");
}

std::vector<int64_t> onnx_bias(Emit& e, const Product& p, std::span<const float> scales) {
    if (!e.has_in(p.bias_input)) return {};
    const auto tensor = e.constant(p.bias_input);
    if (!tensor) throw unsupported("the bias is not constant");
    const bool wide = bits_of(e.in_encoding(0)->storage) + bits_of(e.in_encoding(1)->storage) > 16;
    return bias_codes(*tensor, e.in_encoding(p.bias_input), scales, p.channels, wide);
}

// A parameter for what is added to each sum, of 32 bits where that is enough; what tells the kernel from others.
std::string_view add_bias_codes(Emit& e, Finish& finish, const Product& p, std::span<const int64_t> bias) {
    if (bias.empty() || p.folded()) return "no_bias_";
    const bool fits = std::ranges::all_of(bias, [](int64_t b) { return b == static_cast<int32_t>(b); });
    const DType type = fits ? DType::i32 : DType::i64;
    finish.parameters = fmt::format("const {}* bias, ", c_type(type));
    finish.arguments.push_back(e.source.constant(from_ints(type, {static_cast<int64_t>(bias.size())}, bias), e.label("bias")));
    return fits ? "" : "bias64_";
}

std::string sum_with_bias(const Product& p, const Sums& sums) {
    std::string sum = sums.bias.empty() || p.folded() ? "sum" : "sum + bias[channel]";
    return sums.wide || sums.narrow ? sum : fmt::format("(int32_t)(uint32_t)({})", sum);
}

std::vector<int64_t> tflite_bias(Emit& e, const Product& p) {
    if (!e.has_in(p.bias_input)) return {};
    const auto tensor = e.constant(p.bias_input);
    if (!tensor) throw unsupported("the bias is not constant");
    std::vector<int64_t> bias = to_ints(*tensor);
    if (bias.size() == 1) bias.resize(p.channels, bias[0]);
    return bias;
}

// Folded products have one of each number per channel.
template <class T>
std::vector<T> a_channel(std::vector<T> items, const Product& p) {
    if (p.folded() && items.size() == 1) items.resize(p.channels, items[0]);
    return items;
}

std::string codes(Emit& e, std::string_view kind, std::string_view factors) {
    Words words{{"Y", std::string(e.out_type())}};
    words.emplace_back("FOUR", e.source.kernel(fmt::format("four_{}", kind), words));
    return fmt::format("{}(sums, count, {}, q, to + first)", e.source.kernel(fmt::format("{}_codes", kind), words), factors);
}

}  // namespace

bool has_bytes(const Encoding& e) { return !e.is_dynamic() && (e.storage == DType::i8 || e.storage == DType::u8); }

Sums tflite_sums(Emit& e, const Product& p) {
    Sums sums{.bias = tflite_bias(e, p)};
    sums.wide = has_wide_sums(*e.in_encoding(0), sums.bias.empty() ? nullptr : e.in_encoding(p.bias_input));
    sums.narrow = !sums.wide && fits_int32(e, p.depth, sums.bias);
    return sums;
}

Sums onnx_sums(Emit& e, const Product& p) {
    const Encoding &x = *e.in_encoding(0), &w = *e.in_encoding(1);
    Sums sums{.bias = onnx_bias(e, p, product_scales(x, w)), .wide = bits_of(x.storage) + bits_of(w.storage) > 16};
    sums.narrow = !sums.wide && fits_int32(e, p.depth, sums.bias);
    return sums;
}

Weights weight_codes(Emit& e, size_t i) {
    const Encoding& w = *e.in_encoding(i);
    const auto zeros = zeros_of(w);
    if (std::ranges::all_of(zeros, [&](int64_t z) { return z == zeros[0]; })) return {e.in(i), std::string(e.in_type(i)), zeros[0]};
    const auto tensor = e.constant(i);
    if (!tensor) throw unsupported("input {} has a zero point per channel and is not constant", i);
    const auto items = centered(*tensor, zeros, static_cast<size_t>(std::max(w.axis, 0)));
    std::vector<int64_t> wide(items.begin(), items.end());
    const DType type = bits_of(w.storage) > 8 ? DType::i32 : DType::i16;  // less a zero point they have one bit more
    return {e.source.constant(from_ints(type, tensor->dims, wide), e.label("weights")), type == DType::i32 ? "int32_t" : "int16_t", 0};
}

// What code_of_product takes; none: a factor is too large for it.
std::optional<std::vector<uint64_t>> packed_factors(std::span<const double> reals) {
    std::vector<uint64_t> packed;
    for (const double real : reals) {
        int exponent = 0;
        const double fraction = std::frexp(real, &exponent);
        const int shift = 53 - exponent;
        if (!(fraction >= 0.5) || shift < 33) return std::nullopt;
        packed.push_back(static_cast<uint64_t>(std::ldexp(fraction, 53)) | static_cast<uint64_t>(std::min(shift, 95)) << 53);
    }
    return packed;
}

// ---- profile tflite ------------------------------------------------------------------------------------------------------------

Finish tflite_finish(Emit& e, const Product& p, int64_t w_zero, ProductScaling scaling) {
    const Encoding &x = *e.in_encoding(0), &w = *e.in_encoding(1), &out = *e.out_encoding();
    const bool real = scaling == ProductScaling::real;
    const std::vector<double> reals = a_channel(tflite_factors(x, w, out, scaling), p);
    const Sums sums = tflite_sums(e, p);
    const auto packed = real && !sums.wide ? packed_factors(reals) : std::nullopt;
    const bool narrow = sums.narrow;
    Finish finish;
    finish.y_type = e.out_type();
    finish.accumulator = narrow ? "int32_t" : "int64_t";
    finish.term = integer_term(finish.accumulator, !narrow || bits_of(x.storage) > 8);
    const std::string sum = sum_with_bias(p, sums);
    finish.variant = fmt::format("{}{}{}", add_bias_codes(e, finish, p, sums.bias), narrow ? "" : "long_",
                                 packed      ? "product"
                                 : real      ? "real"
                                 : sums.wide ? "wide"
                                             : "fixed");
    if (packed) {
        finish.parameters += "const uint64_t* factor, const requant_t* q";
        finish.expression = fmt::format("(@Y@){}({}, factor[channel * q->step], q)", e.source.kernel("code_of_product"), sum);
        finish.arguments.push_back(e.source.numbers<uint64_t>(*packed, e.label("factor")));
    } else if (real) {
        finish.parameters += "const double* factor, const requant_t* q";
        finish.expression = fmt::format("(@Y@){}((double)({}), factor[channel * q->step], q)", e.source.kernel("code_of_double"), sum);
        finish.arguments.push_back(e.source.numbers<double>(reals, e.label("factor")));
    } else {
        std::vector<int32_t> factors;
        std::vector<int8_t> shifts;
        for (const double r : reals) {
            const FixedFactor factor = FixedFactor::of(r);
            factors.push_back(factor.factor);
            shifts.push_back(static_cast<int8_t>(factor.shift));
        }
        finish.parameters += "const int32_t* factor, const int8_t* shift, const requant_t* q";
        finish.expression = fmt::format("(@Y@){}({}, factor[channel * q->step], shift[channel * q->step], q)",
                                        e.source.kernel(sums.wide ? "code_of_wide_sum" : "code_of_sum"), sum);
        finish.arguments.push_back(e.source.numbers<int32_t>(factors, e.label("factor")));
        finish.arguments.push_back(e.source.numbers<int8_t>(shifts, e.label("shift")));
        const auto fits = [&](int8_t shift) { return shift <= 0 && p.max_bias + (int64_t{1} << -shift) <= INT32_MAX; };
        if (p.folded() && has_bytes(out) && std::ranges::all_of(shifts, fits))
            finish.codes = codes(e, "fixed", "factor + first, shift + first");
    }
    finish.arguments.push_back(requant(e, zeros_of(x)[0], w_zero, &out, reals.size()));
    return finish;
}

// ---- profile onnx --------------------------------------------------------------------------------------------------------------

Finish onnx_finish(Emit& e, const Product& p, int64_t w_zero) {
    const Encoding &x = *e.in_encoding(0), &w = *e.in_encoding(1);
    const Encoding* out = e.out_encoding();
    const std::vector<float> scales = product_scales(x, w);
    const Sums sums = onnx_sums(e, p);
    const std::vector<float> factors = a_channel(out ? requantization_factors(scales, *out) : scales, p);
    const bool narrow = sums.narrow;
    Finish finish;
    finish.y_type = out ? e.out_type() : "float";
    finish.accumulator = narrow ? "int32_t" : "int64_t";
    finish.term = integer_term(finish.accumulator, !narrow);
    const std::string sum = sum_with_bias(p, sums);
    const std::string_view added = add_bias_codes(e, finish, p, sums.bias);
    finish.parameters += "const float* factor, const requant_t* q";
    finish.arguments.push_back(e.source.numbers<float>(factors, e.label("factor")));
    finish.arguments.push_back(requant(e, zeros_of(x)[0], w_zero, out, factors.size()));
    finish.variant = fmt::format("{}{}{}", added, sums.wide ? "wide_" : narrow ? "" : "long_", out ? "float" : "to_real");
    if (out)
        finish.expression = fmt::format("(@Y@){}((float)({}) * factor[channel * q->step], q->y_zero, q->y_low, q->y_high)",
                                        e.source.kernel("quantize_one"), sum);
    else
        finish.expression = fmt::format("(float)({}) * factor[channel * q->step]", sum);
    if (out && p.folded() && has_bytes(*out)) finish.codes = codes(e, "rounded", "factor + first");
    return finish;
}

// ---- real numbers --------------------------------------------------------------------------------------------------------------

Finish real_finish(const std::string& bias) {
    Finish finish;
    finish.y_type = finish.accumulator = "float";
    finish.term = "u * v";
    finish.variant = bias.empty() ? "no_bias" : "";
    finish.expression = bias.empty() ? "sum" : "sum + bias[channel]";
    finish.start = bias.empty() ? "0.0f" : "bias[channel]";
    if (bias.empty()) return finish;
    finish.parameters = "const float* bias";
    finish.arguments.push_back(bias);
    return finish;
}

// ---- codes with a dynamic encoding ---------------------------------------------------------------------------------------------

std::string real_bias(Emit& e, size_t input, size_t channels) {
    if (!e.has_in(input)) return {};
    if (e.in_count(input) == static_cast<int64_t>(channels)) return e.real_in(input);
    const auto tensor = e.real_constant(input);
    if (!tensor || tensor->count() != 1) throw unsupported("a bias of {}", to_string(e.in_dims(input)));
    return e.source.numbers<float>(std::vector<float>(channels, to_floats(*tensor)[0]), e.label("bias"));
}

// The sum becomes real before the bias is added and before it is rounded (libcore/ops/integer/onnx_products.cpp).
Finish dynamic_finish(Emit& e, const Product& p, int64_t w_zero) {
    const Encoding &x = *e.in_encoding(0), &w = *e.in_encoding(1);
    const bool wide = bits_of(x.storage) + bits_of(w.storage) > 16, narrow = !wide && fits_int32(e, p.depth, {});
    const std::string bias = real_bias(e, p.bias_input, p.channels);
    const auto grid = [&](size_t i, int64_t zero) {
        if (e.in_encoding(i)->is_dynamic()) return e.f.dynamic_grid(e.in_id(i));
        return std::pair(c_float(Grid(*e.in_encoding(i)).scale), text_of(zero));
    };
    const auto [x_scale, x_zero] = grid(0, zeros_of(x)[0]);
    const auto [w_scale, w_zero_text] = grid(1, w_zero);
    const std::vector<float> scales = w.is_dynamic() ? std::vector<float>{} : to_floats(w.scale);
    Finish finish;
    finish.y_type = "float";
    finish.accumulator = narrow ? "int32_t" : "int64_t";
    finish.term = fmt::format("{}(u - x_zero) * (v - w_zero)", narrow ? "" : "(int64_t)");
    finish.variant = fmt::format("dynamic{}{}", narrow ? "" : wide ? "_wide" : "_long", bias.empty() ? "_no_bias" : "");
    finish.parameters = fmt::format("float scale, int32_t x_zero, const float* factor, int32_t w_zero, int32_t step{}",
                                    bias.empty() ? "" : ", const float* bias");
    const std::string_view sum = narrow || wide ? "sum" : "(int32_t)(uint32_t)sum";
    finish.expression = fmt::format("(float)({}) * (scale * factor[channel * step]){}", sum, bias.empty() ? "" : " + bias[channel]");
    finish.arguments = {x_scale, x_zero, w.is_dynamic() ? "&" + w_scale : e.source.numbers<float>(scales, e.label("factor")), w_zero_text,
                        scales.size() > 1 ? "1" : "0"};
    if (!bias.empty()) finish.arguments.push_back(bias);
    return finish;
}

bool has_dynamic_operand(Emit& e) { return e.in_encoding(0)->is_dynamic() || e.in_encoding(1)->is_dynamic(); }

Finish hybrid_finish(Emit& e, const std::string& bias, const Rounding& rounding) {
    const std::vector<float> scales = to_floats(e.in_encoding(1)->scale);
    Finish finish;
    finish.y_type = "float";
    finish.accumulator = "int32_t";
    finish.term = integer_term("int32_t", false);
    finish.variant = fmt::format("hybrid{}{}", rounding.channel_first ? "_channel_first" : "", bias.empty() ? "_no_bias" : "");
    finish.parameters = fmt::format("{}float scale, const float* factor, const requant_t* q", bias.empty() ? "" : "const float* bias, ");
    finish.expression = fmt::format(
        "{}{}",
        rounding.channel_first ? "(float)sum * factor[channel * q->step] * scale" : "(float)sum * (scale * factor[channel * q->step])",
        bias.empty() ? "" : " + bias[channel]");
    if (!bias.empty()) finish.arguments.push_back(bias);
    finish.arguments.insert(finish.arguments.end(),
                            {"scale", e.source.numbers<float>(scales, e.label("factor")), requant(e, 0, 0, nullptr, scales.size())});
    return finish;
}

// ---- operators of codes whose scales and zero points are inputs ----------------------------------------------------------------

namespace {

// Sums of products of bytes wrap around in 32 bits.
void add_centred_sums(Finish& finish, const Product& p) {
    const bool narrow = p.depth < 16384;
    finish.accumulator = narrow ? "int32_t" : "int64_t";
    finish.term = fmt::format("{}(u - x_zero[0]) * (v - w_zero[channel * w_step])", narrow ? "" : "(int64_t)");
    finish.variant = narrow ? "centred" : "centred_long";
    finish.parameters = "const @X@* x_zero, const @W@* w_zero, int32_t w_step";
    finish.expression = narrow ? "sum" : "(int32_t)(uint32_t)sum";
}

// 1 if input i has a number per channel, 0 if it has one.
std::string step_of(Emit& e, size_t i, const Product& p) {
    const int64_t count = e.has_in(i) ? e.in_count(i) : 1;
    if (count != 1 && count != static_cast<int64_t>(p.channels)) throw unsupported("input {} is {}", i, to_string(e.in_dims(i)));
    return count == 1 ? "0" : "1";
}

void need_one(Emit& e, size_t i) {
    if (e.has_in(i) && e.in_count(i) != 1) throw unsupported("input {} is {}", i, to_string(e.in_dims(i)));
}

}  // namespace

std::string zero_points(Emit& e, size_t i, size_t x) {
    if (e.has_in(i)) return e.in(i);
    return e.source.constant(from_ints(e.f.held(e.in_id(x)), {1}, std::array<int64_t, 1>{0}), "zero");
}

Finish integer_finish(Emit& e, const Product& p) {
    need_one(e, 2);
    Finish finish;
    finish.y_type = "int32_t";
    add_centred_sums(finish, p);
    finish.arguments = {zero_points(e, 2, 0), zero_points(e, 3, 1), step_of(e, 3, p)};
    return finish;
}

Finish qlinear_finish(Emit& e, const Product& p) {
    for (const size_t i : {1, 2, 6, 7}) need_one(e, i);
    const bool bias = e.has_in(8);
    const IntRange range = int_range(e.f.held(e.out_id(0)));
    Finish finish;
    finish.y_type = e.out_type();
    add_centred_sums(finish, p);
    finish.arguments = {zero_points(e, 2, 0), zero_points(e, 5, 3), step_of(e, 5, p)};
    finish.arguments.insert(finish.arguments.end(), {e.real_in(1), e.real_in(4), step_of(e, 4, p), e.real_in(6), zero_points(e, 7, 0)});
    finish.parameters += ", const float* x_scale, const float* w_scale, int32_t scale_step, const float* y_scale, const @Y@* y_zero";
    if (bias) {
        finish.parameters += ", const int32_t* bias";
        finish.arguments.push_back(e.in(8));
        finish.expression = "(int32_t)((uint32_t)sum + (uint32_t)bias[channel])";
        finish.variant += "_bias";
    }
    finish.variant += "_requantized";
    finish.expression = fmt::format("(@Y@){}((float)({}) * (x_scale[0] * w_scale[channel * scale_step] / y_scale[0]), y_zero[0], {}, {})",
                                    e.source.kernel("quantize_one"), finish.expression, range.min, range.max);
    return finish;
}

void call_product(Emit& e, std::string_view piece, const Finish& finish, const std::string& x, std::string_view x_type,
                  const std::string& w, std::string_view w_type, const std::string& y, const std::string& shape, const Words& more,
                  const std::vector<std::string>& behind) {
    Words words{{"X", std::string(x_type)},
                {"W", std::string(w_type)},
                {"Y", finish.y_type},
                {"SUM", finish.accumulator},
                {"PARAMETERS", finish.parameters + (finish.parameters.empty() ? "" : ",")},
                {"TERM", finish.term},
                {"START", finish.start},
                {"FINISH", finish.expression}};
    words.insert(words.begin(), more.begin(), more.end());
    std::vector<std::string> arguments{x, w};
    arguments.insert(arguments.end(), finish.arguments.begin(), finish.arguments.end());
    arguments.push_back(y);
    arguments.insert(arguments.end(), behind.begin(), behind.end());
    arguments.push_back(shape);
    e.call(e.source.kernel(piece, words, finish.variant), arguments);
}

}  // namespace quern::cgen
