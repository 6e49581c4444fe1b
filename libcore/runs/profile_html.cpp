// The profile as a page: totals, time by operator, one run over time with its memory, every node with what computed it.
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <optional>
#include <set>

#include "libcore/base/json.h"
#include "libcore/report/html.h"
#include "libcore/report/page.h"
#include "libcore/runs/run_report.h"

namespace quern {
namespace {

using enum Column::Is;

constexpr size_t listed_nodes = 4000, coloured_operators = 7, columns = 2000, max_bars = 400;

// A run whose steps were all logged, with them.
struct LoggedRun {
    double start = 0, end = 0;
    const std::vector<StepTime>* lines = nullptr;
    std::vector<StepEvent> events;

    size_t column(double at) const {
        const double part = end > start ? (at - start) / (end - start) : 0;
        return static_cast<size_t>(std::clamp(part, 0.0, 1.0) * columns);
    }
};

// Of those, that of the median time.
std::optional<LoggedRun> median_run(const RunTimes& times) {
    struct Whole {
        const LaneLog* lane;
        const TimedRun* run;
    };
    std::vector<Whole> whole;
    for (const LaneLog& lane : times.lanes) {
        if (lane.steps.events.empty()) continue;
        const double last = lane.steps.dropped ? lane.steps.events.back().end : std::numeric_limits<double>::infinity();
        for (const TimedRun& run : lane.runs)
            if (run.end <= last) whole.push_back({&lane, &run});
    }
    if (whole.empty()) return {};
    const auto middle = whole.begin() + static_cast<std::ptrdiff_t>((whole.size() - 1) / 2);
    std::nth_element(whole.begin(), middle, whole.end(),
                     [](const Whole& a, const Whole& b) { return a.run->end - a.run->start < b.run->end - b.run->start; });
    LoggedRun out{middle->run->start, middle->run->end, &middle->lane->steps.lines, {}};
    for (const StepEvent& event : middle->lane->steps.events)
        if (event.start >= out.start && event.end <= out.end) out.events.push_back(event);
    return out;
}

// The slowest first.
Json operators_json(const Json& steps, double runs) {
    struct Operator {
        double seconds = 0;
        size_t nodes = 0;
        std::set<std::string> kernels;
    };
    std::map<std::string, Operator> by_name;
    double total = 0;
    for (const Json& step : steps) {
        Operator& op = by_name[step["op"]];
        op.seconds += step["seconds"].get<double>();
        total += step["seconds"].get<double>();
        ++op.nodes;
        op.kernels.insert(step["kernel"]);
    }
    Json out = Json::array();
    for (const auto& [name, op] : by_name)
        out.push_back({{"op", name},
                       {"seconds", op.seconds},
                       {"share", total > 0 ? op.seconds / total : 0},
                       {"a_run", runs > 0 ? op.seconds / runs : 0},
                       {"nodes", op.nodes},
                       {"kernels", op.kernels}});
    std::stable_sort(out.begin(), out.end(), [](const Json& a, const Json& b) { return a["seconds"] > b["seconds"]; });
    return out;
}

// A bar for each step that is wide enough to be pointed at; the others are columns of their colours. Steps of bodies lie on the step that
// they are a part of, which comes later in the log.
Json steps_json(const LoggedRun& run, const Json& colours) {
    constexpr int high = 60;
    std::map<std::pair<std::string, size_t>, size_t> narrow;  // widths of columns, by colour
    std::vector<const StepEvent*> order;
    for (const StepEvent& event : run.events) order.push_back(&event);
    std::ranges::sort(order,
                      [](const StepEvent* a, const StepEvent* b) { return a->start != b->start ? a->start < b->start : a->end > b->end; });
    Json boxes = Json::array();
    double covered = run.start;
    for (const StepEvent* event : order) {
        const StepTime& line = (*run.lines)[event->line];
        const bool inner = event->end <= covered;
        covered = std::max(covered, event->end);
        const size_t from = run.column(event->start), to = run.column(event->end);
        const std::string colour(html_fill(colours.value(line.op, size_t{0})));
        if (to < from + 2) {
            narrow[{colour, from}] = std::max<size_t>(1, to - from);
            continue;
        }
        boxes.push_back({{"x", from},
                         {"y", inner ? high / 2 : 0},
                         {"w", to - from},
                         {"h", inner ? high / 2 : high},
                         {"colour", colour},
                         {"title", fmt::format("{} ({}, {}{}{}): {}", line.node, line.op, line.kernel, line.device.empty() ? "" : " on ",
                                               line.device, html_time(event->end - event->start))}});
    }
    for (const auto& [at, width] : narrow) boxes.push_back({{"x", at.second}, {"y", 0}, {"w", width}, {"h", high}, {"colour", at.first}});
    return {{"label", "steps of a run over time"}, {"width", columns}, {"height", high}, {"boxes", std::move(boxes)}};
}

// The most bytes of values in each column, and before its first step those of the column before.
Json memory_json(const LoggedRun& run) {
    std::vector<double> bytes(columns, -1);
    for (const StepEvent& event : run.events) {
        double& held = bytes[std::min(run.column(event.end), columns - 1)];
        held = std::max(held, static_cast<double>(event.value_bytes));
    }
    double last = 0;
    for (double& held : bytes) last = held = held < 0 ? last : held;
    return {{"label", "memory over time"}, {"values", bytes}};
}

Json runs_json(const std::vector<LaneLog>& lanes) {
    std::vector<double> seconds;
    for (const LaneLog& lane : lanes)
        for (const TimedRun& run : lane.runs) seconds.push_back(run.end - run.start);
    if (seconds.size() < 2) return nullptr;
    std::vector<double> bars(std::min(seconds.size(), max_bars), 0.0);
    for (size_t i = 0; i < seconds.size(); ++i) {
        double& bar = bars[i * bars.size() / seconds.size()];
        bar = std::max(bar, seconds[i]);
    }
    const auto [min, max] = std::ranges::minmax_element(seconds);
    return {{"count", seconds.size()}, {"min", *min}, {"max", *max}, {"picture", {{"label", "times of runs"}, {"values", bars}}}};
}

// What is beside the JSON of --profile --explain.
Json page_document(const RunReport& report) {
    const RunTimes& t = report.times;
    Json out = report_document(report, true, true), colours = Json::object(), key = Json::array();
    const auto runs = static_cast<double>(t.execute.runs);
    out["operators"] = operators_json(out["profile"], runs);
    for (const Json& op : out["operators"]) {
        if (key.size() < coloured_operators) colours[op["op"].get<std::string>()] = key.size() + 1;
        if (key.size() <= coloured_operators) key.push_back(key.size() < coloured_operators ? op["op"] : Json("others"));
    }
    std::map<std::string_view, const Choice*> choices;
    for (const Choice& choice : t.choices) choices.emplace(choice.node, &choice);
    double total = 0;
    for (const StepTime& step : t.steps) total += step.seconds;
    for (Json& step : out["profile"]) {
        const auto seconds = step["seconds"].get<double>();
        step["a_run"] = runs > 0 ? seconds / runs : 0, step["share"] = total > 0 ? seconds / total : 0;
        const auto found = choices.find(step["node"].get_ref<const std::string&>());
        if (found != choices.end()) step["refusals"] = found->second->refusals, step["real"] = found->second->real;
    }
    out["model"] = report.model;
    out["before"] = report.load + t.prepare;
    out["real"] = std::ranges::count_if(t.choices, [](const Choice& c) { return !c.real.empty(); });
    out["all_runs"] = runs_json(t.lanes);
    if (const auto run = median_run(t)) {
        uint64_t held = 0;
        for (const StepEvent& event : run->events) held = std::max(held, event.value_bytes);
        out["one"] = {{"seconds", run->end - run->start}, {"steps", steps_json(*run, colours)}};
        if (held > 0) out["one"]["held"] = held, out["one"]["memory"] = memory_json(*run);
    }
    out["colours"] = std::move(colours), out["key"] = std::move(key);
    return out;
}

const Page& profile_page() {
    static const Page page{
        .title = "[{model}][{model:no}Model] run [{computed:if}in mode {mode} ({computed})][{computed:no}in float]",
        .panels = {{.cards = {{"{seconds/execute/median:time}", "a run, the median"},
                              {"{seconds/execute/p90:time}", "nine of ten take at most"},
                              {"{seconds/execute/min:time}", "the fastest"},
                              {"{seconds/execute/runs}", "run{seconds/execute/runs:s} of {samples} sample{samples:s}"},
                              {"{threads}", "thread{threads:s}"},
                              {"[{score/scored:if}{score:top1}]", "top-1"},
                              {"{peak_resident_bytes:bytes}", "resident at most"},
                              {"{arena_bytes:bytes}", "arena of values"},
                              {"{before:time}", "before the first run: reading, compiling"},
                              {"[{real:if}{real}]", "operators on codes that compute on real numbers"}}},
                   {.title = "Time by operator",
                    .from = "operators",
                    .columns = {{"operator", "<span class=\"key\"><span>{op:swatch}</span></span>"},
                                {"share", "<span class=\"share\">{share:bar}{share:share}</span>"},
                                {"a run", "{a_run:time}", number},
                                {"nodes", "{nodes}", number},
                                {"kernels", "{kernels:words 4}"}}},
                   {.title = "One run over time",
                    .from = "one",
                    .text = "<p class=\"soft\">The run that took the median time: {seconds:time}. Point at a bar for its node.</p>\n"
                            "{steps:boxes over}<div class=\"ends\"><span>0</span><span>{seconds:time}</span></div>\n"},
                   {.from = "key", .items = "[{/one:if}<span>{.:swatch}</span>]", .around = "key"},
                   {.from = "one",
                    .text = "[<p class=\"soft\">Memory of values over the same time, at most {held:bytes}:</p>\n{memory:area over low}]"},
                   {.title = "Every run",
                    .from = "all_runs",
                    .text = "<p class=\"soft\">Times of {count} runs in their order, from {min:time} to {max:time}.</p>\n"
                            "{picture:area over low}"},
                   {.title = "Nodes, the slowest first",
                    .from = "profile",
                    .text = "<p class=\"soft\">A node stands for all that its kernel computes at once; open a kernel for why it was "
                            "chosen.</p>\n",
                    .columns = {{"node", "{node:code}", words, "n"},
                                {"operator", "{op}"},
                                {"share", "<span class=\"share\">{share:bar}{share:share}</span>", words, "-seconds"},
                                {"kernel", "{kernel}", why, "", "[<p>On real numbers: {real}.</p>][<p class=\"soft\">{refusals}</p>]"},
                                {"device", "{device}"},
                                {"a run", "{a_run:time}", number},
                                {"calls", "{calls}", number, "-calls"}},
                    .order = "-seconds",
                    .search = "search nodes",
                    .filters = {{"op", "all operators"}, {"kernel", "all kernels"}, {"device", "all devices"}},
                    .listed = listed_nodes,
                    .others = "--json"}}};
    return page;
}

}  // namespace

std::string profile_html(const RunReport& report) { return html_page(profile_page(), page_document(report)); }

}  // namespace quern
