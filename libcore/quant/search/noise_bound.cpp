#include "libcore/quant/search/noise_bound.h"

#include <algorithm>
#include <cmath>

namespace quern {
namespace {

constexpr double periodic_part = 0.016037507477489606;  // 1 / (36 sqrt 3)
constexpr double gap = 1e-5;                            // between bins, of their width: floats that are neighbours
constexpr double slack = 1e-9;                          // of all noise: what the sums may have lost to rounding

// The first for which `holds`, which it then does for all after it. Without branches that a processor would have to guess: this is where
// the time of a search goes.
template <class Holds>
size_t first_of(const std::vector<Mass>& masses, const Holds& holds) {
    size_t first = 0;
    for (size_t rest = masses.size(); rest > 0;) {
        const size_t half = (rest + 1) / 2;
        first += holds(masses[first + half - 1]) ? 0 : half;
        rest -= half;
    }
    return first;
}

}  // namespace

NoiseBound::NoiseBound(const std::vector<Mass>& masses) : masses_(masses) {
    for (size_t i = 0; i < masses.size(); ++i) {
        const Mass& mass = masses[i];
        const double width = mass.hi - mass.lo;
        density_.push_back(width > 0 ? mass.weight / width : 0);
        spread_.push_back(spread_.back() + (width > 0 ? mass.weight : 0));
        moments_[0].push_back(moments_[0].back() + mass.weight);
        moments_[1].push_back(moments_[1].back() + mass.weight * (mass.lo + mass.hi) / 2);
        moments_[2].push_back(moments_[2].back() + mass.weight * (mass.lo * mass.lo + mass.lo * mass.hi + mass.hi * mass.hi) / 3);
        const double before = i > 0 ? density_[i - 1] : 0;
        const bool touches = i > 0 && mass.lo - masses[i - 1].hi <= gap * width;
        variation_.push_back((i > 0 ? variation_.back() : 0) + (touches ? std::abs(density_[i] - before) : before + density_[i]));
    }
}

double NoiseBound::of(const Grid& grid, const GridSpec& spec, double clipped) const {
    const double lo = grid.lowest(spec), hi = grid.highest(spec), step = grid.scale;
    const size_t inside = first_beyond(lo), outside = first_from(hi);
    const size_t near = std::clamp(first_from(std::max(lo, -step / 2)), inside, outside);
    const size_t far = std::clamp(first_beyond(std::min(hi, step / 2)), near, outside);
    const double below = inside < masses_.size() ? std::max(0.0, lo - masses_[inside].lo) : 0;
    const double above = outside > 0 ? std::max(0.0, masses_[outside - 1].hi - hi) : 0;
    const double clipping = square_beyond(0, inside, lo) + cut(inside, below) + square_beyond(outside, masses_.size(), hi) +
                            (outside > 0 ? cut(outside - 1, above) : 0);
    const double left = rounding(inside, near, step, below, 0);  // no mass has numbers on both sides of 0
    const double right = rounding(far, outside, step, 0, above);
    const double rounded = moments_[2][far] - moments_[2][near] + left + right;
    return without_slack(clipped * clipping + rounded);
}

double NoiseBound::below(double lo) const { return without_slack(square_beyond(0, first_beyond(lo), lo)); }

double NoiseBound::above(double hi) const { return without_slack(square_beyond(first_from(hi), masses_.size(), hi)); }

double NoiseBound::without_slack(double noise) const { return std::max(0.0, noise - slack * moments_[2].back()); }

// The first mass that reaches beyond `x`.
size_t NoiseBound::first_beyond(double x) const {
    return first_of(masses_, [&](const Mass& mass) { return mass.hi > x; });
}

// The first mass that begins at `x` or later.
size_t NoiseBound::first_from(double x) const {
    return first_of(masses_, [&](const Mass& mass) { return mass.lo >= x; });
}

// Of whole masses that lie beyond an edge.
double NoiseBound::square_beyond(size_t begin, size_t end, double edge) const {
    const auto sum = [&](size_t power) { return moments_.at(power)[end] - moments_.at(power)[begin]; };
    return end > begin ? sum(2) - 2 * edge * sum(1) + edge * edge * sum(0) : 0;
}

// Of the part of a mass that reaches `length` beyond an edge.
double NoiseBound::cut(size_t mass, double length) const { return length > 0 ? density_[mass] * length * length * length / 3 : 0; }

// Of whole masses, but for what the edges of the grid cut off the first and the last.
double NoiseBound::rounding(size_t begin, size_t end, double step, double below, double above) const {
    if (begin >= end) return 0;
    const double numbers = spread_[end] - spread_[begin] - density_[begin] * below - density_[end - 1] * above;
    const double varies = density_[begin] + variation_[end - 1] - variation_[begin] + density_[end - 1];
    return std::max(0.0, step * step * numbers * (1 - 2 * gap) / 12 - periodic_part * step * step * step * varies);
}

}  // namespace quern
