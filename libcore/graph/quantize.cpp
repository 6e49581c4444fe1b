#include "libcore/graph/quantize.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/check_parameters.h"
#include "libcore/graph/code_loops.h"

namespace quern {
namespace {

// Calls fn(first element, count, first scale, scale step) for every run of elements whose scales lie at a fixed step: the
// tensor is outer * (slices along the axis) * inner, and a block shares one scale along the axis but not across `inner`.
template <class Fn>
void for_each_run(const Dims& dims, const Encoding& e, const Fn& fn) {
    if (e.per_tensor()) return fn(size_t{0}, static_cast<size_t>(count_of(dims)), size_t{0}, size_t{0});
    const size_t axis = normal_axis(e.axis, dims.size(), "quantization axis");
    size_t outer = 1, inner = 1;
    for (size_t i = 0; i < axis; ++i) outer *= static_cast<size_t>(dims[i]);
    for (size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<size_t>(dims[i]);
    const auto length = static_cast<size_t>(dims[axis]);
    const size_t block = e.block > 0 ? static_cast<size_t>(e.block) : 1;
    const size_t blocks = (length + block - 1) / block;
    for (size_t o = 0; o < outer; ++o)
        for (size_t along = 0; along < length; ++along) {
            const size_t first = (o * length + along) * inner;
            if (e.block > 0)
                fn(first, inner, (o * blocks + along / block) * inner, size_t{1});
            else
                fn(first, inner, along, size_t{0});
        }
}

// The value of `number` stored as a small float.
float rounded_to(DType precision, float number) {
    if (precision == DType::f16) return f16_to_float(float_to_f16(number));
    if (precision == DType::bf16) return bf16_to_float(float_to_bf16(number));
    return number;
}

template <class Code>
void put_codes(std::span<const float> values, const Dims& dims, const Encoding& e, std::span<const float> scales,
               std::span<const int64_t> zeros, Code* out) {
    for_each_run(dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        if (step == 0) {
            if (count > 0) encode_run(values.data() + first, count, RunGrid(scales[k], zeros[k], e), out + first);
            return;
        }
        for (size_t i = first; i < first + count; ++i, k += step)
            out[i] = static_cast<Code>(RunGrid(scales[k], zeros[k], e).code(values[i]));
    });
}

// Do the codes fit 8 or 16 bits, with zero points of the same kind?
bool small_codes(const Encoding& e, std::span<const int64_t> zeros) {
    constexpr int64_t limit = 1 << 20;
    return bits_of(e.storage) >= 8 && bits_of(e.storage) <= 16 && e.qmin >= -limit && e.qmax <= limit &&
           std::ranges::all_of(zeros, [](int64_t zero) { return zero >= -limit && zero <= limit; });
}

template <class Code>
void put_reals(const Code* codes, const Dims& dims, const Encoding& e, std::span<const float> scales, std::span<const int64_t> zeros,
               float* out) {
    for_each_run(dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        if (step == 0) {
            if (count > 0) decode_run(codes + first, count, scales[k], static_cast<int32_t>(zeros[k]), out + first);
            return;
        }
        for (size_t i = first; i < first + count; ++i, k += step)
            out[i] = static_cast<float>(static_cast<int32_t>(codes[i]) - static_cast<int32_t>(zeros[k])) * scales[k];
    });
}

// Calls fn with a code of the storage type.
template <class Fn>
void with_code_type(DType storage, const Fn& fn) {
    switch (storage) {
        case DType::i8: return fn(int8_t{});
        case DType::u8: return fn(uint8_t{});
        case DType::i16: return fn(int16_t{});
        case DType::u16: return fn(uint16_t{});
        default: throw bug("{} codes have no direct path", name_of(storage));
    }
}

}  // namespace

// quantize_one for codes of 64 bits.
static int64_t wide_code(float quotient, int64_t zero, int64_t qmin, int64_t qmax) {
    const float rounded = __builtin_rintf(quotient);
    if (std::isnan(rounded)) return std::clamp(zero, qmin, qmax);
    int64_t code = 0;
    if (rounded >= 0x1p63f || rounded < -0x1p63f || __builtin_add_overflow(static_cast<int64_t>(rounded), zero, &code))
        return rounded > 0 ? qmax : qmin;
    return std::clamp(code, qmin, qmax);
}

Tensor quantize(const Tensor& real, const Encoding& e, const QuantizeOptions& options) {
    if (e.format) return encoded_blocks(real, e, nullptr);
    check_parameters(real.dims, e);
    const std::vector<float> converted = real.dtype == DType::f32 ? std::vector<float>() : to_floats(real);
    const std::span<const float> values = real.dtype == DType::f32 ? real.view<float>() : std::span<const float>(converted);
    const auto scales = to_floats(e.scale);
    MutableBytes bytes(storage_size(e.storage, values.size()));
    if (is_float(e.storage)) {
        std::vector<float> codes(values.size());
        for_each_run(real.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
            for (size_t i = first; i < first + count; ++i, k += step) codes[i] = rounded_to(options.precision, values[i] / scales[k]);
        });
        if (options.saturate || bits_of(e.storage) != 8) return from_floats(e.storage, real.dims, codes);
        for (size_t i = 0; i < codes.size(); ++i)
            bytes.data()[i] = static_cast<std::byte>(float_to_small_float(e.storage, codes[i], false));
        return {e.storage, real.dims, std::move(bytes).freeze()};
    }
    const auto zeros = e.zeros();
    const bool plain = options.precision == DType::f32;
    if (plain && small_codes(e, zeros)) {
        with_code_type(e.storage,
                       [&](auto code) { put_codes(values, real.dims, e, scales, zeros, reinterpret_cast<decltype(code)*>(bytes.data())); });
        return {e.storage, real.dims, std::move(bytes).freeze()};
    }
    std::vector<int64_t> codes(values.size());
    const bool wide = bits_of(e.storage) > 32;
    for_each_run(real.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        for (size_t i = first; i < first + count; ++i, k += step)
            codes[i] = wide    ? wide_code(rounded_to(options.precision, values[i] / scales[k]), zeros[k], e.qmin, e.qmax)
                       : plain ? quantize_one(values[i], scales[k], zeros[k], e.qmin, e.qmax)
                               : quantize_one(rounded_to(options.precision, values[i] / scales[k]), 1.0f, zeros[k], e.qmin, e.qmax);
    });
    store_ints(e.storage, bytes.data(), codes.size(), codes.data());
    return {e.storage, real.dims, std::move(bytes).freeze()};
}

