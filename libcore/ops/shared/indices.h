// Indices into tensors, checked: what gathering and scattering share.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/tensor.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

// Attribute of OneHot: indices below 0 are outside, as TFLite takes them; without it they count from the end.
inline constexpr const char* negative_outside_key = "negative_outside";

// An index in [-length, length) made non-negative; throws Exit::bad_input.
size_t checked_index(int64_t index, int64_t length);

// The elements of an int32 or int64 tensor.
std::vector<int64_t> indices_of(const Tensor& tensor);

// For element i of `dims`, whose place along `axis` is free: fn(i, base, stride), so that place p is element base + p * stride of `data`.
// Outside of the axis `dims` must lie within `data`; else throws Exit::bad_input.
template <class Fn>
void for_each_along(const Dims& data, const Dims& dims, size_t axis, const Fn& fn) {
    bool fits = dims.size() == data.size();
    for (size_t d = 0; fits && d < dims.size(); ++d) fits = d == axis || dims[d] <= data[d];
    if (!fits) throw bad_input("indices {} do not fit into {}", to_string(dims), to_string(data));
    const auto strides = strides_of(data);
    const auto count = static_cast<size_t>(count_of(dims));
    std::vector<int64_t> at(dims.size(), 0);
    size_t base = 0;
    for (size_t i = 0; i < count; ++i) {
        fn(i, base, static_cast<size_t>(strides[axis]));
        for (size_t d = dims.size(); d-- > 0;) {  // the next place
            const size_t stride = d == axis ? 0 : static_cast<size_t>(strides[d]);
            base += stride;
            if (++at[d] < dims[d]) break;
            base -= stride * static_cast<size_t>(dims[d]);
            at[d] = 0;
        }
    }
}

// Tuples of `depth` indices that choose a run of elements of a tensor.
class TupleIndex {
   public:
    TupleIndex(std::span<const int64_t> dims, int64_t depth) : dims_(dims) {
        if (depth < 0 || depth > static_cast<int64_t>(dims.size()))
            throw bad_input("tuples of {} indices for a tensor of rank {}", depth, dims.size());
        depth_ = static_cast<size_t>(depth);
        strides_ = strides_of(dims);
        for (size_t d = depth_; d < dims.size(); ++d) run_ *= static_cast<size_t>(dims[d]);
    }
    size_t depth() const { return depth_; }
    size_t run() const { return run_; }  // elements that a tuple chooses
    size_t at(const int64_t* tuple) const {
        size_t place = 0;
        for (size_t d = 0; d < depth_; ++d) place += checked_index(tuple[d], dims_[d]) * static_cast<size_t>(strides_[d]);
        return place;
    }

   private:
    std::span<const int64_t> dims_;
    size_t depth_ = 0, run_ = 1;
    std::vector<int64_t> strides_;
};

}  // namespace quern
