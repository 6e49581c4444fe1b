// The linear Resize of pictures and volumes: neighbours along all axes in one sum.
#include <algorithm>
#include <cmath>

#include "libcore/base/wide.h"
#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

JointTaps::JointTaps(std::vector<ResizeStep> steps) : steps_(std::move(steps)) {
    for (size_t s = 0; s + 1 < steps_.size(); ++s) {
        rows_in_ *= steps_[s].in;
        rows_out_ *= steps_[s].out;
    }
}

JointRow JointTaps::row(int64_t number) const {
    JointRow row{{}, {{{1, 1}, {1, 1}, {1, 1}, {1, 1}}}};
    int64_t stride = 1;
    for (size_t s = steps_.size() - 1, bit = 0; s-- > 0; ++bit) {
        const ResizeStep& step = steps_[s];
        for (size_t k = 0; k < sources(); ++k) {
            const size_t tap = static_cast<size_t>(number % step.out) * 2 + ((k >> bit) & 1);
            row.from[k] += step.index[tap] * stride;
            row.weight[k][bit] = step.weight[tap];
        }
        number /= step.out;
        stride *= step.in;
    }
    return row;
}

namespace {

// Two rows of the input: their neighbours are added one after the other, the first two to nothing if the row `begins` with them.
template <class T>
struct TwoRows {
    const T *a, *b;
    std::array<float, 2> of_a, of_b;
    bool begins;
    JointTaps::Places places;
};

template <class T>
[[gnu::always_inline]] inline void mix_two(const ResizeStep& last, const TwoRows<T>& rows, int64_t inner, T* to) {
    const int64_t* index = last.index.data() + rows.places.begin * 2;
    const float* weight = last.weight.data() + rows.places.begin * 2;
    for (const T* end = to + (rows.places.end - rows.places.begin) * inner; to != end; to += inner, index += 2, weight += 2) {
        const T *a = rows.a + index[0] * inner, *b = rows.a + index[1] * inner;
        const T *c = rows.b + index[0] * inner, *d = rows.b + index[1] * inner;
        const T wa = weight[0] * rows.of_a[0] * rows.of_a[1], wb = weight[1] * rows.of_a[0] * rows.of_a[1];
        const T wc = weight[0] * rows.of_b[0] * rows.of_b[1], wd = weight[1] * rows.of_b[0] * rows.of_b[1];
        T* __restrict sums = to;
        if (rows.begins && inner == 1)
            *sums = T{0} + wa * *a + wb * *b + wc * *c + wd * *d;
        else if (rows.begins)
            for (int64_t i = 0; i < inner; ++i) sums[i] = T{0} + wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
        else
            for (int64_t i = 0; i < inner; ++i) sums[i] = sums[i] + wa * a[i] + wb * b[i] + wc * c[i] + wd * d[i];
    }
}
QUERN_WIDE void mix_two_rows(const ResizeStep& last, const TwoRows<float>& rows, int64_t inner, float* to) {
    mix_two(last, rows, inner, to);
}
void mix_two_rows(const ResizeStep& last, const TwoRows<double>& rows, int64_t inner, double* to) { mix_two(last, rows, inner, to); }

template <class T>
void mix_rows(const JointTaps& taps, const JointRow& row, const std::array<const T*, 4>& sources, int64_t inner, JointTaps::Places places,
              T* to) {
    for (size_t k = 0; k < taps.sources(); k += 2)
        mix_two_rows(taps.last(), TwoRows<T>{sources[k], sources[k + 1], row.weight[k], row.weight[k + 1], k == 0, places}, inner, to);
}

// All axes of `taps` at once.
template <class T>
std::vector<T> mixed(const std::vector<T>& from, const Dims& dims, const JointTaps& taps) {
    const int64_t inner = strides_of(dims)[taps.last().axis], row_in = taps.last().in * inner, row_out = taps.last().out * inner;
    const int64_t outer = static_cast<int64_t>(from.size()) / (taps.rows_in() * row_in);
    std::vector<T> to(static_cast<size_t>(outer * taps.rows_out() * row_out));
    for (int64_t number = 0; number < taps.rows_out(); ++number) {
        const JointRow row = taps.row(number);
        for (int64_t o = 0; o < outer; ++o) {
            std::array<const T*, 4> sources{};
            for (size_t k = 0; k < taps.sources(); ++k) sources[k] = from.data() + (o * taps.rows_in() + row.from[k]) * row_in;
            taps.mix(row, sources, inner, {0, taps.last().out}, to.data() + (o * taps.rows_out() + number) * row_out);
        }
    }
    return to;
}

}  // namespace

void JointTaps::mix(const JointRow& row, const std::array<const float*, 4>& sources, int64_t inner, Places places, float* to) const {
    mix_rows(*this, row, sources, inner, places, to);
}
void JointTaps::mix(const JointRow& row, const std::array<const double*, 4>& sources, int64_t inner, Places places, double* to) const {
    mix_rows(*this, row, sources, inner, places, to);
}

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
