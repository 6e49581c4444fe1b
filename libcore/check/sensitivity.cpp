#include "libcore/check/sensitivity.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

constexpr double infinite = std::numeric_limits<double>::infinity();

double decibel(double signal, double noise) {
    if (noise <= 0) return infinite;
    return signal > 0 ? 10 * portable::log10(signal / noise) : -infinite;
}

double own_noise(const ValueSums& sums) { return sums.weights + sums.rounding; }

// What goes from operand `part` of a unit to its result `out`, of one unit of energy.
double handed_on(const Measurement& measured, const ProbedUnit& unit, size_t part, size_t out) {
    const double reaches = measured.values[unit.in[part]].noise;
    return reaches > 0 ? measured.values[out].parts[part] / reaches : 0;
}

// The channel whose share of a sum is a quarter and four times the mean, at least.
void find_channel(std::span<const double> parts, Sensitivity& row) {
    const double all = std::accumulate(parts.begin(), parts.end(), 0.0);
    if (parts.size() < 2 || all <= 0) return;
    const auto max = std::ranges::max_element(parts);
    const double share = *max / all;
    if (share < 0.25 || share < std::min(0.9, 4.0 / static_cast<double>(parts.size()))) return;
    row.channel = static_cast<int>(max - parts.begin());
    row.channel_share = share;
}

// The channel that alone has a peak twice as high as all others.
void find_peak(std::span<const float> peaks, Sensitivity& row) {
    if (peaks.size() < 2) return;
    const auto max = std::ranges::max_element(peaks);
    float second = 0;
    for (auto at = peaks.begin(); at != peaks.end(); ++at)
        if (at != max) second = std::max(second, *at);
    if (*max > 2 * second) row.channel = static_cast<int>(max - peaks.begin());
}

// What the range has to reach for the others if one number in a thousand, or one in five, is left out.
void find_outliers(const ValueSums& sums, Sensitivity& row) {
    const uint64_t all = std::accumulate(sums.reach.begin(), sums.reach.end(), uint64_t{0});
    for (const auto& [kept, max] : {std::pair(0.999, 0.5), std::pair(0.8, 0.25)}) {
        uint64_t below = 0;
        size_t steps = 0;
        while (steps < sums.reach.size() && static_cast<double>(below) < kept * static_cast<double>(all)) below += sums.reach[steps++];
        const double core = static_cast<double>(steps) / ValueSums::reach_steps;
        if (all == 0 || core > max) continue;
        row.core = core;
        row.outliers = static_cast<double>(all - below) / static_cast<double>(all);
        return;
    }
}

class Rows {
   public:
    Rows(const Probe& probe, const Measurement& measured, size_t worst)
        : probe_(probe), measured_(measured), worst_(worst), influence_(influence_of(probe, measured)) {
        for (size_t v = 0; v < probe.values.size(); ++v) {
            total_ += own_noise(measured.values[v]) * influence_[v][worst];
            if (probe.values[v].output == worst) output_ = measured.values[v];
        }
    }

    std::vector<Sensitivity> all() const {
        std::vector<Sensitivity> rows;
        for (size_t u = 0; u < probe_.units.size(); ++u)
            if (probe_.units[u].quantized) rows.push_back(row(u, probe_.units[u].name, probe_.units[u].op, probe_.units[u].out));
        for (size_t v = 0; v < probe_.values.size(); ++v)
            if (!probe_.values[v].maker && probe_.values[v].enc)
                rows.push_back(row(probe_.units.size() + v, probe_.values[v].name, "input", {v}));
        std::ranges::stable_sort(rows, [](const Sensitivity& a, const Sensitivity& b) { return a.share() > b.share(); });
        return rows;
    }

   private:
    Sensitivity row(size_t unit, const std::string& name, const std::string& op, const std::vector<size_t>& values) const {
        Sensitivity row{.unit = unit, .name = name, .op = op};
        double signal = 0, local = 0;
        const ValueSums* main = nullptr;
        double max = -1;
        for (const size_t v : values) {
            const ValueSums& sums = measured_.values[v];
            signal += sums.signal;
            local += own_noise(sums);
            if (total_ > 0) {
                row.weights += sums.weights * influence_[v][worst_] / total_;
                row.rounding += sums.rounding * influence_[v][worst_] / total_;
            }
            if (own_noise(sums) * influence_[v][worst_] <= max) continue;
            max = own_noise(sums) * influence_[v][worst_];
            main = &sums;
        }
        row.local_db = decibel(signal, local);
        row.alone_db = decibel(output_.signal, row.share() * output_.noise);
        row.without_db = decibel(output_.signal, std::max(0.0, 1 - row.share()) * output_.noise);
        if (main) find_cause(*main, row);
        return row;
    }

