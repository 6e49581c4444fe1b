// Comparisons of two models (compare.h) as text and JSON.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/report/page.h"
#include "libcore/runs/compare.h"

namespace quern {
namespace {

using enum Column::Is;

std::string decibel(const Difference& d) { return d.mismatch.empty() ? (d.noise() == 0 ? "equal" : fmt::format("{:.2f}", d.sqnr())) : "-"; }

// What is infinite is null in files.
Json comparison_document(const Comparison& comparison, double threshold, bool outputs_only) {
    Json json{{"samples", comparison.samples},
              {"only_first", comparison.only_first},
              {"only_second", comparison.only_second},
              {"values", Json::array()}};
    for (const ComparedValue& value : comparison.values) {
        const Difference& d = value.difference;
        Json row{{"name", value.key}, {"output", value.output}, {"count", d.count()},       {"identical", d.identical()},
                 {"sqnr", d.sqnr()},  {"cosine", d.cosine()},   {"max_error", d.max_error}, {"max_reference", d.max_reference}};
        row["whole_sqnr"] = d.whole_sqnr();
        if (d.count() == 0 && d.mismatch.empty())  // nothing was compared
            for (const char* key : {"identical", "sqnr", "whole_sqnr", "cosine", "max_error", "max_reference"}) row[key] = nullptr;
        if (const auto part = d.worst_part()) row["worst_part"] = {{"name", part->name}, {"sqnr", part->sqnr}};
        if (value.channels_moved) row["channels_moved"] = true;
        if (!d.mismatch.empty()) row["mismatch"] = d.mismatch;
        json["values"].push_back(std::move(row));
    }
    const ComparedValue* bad = std::isfinite(threshold) ? comparison.first_below(threshold, outputs_only) : nullptr;
    json["first_below"] = bad ? Json(bad->key) : Json(nullptr);
    return json;
}

// ---- the page: totals, outputs, every value over the order in which it is computed, rows with the errors, the worst first ----

constexpr size_t listed_values = 4000, detailed_values = 1000, listed_outputs = 100;

// Elements by how much they differ, on scales of powers of two, from the least error that any has to the greatest.
void add_errors(Json& value, const Difference& d) {
    value["differing"] = std::accumulate(d.errors.begin(), d.errors.end(), uint64_t{0});
    const auto used = [](uint64_t count) { return count > 0; };
    const auto first = std::ranges::find_if(d.errors, used);
    if (first == d.errors.end()) return;
    const auto last = std::find_if(d.errors.rbegin(), d.errors.rend(), used).base();
    std::vector<int> bits;  // logarithms that are the same everywhere
    for (auto count = first; count != last; ++count) bits.push_back(64 - std::countl_zero(*count));
    const auto bound = [&](auto bin) { return std::ldexp(1.0, static_cast<int>(bin - d.errors.begin()) - Difference::error_bias); };
    value["errors"] = {{"label", "errors"}, {"values", bits}};
    value["ends"] = {bound(first), bound(last)};
}

// The values that were compared, with their place in the order of computation, and figures over all of them.
Json page_document(const Comparison& comparison, double threshold, bool outputs_only) {
    Json out = comparison_document(comparison, threshold, outputs_only), values = Json::array(), outputs = Json::array();
    size_t equal = 0, apart = 0;
    double max_error = 0;
    for (size_t i = 0; i < comparison.values.size(); ++i) {
        const ComparedValue& value = comparison.values[i];
        const Difference& d = value.difference;
        if (d.count() == 0 && d.mismatch.empty()) continue;
        Json row = std::move(out["values"][i]);
        row["place"] = i + 1;
        row["what"] = value.output ? "output" : "inner value";
        row["kind"] = value.output ? "o" : "v";
        row["note"] = value.note;
        add_errors(row, d);
        equal += d.identical();
        apart += !d.mismatch.empty();
        if (value.output) max_error = std::max(max_error, d.max_error), outputs.push_back(row);
        if (comparison.values[i].key == out["first_below"]) out["below"] = row;
        values.push_back(std::move(row));
    }
    const auto worst = [](const Json& a, const Json& b) { return a["sqnr"] < b["sqnr"]; };
    if (!values.empty()) out["worst"] = *std::ranges::min_element(values, worst);
    if (!outputs.empty()) out["worst_output"] = *std::ranges::min_element(outputs, worst), out["most"] = max_error;
    out["equal"] = equal, out["apart"] = apart;
    out["threshold"] = threshold;
    out["values"] = std::move(values), out["outputs"] = std::move(outputs);
    return out;
}

std::string only(const std::string& which) {
    return fmt::format(
        "[<details><summary>{{only_{0}:count}} value{{only_{0}:s}} only in the {0}, {{{0}}}</summary><p>{{only_{0}:codes "
        "200}}</p></details>\n]",
        which);
}

const Page& compare_page() {
    static const Column errors{"errors", "{errors:area}", picture}, decibels{"SQNR dB", "{sqnr:.2f}", number, "sqnr"},
        cosine{"cosine", "{cosine:.6f}", number}, greatest_error{"greatest error", "{max_error:.4g}", number, "-max_error"},
        greatest_number{"greatest number", "{max_reference:.4g}", number},
        reason{"why not", "[<span class=\"bad\">{mismatch}</span>]", why};
    static const Page page{
        .title = "{second} compared with {first}",
        .panels = {
            {.cards = {{"{worst_output/sqnr:.2f dB}", "SQNR of the worst output"},
                       {"{most:.3g}", "greatest error of an output"},
                       {"{worst/sqnr:.2f dB}", "SQNR of the worst value"},
                       {"{equal} of {values:count}", "values equal to the bit"},
                       {"[{apart:if}{apart}]", "values that cannot be compared"},
                       {"[{samples:if}{samples}]", "sample{samples:s}"}}},
            {.text =
                 "[<p class=\"bad\">The first below {threshold} dB, as they are computed: {below/name:code}, {below/sqnr:.2f dB}.</p>\n]"
                 "[{first_below:no}{bounded:if}<p>No value is below {threshold} dB.</p>\n]"
                 "[{values:no}<p>There is nothing to compare.</p>\n]"},
            {.title = "Outputs",
             .from = "outputs",
             .columns = {{"output", "{name:code}"}, errors, decibels, cosine, greatest_error, greatest_number, reason},
             .order = "sqnr",
             .listed = listed_outputs,
             .others = "--json"},
            {.title = "Where they differ",
             .from = "values",
             .dots = {.x = "place",
                      .decibel = "sqnr",
                      .kind = "{kind}",
                      .title = "{name}: {sqnr:.2f dB}",
                      .below = "<p class=\"key soft\"><span>SQNR in dB over the order in which values are computed</span><span><i "
                               "class=\"v\"></i>values</span><span><i class=\"o\"></i>outputs</span></p>\n",
                      .top = "none"},
             .order = "sqnr",
             .opens = detailed_values},
            {.title = "Values, the worst first",
             .from = "values",
             .text = "<p class=\"soft\">A name opens what is behind it. Errors: elements by how much they differ, the small ones on the "
                     "left.</p>\n",
             .columns = {{"value", "{name:code}", words, "n",
                          "[{errors:again}<div class=\"ends\"><span>{ends/0:.2g}</span><span>{ends/1:.2g}</span></div><p "
                          "class=\"soft\">Elements by how much they differ, on a scale of powers of two, counts as logarithms.</p>]"
                          "<p>{differing} of {count} elements differ, by at most {max_error:.4g}; the greatest number of the first is "
                          "{max_reference:.4g}. Cosine {cosine:.8f}.</p>[<p>{note}</p>]"},
                         {"errors", "{errors:area id}", picture},
                         decibels,
                         cosine,
                         greatest_error,
                         greatest_number,
                         {"computed", "{place}", number, "place"},
                         reason},
             .order = "sqnr",
             .search = "search values",
             .filters = {{"what", "all values", "{.}s"}},
             .listed = listed_values,
             .opens = detailed_values,
             .others = "--json"},
            {.text = only("first") + only("second")}}};
    return page;
}

std::string few_of_names(const std::vector<std::string>& names) {
    const size_t shown = std::min(names.size(), few);
    std::vector<std::string> some;
    for (const std::string& name : std::span(names).first(shown)) some.push_back(escape(name));
    return join(some, ", ") + (shown < names.size() ? fmt::format(" and {} more", names.size() - shown) : "");
}

std::string moved_text(const Comparison& comparison) {
    std::vector<std::string> moved;
    for (const ComparedValue& value : comparison.values)
        if (value.channels_moved) moved.push_back(value.key);
    return moved.empty() ? std::string() : fmt::format("channels moved to compare: {}\n", few_of_names(moved));
}

}  // namespace

std::string only_in_text(std::string_view what, const std::vector<std::string>& names) {
    return names.empty() ? std::string() : fmt::format("only in the {}: {}\n", what, few_of_names(names));
}

std::string figure_text(const Difference& d) {
    if (!d.mismatch.empty()) return d.mismatch;
    if (d.noise() == 0) return "equal";
    const auto part = d.worst_part();
    return part ? fmt::format("{:.2f} dB at {}, {:.2f} dB over all", part->sqnr, part->name, d.whole_sqnr())
                : fmt::format("{:.2f} dB", d.sqnr());
}

std::string comparison_text(const Comparison& comparison, double threshold, bool outputs_only) {
    std::string out = fmt::format("{:>9} {:>10} {:>12} {:>12}  {}\n", "SQNR dB", "cosine", "max error", "max |ref|", "value");
    for (const ComparedValue& value : comparison.values) {
        const Difference& d = value.difference;
        if (d.count() == 0 && d.mismatch.empty()) continue;
        const std::string name = escape(value.key) + (value.output ? " (output)" : "");
        if (!d.mismatch.empty()) {
            out += fmt::format("{:>9} {:>10} {:>12} {:>12}  {}: {}\n", "-", "-", "-", "-", name, printable(d.mismatch));
            continue;
        }
        out += fmt::format("{:>9} {:>10.6f} {:>12.6g} {:>12.6g}  {}{}\n", decibel(d), d.cosine(), d.max_error, d.max_reference, name,
                           d.worst_part() ? ": " + figure_text(d) : "");
    }
    out += moved_text(comparison) + only_in_text("first", comparison.only_first) + only_in_text("second", comparison.only_second);
    if (std::isfinite(threshold))
        if (const ComparedValue* bad = comparison.first_below(threshold, outputs_only))
            out += fmt::format("first below {} dB: {} ({})\n", threshold, escape(bad->key), decibel(bad->difference));
    return out;
}

std::string comparison_json(const Comparison& comparison, double threshold, bool outputs_only) {
    return json_document(comparison_document(comparison, threshold, outputs_only));
}

std::string comparison_html(const Comparison& comparison, double threshold, bool outputs_only, const std::string& first,
                            const std::string& second) {
    Json document = page_document(comparison, threshold, outputs_only);
    document["first"] = first, document["second"] = second, document["bounded"] = std::isfinite(threshold);
    return html_page(compare_page(), document);
}

}  // namespace quern
