// The report as a page: what the model is worth and takes, the picture of all values, a row for each with its histogram and the rule that
// mends it, what stays float, what algorithms did.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <set>

#include "libcore/base/text.h"
#include "libcore/quant/report/report_assets.h"
#include "libcore/quant/report/report_plot.h"
#include "libcore/report/html.h"
#include "libcore/report/html_plot.h"

namespace quern {
namespace {

constexpr size_t listed_names = 20, listed_layers = 500, listed_outputs = 20;

std::string real(double value) { return shortest(static_cast<float>(value)); }
std::string between(const RealRange& range) { return fmt::format("{} … {}", real(range.lo), real(range.hi)); }
bool empty(const RealRange& range) { return range.lo == 0 && range.hi == 0; }

std::string rounded(const RealRange& range) { return fmt::format("{:.4g} … {:.4g}", range.lo, range.hi); }

// Type and scales in a few words.
std::string format_of(const Encoding& e) {
    if (e.format || e.is_dynamic() || !e.scale.defined()) return to_string(e);
    if (e.block > 0) return fmt::format("{}, blocks of {}", name_of(e.storage), e.block);
    return e.per_channel() ? fmt::format("{}, {} channels", name_of(e.storage), e.scale.count()) : std::string(name_of(e.storage));
}

std::string percent(double part, double all) { return fmt::format("{:.1f} %", all > 0 ? 100 * part / all : 100.0); }

// " 3.6 times less"
std::string change(uint64_t before, uint64_t after) {
    if (before == 0 || after == 0) return "";
    const double b = static_cast<double>(before), a = static_cast<double>(after);
    return a < b ? fmt::format(": {:.1f} times less", b / a) : a > b ? fmt::format(": {:.1f} times more", a / b) : "";
}
std::string size_card(uint64_t before, uint64_t after, const char* what) {
    return html_card(human_bytes(static_cast<double>(after)),
                     fmt::format("{}, of {} before{}", what, human_bytes(static_cast<double>(before)), change(before, after)));
}

class Page {
   public:
    explicit Page(const QuantReport& report) : r_(report), rules_(report) {
        order_.resize(r_.values.size());
        std::iota(order_.begin(), order_.end(), size_t{0});
        const auto rank = [&](size_t i) { return std::isnan(r_.values[i].sqnr_db) ? 1e9 : std::min(r_.values[i].sqnr_db, 1e8); };
        std::ranges::stable_sort(order_, [&](size_t a, size_t b) { return rank(a) < rank(b); });
    }

    std::string run() const {
        const std::string title = fmt::format("{} quantized to {}", r_.model.empty() ? "Model" : r_.model, r_.type);
        return html_page(title, report_style,
                         fmt::format("<h1>{}</h1>\n", html_text(title)) + end_to_end() + cards() + figure() + algorithms() + floats() +
                             values() + lineage());
    }

   private:
    std::string lineage() const {
        return r_.lineage.empty() ? "" : fmt::format("<p class=\"soft\">lineage <code>{}</code></p>\n", html_text(r_.lineage));
    }

    std::string end_to_end() const {
        if (!r_.end_to_end)
            return r_.measure_by.empty()
                       ? ""
                       : fmt::format(
                             "<p>What the outputs are worth was not measured: no samples were run. This measures it and says which "
                             "units cost most; with <code>--labels FILE</code> it scores top-1, too:</p>\n<pre>{}</pre>\n",
                             html_text(r_.measure_by));
        const EndToEnd& e = *r_.end_to_end;
        std::string cards, outputs;
        if (e.top1 && e.float_top1)
            cards += html_card(fmt::format("{:.2f} %", *e.top1), fmt::format("top-1, float {:.2f} %", *e.float_top1));
        if (e.agreement) cards += html_card(fmt::format("{:.2f} %", *e.agreement), "agreement with the float model");
        const double worst = e.worst_db();
        if (!e.outputs.empty())
            cards += html_card(std::isinf(worst) ? "equal" : fmt::format("{:.1f} dB", worst), "SQNR of the worst output");
        cards += html_card(std::to_string(e.samples), "samples evaluated");
        for (size_t i = 0; i < std::min(e.outputs.size(), listed_outputs); ++i)
            outputs += fmt::format("{}<code>{}</code> {}", i ? ", " : "", html_text(e.outputs[i].name),
                                   std::isinf(e.outputs[i].sqnr_db) ? "equal" : fmt::format("{:.1f} dB", e.outputs[i].sqnr_db));
        if (e.outputs.size() > listed_outputs) outputs += fmt::format(" and {} more", e.outputs.size() - listed_outputs);
        return fmt::format("<div class=\"cards\">{}</div>\n{}", cards,
                           e.outputs.size() > 1 ? fmt::format("<p class=\"soft\">Outputs: {}</p>\n", outputs) : "");
    }

