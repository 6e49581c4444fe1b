// What `check` found as a page: what the models are worth, a row for each unit with its share of the noise and its cause, the rules that
// mend.
#include <cmath>

#include "libcore/check/report.h"
#include "libcore/report/html.h"

namespace quern {
namespace {

constexpr const char* check_style = R"(
td.type{white-space:nowrap}.share i+i{margin-left:-.5em;background:var(--cut)}.key .w{background:var(--cut)}.key .a{background:var(--bar)}
)";

std::string decibel(double db) { return std::isfinite(db) ? fmt::format("{:.2f}", db) : db > 0 ? "equal" : ""; }
std::string with_unit(double db) { return std::isfinite(db) ? fmt::format("{:.1f} dB", db) : db > 0 ? "equal" : "not known"; }

std::string table(std::string_view head, std::vector<std::string> rows, size_t listed = 500) {
    return html_table(
        {.head = std::string(head), .rows = std::move(rows), .listed = listed, .more = "; <code>--report FILE.json</code> has all"});
}

class Page {
   public:
    explicit Page(const CheckReport& report) : r_(report) {}

    std::string run() const {
        const std::string title = r_.models.empty() ? r_.model : fmt::format("{} checked: {}", r_.model, r_.models.front().name);
        return html_page(title, check_style,
                         fmt::format("<h1>{}</h1>\n", html_text(title)) + cards() + models() + outputs() + units() + proposal() + runs());
    }

   private:
    std::string cards() const {
        if (r_.models.empty()) return "";
        const CheckedModel& first = r_.models.front();
        const Evaluation& e = first.evaluation;
        std::string out, missed;
        if (e.exact && e.quantized)
            out += html_card(fmt::format("{:.2f} %", top1_percent(*e.quantized)),
                             fmt::format("top-1, float {:.2f} %", top1_percent(*e.exact)));
        if (e.compared > 0) out += html_card(fmt::format("{:.2f} %", e.agreement()), "agreement with the float model");
        out += html_card(with_unit(e.worst_db()), "SQNR of the worst output");
        out += html_card(human_bytes(static_cast<double>(first.bytes)),
                         fmt::format("constants, of {} in float", human_bytes(static_cast<double>(r_.exact_bytes))));
        out += html_card(std::to_string(r_.samples), "samples");
        for (const std::string& line : first.missed) missed += fmt::format("<p class=\"bad\">Missed: {}.</p>\n", html_text(line));
        return fmt::format("<div class=\"cards\">{}</div>\n{}<p>{}.</p>\n", out, missed, html_text(coverage_text(first.coverage)));
    }

    std::string models() const {
        if (r_.models.size() < 2) return "";
        std::vector<std::string> rows;
        for (const CheckedModel& model : r_.models) {
            const Evaluation& e = model.evaluation;
            std::string missed;
            for (const std::string& line : model.missed) missed += fmt::format("<div class=\"bad\">missed: {}</div>", html_text(line));
            rows.push_back(fmt::format("<tr><td class=\"type\"><code>{}</code></td>", html_text(model.name)) +
                           html_number(e.quantized ? fmt::format("{:.2f}", top1_percent(*e.quantized)) : "") +
                           html_number(e.compared > 0 ? fmt::format("{:.2f}", e.agreement()) : "") + html_number(decibel(e.worst_db())) +
                           html_number(human_bytes(static_cast<double>(model.bytes))) +
                           html_prose(html_text(weights_and_macs_text(model.coverage)) + missed) + "</tr>");
        }
        return "<h2>Types that were tried</h2>\n" +
               table(
                   "<th>type</th><th class=\"n\">top-1 %</th><th class=\"n\">agreement %</th><th class=\"n\">worst dB</th>"
                   "<th class=\"n\">constants</th><th></th>",
                   std::move(rows));
    }

    std::string outputs() const {
        if (r_.models.empty() || r_.models.front().evaluation.outputs.size() < 2) return "";
        const std::vector<ComparedValue>& all = r_.models.front().evaluation.outputs;
        std::vector<std::string> rows;
        rows.reserve(all.size());
        for (const ComparedValue& output : all)
            rows.push_back(fmt::format("<tr><td><code>{}</code></td>{}</tr>", html_text(output.key),
                                       html_number(output.difference.mismatch.empty() ? decibel(output.difference.sqnr())
                                                                                      : html_text(output.difference.mismatch))));
        return "<h2>Outputs</h2>\n" + table("<th>output</th><th class=\"n\">SQNR dB</th>", std::move(rows), 100);
    }

    // ---- what costs accuracy ----------------------------------------------------------------------------------------

