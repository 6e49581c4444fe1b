// A bound from below of what a grid does to a histogram's numbers, in constant time but for three binary searches, by prefix sums.
//
// Numbers lie evenly in each mass, so that the density is constant between edges. Clipping is then a difference of prefix sums of moments.
// Rounding is a sum over the edges within the grid of density times R(edge / step) * step^3, R the integral of the squared error; R(u) is
// u / 12 and a part of period 1 that nowhere exceeds 1 / (36 sqrt 3). The first gives step^2 / 12 a number, the second at most step^3 / (36
// sqrt 3) times the total variation of the density, another prefix sum. Within half a step of 0 every number becomes 0: its square is lost.
#pragma once

#include <array>
#include <vector>

#include "libcore/quant/ranges/grid.h"

namespace quern {

class NoiseBound {
   public:
    explicit NoiseBound(const std::vector<Mass>& masses);  // as from masses_of(); may not outlive them

    // Not above the noise that `grid` adds to the numbers, as grid_error() measures it; those clipped count `clipped` times.
    double of(const Grid& grid, const GridSpec& spec, double clipped = 1) const;

    // What clipping at these edges does to the numbers beyond one of them: not above it.
    double below(double lo) const;
    double above(double hi) const;

   private:
    double without_slack(double noise) const;
    size_t first_beyond(double x) const;
    size_t first_from(double x) const;
    double square_beyond(size_t begin, size_t end, double edge) const;
    double cut(size_t mass, double length) const;
    double rounding(size_t begin, size_t end, double step, double below, double above) const;

    const std::vector<Mass>& masses_;
    std::vector<double> density_;                                  // of each mass
    std::vector<double> variation_;                                // sum of the changes of density up to and with each mass
    std::vector<double> spread_{0};                                // numbers before each mass, but for those that are all the same
    std::array<std::vector<double>, 3> moments_{{{0}, {0}, {0}}};  // sums of x^0, x^1, x^2 before each mass
};

}  // namespace quern
