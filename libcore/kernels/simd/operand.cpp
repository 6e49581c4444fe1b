#include "libcore/kernels/simd/operand.h"

#include <algorithm>

namespace quern::simd {

Operand::Operand(const Tensor& tensor, std::span<const int64_t> dims) : data_(tensor.view<float>().data()) {
    if (tensor.dims.size() > dims.size() || !std::ranges::equal(broadcast(tensor.dims, dims), dims))
        throw bad_input("{} does not broadcast to {}", to_string(tensor.dims), to_string(dims));
    const size_t missing = dims.size() - tensor.dims.size();
    size_t stride = 1;
    for (size_t i = dims.size(); i-- > 0;) {
        const auto length = static_cast<size_t>(dims[i]);
        const bool repeats = i < missing || tensor.dims[i - missing] == 1;
        const Axis axis{length, repeats ? 0 : stride};
        if (!repeats) stride *= length;
        if (length == 1) continue;
        const Axis last = axes_.empty() ? Axis{0, 0} : axes_.back();
        const bool merges = last.length != 0 && (repeats ? last.stride == 0 : last.stride != 0 && last.stride * last.length == axis.stride);
        if (merges)
            axes_.back().length *= length;
        else
            axes_.push_back(axis);
    }
    if (axes_.empty()) axes_.push_back({1, 0});
    std::ranges::reverse(axes_);
}

const float* Operand::block(size_t begin, size_t count, float* scratch) const {
    const Axis inner = axes_.back();
    float* to = scratch;
    while (count > 0) {
        const size_t within = begin % inner.length, run = std::min(count, inner.length - within);
        size_t rest = begin / inner.length, offset = within * inner.stride;
        for (size_t i = axes_.size() - 1; i-- > 0; rest /= axes_[i].length) offset += rest % axes_[i].length * axes_[i].stride;
        if (inner.stride != 0) {
            if (to == scratch && run == count) return data_ + offset;
            std::copy_n(data_ + offset, run, to);
        } else {
            std::fill_n(to, run, data_[offset]);
        }
        to += run;
        begin += run;
        count -= run;
    }
    return scratch;
}

}  // namespace quern::simd
