#include "libcore/text/estimate.h"

#include <algorithm>
#include <cmath>

namespace quern {

double MeanOf::error() const {
    if (count_ < 2) return 0;
    return std::sqrt(std::max(0.0, mean_square() - mean() * mean()) / static_cast<double>(count_ - 1));
}

double quantile(std::span<const float> sorted, double share) {
    const double place = share * static_cast<double>(sorted.size() - 1);
    const auto below = static_cast<size_t>(place);
    const size_t above = std::min(below + 1, sorted.size() - 1);
    const double part = place - static_cast<double>(below);
    return (1 - part) * static_cast<double>(sorted[below]) + part * static_cast<double>(sorted[above]);
}

}  // namespace quern
