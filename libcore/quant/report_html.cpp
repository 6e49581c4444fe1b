// The report as one page without anything from outside: worst values first, each with its histogram and the range its grid covers.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/report.h"

namespace quern {
namespace {

constexpr const char* style = R"(
:root{color-scheme:light dark;--ink:#1d2733;--soft:#66788a;--line:#d9e0e7;--page:#fff;--bar:#4a7fb5;--cut:#c8553d;--band:#e8f0f7}
@media(prefers-color-scheme:dark){:root{--ink:#dce4ec;--soft:#8fa1b3;--line:#33414f;--page:#151b22;--bar:#6aa3dd;--cut:#ec8068;--band:#1f2b37}}
body{font:14px/1.5 system-ui,sans-serif;color:var(--ink);background:var(--page);max-width:72rem;margin:2rem auto;padding:0 1rem}
h1{font-size:1.4rem}h2{font-size:1.1rem;margin-top:2rem}.soft{color:var(--soft)}
.cards{display:flex;gap:2rem;flex-wrap:wrap}.cards b{display:block;font-size:1.4rem}
table{border-collapse:collapse;width:100%}th{text-align:left;color:var(--soft);font-weight:500}
td,th{padding:.3rem .6rem;border-bottom:1px solid var(--line);vertical-align:middle}td.n{text-align:right;font-variant-numeric:tabular-nums}
code{font:12px ui-monospace,monospace;overflow-wrap:anywhere}svg{display:block})";

std::string html(std::string_view text) {
    std::string out;
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string real(double value) { return shortest(static_cast<float>(value)); }

std::string decibel(double value) {
    if (std::isnan(value)) return "";
    return std::isinf(value) ? "exact" : fmt::format("{:.1f}", value);
}

// Counts on a logarithmic scale over the observed range; what the grid does not cover is drawn in the warning colour.
std::string plot(const ValueReport& value) {
    constexpr int width = 240, height = 36, columns = 80;
    const double lo = std::min(value.observed.lo, value.range.lo), hi = std::max(value.observed.hi, value.range.hi);
    if (value.masses.empty() || !(hi > lo)) return "";
    std::vector<double> counts(columns, 0.0);
    const auto column = [&](double x) { return std::clamp((x - lo) / (hi - lo) * columns, 0.0, columns - 1e-9); };
    for (const Mass& mass : value.masses) {
        const double from = column(mass.lo), to = std::max(column(mass.hi), from + 1e-9);
        for (int c = static_cast<int>(from); c <= std::min(static_cast<int>(to), columns - 1); ++c) {
            const double overlap = std::min<double>(c + 1, to) - std::max<double>(c, from);
            counts[static_cast<size_t>(c)] += mass.weight * std::max(overlap, 0.0) / (to - from);
        }
    }
    const double most = portable::log1p(*std::max_element(counts.begin(), counts.end()));
    std::string bars, cut;
    for (int c = 0; c < columns; ++c) {
        const double h = most > 0 ? portable::log1p(counts[static_cast<size_t>(c)]) / most * height : 0;
        if (h <= 0) continue;
        const double centre = lo + (c + 0.5) / columns * (hi - lo);
        (centre < value.range.lo || centre > value.range.hi ? cut : bars) +=
            fmt::format("M{} {}v-{:.1f}h2.4V{}z", c * 3, height, h, height);
    }
    const double left = column(value.range.lo) * 3, right = column(value.range.hi) * 3;
    return fmt::format(
        R"svg(<svg width="{}" height="{}" role="img" aria-label="histogram"><rect x="{:.1f}" width="{:.1f}" height="{}" fill="var(--band)"/>)svg"
        R"svg(<path d="{}" fill="var(--bar)"/><path d="{}" fill="var(--cut)"/></svg>)svg",
        width, height, left, std::max(right - left, 0.0), height, bars, cut);
}

// Weights with a scale a channel have no one range.
std::string range_of(const ValueReport& v) {
    return v.range.lo == 0 && v.range.hi == 0 ? "" : real(v.range.lo) + " &hellip; " + real(v.range.hi);
}

std::string value_row(const ValueReport& v) {
    const std::string how = v.shared_with.empty() ? v.method : "shared with " + v.shared_with;
    return fmt::format(
        "<tr><td><code>{}</code><br><span class=soft>{} &middot; {}{}</span></td><td>{}</td><td><code>{}</code></td><td class=n>{}</td>"
        "<td class=n>{}</td><td class=n>{:.3f}</td></tr>\n",
        html(v.key), html(v.role), html(how), v.note.empty() ? "" : "<br>" + html(v.note), plot(v), html(to_string(v.encoding)),
        range_of(v), decibel(v.sqnr_db), 100 * v.clipped);
}

std::string values_table(const QuantReport& report) {
    std::vector<size_t> order(report.values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto rank = [&](size_t i) { return std::isnan(report.values[i].sqnr_db) ? 1e9 : report.values[i].sqnr_db; };
    std::stable_sort(order.begin(), order.end(), [&](size_t a, size_t b) { return rank(a) < rank(b); });
    std::string rows;
    for (const size_t i : order) rows += value_row(report.values[i]);
    return "<h2>Values, the noisiest first</h2>\n<table><tr><th>value</th><th>counts (log), range of the "
           "grid</th><th>encoding</th><th>range</th>"
           "<th>SQNR dB</th><th>clipped %</th></tr>\n" +
           rows + "</table>\n";
}

std::string nodes_table(const QuantReport& report) {
    std::string rows;
    for (const NodeReport& node : report.nodes)
        if (!node.quantized)
            rows +=
                fmt::format("<tr><td><code>{}</code></td><td>{}</td><td>{}</td></tr>\n", html(node.key), html(node.op), html(node.reason));
    if (rows.empty()) return "<h2>What stays float</h2>\n<p>Nothing.</p>\n";
    return "<h2>What stays float</h2>\n<table><tr><th>node</th><th>operator</th><th>why</th></tr>\n" + rows + "</table>\n";
}

}  // namespace

std::string report_html(const QuantReport& report) {
    double worst = std::numeric_limits<double>::infinity();
    for (const ValueReport& value : report.values)
        if (!std::isnan(value.sqnr_db)) worst = std::min(worst, value.sqnr_db);
    return fmt::format(
        "<!doctype html>\n<html lang=en><meta charset=utf-8><meta name=viewport content=\"width=device-width\"><title>quantization "
        "report</title>"
        "<style>{}</style>\n<h1>Quantization to {}</h1>\n<div class=cards><div><b>{}</b>encoded values</div><div><b>{} of {}</b>operators "
        "quantized</div>"
        "<div><b>{}</b>worst SQNR, dB</div><div><b>{}</b>samples</div></div>\n<p class=soft>lineage <code>{}</code></p>\n{}{}</html>\n",
        style, html(report.type), report.values.size(), report.nodes.size() - report.float_nodes(), report.nodes.size(), decibel(worst),
        report.samples, html(report.lineage), nodes_table(report), values_table(report));
}

}  // namespace quern
