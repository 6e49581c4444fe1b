// Range search as AIMET's tf-enhanced, as its users know it: histogram, candidates and errors are AIMET's (quic/aimet, DlQuantization), not
// those of `sqnr`, which has its idea and its weight of clipped numbers but integrates errors exactly over all that was measured.
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <optional>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/quant/search/search.h"

namespace quern {
namespace {

constexpr size_t bin_count = 512;
constexpr double window = 3;           // of the first run's range, about its centre
constexpr double clipping_weight = 3;  // gamma
constexpr double least_width = 0.01;   // of the observed range
constexpr int deltas = 17, unit_delta = 16, offsets = 20, symmetric_deltas = 101, symmetric_unit = 100;

// Its bins follow from the first run: bin i counts what rounds to `first` + i widths, and nothing beyond the last is counted. Runs count as
// many numbers as they have, which for runs of one shape is AIMET's mean over them.
struct Pdf {
    double first = 0, width = 0;
    std::array<double, bin_count> mass{};
    double left(size_t bin) const { return first + static_cast<double>(bin) * width; }
    double middle(size_t bin) const { return left(bin) + width / 2; }
    size_t bin_at(double x) const {
        return static_cast<size_t>(std::clamp(std::floor((x - first) / width), 0.0, static_cast<double>(bin_count - 1)));
    }
    double begin() const { return first - width / 2; }  // of what is counted
    // By the bins alone, which are all that AIMET keeps: at least `least_width` wide, 0 included.
    RealRange observed() const {
        size_t least = 0, greatest = bin_count - 1;
        while (least < greatest && mass[least] <= 0) ++least;
        while (greatest > least && mass[greatest] <= 0) --greatest;
        const double lo = std::min(left(least), 0.0);
        return {lo, std::max({left(greatest), 0.0, lo + least_width})};
    }
};

void count(Pdf& pdf, const Mass& mass) {
    const double place = (mass.lo - pdf.begin()) / pdf.width, end = (mass.hi - pdf.begin()) / pdf.width;
    if (end < 0 || place >= bin_count) return;
    if (!(end > place)) {
        pdf.mass[static_cast<size_t>(place)] += mass.weight;
        return;
    }
    const auto begin = static_cast<size_t>(std::max(place, 0.0));
    for (size_t i = begin; i < bin_count && static_cast<double>(i) < end; ++i) {
        const auto left = static_cast<double>(i);
        pdf.mass[i] += mass.weight * (std::min(end, left + 1) - std::max(place, left)) / (end - place);
    }
}

// Nothing where all numbers are the same.
std::optional<Pdf> pdf_of(const ValueRange& value) {
    std::pair<double, double> batch{value.min, value.max};
    const auto first = std::ranges::find_if(value.runs, [](const auto& run) { return run.second.first < run.second.second; });
    if (first != value.runs.end())
        batch = first->second;
    else if (value.runs_left_out > 0 && value.min < value.max)
        throw bad_input("method tf-enhanced needs the extremes of the first run whose numbers differ, which these ranges do not have")
            .with_hint("collect them with --keep-runs");
    const double centre = (batch.first + batch.second) / 2, half = window * (batch.second - batch.first) / 2;
    if (!(half > 0)) return std::nullopt;
    Pdf pdf{.first = centre - half, .width = 2 * half / bin_count};
    for (const Mass& mass : masses_of(value)) count(pdf, mass);
    return pdf;
}

struct Candidate {
    double delta, offset;  // codes 0 to `steps` stand for delta * (code + offset)
};

struct Point {
    size_t bin;
    double x, mass;
};

// The bins that have numbers, at their midpoints.
std::vector<Point> points_of(const Pdf& pdf) {
    std::vector<Point> points;
    for (size_t i = 0; i < bin_count; ++i)
        if (pdf.mass[i] > 0) points.push_back({i, pdf.middle(i), pdf.mass[i]});
    return points;
}

// What lies in bins beyond those of the grid's edges is as far out as it is from their midpoints. `most`: it is enough to know that the
// cost is not less.
double cost(const Pdf& pdf, const std::vector<Point>& points, const Candidate& grid, double steps, double most) {
    const size_t lowest = pdf.bin_at(grid.delta * grid.offset), highest = pdf.bin_at(grid.delta * (grid.offset + steps));
    double rounding = 0, clipping = 0;
    for (const Point& point : points) {
        const bool inside = point.bin >= lowest && point.bin <= highest;
        const double stands_for = inside ? grid.delta * (std::round(point.x / grid.delta - grid.offset) + grid.offset)
                                         : pdf.middle(point.bin < lowest ? lowest : highest);
        (inside ? rounding : clipping) += point.mass * (point.x - stands_for) * (point.x - stands_for);
        if (rounding + clipping_weight * clipping >= most) return most;
    }
    return rounding + clipping_weight * clipping;
}

// The first of equals.
Candidate cheapest(const Pdf& pdf, const std::vector<Candidate>& candidates, double steps) {
    const auto points = points_of(pdf);
    Candidate best = candidates.front();
    double least = std::numeric_limits<double>::infinity();
    for (const Candidate& candidate : candidates)
        if (const double found = cost(pdf, points, candidate, steps, least); found < least) {
            least = found;
            best = candidate;
        }
    return best;
}

std::vector<Candidate> symmetric_candidates(const RealRange& observed, double steps) {
    const double widest = std::max(-observed.lo, observed.hi) / std::floor(steps / 2);
    std::vector<Candidate> all;
    for (int i = 1; i <= symmetric_deltas; ++i) all.push_back({widest * i / symmetric_unit, std::floor(-steps / 2)});
    return all;
}

std::vector<Candidate> candidates(const RealRange& observed, double steps) {
    std::vector<Candidate> all;
    const auto add = [&](double lo, double hi) {
        const double delta = (hi - lo) / steps;
        if (delta > 0) all.push_back({delta, std::round(lo / delta)});
    };
    for (int i = 1; i <= deltas; ++i)
        for (int j = 0; j <= offsets; ++j) {
            const double delta = (observed.hi - observed.lo) / steps * i / unit_delta, lo = delta * steps * (j - offsets) / offsets;
            add(std::max(lo, observed.lo), std::min(lo + delta * steps, observed.hi));
        }
    add(observed.lo, observed.hi);
    return all;
}

}  // namespace

RealRange search_tf_enhanced(const ValueRange& value, const GridSpec& spec) {
    const std::optional<Pdf> pdf = pdf_of(value);
    if (!pdf) return search_minmax(value);
    const RealRange observed = pdf->observed();
    const auto steps = static_cast<double>(spec.qmax - spec.qmin);
    const auto all = spec.symmetric ? symmetric_candidates(observed, steps) : candidates(observed, steps);
    const Candidate best = cheapest(*pdf, all, steps);
    if (spec.symmetric) {  // the wider side says the grid
        const RealRange seen = search_minmax(value);
        const double half = best.delta * steps / 2;
        return -seen.lo > seen.hi ? RealRange{-half, std::min(half, seen.hi)} : RealRange{std::max(-half, seen.lo), half};
    }
    return {best.delta * best.offset, best.delta * (best.offset + steps)};
}

}  // namespace quern
