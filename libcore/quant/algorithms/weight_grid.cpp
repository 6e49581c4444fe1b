#include "libcore/quant/algorithms/weight_grid.h"

namespace quern {

WeightGrid::WeightGrid(const Encoding& encoding, const Dims& dims)
    : scales_(to_floats(encoding.scale)), qmin_(static_cast<float>(encoding.qmin)), qmax_(static_cast<float>(encoding.qmax)) {
    for (size_t i = 0; i < scales_.size(); ++i) zeros_.push_back(static_cast<float>(encoding.zero_at(i)));
    if (encoding.axis < 0) return;
    const auto axis = static_cast<size_t>(encoding.axis);
    length_ = static_cast<size_t>(dims[axis]);
    inner_ = static_cast<size_t>(count_of(std::span(dims).subspan(axis + 1)));
    block_ = static_cast<size_t>(encoding.block);
    if (block_ > 0) blocks_ = (length_ + block_ - 1) / block_;
}

bool WeightGrid::takes(const Encoding& encoding) {
    return encoding.is_fixed() && !encoding.format && !encoding.min.defined() && is_integer(encoding.storage) && encoding.scale.defined();
}

}  // namespace quern
