#include "libcore/place/fit.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

namespace quern::place {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr size_t figure_count = 3;
using Numbers = std::array<double, figure_count>;  // of call, mac and byte

Numbers numbers_of(const Figures& f) { return {f.call, f.mac, f.byte}; }

// By what each figure is taken, if MACs decide about nodes with more than `split` of them a byte, and bytes about the others.
Numbers factors(const Measured& time, double split) {
    Numbers out{static_cast<double>(time.nodes.size()), 0, 0};
    for (const NodeWork& node : time.nodes) {
        const bool by_macs = node.bytes > 0 ? node.macs / node.bytes > split : node.macs > 0;
        out[by_macs ? 1 : 2] += by_macs ? node.macs : node.bytes;
    }
    return out;
}

// Where to begin: solve() moves them.
std::vector<double> splits(std::span<const Measured> times, const Figures& before) {
    if (before.mac == 0) return {infinite};
    if (before.byte == 0) return {-1};
    constexpr size_t max_splits = 32;
    std::vector<double> all{-1};
    for (const Measured& time : times)
        for (const NodeWork& node : time.nodes)
            if (node.bytes > 0) all.push_back(node.macs / node.bytes);
    std::sort(all.begin(), all.end());
    all.erase(std::unique(all.begin(), all.end()), all.end());
    std::vector<double> out;
    const size_t step = (all.size() + max_splits - 1) / max_splits;
    for (size_t i = 0; i < all.size(); i += step) out.push_back(all[i]);
    return out;
}

// Least squares as z'Hz - 2g'z, of figures as multiples of what they are about.
struct Squares {
    std::array<Numbers, figure_count> h{};
    Numbers g{};