    std::string unit(size_t i) const {
        const Sensitivity& row = r_.rows[i];
        std::string evaluated;
        if (i < r_.checked.size())
            evaluated = fmt::format("<div class=\"soft\">evaluated: alone {}, without {}</div>", with_unit(r_.checked[i].alone_db),
                                    with_unit(r_.checked[i].without_db));
        const auto bar = [](double share) { return fmt::format("<i style=\"width:{:.1f}%\"></i>", 60 * std::clamp(share, 0.0, 1.0)); };
        return fmt::format("<tr><td><code>{}</code> <span class=\"soft\">{}</span></td><td class=\"share\">{}{}{:.1f} %</td>",
                           html_text(row.name), html_text(row.op), bar(row.rounding), bar(row.weights), 100 * row.share()) +
               html_number(decibel(row.local_db)) + html_number(decibel(row.alone_db)) + html_number(decibel(row.without_db)) +
               html_prose(html_text(r_.causes[i]) + evaluated) + "</tr>";
    }

    std::string units() const {
        if (r_.worst.empty()) return "";
        std::vector<std::string> rows;
        for (size_t i = 0; i < r_.rows.size(); ++i) rows.push_back(unit(i));
        return fmt::format(
                   "<h2>What costs accuracy</h2>\n<p>Of {} quantized units and inputs, for output <code>{}</code> ({} in float "
                   "arithmetic): "
                   "with its weights alone quantized it has {}, with its activations alone {}.</p>\n"
                   "<p class=\"soft key\"><span>Share of the noise at that output:</span><span><i class=\"a\"></i>of the unit's "
                   "activations</span><span><i class=\"w\"></i>of its weights.</span></p>\n"
                   "<p class=\"soft\">SQNR in dB: of its own result, it alone quantized; of the output, it alone quantized; "
                   "of the output, it alone float.</p>\n",
                   r_.rows.size(), html_text(r_.worst), with_unit(r_.worst_fake_db), with_unit(r_.weights_db),
                   with_unit(r_.activations_db)) +
               table(
                   "<th>unit</th><th>share</th><th class=\"n\">its dB</th><th class=\"n\">alone</th><th "
                   "class=\"n\">without</th><th>cause</th>",
                   std::move(rows));
    }

    // ---- what mends it ----------------------------------------------------------------------------------------------

    std::string proposal() const {
        if (!r_.proposal) return "";
        const BudgetOutcome& p = *r_.proposal;
        std::string cards, missed;
        std::vector<std::string> rows;
        if (p.evaluation.quantized) cards += html_card(fmt::format("{:.2f} %", top1_percent(*p.evaluation.quantized)), "top-1");
        if (p.evaluation.compared > 0)
            cards += html_card(fmt::format("{:.2f} %", p.evaluation.agreement()), "agreement with the float model");
        cards += html_card(with_unit(p.evaluation.worst_db()), "SQNR of the worst output");
        cards += html_card(human_bytes(static_cast<double>(p.bytes)), "constants");
        cards += html_card(std::to_string(p.changes.size()), p.changes.size() == 1 ? "unit changed" : "units changed");
        for (const std::string& line : p.missed) missed += fmt::format("<p class=\"bad\">Not reached: {}.</p>\n", html_text(line));
        for (const Change& change : p.changes)
            rows.push_back(fmt::format("<tr><td><code>{}</code></td><td>{}</td><td class=\"type\"><code>{}</code></td></tr>",
                                       html_text(change.name), html_text(change.op), change.type ? change.type->name : "float"));
        if (r_.methods.best)
            missed += fmt::format("<p>Ranges by method <code>{}</code>: {} before anything is changed.</p>\n", r_.methods.best->name,
                                  with_unit(p.first_db));
        return fmt::format("<h2>What mends it</h2>\n<div class=\"cards\">{}</div>\n{}", cards, missed) +
               (rows.empty() ? "" : table("<th>unit</th><th>operator</th><th>type</th>", std::move(rows))) +
               (r_.proposal_rules.empty() ? ""
                                          : fmt::format("<details><summary>Rules for <code>quantize --rules</code></summary><pre>{}</pre>"
                                                        "</details>\n",
                                                        html_text(r_.proposal_rules)));
    }

    std::string runs() const {
        const std::string where = r_.backend.empty() ? "" : fmt::format(" Quantized models ran on {}.", html_text(r_.backend));
        return fmt::format("<p class=\"soft\">{} samples, evaluated {} times; {} instrumented runs.{}</p>\n", r_.samples, r_.evaluations,
                           r_.passes, where);
    }

    const CheckReport& r_;
};

}  // namespace

std::string check_html(const CheckReport& report) { return Page(report).run(); }

}  // namespace quern