    static void find_cause(const ValueSums& sums, Sensitivity& row) {
        if (own_noise(sums) <= 0) return;
        row.clipped = sums.count > 0 ? static_cast<double>(sums.clipped) / static_cast<double>(sums.count) : 0;
        if (sums.weights >= sums.rounding) {
            row.cause = Cause::weights;
            return find_channel(sums.channel_weights, row);
        }
        row.cause = 2 * sums.clipping > sums.rounding ? Cause::clipping : Cause::rounding;
        find_outliers(sums, row);
        find_peak(sums.channel_peak, row);
    }

    const Probe& probe_;
    const Measurement& measured_;
    size_t worst_;
    Influence influence_;
    double total_ = 0;
    ValueSums output_;
};

}  // namespace

Influence influence_of(const Probe& probe, const Measurement& measured) {
    Influence all(probe.values.size(), std::vector<double>(probe.outputs.size(), 0));
    for (size_t v = 0; v < probe.values.size(); ++v)
        if (const auto output = probe.values[v].output) all[v][*output] = 1;
    for (size_t u = probe.units.size(); u-- > 0;) {
        const ProbedUnit& unit = probe.units[u];
        for (size_t part = 0; part < unit.in.size(); ++part)
            for (const size_t out : unit.out) {
                const double share = handed_on(measured, unit, part, out);
                for (size_t o = 0; o < probe.outputs.size(); ++o) all[unit.in[part]][o] += share * all[out][o];
            }
    }
    return all;
}

std::vector<size_t> shared_grids(const Probe& probe, const Measurement& measured) {
    std::vector<size_t> first(probe.values.size());  // another value of the grid, an earlier one, or itself
    std::iota(first.begin(), first.end(), size_t{0});
    const auto root = [&](size_t v) {
        while (first[v] != v) v = first[v];
        return v;
    };
    for (const ProbedUnit& unit : probe.units) {
        if (!unit.quantized || unit.weighted) continue;
        for (const size_t out : unit.out) {
            if (!probe.values[out].enc || measured.values[out].rounding > 0) continue;
            for (const size_t in : unit.in)
                if (probe.values[in].enc) first[std::max(root(in), root(out))] = std::min(root(in), root(out));
        }
    }
    std::vector<size_t> grids;
    std::map<size_t, size_t> numbers;
    for (size_t v = 0; v < first.size(); ++v) grids.push_back(numbers.emplace(root(v), numbers.size()).first->second);
    return grids;
}

std::string_view name_of(Cause cause) {
    switch (cause) {
        case Cause::weights: return "weights";
        case Cause::rounding: return "activations";
        case Cause::clipping: return "clipped activations";
        case Cause::none: break;
    }
    return "none";
}

std::vector<Sensitivity> sensitivities(const Probe& probe, const Measurement& measured, size_t worst) {
    return Rows(probe, measured, worst).all();
}

double output_db(const Probe& probe, const Measurement& measured, size_t output) {
    for (size_t v = 0; v < probe.values.size(); ++v)
        if (probe.values[v].output == output) return decibel(measured.values[v].signal, measured.values[v].noise);
    return infinite;
}

std::optional<size_t> worst_output(const Probe& probe, const Measurement& measured) {
    std::optional<size_t> worst;
    for (const ProbedValue& value : probe.values)
        if (value.output && (!worst || output_db(probe, measured, *value.output) < output_db(probe, measured, *worst)))
            worst = value.output;
    return worst;
}

std::string cause_text(const Probe& probe, const Sensitivity& row) {
    std::string text(name_of(row.cause));
    if (row.cause == Cause::weights && row.unit < probe.units.size() && probe.units[row.unit].bodies)
        return "weights and activations inside";
    if (row.cause == Cause::weights) {
        if (row.unit < probe.units.size() && probe.units[row.unit].per_tensor) text += ", one scale for all channels";
        if (row.channel >= 0) text += fmt::format(", channel {} makes {:.0f} % of it", row.channel, 100 * row.channel_share);
        return text;
    }
    if (row.cause == Cause::clipping) text += fmt::format(", {:.2g} % of the numbers", 100 * row.clipped);
    if (row.cause == Cause::rounding && row.core < 1 && row.outliers == 0)
        text += fmt::format(", the numbers take {:.0f} % of the range", 100 * row.core);
    else if (row.cause == Cause::rounding && row.core < 1)
        text += fmt::format(", {:.2g} % of the numbers take {:.0f} % of the range", 100 * row.outliers, 100 * (1 - row.core));
    if (row.channel >= 0) text += fmt::format(", channel {} has the peaks", row.channel);
    return text;
}

}  // namespace quern
