// A comparison as a page: totals, outputs, every value over the order in which it is computed, rows with the errors, the worst first.
#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>

#include "libcore/base/text.h"
#include "libcore/report/html.h"
#include "libcore/report/html_plot.h"
#include "libcore/runs/compare.h"

namespace quern {
namespace {

constexpr size_t listed_values = 4000, detailed_values = 1000, listed_outputs = 100, listed_names = 200, many_dots = 1000;

constexpr const char* compare_style = R"(
.plot .v,.key .v{stroke:var(--bar);background:var(--bar)}.plot .o,.key .o{stroke:var(--cut);background:var(--cut)}.key i{border-radius:50%}
#values td:first-child{width:40%}#values summary code{font-size:13px}
@media print{summary{list-style:none}}
)";

std::string decibel(const Difference& d) { return !d.mismatch.empty() ? "-" : d.noise == 0 ? "equal" : fmt::format("{:.2f}", d.sqnr()); }
std::string with_unit(const Difference& d) { return d.mismatch.empty() && d.noise != 0 ? decibel(d) + " dB" : decibel(d); }
uint64_t differing(const Difference& d) { return std::accumulate(d.errors.begin(), d.errors.end(), uint64_t{0}); }

// The bins from the least error that any element has to the greatest: the first, and the one behind the last; equal: there is none.
std::pair<size_t, size_t> used_bins(const Difference& d) {
    size_t first = 0, last = d.errors.size();
    while (first < last && d.errors[first] == 0) ++first;
    while (last > first && d.errors[last - 1] == 0) --last;
    return {first, last};
}

// Steps of the errors by powers of two, from the least that any element has to the greatest; heights are logarithms of counts.
std::string errors_picture(const Difference& d, std::string_view kind) {
    const auto [first, last] = used_bins(d);
    if (first == last) return "";
    constexpr int high = 40;
    const auto bits = [](uint64_t count) { return 64 - std::countl_zero(count); };  // a logarithm that is the same everywhere
    const int most = bits(*std::ranges::max_element(d.errors));
    std::string path = fmt::format("M0 {}", high);
    for (size_t i = first; i < last; ++i) path += fmt::format("V{}h1", high - high * bits(d.errors[i]) / most);
    return fmt::format(
        "<svg class=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"errors\"><path d=\"{}V{}z\" "
        "fill=\"var(--bar)\"/></svg>",
        kind, last - first, high, path, high);
}

// The numbers at the two ends of that picture.
std::string errors_ends(const Difference& d) {
    const auto [first, last] = used_bins(d);
    const auto bound = [](size_t bin) { return fmt::format("{:.2g}", std::ldexp(1.0, static_cast<int>(bin) - Difference::error_bias)); };
    return fmt::format("<div class=\"ends\"><span>{}</span><span>{}</span></div>", bound(first), bound(last));
}

class Page {
   public:
    Page(const Comparison& comparison, double threshold, bool outputs_only, const std::string& first, const std::string& second)
        : c_(comparison), threshold_(threshold), outputs_only_(outputs_only), first_(first), second_(second) {
        for (size_t i = 0; i < c_.values.size(); ++i)
            if (c_.values[i].difference.count > 0 || !c_.values[i].difference.mismatch.empty()) order_.push_back(i);
        std::ranges::stable_sort(order_,
                                 [&](size_t a, size_t b) { return c_.values[a].difference.sqnr() < c_.values[b].difference.sqnr(); });
    }

    std::string run() const {
        const std::string title = fmt::format("{} compared with {}", second_, first_);
        return html_page(title, compare_style,
                         fmt::format("<h1>{}</h1>\n", html_text(title)) + cards() + verdict() + outputs() + figure() + values() +
                             only("first", first_, c_.only_first) + only("second", second_, c_.only_second));
    }

   private:
    const Difference& at(size_t place) const { return c_.values[order_[place]].difference; }

