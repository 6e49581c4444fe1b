#include <fmt/format.h>

#include <cmath>

#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/runs/compare.h"

namespace quern {
namespace {

std::string decibel(const Difference& d) { return d.mismatch.empty() ? (d.noise == 0 ? "equal" : fmt::format("{:.2f}", d.sqnr())) : "-"; }
Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }

}  // namespace

std::string only_in_text(std::string_view what, const std::vector<std::string>& names) {
    if (names.empty()) return {};
    const size_t shown = std::min(names.size(), few);
    std::vector<std::string> some;
    for (const std::string& name : std::span(names).first(shown)) some.push_back(escape(name));
    std::string out = fmt::format("only in the {}: {}", what, join(some, ", "));
    return out + (shown < names.size() ? fmt::format(" and {} more\n", names.size() - shown) : "\n");
}

std::string comparison_text(const Comparison& comparison, double threshold, bool outputs_only) {
    std::string out = fmt::format("{:>9} {:>10} {:>12} {:>12}  {}\n", "SQNR dB", "cosine", "max error", "max |ref|", "value");
    for (const ComparedValue& value : comparison.values) {
        const Difference& d = value.difference;
        if (d.count == 0 && d.mismatch.empty()) continue;
        out += fmt::format("{:>9} {:>10.6f} {:>12.6g} {:>12.6g}  {}{}{}\n", decibel(d), d.cosine(), d.max_error, d.max_reference,
                           escape(value.key), value.output ? " (output)" : "", d.mismatch.empty() ? "" : ": " + printable(d.mismatch));
    }
    out += only_in_text("first", comparison.only_first) + only_in_text("second", comparison.only_second);
    if (std::isfinite(threshold))
        if (const ComparedValue* bad = comparison.first_below(threshold, outputs_only))
            out += fmt::format("first below {} dB: {} ({})\n", threshold, escape(bad->key), decibel(bad->difference));
    return out;
}

std::string comparison_json(const Comparison& comparison, double threshold, bool outputs_only) {
    Json json{{"samples", comparison.samples},
              {"only_first", comparison.only_first},
              {"only_second", comparison.only_second},
              {"values", Json::array()}};
    for (const ComparedValue& value : comparison.values) {
        const Difference& d = value.difference;
        Json row{{"name", value.key},          {"output", value.output},          {"count", d.count},
                 {"identical", d.identical()}, {"sqnr", number(d.sqnr())},        {"cosine", number(d.cosine())},
                 {"max_error", d.max_error},   {"max_reference", d.max_reference}};
        if (!d.mismatch.empty()) row["mismatch"] = d.mismatch;
        json["values"].push_back(std::move(row));
    }
    const ComparedValue* bad = std::isfinite(threshold) ? comparison.first_below(threshold, outputs_only) : nullptr;
    json["first_below"] = bad ? Json(bad->key) : Json(nullptr);
    return json_document(json);
}

}  // namespace quern