    std::string cards() const {
        std::string out;
        if (r_.sizes) {
            if (r_.sizes->file_before && r_.sizes->file_after) out += size_card(*r_.sizes->file_before, *r_.sizes->file_after, "the file");
            out += size_card(r_.sizes->before, r_.sizes->after, "constants");
        }
        if (!r_.nodes.empty())
            out += html_card(fmt::format("{} of {}", r_.nodes.size() - r_.float_nodes(), r_.nodes.size()), "operators quantized");
        if (r_.coverage) {
            out += html_card(percent(static_cast<double>(r_.coverage->quantized_bytes), static_cast<double>(r_.coverage->weight_bytes)),
                             "of the weights quantized");
            out += html_card(percent(r_.coverage->quantized_macs, r_.coverage->macs), "of the multiply-accumulates");
        }
        if (!order_.empty() && !std::isnan(r_.values[order_[0]].sqnr_db))
            out += html_card(std::isinf(r_.values[order_[0]].sqnr_db) ? "exact" : decibel_text(r_.values[order_[0]].sqnr_db) + " dB",
                             "SQNR of the noisiest value");
        if (r_.samples > 0) out += html_card(std::to_string(r_.samples), "samples in the ranges");
        return fmt::format("<div class=\"cards\">{}</div>\n", out);
    }

    std::string figure() const {
        const std::string picture = depth_picture(r_, order_, detailed_values);
        if (picture.empty()) return "";
        return "<h2>Where the noise is</h2>\n" + picture + DecibelPlot::picked();
    }

    // ---- a row for each value ---------------------------------------------------------------------------------------

    std::string more(size_t place, const ValueReport& v, bool drawn) const {
        std::string out;
        if (drawn) {
            const RealRange seen =
                empty(v.range) ? v.observed : RealRange{std::min(v.observed.lo, v.range.lo), std::max(v.observed.hi, v.range.hi)};
            out += histogram_again(place) +
                   fmt::format("<div class=\"ends\"><span>{}</span><span>{}</span></div>", real(seen.lo), real(seen.hi));
        }
        std::string text;
        if (!empty(v.range))
            text += fmt::format("The grid{} {} (shaded)", v.channels.empty() ? " covers" : "s together cover", between(v.range));
        if (!empty(v.observed)) text += fmt::format("{}{}", text.empty() ? "Observed " : ", observed were ", between(v.observed));
        if (!text.empty()) out += "<p>" + text + ".</p>";
        if (v.optimum.sqnr_db > v.sqnr_db)
            out += fmt::format("<p>The optimum, {}, would have {:.2f} dB more (<code>--method optimal</code>).</p>",
                               between(v.optimum.range), v.optimum.sqnr_db - v.sqnr_db);
        out += fmt::format("<p class=\"soft\"><code>{}</code>, decided by: {}{}{}.</p>", html_text(to_string(v.encoding)),
                           html_text(v.rule), v.method.empty() ? "" : "; range: " + html_text(v.method),
                           v.shared_with.empty() ? "" : "; encoding shared with <code>" + html_text(v.shared_with) + "</code>");
        if (!v.note.empty()) out += fmt::format("<p>Note: {}.</p>", html_text(v.note));
        if (const std::string channels = channels_picture(v); !channels.empty()) out += channel_text(v) + channels;
        if (const std::string rule = rules_.for_value(v); !rule.empty())
            out += fmt::format(
                "<p>Rules for <code>quantize --rules</code> that give <code>{}</code>, with its integer unit, a finer type (none: "
                "float):</p><pre class=\"rule\">{}</pre>",
                html_text(v.node), html_text(rule));
        return out;
    }

