#include "libcore/quant/ranges/channel_sums.h"

#include <array>
#include <cmath>

namespace quern {
namespace {

// In eight lanes, whose order is fixed.
double sum_of(std::span<const float> values) {
    std::array<double, 8> lanes{};
    size_t i = 0;
    for (; i + lanes.size() <= values.size(); i += lanes.size())
        for (size_t l = 0; l < lanes.size(); ++l) lanes[l] += static_cast<double>(values[i + l]);
    for (size_t l = 0; i < values.size(); ++i, ++l) lanes[l] += static_cast<double>(values[i]);
    return ((lanes[0] + lanes[4]) + (lanes[1] + lanes[5])) + ((lanes[2] + lanes[6]) + (lanes[3] + lanes[7]));
}

std::vector<double> sums_of(std::span<const float> values, size_t channels, size_t inner) {
    std::vector<double> sums(channels);
    for (size_t at = 0; at < values.size();) {
        if (inner == 1)
            for (size_t c = 0; c < channels; ++c) sums[c] += static_cast<double>(values[at++]);
        else
            for (size_t c = 0; c < channels; ++c, at += inner) sums[c] += sum_of(values.subspan(at, inner));
    }
    return sums;
}

}  // namespace

void ChannelSums::add(std::span<const float> values, const Dims& dims) {
    if (axis_ < 0 || given_up_) return;
    const auto axis = static_cast<size_t>(axis_);
    const size_t channels = axis < dims.size() ? static_cast<size_t>(dims[axis]) : 0;
    size_t inner = 1;
    for (size_t d = axis + 1; d < dims.size(); ++d) inner *= static_cast<size_t>(dims[d]);
    if (sums_.empty()) sums_.resize(channels);
    if (channels == 0 || inner == 0 || sums_.size() != channels) return give_up();
    const std::vector<double> sums = sums_of(values, channels, inner);
    for (size_t c = 0; c < channels; ++c) {
        const auto rounded = static_cast<float>(sums[c]);
        if (!std::isfinite(rounded)) return give_up();
        sums_[c].add(static_cast<double>(rounded));
    }
}

void ChannelSums::merge(const ChannelSums& other) {
    if (given_up_ || (!other.given_up_ && other.sums_.empty())) return;
    if (sums_.empty() && !other.given_up_) {
        sums_ = other.sums_;
        return;
    }
    if (other.given_up_ || other.sums_.size() != sums_.size()) return give_up();
    for (size_t c = 0; c < sums_.size(); ++c) sums_[c].add(other.sums_[c]);
}

void ChannelSums::give_up() {
    given_up_ = true;
    sums_.clear();
}

}  // namespace quern