    std::string cards() const {
        const ComparedValue* worst = nullptr;
        size_t equal = 0, apart = 0;
        double most = 0;
        for (const size_t i : order_) {
            const ComparedValue& value = c_.values[i];
            equal += value.difference.identical() ? 1 : 0;
            apart += value.difference.mismatch.empty() ? 0 : 1;
            if (!value.output) continue;
            most = std::max(most, value.difference.max_error);
            if (!worst) worst = &value;
        }
        std::string out;
        if (worst)
            out += html_card(with_unit(worst->difference), "SQNR of the worst output") +
                   html_card(fmt::format("{:.3g}", most), "greatest error of an output");
        if (!order_.empty()) out += html_card(with_unit(at(0)), "SQNR of the worst value");
        out += html_card(fmt::format("{} of {}", equal, order_.size()), "values equal to the bit");
        if (apart > 0) out += html_card(std::to_string(apart), "values that cannot be compared");
        if (c_.samples > 0) out += html_card(std::to_string(c_.samples), c_.samples == 1 ? "sample" : "samples");
        return fmt::format("<div class=\"cards\">{}</div>\n", out);
    }

    std::string verdict() const {
        if (!std::isfinite(threshold_)) return "";
        const ComparedValue* bad = c_.first_below(threshold_, outputs_only_);
        if (!bad) return fmt::format("<p>No value is below {} dB.</p>\n", threshold_);
        return fmt::format("<p class=\"bad\">The first below {} dB, as they are computed: <code>{}</code>, {}.</p>\n", threshold_,
                           html_text(bad->key), with_unit(bad->difference));
    }

    static std::string numbers(const Difference& d) {
        return fmt::format("<td class=\"n\">{}</td><td class=\"n\">{:.6f}</td><td class=\"n\">{:.4g}</td><td class=\"n\">{:.4g}</td>",
                           decibel(d), d.cosine(), d.max_error, d.max_reference);
    }

    std::string outputs() const {
        HtmlTable table{.head =
                            "<th>output</th><th>errors</th><th class=\"n\">SQNR dB</th><th class=\"n\">cosine</th><th class=\"n\">greatest "
                            "error</th><th class=\"n\">greatest number</th>",
                        .rows = {},
                        .listed = listed_outputs};
        for (const size_t i : order_) {
            const ComparedValue& value = c_.values[i];
            if (!value.output) continue;
            table.rows.push_back(fmt::format("<tr><td><code>{}</code>{}</td><td>{}</td>{}</tr>", html_text(value.key),
                                             reason(value.difference), errors_picture(value.difference, "mini"),
                                             numbers(value.difference)));
        }
        return table.rows.empty() ? "" : "<h2>Outputs</h2>\n" + html_table(table);
    }

    static std::string reason(const Difference& d) {
        return d.mismatch.empty() ? "" : fmt::format(" <span class=\"bad\">{}</span>", html_text(d.mismatch));
    }

    std::string figure() const {
        if (order_.size() < 2) return "";
        DecibelPlot plot;
        bool apart = false;
        for (size_t i = 0; i < order_.size(); ++i) {
            apart |= !at(i).mismatch.empty();
            if (at(i).mismatch.empty()) plot.add(at(i).sqnr());
        }
        plot.settle();
        std::string dots;
        const double last = static_cast<double>(std::max<size_t>(c_.values.size() - 1, 1));
        for (size_t i = order_.size(); i-- > 0;) {
            const ComparedValue& value = c_.values[order_[i]];
            const int x = DecibelPlot::x(static_cast<double>(order_[i]) / last);
            const int y = value.difference.mismatch.empty() ? plot.y(value.difference.sqnr()) : DecibelPlot::top_row;
            if (i < detailed_values)
                dots += DecibelPlot::dot(value.output ? "o" : "v", x, y, fmt::format("v{}", i),
                                         fmt::format("{}: {}", html_text(value.key), with_unit(value.difference)));
            else if (i < 10 * detailed_values)
                dots += fmt::format("<path class=\"v\" d=\"M{} {}h.1\"/>", x, y);
        }
        return "<h2>Where they differ</h2>\n" +
               plot.figure("SQNR of values in their order", order_.size() > many_dots, apart ? "none" : "", "", dots) +
               "<p class=\"key soft\"><span>SQNR in dB over the order in which values are computed</span><span><i "
               "class=\"v\"></i>values</span><span><i class=\"o\"></i>outputs</span></p>\n" +
               DecibelPlot::picked();
    }

