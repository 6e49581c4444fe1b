// The profile as a page: totals, time by operator, one run over time with its memory, every node with what computed it.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/report/html.h"
#include "libcore/runs/profile_picture.h"
#include "libcore/runs/run_report.h"

namespace quern {
namespace {

constexpr size_t listed_nodes = 4000, listed_kernels = 4;

constexpr const char* profile_style = R"(
.over{margin:.5rem 0 1.5rem}.over svg{display:block;width:100%;height:4.5rem;background:var(--band);border-radius:4px}.over svg.low{height:3rem}
.over path,.over rect{shape-rendering:crispEdges}.over rect:hover{opacity:.6}
td .key{margin:0}#nodes td:first-child{overflow-wrap:anywhere}#nodes details{display:inline}#nodes details p{margin:.2rem 0}
)";

class Page {
   public:
    explicit Page(const RunReport& report) : r_(report), t_(report.times), operators_(operators_of(report.times.steps)) {
        for (const StepTime& step : t_.steps) total_ += step.seconds;
        for (const StepTime& step : t_.steps) placed_ |= !step.device.empty();
        for (const Choice& choice : t_.choices) choices_.emplace(choice.node, &choice);
    }

    std::string run() const {
        const std::string title = fmt::format("{} run {}", r_.model.empty() ? "Model" : r_.model, what_ran());
        return html_page(title, profile_style,
                         fmt::format("<h1>{}</h1>\n", html_text(title)) + cards() + by_operator() + over_time() + runs() + nodes());
    }

   private:
    std::string what_ran() const { return r_.computed.empty() ? "in float" : fmt::format("in mode {} ({})", r_.mode, r_.computed); }
    double a_run(double seconds) const { return t_.execute.runs ? seconds / static_cast<double>(t_.execute.runs) : 0; }
    double part(double seconds) const { return total_ > 0 ? seconds / total_ : 0; }
    static std::string counted(size_t count, const char* what) { return fmt::format("{}{}", what, count == 1 ? "" : "s"); }

    std::string cards() const {
        const TimeSummary& t = t_.execute;
        std::string out =
            html_card(html_time(t.median), "a run, the median") + html_card(html_time(t.p90), "nine of ten take at most") +
            html_card(html_time(t.min), "the fastest") +
            html_card(std::to_string(t.runs), counted(t.runs, "run") + fmt::format(" of {} ", t_.samples) + counted(t_.samples, "sample")) +
            html_card(std::to_string(r_.threads), counted(static_cast<size_t>(r_.threads), "thread"));
        if (r_.score && r_.score->scored)
            out += html_card(fmt::format("{:.2f} %", 100.0 * static_cast<double>(r_.score->top1) / static_cast<double>(r_.score->scored)),
                             "top-1");
        out += html_card(human_bytes(static_cast<double>(peak_resident_bytes())), "resident at most") +
               html_card(human_bytes(static_cast<double>(t_.arena_bytes)), "arena of values") +
               html_card(html_time(r_.load + t_.prepare), "before the first run: reading, compiling");
        const auto real = std::count_if(t_.choices.begin(), t_.choices.end(), [](const Choice& c) { return !c.real.empty(); });
        if (real > 0) out += html_card(std::to_string(real), "operators on codes that compute on real numbers");
        return fmt::format("<div class=\"cards\">{}</div>\n", out);
    }

    // ---- by operator ------------------------------------------------------------------------------------------------

    std::string by_operator() const {
        HtmlTable table{.head = "<th>operator</th><th>share</th><th class=\"n\">a run</th><th class=\"n\">nodes</th><th>kernels</th>",
                        .rows = {}};
        for (size_t i = 0; i < operators_.size(); ++i) {
            const OperatorTime& op = operators_[i];
            const std::vector<std::string> kernels(op.kernels.begin(), op.kernels.end());
            const size_t shown = std::min(kernels.size(), listed_kernels);
            table.rows.push_back(fmt::format(
                "<tr><td><span class=\"key\"><span><i style=\"background:{}\"></i>{}</span></span></td>{}<td class=\"n\">{}</td><td "
                "class=\"n\">{}</td><td>{}{}</td></tr>",
                colour_of(operators_, op.name), html_text(op.name), html_share(part(op.seconds)), html_time(a_run(op.seconds)), op.nodes,
                html_text(join(std::span(kernels).first(shown), ", ")),
                shown < kernels.size() ? fmt::format(" and {} more", kernels.size() - shown) : ""));
        }
        return "<h2>Time by operator</h2>\n" + html_table(table);
    }

    // ---- one run ----------------------------------------------------------------------------------------------------

