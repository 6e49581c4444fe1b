// Means of numbers that come one by one, with their standard errors; what a share of sorted numbers lies below.
#pragma once

#include <cstdint>
#include <span>

namespace quern {

struct Estimate {
    double value = 0, error = 0;
};

class MeanOf {
   public:
    void add(double number) {
        sum_ += number;
        squares_ += number * number;
        ++count_;
    }
    int64_t count() const { return count_; }
    double mean() const { return sum_ / static_cast<double>(count_); }
    double mean_square() const { return squares_ / static_cast<double>(count_); }
    double error() const;  // of the mean; 0 of one number
    Estimate estimate() const { return {mean(), error()}; }

   private:
    double sum_ = 0, squares_ = 0;
    int64_t count_ = 0;
};

// Numbers between two are on the line between them. `sorted` has at least one, `share` is in [0, 1].
double quantile(std::span<const float> sorted, double share);

}  // namespace quern
