// Sums of floating-point numbers without rounding, which do not depend on order or split.
//
// Shewchuk 1997, "Adaptive Precision Floating-Point Arithmetic and Fast Robust Geometric Predicates", Grow-Expansion.
#pragma once

#include <vector>

namespace quern {

class ExactSum {
   public:
    ExactSum() = default;
    explicit ExactSum(double number) { add(number); }

    void add(double number);  // finite, and so must be the sum
    void add(const ExactSum& other);
    double rounded() const;  // to nearest
    // The sum rounded, the rest rounded, and so on; of 0: none. Equal sums have equal parts.
    std::vector<double> parts() const;
    bool operator==(const ExactSum& other) const { return parts() == other.parts(); }

   private:
    std::vector<double> parts_;  // ascending in magnitude, none overlaps another
};

}  // namespace quern