    std::string over_time() const {
        const auto picked = median_run(t_);
        if (!picked) return "";
        std::string key;
        for (size_t i = 0; i < std::min(operators_.size(), coloured_operators); ++i)
            key += fmt::format("<span><i style=\"background:{}\"></i>{}</span>", colour_of(operators_, operators_[i].name),
                               html_text(operators_[i].name));
        if (operators_.size() > coloured_operators) key += fmt::format("<span><i style=\"background:{}\"></i>others</span>", html_fill(0));
        std::string out = fmt::format(
            "<h2>One run over time</h2>\n<p class=\"soft\">The run that took the median time: {}. Point at a bar for its node.</p>\n<div "
            "class=\"over\">{}<div class=\"ends\"><span>0</span><span>{}</span></div></div>\n<p class=\"key\">{}</p>\n",
            html_time(picked->end - picked->start), steps_picture(*picked, operators_), html_time(picked->end - picked->start), key);
        const uint64_t most = most_held(*picked);
        if (most > 0)
            out += fmt::format("<p class=\"soft\">Memory of values over the same time, at most {}:</p>\n<div class=\"over\">{}</div>\n",
                               human_bytes(static_cast<double>(most)), memory_picture(*picked));
        return out;
    }

    std::string runs() const {
        std::vector<double> seconds;
        for (const LaneLog& lane : t_.lanes)
            for (const TimedRun& run : lane.runs) seconds.push_back(run.end - run.start);
        if (seconds.size() < 2) return "";
        return fmt::format(
            "<h2>Every run</h2>\n<p class=\"soft\">Times of {} runs in their order, from {} to {}.</p>\n<div class=\"over\">{}</div>\n",
            seconds.size(), html_time(*std::ranges::min_element(seconds)), html_time(*std::ranges::max_element(seconds)),
            runs_picture(seconds));
    }

    // ---- nodes ------------------------------------------------------------------------------------------------------

    std::string kernel(const StepTime& step) const {
        const auto found = choices_.find(step.node);
        std::string name = html_text(step.kernel);
        if (found == choices_.end() || (found->second->refusals.empty() && found->second->real.empty())) return name;
        const Choice& choice = *found->second;
        return fmt::format("<details><summary>{}</summary>{}{}</details>", name,
                           choice.real.empty() ? "" : "<p>On real numbers: " + html_text(choice.real) + ".</p>",
                           choice.refusals.empty() ? "" : "<p class=\"soft\">" + html_text(choice.refusals) + "</p>");
    }

    std::string row(const StepTime& step) const {
        return fmt::format(
            "<tr data-t=\"{:.9f}\" data-c=\"{}\" data-o=\"{}\" data-k=\"{}\"{}><td><code "
            "class=\"name\">{}</code></td><td>{}</td>{}<td>{}</td>"
            "{}<td class=\"n\">{}</td><td class=\"n\">{}</td></tr>",
            step.seconds, step.calls, html_text(step.op), html_text(step.kernel),
            placed_ ? fmt::format(" data-d=\"{}\"", html_text(step.device)) : "", html_text(step.node), html_text(step.op),
            html_share(part(step.seconds)), kernel(step), placed_ ? "<td>" + html_text(step.device) + "</td>" : "",
            html_time(a_run(step.seconds)), step.calls);
    }

    std::string nodes() const {
        if (t_.steps.empty()) return "";
        std::set<std::string> ops, kernels, devices;
        HtmlTable table{.id = "nodes",
                        .head = fmt::format("<th data-by=\"n\">node</th><th>operator</th><th data-by=\"t\" data-down=\"\" "
                                            "aria-sort=\"descending\">share</th><th>kernel</th>{}<th class=\"n\" data-by=\"t\" "
                                            "data-down=\"\">a run</th><th class=\"n\" data-by=\"c\" data-down=\"\">calls</th>",
                                            placed_ ? "<th>device</th>" : ""),
                        .rows = {},
                        .listed = listed_nodes,
                        .more = "; <code>--json</code> has all"};
        for (const StepTime& step : t_.steps) {
            ops.insert(step.op);
            kernels.insert(step.kernel);
            devices.insert(step.device);
            table.rows.push_back(table.rows.size() < listed_nodes ? row(step) : std::string());
        }
        return "<h2>Nodes, the slowest first</h2>\n<p class=\"soft\">A node stands for all that its kernel computes at once; open a "
               "kernel for why it was chosen.</p>\n" +
               html_search("nodes", "search nodes",
                           html_select_of("o", "all operators", ops) + html_select_of("k", "all kernels", kernels) +
                               (placed_ ? html_select_of("d", "all devices", devices) : "")) +
               html_table(table);
    }

    const RunReport& r_;
    const RunTimes& t_;
    std::vector<OperatorTime> operators_;
    std::map<std::string_view, const Choice*> choices_;
    double total_ = 0;
    bool placed_ = false;
};

}  // namespace

std::string profile_html(const RunReport& report) { return Page(report).run(); }

}  // namespace quern