    static std::string channel_text(const ValueReport& v) {
        const std::vector<float> scales = to_floats(v.encoding.scale);
        const auto [least, most] = std::ranges::minmax_element(scales);
        const double ratio = *least > 0 ? static_cast<double>(*most) / static_cast<double>(*least) : 0;
        return fmt::format("<p>{} {}: scales {} … {}{}. Their numbers, and what their grids cover (shaded):</p>", scales.size(),
                           v.encoding.block > 0 ? "blocks" : "channels", shortest(*least), shortest(*most),
                           ratio > 0 ? fmt::format(", a factor of {:.1f}", ratio) : "");
    }

    std::string row(size_t place) const {
        const ValueReport& v = r_.values[order_[place]];
        const bool detailed = place < detailed_values;
        const NodeReport* node = rules_.node_of(v);
        const std::string picture = detailed ? histogram_picture(v, place) : "";
        const std::string name =
            fmt::format("<span class=\"name\"><code>{}</code> <span class=\"soft\">{}{}</span></span>", html_text(v.key), v.role,
                        node ? fmt::format(", {} <code>{}</code>", html_text(node->op), html_text(v.node)) : "");
        const std::string db = decibel_text(v.sqnr_db);
        return fmt::format(
            "<tr data-k=\"{}\" data-b=\"{}\" data-d=\"{}\" data-s=\"{}\" data-c=\"{}\"><td>{}</td><td>{}</td><td><code>{}</code></td>"
            "<td class=\"n\"{}>{}</td><td class=\"n\"{}>{}</td><td class=\"n range\">{}</td></tr>\n",
            v.role, v.bits(), v.depth, db == "exact" ? "Infinity" : db, shortest(v.clipped),
            detailed ? fmt::format("<details><summary>{}</summary><div class=\"more\" id=\"v{}\">{}</div></details>", name, place,
                                   more(place, v, !picture.empty()))
                     : name,
            picture, html_text(format_of(v.encoding)), db.empty() || db == "exact" ? "" : " data-l=\"dB\"", db,
            v.clipped > 0 ? " data-l=\"% clipped\"" : "", v.clipped > 0 ? fmt::format("{:.2g}", 100 * v.clipped) : "",
            empty(v.range) ? "" : rounded(v.range));
    }

    std::string form() const {
        std::set<std::string> roles;
        std::set<int> bits;
        for (size_t i = 0; i < listed(); ++i) {
            roles.insert(r_.values[order_[i]].role);
            bits.insert(r_.values[order_[i]].bits());
        }
        std::vector<std::pair<std::string, std::string>> widths;
        widths.reserve(bits.size());
        for (const int width : bits) widths.emplace_back(std::to_string(width), fmt::format("{} bits", width));
        return html_search(
            "values", "search names and operators",
            html_select_of("k", "all kinds", roles) + html_select("b", "all bits", widths) +
                "<select name=\"order\" aria-label=\"order\"><option value=\"s\">the noisiest first</option><option value=\"c\" "
                "data-down=\"\">most clipped first</option><option value=\"d\">by depth</option><option value=\"b\">by "
                "bits</option><option value=\"n\">by name</option></select>");
    }

    size_t listed() const { return std::min(order_.size(), listed_values); }

    std::string values() const {
        if (order_.empty()) return "";
        std::string rows;
        for (size_t i = 0; i < listed(); ++i) rows += row(i);
        const std::string cut =
            order_.size() > listed_values
                ? fmt::format(" These are the first {} of {}; <code>--report FILE.json</code> has all.", listed_values, order_.size())
                : "";
        return fmt::format(
            "<h2>Values, the noisiest first</h2>\n<p class=\"soft\">SQNR is what the rounding of this value alone makes: of activations "
            "estimated "
            "from the histograms of the ranges, of weights measured. A name opens what is behind it.{}</p>\n{}"
            "<p class=\"soft paper\">Printed are the first 30 rows of each table.</p>\n"
            "<table id=\"values\"><thead><tr><th data-by=\"n\">value</th><th>counts (log)</th><th data-by=\"b\">encoding</th>"
            "<th class=\"n\" data-by=\"s\" aria-sort=\"ascending\">SQNR dB</th><th class=\"n\" data-by=\"c\" data-down=\"\">clipped "
            "%</th><th class=\"n "
            "range\">grid</th></tr></thead><tbody>\n{}</tbody></table>\n",
            cut, form(), rows);
    }

