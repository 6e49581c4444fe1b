#include "libcore/graph/encoding.h"

#include <fmt/format.h>

#include <algorithm>

namespace quern {
namespace {

// Which scale belongs to element i: outer * (slices along the axis) * inner, the axis cut into blocks.
struct ScaleIndex {
    size_t inner = 1, length = 1, scales = 1, block = 1;
    size_t operator()(size_t i) const {
        const size_t in = i % inner, along = i / inner % length, outer = i / inner / length;
        return block_inner ? (outer * scales + along / block) * inner + in : along;
    }
    bool block_inner = false;
};

ScaleIndex scale_index(const Dims& dims, const Encoding& e) {
    ScaleIndex index;
    if (e.axis < 0) return index;  // everything maps to scale 0
    const size_t axis = normal_axis(e.axis, dims.size(), "quantization axis");
    for (size_t i = axis + 1; i < dims.size(); ++i) index.inner *= static_cast<size_t>(dims[i]);
    index.length = static_cast<size_t>(dims[axis]);
    index.block = e.block > 0 ? static_cast<size_t>(e.block) : 1;
    index.scales = (index.length + index.block - 1) / index.block;
    index.block_inner = e.block > 0;
    return index;
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

Tensor quantize(const Tensor& real, const Encoding& e) {
    check_parameters(real.dims, e);
    const auto values = to_floats(real);
    const auto scales = to_floats(e.scale);
    const ScaleIndex index = scale_index(real.dims, e);
    if (is_float(e.storage)) {
        std::vector<float> codes(values.size());
        for (size_t i = 0; i < values.size(); ++i) codes[i] = values[i] / scales[e.axis < 0 ? 0 : index(i)];
        return from_floats(e.storage, real.dims, codes);
    }
    const auto zeros = e.zero.defined() ? to_ints(e.zero) : std::vector<int64_t>(scales.size(), 0);
    std::vector<int64_t> codes(values.size());
    for (size_t i = 0; i < values.size(); ++i) {
        const size_t k = e.axis < 0 ? 0 : index(i);
        codes[i] = quantize_one(values[i], scales[k], zeros[k], e.qmin, e.qmax);
    }
    return from_ints(e.storage, real.dims, codes);
}

Tensor dequantize(const Tensor& codes, const Encoding& e) {
    check_parameters(codes.dims, e);
    const auto scales = to_floats(e.scale);
    const ScaleIndex index = scale_index(codes.dims, e);
    std::vector<float> values(static_cast<size_t>(codes.count()));
    if (is_float(e.storage)) {
        values = to_floats(codes);
        for (size_t i = 0; i < values.size(); ++i) values[i] *= scales[e.axis < 0 ? 0 : index(i)];
        return from_floats(e.real, codes.dims, values);
    }
    const auto integers = to_ints(codes);
    const auto zeros = e.zero.defined() ? to_ints(e.zero) : std::vector<int64_t>(scales.size(), 0);
    const auto mins = e.min.defined() ? to_floats(e.min) : std::vector<float>();
    for (size_t i = 0; i < values.size(); ++i) {
        const size_t k = e.axis < 0 ? 0 : index(i);
        values[i] = static_cast<float>(integers[i] - zeros[k]) * scales[k];
        if (!mins.empty()) values[i] += mins[k];
    }
    return from_floats(e.real, codes.dims, values);
}

}  // namespace quern