Tensor dequantize(const Tensor& codes, const Encoding& e) {
    if (e.format) return decoded_blocks(codes, e);
    check_parameters(codes.dims, e);
    const auto scales = to_floats(e.scale);
    if (is_float(e.storage)) {
        std::vector<float> values = to_floats(codes);
        for_each_run(codes.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
            for (size_t i = first; i < first + count; ++i, k += step) values[i] *= scales[k];
        });
        return from_floats(e.real, codes.dims, values);
    }
    const auto zeros = e.zeros();
    if (!e.min.defined() && e.real == DType::f32 && small_codes(e, zeros)) {
        MutableBytes bytes(storage_size(DType::f32, static_cast<uint64_t>(codes.count())));
        const Tensor own = aligned(codes);
        with_code_type(e.storage, [&](auto code) {
            put_reals(reinterpret_cast<const decltype(code)*>(own.data.data()), codes.dims, e, scales, zeros,
                      reinterpret_cast<float*>(bytes.data()));
        });
        return {e.real, codes.dims, std::move(bytes).freeze()};
    }
    const auto integers = to_ints(codes);
    const auto mins = e.min.defined() ? to_floats(e.min) : std::vector<float>(scales.size(), 0.0f);
    std::vector<float> values(integers.size());
    for_each_run(codes.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        for (size_t i = first; i < first + count; ++i, k += step) {
            values[i] = static_cast<float>(integers[i] - zeros[k]) * scales[k];
            if (e.min.defined()) values[i] += mins[k];
        }
    });
    return from_floats(e.real, codes.dims, values);
}

namespace {

// The power of two that a block shares, by its greatest number: OCP Microscaling Formats (MX) 1.0, section 6.3. MXINT8 counts 64ths.
float shared_scale(float max, DType storage) {
    const int own = storage == DType::f4e2m1 ? 2 : 6;  // exponent of the greatest element, places after the point
    if (!(max > 0) || !std::isfinite(max)) return 1;
    return std::ldexp(1.0f, std::clamp(std::ilogb(max) - own, -126, 127));
}

// A dynamic encoding in blocks.
Encoding shared_exponents(const Tensor& real, const Encoding& wanted) {
    Encoding e = wanted;
    Dims dims = real.dims;
    int64_t& along = dims[normal_axis(e.axis, dims.size(), "quantization axis")];
    along = (along + e.block - 1) / e.block;
    const auto values = to_floats(real);
    std::vector<float> scales(static_cast<size_t>(count_of(dims)), 0.0f);
    for_each_run(real.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        for (size_t i = first; i < first + count; ++i, k += step) scales[k] = std::max(scales[k], std::abs(values[i]));
    });
    for (float& scale : scales) scale = shared_scale(scale, e.storage);
    e.scale = Tensor::make<float>(dims, scales);
    return e;
}

}  // namespace

// uint8: DynamicQuantizeLinear, which takes all numbers. int8: docs/numerics-nnpa.md, which refuses some.
Encoding dynamic_encoding(const Tensor& real, const Encoding& wanted) {
    if (wanted.block > 0) return shared_exponents(real, wanted);
    const bool plain = int_range(wanted.storage).min < 0;
    float low = 0, high = 0;
    for (const float value : to_floats(real)) {
        low = std::min(low, value);
        high = std::max(high, value);
        if (plain && !std::isfinite(value)) throw bad_input("holds NaN or infinity, which have no codes");
    }
    Encoding e = wanted;
    e.axis = -1;
    e.block = 0;
    if (e.qmin == -e.qmax || (plain && low == high)) {
        const float max = std::max(-low, high);
        e.scale = Tensor::scalar(max == 0 ? 1.0f : max / static_cast<float>(e.qmax));
        e.zero = from_ints(e.storage, {}, std::vector<int64_t>{0});
        return e;
    }
    const auto qmin = static_cast<float>(e.qmin), qmax = static_cast<float>(e.qmax);
    const float scale = low == high ? 1.0f : (high - low) / (qmax - qmin);
    const float zero = std::rint(std::clamp(qmin - low / scale, qmin, qmax));
    e.scale = Tensor::scalar(scale);
    const int64_t code = std::isnan(zero) ? e.qmin : static_cast<int64_t>(zero);  // NaN: of an infinite range
    e.zero = from_ints(e.storage, {}, std::span(&code, 1));
    return e;
}

}  // namespace quern