    // ---- what stays float, by reason --------------------------------------------------------------------------------

    std::string floats() const {
        if (r_.nodes.empty()) return "";
        std::vector<std::string> reasons;
        std::map<std::string, std::vector<const NodeReport*>> nodes;
        for (const NodeReport& node : r_.nodes) {
            if (node.quantized && node.reason.empty()) continue;
            auto& list = nodes[node.reason];
            if (list.empty()) reasons.push_back(node.reason);
            list.push_back(&node);
        }
        if (reasons.empty()) return "<h2>What stays float</h2>\n<p>Nothing.</p>\n";
        std::ranges::stable_sort(reasons, [&](const auto& a, const auto& b) { return nodes[a].size() > nodes[b].size(); });
        std::string rows;
        for (size_t i = 0; i < std::min(reasons.size(), listed_layers); ++i) {
            const auto& list = nodes[reasons[i]];
            std::set<std::string> ops;
            std::string names;
            for (size_t n = 0; n < list.size(); ++n) {
                ops.insert(list[n]->op);
                if (n < listed_names) names += fmt::format("{}<code>{}</code>", n ? ", " : "", html_text(list[n]->key));
            }
            if (list.size() > listed_names) names += fmt::format(" and {} more", list.size() - listed_names);
            const std::vector<std::string> op_list(ops.begin(), ops.end());
            rows += fmt::format(
                "<tr><td>{}</td><td>{}<details class=\"names\"><summary class=\"soft\">names</summary>{}</details></td><td "
                "class=\"n\">{}</td></tr>\n",
                html_text(reasons[i]), html_text(join(op_list, ", ")), names, list.size());
        }
        if (reasons.size() > listed_layers)
            rows += fmt::format("<tr><td>and {} more reasons</td><td></td><td></td></tr>\n", reasons.size() - listed_layers);
        return "<h2>What stays float</h2>\n<table><thead><tr><th>why</th><th>operators</th><th "
               "class=\"n\">count</th></tr></thead><tbody>\n" +
               rows + "</tbody></table>\n";
    }

    std::string algorithms() const {
        std::string tables;
        for (const AlgorithmReport& algorithm : r_.algorithms) {
            std::string rows, notes;
            for (const std::string& note : algorithm.notes) notes += fmt::format("<p>{}</p>\n", html_text(note));
            for (size_t i = 0; i < std::min(algorithm.layers.size(), listed_layers); ++i) {
                const LayerGain& gain = algorithm.layers[i];
                rows += fmt::format("<tr><td><code>{}</code></td><td class=\"n\">{}</td><td class=\"n\">{}</td><td>{}</td></tr>\n",
                                    html_text(gain.layer), decibel_text(gain.before_db), decibel_text(gain.after_db), html_text(gain.note));
            }
            if (rows.empty()) notes += "<p>Nothing to do in this model.</p>\n";
            if (algorithm.layers.size() > listed_layers)
                notes += fmt::format("<p>The first {} of {} layers:</p>\n", listed_layers, algorithm.layers.size());
            tables += fmt::format("<h2>Algorithm {}</h2>\n{}", html_text(algorithm.name), notes);
            if (rows.empty()) continue;
            tables += fmt::format(
                "<table><thead><tr><th>layer</th><th class=\"n\">SQNR dB before</th><th "
                "class=\"n\">after</th><th></th></tr></thead><tbody>\n{}"
                "</tbody></table>\n<p class=\"soft\">SQNR of {}.</p>\n",
                rows, html_text(algorithm.measure.empty() ? "each layer" : algorithm.measure));
        }
        return tables;
    }

    const QuantReport& r_;
    const ProposedRules rules_;
    std::vector<size_t> order_;  // of values, the noisiest first
};

}  // namespace

std::string report_html(const QuantReport& report) { return Page(report).run(); }

}  // namespace quern
