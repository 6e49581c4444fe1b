// The report as a page: what the model is worth and takes, the picture of all values, a row for each with its histogram and the rule that
// mends it, what stays float, what algorithms did.
#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>
#include <set>

#include "libcore/base/json.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/quant/report/report.h"
#include "libcore/report/page.h"

namespace quern {
namespace {

using enum Column::Is;

bool empty(const RealRange& range) { return range.lo == 0 && range.hi == 0; }

// Type and scales in a few words.
std::string format_of(const Encoding& e) {
    if (e.format || e.is_dynamic() || !e.scale.defined()) return to_string(e);
    if (e.block > 0) return fmt::format("{}, blocks of {}", name_of(e.storage), e.block);
    return e.per_channel() ? fmt::format("{}, {} channels", name_of(e.storage), e.scale.count()) : std::string(name_of(e.storage));
}

// Counts on a logarithmic scale over what was observed, on the part that the grid covers.
Json histogram(const ValueReport& v, const RealRange& seen) {
    constexpr size_t columns = 64;
    if (v.masses.empty() || !(seen.hi > seen.lo) || !std::isfinite(seen.hi - seen.lo)) return nullptr;
    const auto column = [&](double x, double end) { return std::clamp((x - seen.lo) / (seen.hi - seen.lo) * columns, 0.0, end); };
    std::vector<double> counts(columns, 0.0);
    for (const Mass& mass : v.masses) {
        const double from = column(mass.lo, columns - 1e-9), to = std::max(column(mass.hi, columns - 1e-9), from + 1e-9);
        for (auto c = static_cast<size_t>(from); c <= std::min(static_cast<size_t>(to), columns - 1); ++c) {
            const double overlap = std::min(static_cast<double>(c + 1), to) - std::max(static_cast<double>(c), from);
            counts[c] += mass.weight * std::max(overlap, 0.0) / (to - from);
        }
    }
    for (double& count : counts) count = portable::log1p(count);
    Json out{{"label", "histogram"}, {"values", counts}};
    if (v.range.hi > v.range.lo) out["band"] = {column(v.range.lo, columns), column(v.range.hi, columns)};
    return out;
}

Json channels_json(const ValueReport& v) {
    const std::vector<float> scales = to_floats(v.encoding.scale);
    const auto [least, greatest] = std::ranges::minmax_element(scales);
    Json ranges = Json::array();
    for (const ChannelRange& channel : v.channels)
        ranges.push_back({{"observed", {channel.observed.lo, channel.observed.hi}}, {"range", {channel.range.lo, channel.range.hi}}});
    Json out{{"count", scales.size()},
             {"what", v.encoding.block > 0 ? "blocks" : "channels"},
             {"least", *least},
             {"greatest", *greatest},
             {"ranges", ranges}};
    if (*least > 0) out["factor"] = static_cast<double>(*greatest) / static_cast<double>(*least);
    return out;
}

std::string_view class_of(int bits) { return bits <= 4 ? "b4" : bits <= 8 ? "b8" : bits <= 16 ? "b16" : "b32"; }

// What the page says of a value beside the JSON of files; of few of them pictures, too.
void add_to(Json& value, const ValueReport& v, const NodeReport* node, bool pictures) {
    value["kind"] = fmt::format("{}{}", class_of(v.bits()), v.role == "activation" ? "" : " w");
    value["text"] = to_string(v.encoding);
    value["format"] = format_of(v.encoding);
    if (node) value["op"] = node->op;
    if (v.depth >= 0) value["depth"] = v.depth;
    if (!pictures) return;
    const RealRange seen = empty(v.range)      ? v.observed
                           : empty(v.observed) ? v.range
                                               : RealRange{std::min(v.observed.lo, v.range.lo), std::max(v.observed.hi, v.range.hi)};
    value["seen"] = {seen.lo, seen.hi};
    value["histogram"] = histogram(v, seen);
    if (v.optimum.sqnr_db > v.sqnr_db) value["gain"] = v.optimum.sqnr_db - v.sqnr_db;
    if (v.channels.size() > 1) value["channels"] = channels_json(v);
}

// Operators that stay float, by reason: that of most first.
Json floats_json(const QuantReport& report) {
    std::vector<std::string> reasons;
    std::map<std::string, std::vector<const NodeReport*>> by_reason;
    for (const NodeReport& node : report.nodes) {
        if (node.quantized && node.reason.empty()) continue;
        auto& list = by_reason[node.reason];
        if (list.empty()) reasons.push_back(node.reason);
        list.push_back(&node);
    }
    std::ranges::stable_sort(reasons, [&](const auto& a, const auto& b) { return by_reason[a].size() > by_reason[b].size(); });
    Json out = Json::array();
    for (const std::string& reason : reasons) {
        std::set<std::string> ops;
        Json names = Json::array();
        for (const NodeReport* node : by_reason[reason]) {
            ops.insert(node->op);
            names.push_back(node->key);
        }
        out.push_back({{"why", reason}, {"ops", ops}, {"names", std::move(names)}});
    }
    return out;
}

Json page_document(const QuantReport& report) {
    std::vector<size_t> order(report.values.size());
    std::iota(order.begin(), order.end(), size_t{0});
    const auto rank = [&](size_t i) {
        const double db = report.values[i].sqnr_db;
        return std::isnan(db) ? std::numeric_limits<double>::max() : std::min(db, 1e300);
    };
    std::ranges::stable_sort(order, [&](size_t a, size_t b) { return rank(a) < rank(b); });
    Json out = report_document(report), values = Json::array(), on_floats = Json::array(), kinds = Json::object();
    const ProposedRules rules(report);
    for (size_t i = 0; i < order.size(); ++i) {
        const ValueReport& v = report.values[order[i]];
        values.push_back(std::move(out["values"][order[i]]));
        add_to(values.back(), v, rules.node_of(v), i < detailed_values);
        if (v.depth < 0 || std::isnan(v.sqnr_db)) continue;
        kinds[class_of(v.bits())] = true;
        if (v.role != "activation") kinds["weights"] = true;
    }
    out["values"] = std::move(values);
    for (const NodeReport& node : report.nodes)
        if (!node.quantized && node.depth >= 0) on_floats.push_back(node.depth);
    out["on_floats"] = std::move(on_floats);
    out["kinds"] = std::move(kinds);
    out["floats"] = floats_json(report);
    out["quantized_nodes"] = report.nodes.size() - report.float_nodes();
    if (report.end_to_end) out["end_to_end"]["worst_db"] = report.end_to_end->worst_db();
    out["measure_by"] = report.measure_by;
    return out;
}

constexpr const char* value_more =
    "[{histogram:again}<div class=\"ends\"><span>{seen/0}</span><span>{seen/1}</span></div>]"
    "[{seen:if}<p>[{range:if}The grid[{channels:if}s together cover][{channels:no} covers] {range/0} … {range/1} (shaded)[{observed:if}, "
    "observed were ]][{range:no}Observed ][{observed:if}{observed/0} … {observed/1}].</p>]"
    "[<p>The optimum, {optimum/range/0} … {optimum/range/1}, would have {gain:.2f} dB more (<code>--method optimal</code>).</p>]"
    "<p class=\"soft\">{text:code}, decided by: {rule}[; range: {method}][; encoding shared with {shared_with:code}].</p>"
    "[<p>Note: {note}.</p>]"
    "[<p>{channels/count} {channels/what}: scales {channels/least} … {channels/greatest}[, a factor of {channels/factor:.1f}]. Their "
    "numbers, and what their grids cover (shaded):</p>{channels/ranges:bands}]"
    "[<p>Rules for <code>quantize --rules</code> that give {node:code}, with its integer unit, a finer type (none: float):</p><pre "
    "class=\"rule\">{proposed_rules:json}</pre>]";

const Page& quantize_page() {
    static const Page page{
        .title = "[{model}][{model:no}Model] quantized to {type}",
        .panels = {
            {.text = "[{end_to_end:no}<p>What the outputs are worth was not measured: no samples were run. This measures it and says which "
                     "units cost most; with <code>--labels FILE</code> it scores top-1, too:</p>\n<pre>{measure_by}</pre>\n]"},
            {.from = "end_to_end",
             .cards = {{"{top1:.2f %}", "top-1, float {float_top1:.2f %}"},
                       {"{agreement:.2f %}", "agreement with the float model"},
                       {"[{outputs:if}{worst_db:.1f dB}]", "SQNR of the worst output"},
                       {"{samples}", "samples evaluated"}}},
            {.cards = {{"{sizes/file_after:bytes}",
                        "the file, of {sizes/file_before:bytes} before{sizes/file_after:change sizes/file_before}"},
                       {"{sizes/constants_after:bytes}",
                        "constants, of {sizes/constants_before:bytes} before{sizes/constants_after:change sizes/constants_before}"},
                       {"[{nodes:if}{quantized_nodes} of {nodes:count}]", "operators quantized"},
                       {"{coverage/quantized_weight_bytes:of coverage/weight_bytes}", "of the weights quantized"},
                       {"{coverage/quantized_macs:of coverage/macs}", "of the multiply-accumulates"},
                       {"{values/0/sqnr_db:exact dB}", "SQNR of the noisiest value"},
                       {"[{samples:if}{samples}]", "samples in the ranges"}}},
            {.title = "Outputs",
             .from = "end_to_end/outputs",
             .columns = {{"output", "{name:code}"}, {"SQNR dB", "{sqnr_db:.1f}", number}},
             .listed = 20,
             .others = "--report FILE.json"},
            {.title = "Where the noise is",
             .from = "values",
             .dots = {.x = "depth",
                      .decibel = "sqnr_db",
                      .kind = "{kind}",
                      .title = "{name}: {sqnr_db:exact dB}, {text}",
                      .below = "<p class=\"key soft\"><span>SQNR in dB over depth: operators on the longest path before</span>"
                               "[{/kinds/b4:if}<span><i class=\"b4\"></i>4 bits or less</span>][{/kinds/b8:if}<span><i "
                               "class=\"b8\"></i>8 bits</span>][{/kinds/b16:if}<span><i class=\"b16\"></i>16 bits</span>]"
                               "[{/kinds/b32:if}<span><i class=\"b32\"></i>more</span>][{/kinds/weights:if}<span><i "
                               "class=\"round\"></i>activations</span><span><i class=\"square\"></i>weights</span>]</p>\n",
                      .top = "float",
                      .on_top = "/on_floats",
                      .labelled = true},
             .opens = detailed_values},
            {.from = "algorithms",
             .each = {{.text = "<h2>Algorithm {name}</h2>\n[{layers:no}<p>Nothing to do in this model.</p>\n]"},
                      {.from = "notes", .items = "<p>{.}</p>\n", .around = "notes"},
                      {.from = "layers",
                       .columns = {{"layer", "{name:code}"},
                                   {"SQNR dB before", "{before_db:exact}", number},
                                   {"after", "{after_db:exact}", number},
                                   {"", "{note}", why}},
                       .others = "--report FILE.json",
                       .below = "<p class=\"soft\">SQNR of [{measure}][{measure:no}each layer].</p>\n"}}},
            {.text = "[{nodes:if}{floats:no}<h2>What stays float</h2>\n<p>Nothing.</p>\n]"},
            {.title = "What stays float",
             .from = "floats",
             .columns = {{"why", "{why}", why},
                         {"operators",
                          "{ops:words}<details class=\"names\"><summary class=\"soft\">names</summary>{names:codes 20}</details>"},
                         {"count", "{names:count}", number}}},
            {.title = "Values, the noisiest first",
             .from = "values",
             .text = "<p class=\"soft\">SQNR is what the rounding of this value alone makes: of activations estimated from the histograms "
                     "of the ranges, of weights measured. A name opens what is behind it.</p>\n",
             .columns = {{"value", "{name:code} <span class=\"soft\">{role}[, {op} {node:code}]</span>", words, "n", value_more},
                         {"counts (log)", "{histogram:area id}", picture},
                         {"encoding", "{format:code}", words, "bits"},
                         {"SQNR dB", "{sqnr_db:exact}", number, "sqnr_db"},
                         {"clipped %", "[{clipped:if}{clipped:percent}]", number, "-clipped"},
                         {"grid", "[{range:if}{range/0:.4g} … {range/1:.4g}]", number},
                         {"depth", "{depth}", number, "depth"}},
             .order = "sqnr_db",
             .search = "search names and operators",
             .filters = {{"role", "all kinds"}, {"bits", "all bits", "{.} bits"}},
             .listed = listed_values,
             .opens = detailed_values,
             .others = "--report FILE.json"},
            {.text = "[<p class=\"soft\">lineage {lineage:code}</p>\n]"}}};
    return page;
}

}  // namespace

std::string report_html(const QuantReport& report) { return html_page(quantize_page(), page_document(report)); }

}  // namespace quern
