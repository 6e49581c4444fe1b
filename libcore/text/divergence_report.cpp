// Divergence of two language models (divergence.h) as text and JSON.
#include <fmt/format.h>

#include "libcore/base/json.h"
#include "libcore/text/divergence.h"

namespace quern {
namespace {

std::string line(std::string_view what, const Estimate& estimate, double factor = 1, std::string_view unit = {}) {
    return fmt::format("{:<24} {:>11.6f} +/- {:.6f}{}\n", what, estimate.value * factor, estimate.error * factor, unit);
}

// "99.9 %", "median".
std::string name_of_share(double share) {
    if (share == 1) return "maximum";
    if (share == 0) return "minimum";
    return share == 0.5 ? "median" : fmt::format("{:.3g} %", share * 100);
}

Json json_of(const Estimate& estimate) { return {{"value", estimate.value}, {"error", estimate.error}}; }

Json quantiles_json(const std::array<double, DivergenceReport::shares.size()>& numbers) {
    Json out = Json::array();
    for (size_t i = 0; i < numbers.size(); ++i) out.push_back({{"share", DivergenceReport::shares[i]}, {"value", numbers[i]}});
    return out;
}

}  // namespace

std::string divergence_text(const DivergenceReport& report, const TokenWindows& windows) {
    std::string out = fmt::format("{} tokens scored in {} windows of {}\n", report.scored, windows.count(), windows.length());
    out += line("perplexity, first", report.first) + line("perplexity, second", report.second);
    out += line("second / first", report.ratio);
    out += fmt::format("{:<24} {:>11.6f}\n", "correlation of logs", report.correlation);
    out += line("KL divergence, mean", report.divergence);
    out += line("same top token", report.same_top, 100, " %");
    out += line("change of p, mean", report.change, 100, " %") + line("change of p, RMS", report.change_rms, 100, " %");
    out += fmt::format("\n{:<12} {:>14} {:>14}\n", "", "KL divergence", "change of p, %");
    for (size_t i = 0; i < report.shares.size(); ++i)
        out += fmt::format("{:<12} {:>14.6f} {:>14.4f}\n", name_of_share(report.shares[i]), report.divergences[i], report.changes[i] * 100);
    return out;
}

std::string divergence_json(const DivergenceReport& report, const TokenWindows& windows) {
    const Json json{
        {"scored", report.scored},
        {"windows", windows.count()},
        {"context", windows.length()},
        {"perplexity", {{"first", json_of(report.first)}, {"second", json_of(report.second)}, {"ratio", json_of(report.ratio)}}},
        {"correlation", report.correlation},
        {"kl_divergence", json_of(report.divergence)},
        {"kl_divergences", quantiles_json(report.divergences)},
        {"same_top", json_of(report.same_top)},
        {"probability_change", json_of(report.change)},
        {"probability_change_rms", json_of(report.change_rms)},
        {"probability_changes", quantiles_json(report.changes)}};
    return json_document(json);
}

}  // namespace quern