    std::string more(size_t place) const {
        const ComparedValue& value = c_.values[order_[place]];
        const Difference& d = value.difference;
        std::string out = fmt::format("<div class=\"more\" id=\"v{}\">", place);
        if (const std::string picture = errors_picture(d, "big"); !picture.empty())
            out += picture + errors_ends(d) +
                   "<p class=\"soft\">Elements by how much they differ, on a scale of powers of two, counts as logarithms.</p>";
        out += fmt::format("<p>{} of {} elements differ, by at most {:.4g}; the greatest number of the first is {:.4g}. Cosine {:.8f}.</p>",
                           differing(d), d.count, d.max_error, d.max_reference, d.cosine());
        if (!value.note.empty()) out += fmt::format("<p>{}</p>", html_text(value.note));
        return out + "</div>";
    }

    std::string row(size_t place) const {
        const ComparedValue& value = c_.values[order_[place]];
        const Difference& d = value.difference;
        const std::string name = fmt::format("<code class=\"name\">{}</code>", html_text(value.key));
        return fmt::format("<tr data-s=\"{}\" data-o=\"{}\" data-e=\"{:.9g}\" data-i=\"{}\"><td>{}{}</td><td>{}</td>{}</tr>",
                           d.mismatch.empty() ? fmt::format("{:.4f}", std::min(d.sqnr(), 1e6)) : "-1e6", value.output ? "output" : "inner",
                           d.max_error, order_[place] + 1,
                           place < detailed_values ? fmt::format("<details><summary>{}</summary>{}</details>", name, more(place)) : name,
                           reason(d), place < detailed_values ? errors_picture(d, "mini") : "", numbers(d));
    }

    std::string values() const {
        if (order_.empty()) return "<p>There is nothing to compare.</p>\n";
        HtmlTable table{
            .id = "values",
            .head =
                "<th data-by=\"n\">value</th><th>errors</th><th class=\"n\" data-by=\"s\" aria-sort=\"ascending\">SQNR dB</th><th "
                "class=\"n\">cosine</th><th class=\"n\" data-by=\"e\" data-down=\"\">greatest error</th><th class=\"n\">greatest "
                "number</th>",
            .rows = std::vector<std::string>(order_.size()),
            .listed = listed_values,
            .more = "; <code>--json</code> has all"};
        for (size_t i = 0; i < std::min(order_.size(), listed_values); ++i) table.rows[i] = row(i);
        return "<h2>Values, the worst first</h2>\n<p class=\"soft\">A name opens what is behind it. Errors: elements by how much they "
               "differ, "
               "the small ones on the left.</p>\n" +
               html_search(
                   "values", "search values",
                   html_select("o", "all values", {{"output", "outputs"}, {"inner", "inner values"}}) +
                       "<select name=\"order\" aria-label=\"order\"><option value=\"s\">the worst first</option><option value=\"i\">as "
                       "computed</option><option value=\"e\" data-down=\"\">the greatest error first</option><option "
                       "value=\"n\">by name</option></select>") +
               html_table(table);
    }

    static std::string only(std::string_view which, const std::string& model, const std::vector<std::string>& names) {
        if (names.empty()) return "";
        std::string list;
        for (size_t i = 0; i < std::min(names.size(), listed_names); ++i)
            list += fmt::format("{}<code>{}</code>", i ? ", " : "", html_text(names[i]));
        if (names.size() > listed_names) list += fmt::format(" and {} more", names.size() - listed_names);
        return fmt::format("<details><summary>{} only in the {}, {}</summary><p>{}</p></details>\n",
                           names.size() == 1 ? std::string("1 value") : fmt::format("{} values", names.size()), which, html_text(model),
                           list);
    }

    const Comparison& c_;
    double threshold_;
    bool outputs_only_;
    const std::string &first_, &second_;
    std::vector<size_t> order_;  // of values that were compared, the worst first
};

}  // namespace

std::string comparison_html(const Comparison& comparison, double threshold, bool outputs_only, const std::string& first,
                            const std::string& second) {
    return Page(comparison, threshold, outputs_only, first, second).run();
}

}  // namespace quern