    double at(const Numbers& z) const {
        double sum = 0;
        for (size_t i = 0; i < figure_count; ++i) {
            sum -= 2 * g[i] * z[i];
            for (size_t j = 0; j < figure_count; ++j) sum += z[i] * h[i][j] * z[j];
        }
        return sum;
    }
};

Squares squares_of(std::span<const Measured> times, std::span<const double> weights, const Numbers& about, double split) {
    constexpr double pull = 1e-10;  // towards what they are about, of what the times do not tell apart
    Squares out;
    for (size_t t = 0; t < times.size(); ++t) {
        const Measured& time = times[t];
        Numbers row = factors(time, split);
        for (size_t i = 0; i < figure_count; ++i) row[i] *= about[i] / time.seconds;
        for (size_t i = 0; i < figure_count; ++i) {
            out.g[i] += weights[t] * row[i] * (1 - time.others / time.seconds);
            for (size_t j = 0; j < figure_count; ++j) out.h[i][j] += weights[t] * row[i] * row[j];
        }
    }
    for (size_t i = 0; i < figure_count; ++i) {
        out.g[i] += pull * out.h[i][i];
        out.h[i][i] = out.h[i][i] > 0 ? (1 + pull) * out.h[i][i] : 1;  // what nothing depends on is 0
    }
    return out;
}

// Where the gradient is 0 with the figures outside of `support` held at 0, by elimination: h is positive definite.
Numbers lowest(Squares s, unsigned support) {
    Numbers z{};
    for (size_t i = 0; i < figure_count; ++i)
        for (size_t j = i + 1; j < figure_count && (support >> i & 1); ++j) {
            if (!(support >> j & 1)) continue;
            const double factor = s.h[j][i] / s.h[i][i];
            for (size_t k = i; k < figure_count; ++k) s.h[j][k] -= factor * s.h[i][k];
            s.g[j] -= factor * s.g[i];
        }
    for (size_t i = figure_count; i-- > 0;) {
        if (!(support >> i & 1)) continue;
        double left = s.g[i];
        for (size_t j = i + 1; j < figure_count; ++j) left -= s.h[i][j] * z[j];
        z[i] = left / s.h[i][i];
    }
    return z;
}

Numbers lowest_not_negative(const Squares& s) {
    Numbers best{};
    double min = infinite;
    for (unsigned support = 0; support < 1U << figure_count; ++support) {
        const Numbers z = lowest(s, support);
        const bool fits = std::all_of(z.begin(), z.end(), [](double x) { return x >= 0; });
        if (!fits || s.at(z) >= min) continue;
        min = s.at(z);
        best = z;
    }
    return best;
}

constexpr double large_error = 0.5;  // from here on an error counts by its size, not by its square

// Of a time, the same for half of it and for twice.
double error_of(const Figures& figures, const Measured& time) {
    constexpr double smallest = 1e-9;
    const double model = std::max(modelled(figures, time), smallest);
    return std::abs(model - time.seconds) / std::sqrt(model * time.seconds);
}

double sum_of_errors(const Figures& figures, std::span<const Measured> times) {
    double sum = 0;
    for (const Measured& time : times) {
        const double error = error_of(figures, time);
        sum += error <= large_error ? error * error : large_error * (2 * error - large_error);
    }
    return sum;
}

// By which squares of errors over the measured time become what sum_of_errors() adds.
double weight_of(const Figures& figures, const Measured& time) {
    const double relative = std::abs(modelled(figures, time) / time.seconds - 1), error = error_of(figures, time);
    if (relative == 0) return 1;
    const double wanted = error <= large_error ? error * error : large_error * error;
    return wanted / (relative * relative);
}

// One figure alone: the median of what each time says of it.
double median_figure(std::span<const Measured> times, size_t figure, double before) {
    std::vector<double> ratios;
    for (const Measured& time : times)
        if (const double factor = factors(time, figure == 1 ? -1 : infinite)[figure]; factor > 0)
            ratios.push_back(std::max(time.seconds - time.others, 0.0) / factor);
    return ratios.empty() ? before : median_of(std::move(ratios));
}

// By how much all figures together are off.
double common_scale(std::span<const Measured> times, const Figures& before) {
    std::vector<double> ratios;
    for (const Measured& time : times)
        if (const double own = modelled(before, time) - time.others; own > 0) ratios.push_back((time.seconds - time.others) / own);
    constexpr double smallest = 1e-9;
    return ratios.empty() ? 1 : std::max(median_of(std::move(ratios)), smallest);
}

// A rate that no time gave a sign of: as slow as it was, or as they allow.
void keep_hidden_rates(Figures& figures, const Figures& before, std::span<const Measured> times) {
    double mac = before.mac, byte = before.byte;
    for (const Measured& time : times)
        for (const NodeWork& node : time.nodes) {
            if (node.macs > 0) mac = std::min(mac, figures.byte * node.bytes / node.macs);
            if (node.bytes > 0) byte = std::min(byte, figures.mac * node.macs / node.bytes);
        }
    if (figures.mac == 0)
        figures.mac = mac;
    else if (figures.byte == 0)
        figures.byte = byte;
}

// From a split on: figures give the next split and weights, as long as that is better.
Figures solve(std::span<const Measured> times, const Figures& before, const Numbers& about, double split) {
    constexpr int max_rounds = 30;
    std::vector<double> weights(times.size(), 1);
    Figures best = before;
    double min = infinite;
    for (int round = 0; round < max_rounds; ++round) {
        const Numbers z = lowest_not_negative(squares_of(times, weights, about, split));
        Figures now{about[0] * z[0], about[1] * z[1], about[2] * z[2]};
        keep_hidden_rates(now, before, times);
        const double errors = sum_of_errors(now, times);
        if (errors < min) best = now;
        if (errors >= min * (1 - 1e-9) || errors == 0) break;
        min = errors;
        if (now.mac > 0 && now.byte > 0) split = now.byte / now.mac;
        for (size_t t = 0; t < times.size(); ++t) weights[t] = weight_of(now, times[t]);
    }
    return best;
}

Figures fit_several(std::span<const Measured> times, const Figures& before) {
    Numbers about = numbers_of(before);
    const double scale = common_scale(times, before);
    for (double& figure : about) figure *= scale;
    Figures best{about[0], about[1], about[2]};
    for (const double split : splits(times, before)) {
        const Figures now = solve(times, before, about, split);
        if (sum_of_errors(now, times) < sum_of_errors(best, times)) best = now;
    }
    return best;
}

}  // namespace

double modelled(const Figures& figures, const Measured& time) {
    double sum = time.others;
    for (const NodeWork& node : time.nodes) sum += figures.call + std::max(node.macs * figures.mac, node.bytes * figures.byte);
    return sum;
}

double median_of(std::vector<double> numbers) {
    if (numbers.empty()) return 0;
    std::sort(numbers.begin(), numbers.end());
    const size_t half = numbers.size() / 2;
    return numbers.size() % 2 ? numbers[half] : (numbers[half - 1] + numbers[half]) / 2;
}

Figures fit_figures(std::span<const Measured> times, const Figures& before) {
    const Numbers figures = numbers_of(before);
    const auto open = std::count_if(figures.begin(), figures.end(), [](double figure) { return figure > 0; });
    if (open == 0 || times.empty()) return before;
    if (open > 1) return fit_several(times, before);
    Numbers out{};
    const auto one = static_cast<size_t>(std::find_if(figures.begin(), figures.end(), [](double f) { return f > 0; }) - figures.begin());
    out[one] = median_figure(times, one, figures[one]);
    return {out[0], out[1], out[2]};
}

}  // namespace quern::place
