#include "libcore/ops/shared/elements.h"

#include <cstring>
#include <string>
#include <string_view>

#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

bool packed(DType dtype) { return bits_of(dtype) > 0 && bits_of(dtype) < 8; }

std::vector<std::byte> unpacked(const Tensor& tensor) {
    const auto bits = static_cast<size_t>(bits_of(tensor.dtype));
    const size_t per_byte = 8 / bits, mask = (size_t{1} << bits) - 1;
    std::vector<std::byte> out(static_cast<size_t>(tensor.count()));
    for (size_t i = 0; i < out.size(); ++i) {
        const auto byte = static_cast<size_t>(tensor.data.data()[i / per_byte]);
        out[i] = static_cast<std::byte>((byte >> (i % per_byte * bits)) & mask);
    }
    return out;
}

void pack(std::span<const std::byte> from, size_t bits, std::byte* to) {
    const size_t per_byte = 8 / bits;
    for (size_t i = 0; i < from.size(); ++i) {
        const size_t shift = i % per_byte * bits;
        if (shift == 0) to[i / per_byte] = std::byte{0};
        to[i / per_byte] |= from[i] << static_cast<int>(shift);
    }
}

std::vector<std::byte> string_views(const Tensor& tensor) {
    const auto count = static_cast<size_t>(tensor.count());
    std::vector<std::byte> out(count * sizeof(std::string_view));
    for (size_t i = 0; i < count; ++i) {
        const std::string_view item = string_at(tensor, i);
        std::memcpy(out.data() + i * sizeof item, &item, sizeof item);
    }
    return out;
}

struct Axis {
    int64_t length, to, from;  // strides in bytes
};

// Axes of length 1 dropped, neighbours that are one run on both sides joined; outermost first.
std::vector<Axis> joined_axes(std::span<const int64_t> to, std::span<const int64_t> from, std::span<const int64_t> dims) {
    std::vector<Axis> axes;
    for (size_t i = 0; i < dims.size(); ++i) {
        if (dims[i] == 1) continue;
        const Axis axis{dims[i], to[i], from[i]};
        if (!axes.empty() && axes.back().to == axis.to * axis.length && axes.back().from == axis.from * axis.length)
            axes.back() = {axes.back().length * axis.length, axis.to, axis.from};
        else
            axes.push_back(axis);
    }
    return axes;
}

template <size_t size>
void copy_row(std::byte* to, const std::byte* from, const Axis& axis) {
    for (int64_t i = 0; i < axis.length; ++i) std::memcpy(to + i * axis.to, from + i * axis.from, size);
}

void copy_row(std::byte* to, const std::byte* from, const Axis& axis, size_t element) {
    const auto step = static_cast<int64_t>(element);
    if (axis.to == step && axis.from == step) {
        std::memcpy(to, from, static_cast<size_t>(axis.length) * element);
        return;
    }
    switch (element) {
        case 1: return copy_row<1>(to, from, axis);
        case 2: return copy_row<2>(to, from, axis);
        case 4: return copy_row<4>(to, from, axis);
        case 8: return copy_row<8>(to, from, axis);
        default:
            for (int64_t i = 0; i < axis.length; ++i) std::memcpy(to + i * axis.to, from + i * axis.from, element);
    }
}

void copy_axes(std::byte* to, const std::byte* from, std::span<const Axis> axes, size_t element) {
    if (axes.size() == 1) return copy_row(to, from, axes[0], element);
    for (int64_t i = 0; i < axes[0].length; ++i) copy_axes(to + i * axes[0].to, from + i * axes[0].from, axes.subspan(1), element);
}

}  // namespace

size_t element_size(DType dtype) {
    if (dtype == DType::string) return sizeof(std::string_view);
    return std::max<size_t>(1, static_cast<size_t>(bits_of(dtype)) / 8);
}

Elements::Elements(const Tensor& tensor) : size_(element_size(tensor.dtype)), data_(tensor.data.data()) {
    if (tensor.dtype == DType::string)
        copy_ = string_views(tensor);
    else if (packed(tensor.dtype))
        copy_ = unpacked(tensor);
    else
        return;
    data_ = copy_.data();
}

ElementsOut::ElementsOut(EvalCtx& ctx, size_t i, DType dtype, Dims dims)
    : ctx_(ctx),
      output_(i),
      dtype_(dtype),
      dims_(std::move(dims)),
      size_(element_size(dtype)),
      count_(static_cast<size_t>(count_of(dims_))) {
    if (dtype != DType::string) bytes_ = ctx.out(i, dtype, dims_);
    if (dtype == DType::string || packed(dtype)) {
        copy_.resize(count_ * size_);
        data_ = copy_.data();
    } else {
        data_ = bytes_;
    }
}

void ElementsOut::finish() {
    if (packed(dtype_)) pack(copy_, static_cast<size_t>(bits_of(dtype_)), bytes_);
    if (dtype_ != DType::string) return;
    std::vector<std::string> items(count_);
    for (size_t i = 0; i < count_; ++i) {
        std::string_view item;
        std::memcpy(&item, copy_.data() + i * sizeof item, sizeof item);
        items[i] = item;
    }
    ctx_.give(output_, Tensor::strings(dims_, items));
}

void copy_strided(std::byte* to, std::span<const int64_t> to_strides, const std::byte* from, std::span<const int64_t> from_strides,
                  std::span<const int64_t> dims, size_t element) {
    for (const int64_t dim : dims)
        if (dim == 0) return;
    auto axes = joined_axes(to_strides, from_strides, dims);
    const auto step = static_cast<int64_t>(element);
    if (axes.empty()) axes.push_back({1, step, step});
    copy_axes(to, from, axes, element);
}

std::vector<int64_t> byte_strides(std::span<const int64_t> dims, size_t element) {
    auto strides = strides_of(dims);
    for (int64_t& stride : strides) stride *= static_cast<int64_t>(element);
    return strides;
}

void eval_strided(EvalCtx& ctx, const Dims& dims, std::span<const int64_t> strides, int64_t offset) {
    const Tensor& x = ctx.need(0);
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, dims);
    const auto step = static_cast<int64_t>(in.size());
    std::vector<int64_t> from(strides.begin(), strides.end());
    for (int64_t& stride : from) stride *= step;
    if (out.count() > 0) copy_strided(out.data(), byte_strides(dims, in.size()), in.data() + offset * step, from, dims, in.size());
    out.finish();
}

void fill_elements(std::byte* to, size_t count, const std::byte* value, size_t element) {
    if (count == 0) return;
    std::memcpy(to, value, element);
    for (size_t done = 1; done < count;) {  // doubling runs
        const size_t run = std::min(done, count - done);
        std::memcpy(to + done * element, to, run * element);
        done += run;
    }
}

void check_size(DType dtype, std::span<const int64_t> dims) {
    constexpr uint64_t limit = uint64_t{1} << 33;
    const auto count = static_cast<uint64_t>(count_of(dims));
    if (count > limit / element_size(dtype))
        throw bad_input("the output would be {}{}, more than {} bytes", name_of(dtype), to_string(dims), limit);
}

size_t span_count(std::span<const int64_t> dims, size_t first, size_t last) {
    size_t count = 1;
    for (size_t i = first; i < last; ++i) count *= static_cast<size_t>(dims[i]);
    return count;
}

}  // namespace quern
