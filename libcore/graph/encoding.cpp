#include "libcore/graph/encoding.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quern {
namespace {

// Calls fn(first element, count, first scale, scale step) for every run of elements whose scales lie at a fixed step: the
// tensor is outer * (slices along the axis) * inner, and a block shares one scale along the axis but not across `inner`.
template <class Fn>
void for_each_run(const Dims& dims, const Encoding& e, const Fn& fn) {
    if (e.axis < 0) return fn(size_t{0}, static_cast<size_t>(count_of(dims)), size_t{0}, size_t{0});
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

void check_parameters(const Dims& dims, const Encoding& e) {
    if (e.axis < 0) {
        if (e.scale.count() != 1) throw bad_input("per-tensor encoding has {} scales, need 1", e.scale.count());
    } else {
        Dims expected = dims;
        const size_t axis = normal_axis(e.axis, dims.size(), "quantization axis");
        if (e.block > 0)
            expected[axis] = (dims[axis] + e.block - 1) / e.block;
        else
            expected = {dims[axis]};
        if (e.scale.count() != count_of(expected))
            throw bad_input("encoding has scales {}, need {}", to_string(e.scale.dims), to_string(expected));
    }
    if (e.zero.defined() && e.zero.count() != e.scale.count())
        throw bad_input("encoding has {} zero points and {} scales, need as many", e.zero.count(), e.scale.count());
}

// The value of `number` stored as a small float.
float rounded_to(DType precision, float number) {
    if (precision == DType::f16) return f16_to_float(float_to_f16(number));
    if (precision == DType::bf16) return bf16_to_float(float_to_bf16(number));
    return number;
}

}  // namespace

bool Encoding::symmetric() const {
    if (!zero.defined()) return true;
    const auto codes = to_ints(zero);
    return std::all_of(codes.begin(), codes.end(), [](int64_t code) { return code == 0; });
}

bool operator==(const Encoding& a, const Encoding& b) {
    return a.kind == b.kind && a.storage == b.storage && a.real == b.real && a.qmin == b.qmin && a.qmax == b.qmax &&
           a.axis == b.axis && a.block == b.block && identical(a.scale, b.scale) && identical(a.zero, b.zero) &&
           identical(a.min, b.min);
}

Encoding make_encoding(DType storage, Tensor scale, Tensor zero, int axis, bool symmetric) {
    Encoding e;
    e.storage = storage;
    if (is_integer(storage)) {
        const auto [min, max] = int_range(storage);
        e.qmin = symmetric && min < 0 ? -max : min;
        e.qmax = max;
    }
    e.axis = axis;
    e.scale = std::move(scale);
    e.zero = std::move(zero);
    return e;
}

std::string to_string(const Encoding& e) {
    std::string out(name_of(e.storage));
    if (e.kind == Encoding::Kind::dynamic) return out + " dynamic";
    if (e.block > 0) return out + fmt::format("[axis {}, blocks of {}, {} scales]", e.axis, e.block, e.scale.count());
    if (e.axis >= 0) return out + fmt::format("[axis {}, {} scales]", e.axis, e.scale.count());
    out += fmt::format(" scale {}", to_floats(e.scale).at(0));
    if (e.zero.defined()) out += fmt::format(" zero {}", to_ints(e.zero).at(0));
    return out;
}

Tensor quantize(const Tensor& real, const Encoding& e, const QuantizeOptions& options) {
    check_parameters(real.dims, e);
    const auto values = to_floats(real);
    const auto scales = to_floats(e.scale);
    MutableBytes bytes(storage_size(e.storage, values.size()));
    if (is_float(e.storage)) {
        std::vector<float> codes(values.size());
        for_each_run(real.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
            for (size_t i = first; i < first + count; ++i, k += step) codes[i] = rounded_to(options.precision, values[i] / scales[k]);
        });
        if (options.saturate || bits_of(e.storage) != 8) return from_floats(e.storage, real.dims, codes);
        for (size_t i = 0; i < codes.size(); ++i) bytes.data()[i] = static_cast<std::byte>(float_to_small_float(e.storage, codes[i], false));
        return {e.storage, real.dims, std::move(bytes).freeze()};
    }
    const auto zeros = e.zero.defined() ? to_ints(e.zero) : std::vector<int64_t>(scales.size(), 0);
    std::vector<int64_t> codes(values.size());
    const bool plain = options.precision == DType::f32;
    for_each_run(real.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        for (size_t i = first; i < first + count; ++i, k += step)
            codes[i] = plain ? quantize_one(values[i], scales[k], zeros[k], e.qmin, e.qmax)
                             : quantize_one(rounded_to(options.precision, values[i] / scales[k]), 1.0f, zeros[k], e.qmin, e.qmax);
    });
    store_ints(e.storage, bytes.data(), codes.size(), codes.data());
    return {e.storage, real.dims, std::move(bytes).freeze()};
}

Tensor dequantize(const Tensor& codes, const Encoding& e) {
    check_parameters(codes.dims, e);
    const auto scales = to_floats(e.scale);
    if (is_float(e.storage)) {
        std::vector<float> values = to_floats(codes);
        for_each_run(codes.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
            for (size_t i = first; i < first + count; ++i, k += step) values[i] *= scales[k];
        });
        return from_floats(e.real, codes.dims, values);
    }
    const auto integers = to_ints(codes);
    const auto zeros = e.zero.defined() ? to_ints(e.zero) : std::vector<int64_t>(scales.size(), 0);
    const auto mins = e.min.defined() ? to_floats(e.min) : std::vector<float>(scales.size(), 0.0f);
    if (mins.size() != scales.size()) throw bad_input("encoding has {} minima and {} scales, need as many", mins.size(), scales.size());
    std::vector<float> values(integers.size());
    for_each_run(codes.dims, e, [&](size_t first, size_t count, size_t k, size_t step) {
        for (size_t i = first; i < first + count; ++i, k += step) {
            values[i] = static_cast<float>(integers[i] - zeros[k]) * scales[k];
            if (e.min.defined()) values[i] += mins[k];
        }
    });
    return from_floats(e.real, codes.dims, values);
}

Encoding dynamic_encoding(const Tensor& real, const Encoding& wanted) {
    float low = 0, high = 0;
    for (const float value : to_floats(real)) {
        low = std::min(low, value);
        high = std::max(high, value);
    }
    Encoding e = wanted;
    e.kind = Encoding::Kind::fixed;
    e.axis = -1;
    e.block = 0;
    const auto qmin = static_cast<float>(e.qmin), qmax = static_cast<float>(e.qmax);
    const float scale = low == high ? 1.0f : (high - low) / (qmax - qmin);
    const float zero = std::rint(std::clamp(qmin - low / scale, qmin, qmax));
    e.scale = Tensor::scalar(scale);
    const auto code = static_cast<int64_t>(zero);
    e.zero = from_ints(e.storage, {}, std::span(&code, 1));
    return e;
}

}  // namespace quern
