// Operators over channels and space: computed channels first; the attribute `layout` = "NHWC" has data with channels last and filters
// as [M, kernel..., C/group].
#pragma once

#include "libcore/ops/shared/shared.h"

namespace quern {

inline constexpr AttrDef layout_attr{"layout", AttrKind::text, "NCHW"};

// Does the node have its channels last?
bool channels_last(const NodeView& node);

// [N, spatial..., C] to [N, C, spatial...] and back; shapes of rank 2 and below stay.
Dims to_channels_first(const Dims& dims);
Dims to_channels_last(const Dims& dims);
Shape to_channels_first(const Shape& shape);
Shape to_channels_last(const Shape& shape);

// The dims of a spatial operator's data in channels-first order; less than `rank` dims throw Exit::bad_input.
Dims spatial_dims(const Tensor& data, bool last, size_t rank = 3);
inline std::span<const int64_t> space_of(const Dims& dims) { return std::span(dims).subspan(2); }

// A square of a matrix [rows, columns], whose lines stay in the first cache.
inline constexpr int64_t swap_tile = 8;
template <class T>
void swap_one_tile(const T* from, T* to, int64_t rows, int64_t columns) {
    T held[swap_tile][swap_tile];
    for (int64_t r = 0; r < swap_tile; ++r)
        for (int64_t c = 0; c < swap_tile; ++c) held[r][c] = from[r * columns + c];
    for (int64_t c = 0; c < swap_tile; ++c)
        for (int64_t r = 0; r < swap_tile; ++r) to[c * rows + r] = held[r][c];
}

// Swaps the two inner axes of `count` matrices [rows, columns].
template <class T>
void swap_axes(const T* from, T* to, int64_t count, int64_t rows, int64_t columns) {
    for (int64_t i = 0; i < count; ++i, from += rows * columns, to += rows * columns) {
        int64_t r = 0;
        for (; r + swap_tile <= rows; r += swap_tile) {
            int64_t c = 0;
            for (; c + swap_tile <= columns; c += swap_tile) swap_one_tile(from + r * columns + c, to + c * rows + r, rows, columns);
            for (; c < columns; ++c)
                for (int64_t k = r; k < r + swap_tile; ++k) to[c * rows + k] = from[k * columns + c];
        }
        for (; r < rows; ++r)
            for (int64_t c = 0; c < columns; ++c) to[c * rows + r] = from[r * columns + c];
    }
}

// Elements of a tensor in channels-first order.
template <class T>
class SpatialIn {
   public:
    SpatialIn(const Tensor& tensor, bool last) : dims_(spatial_dims(tensor, last, 2)), numbers_(tensor), items_(numbers_.span()) {
        if (!last || dims_.size() < 3) return;
        moved_.resize(items_.size());
        swap_axes(items_.data(), moved_.data(), dims_[0], count_of(space_of(dims_)), dims_[1]);
        items_ = moved_;
    }
    const Dims& dims() const { return dims_; }
    const T* data() const { return items_.data(); }

   private:
    Dims dims_;
    Numbers<T> numbers_;
    std::vector<T> moved_;
    std::span<const T> items_;
};

// Output i, filled in channels-first order; stored in the node's layout when the object is finished.
template <class T>
class SpatialOut {
   public:
    SpatialOut(EvalCtx& ctx, size_t i, DType dtype, const Dims& dims, bool last)
        : dims_(dims), out_(ctx, i, dtype, last ? to_channels_last(dims) : dims), items_(out_.span()) {
        if (!last || dims_.size() < 3) return;
        moved_.resize(items_.size());
        items_ = moved_;
    }
    ~SpatialOut() {
        if (!moved_.empty()) swap_axes(moved_.data(), out_.span().data(), dims_[0], dims_[1], count_of(space_of(dims_)));
    }
    SpatialOut(const SpatialOut&) = delete;
    SpatialOut& operator=(const SpatialOut&) = delete;
    std::span<T> span() { return items_; }
    T* data() { return items_.data(); }

   private:
    Dims dims_;
    NumbersOut<T> out_;
    std::vector<T> moved_;
    std::span<T> items_;
};

// Calls fn with float{} or double{}; other arithmetic throws Exit::bad_input.
template <class Fn>
void with_float(DType dtype, const Fn& fn) {
    if (!is_float(dtype)) throw bad_input("input 0 is {}, need a float type", name_of(dtype));
    if (dtype == DType::f64) return fn(double{});
    fn(float{});
}

}  // namespace quern
