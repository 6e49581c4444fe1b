// The linear Resize of pictures and volumes: neighbours along all axes in one sum.
#include <algorithm>
#include <cmath>

#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

JointTaps::JointTaps(std::vector<ResizeStep> steps) : steps_(std::move(steps)) {
    for (const ResizeStep& step : steps_) {
        in_ *= step.in;
        out_ *= step.out;
    }
}

void JointTaps::at(int64_t place, int64_t* from, float* weight) const {
    std::fill_n(from, count(), 0);
    std::fill_n(weight, count(), 1.0f);
    int64_t stride = 1;
    for (size_t s = steps_.size(); s-- > 0;) {  // the weight of the last axis first
        const ResizeStep& step = steps_[s];
        const size_t taps = static_cast<size_t>(place % step.out) * 2;
        for (size_t k = 0; k < count(); ++k) {
            const size_t tap = taps + ((k >> (steps_.size() - 1 - s)) & 1);
            from[k] += step.index[tap] * stride;
            weight[k] *= step.weight[tap];
        }
        place /= step.out;
        stride *= step.in;
    }
}

namespace {

// All axes of `taps` at once: of each row of the last one the taps are found, for all that lies before.
template <class T>
std::vector<T> mixed(const std::vector<T>& from, const Dims& dims, const JointTaps& taps) {
    const auto inner = static_cast<size_t>(strides_of(dims)[taps.axis() + taps.axes() - 1]);
    const auto in = static_cast<size_t>(taps.in()), out = static_cast<size_t>(taps.out()), count = taps.count();
    const size_t outer = from.size() / (in * inner);
    constexpr size_t block = 256;  // places whose taps are found at once
    std::vector<int64_t> index(block * count);
    std::vector<float> weight(block * count);
    std::vector<T> to(outer * out * inner);
    for (size_t begin = 0; begin < out; begin += block) {
        const size_t end = std::min(begin + block, out);
        for (size_t p = begin; p < end; ++p) taps.at(static_cast<int64_t>(p), &index[(p - begin) * count], &weight[(p - begin) * count]);
        for (size_t o = 0; o < outer; ++o)
            for (size_t k = 0; k < (end - begin) * count; ++k) {
                const T* source = from.data() + (o * in + static_cast<size_t>(index[k])) * inner;
                T* row = to.data() + (o * out + begin + k / count) * inner;
                const T share = static_cast<T>(weight[k]);
                for (size_t i = 0; i < inner; ++i) row[i] += share * source[i];
            }
    }
    return to;
}

}  // namespace

// Integers are numbers of float32, too, and cut off.
void mix_jointly(EvalCtx& ctx, const Dims& dims, const JointTaps& taps) {
    const Tensor& x = ctx.need(0);
    if (x.dtype == DType::f64) return ctx.give(0, from_doubles(x.dtype, dims, mixed(to_doubles(x), x.dims, taps)));
    std::vector<float> out = mixed(to_floats(x), x.dims, taps);
    if (!is_integer(x.dtype)) return ctx.give(0, from_floats(x.dtype, dims, out));
    const IntRange range = int_range(x.dtype);
    std::vector<double> whole(out.size());
    std::ranges::transform(out, whole.begin(), [&](float item) {
        return std::clamp(std::trunc(static_cast<double>(item)), static_cast<double>(range.min), static_cast<double>(range.max));
    });
    ctx.give(0, from_doubles(x.dtype, dims, whole));
}

}  // namespace quern
