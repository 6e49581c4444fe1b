#include "libcore/runs/profile_picture.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>

#include "libcore/report/html.h"

namespace quern {
namespace {

constexpr size_t columns = 2000;
constexpr int high = 60;

std::string picture(std::string_view label, std::string_view kind, size_t width, const std::string& content) {
    return fmt::format("<svg class=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">{}</svg>", kind,
                       width, high, label, content);
}

size_t column(const LoggedRun& run, double at) {
    const double part = run.end > run.start ? (at - run.start) / (run.end - run.start) : 0;
    return static_cast<size_t>(std::clamp(part, 0.0, 1.0) * columns);
}

// A step for each column.
std::string area(const std::vector<int>& heights) {
    std::string path = fmt::format("M0 {}", high);
    for (const int height : heights) path += fmt::format("V{}h1", high - height);
    return fmt::format("<path d=\"{}V{}z\" fill=\"var(--bar)\"/>", path, high);
}

int scaled(double value, double most) {
    return most > 0 && value > 0 ? std::max(1, static_cast<int>(std::lround(value / most * high))) : 0;
}

}  // namespace

std::vector<OperatorTime> operators_of(const std::vector<StepTime>& steps) {
    std::map<std::string, OperatorTime> by_name;
    for (const StepTime& step : steps) {
        OperatorTime& op = by_name[step.op];
        op.name = step.op;
        op.seconds += step.seconds;
        ++op.nodes;
        op.kernels.insert(step.kernel);
    }
    std::vector<OperatorTime> out;
    out.reserve(by_name.size());
    for (auto& item : by_name) out.push_back(std::move(item.second));
    std::ranges::stable_sort(out, [](const OperatorTime& a, const OperatorTime& b) { return a.seconds > b.seconds; });
    return out;
}

std::string_view colour_of(const std::vector<OperatorTime>& operators, std::string_view name) {
    const auto found = std::ranges::find(operators, name, &OperatorTime::name);
    const auto place = static_cast<size_t>(found - operators.begin());
    return html_fill(place < coloured_operators && found != operators.end() ? place + 1 : 0);
}

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

// A bar for each step that is wide enough to be pointed at; the others are columns of their colours. Steps of bodies lie on the step that
// they are a part of, which comes later in the log.
std::string steps_picture(const LoggedRun& run, const std::vector<OperatorTime>& operators) {
    std::map<std::string_view, std::map<size_t, size_t>> narrow;  // column to width, by colour
    std::string wide;
    std::vector<const StepEvent*> order;
    for (const StepEvent& event : run.events) order.push_back(&event);
    std::ranges::sort(order,
                      [](const StepEvent* a, const StepEvent* b) { return a->start != b->start ? a->start < b->start : a->end > b->end; });
    double covered = run.start;
    for (const StepEvent* event : order) {
        const StepTime& line = (*run.lines)[event->line];
        const bool inner = event->end <= covered;
        covered = std::max(covered, event->end);
        const size_t from = column(run, event->start), to = column(run, event->end);
        if (to < from + 2) {
            narrow[colour_of(operators, line.op)][from] = std::max<size_t>(1, to - from);
            continue;
        }
        wide += fmt::format("<rect x=\"{}\" y=\"{}\" width=\"{}\" height=\"{}\" fill=\"{}\"><title>{} ({}, {}{}{}): {}</title></rect>",
                            from, inner ? high / 2 : 0, to - from, inner ? high / 2 : high, colour_of(operators, line.op),
                            html_text(line.node), html_text(line.op), html_text(line.kernel), line.device.empty() ? "" : " on ",
                            html_text(line.device), html_time(event->end - event->start));
    }
    for (const auto& [colour, places] : narrow) {
        std::string path;
        for (const auto& [at, width] : places) path += fmt::format("M{} 0h{}v{}h-{}z", at, width, high, width);
        wide += fmt::format("<path d=\"{}\" fill=\"{}\"/>", path, colour);
    }
    return picture("steps of a run over time", "", columns, wide);
}

uint64_t most_held(const LoggedRun& run) {
    uint64_t most = 0;
    for (const StepEvent& event : run.events) most = std::max(most, event.value_bytes);
    return most;
}

std::string memory_picture(const LoggedRun& run) {
    const auto most = static_cast<double>(most_held(run));
    std::vector<int> heights(columns, -1);
    for (const StepEvent& event : run.events) {
        int& height = heights[std::min(column(run, event.end), columns - 1)];
        height = std::max(height, scaled(static_cast<double>(event.value_bytes), most));
    }
    int last = 0;
    for (int& height : heights) last = height = height < 0 ? last : height;
    return picture("memory over time", "low", columns, area(heights));
}

std::string runs_picture(const std::vector<double>& seconds) {
    const size_t bars = std::min<size_t>(seconds.size(), 400);
    std::vector<double> most(bars, 0.0);
    for (size_t i = 0; i < seconds.size(); ++i) most[i * bars / seconds.size()] = std::max(most[i * bars / seconds.size()], seconds[i]);
    const double greatest = *std::ranges::max_element(most);
    std::vector<int> heights;
    heights.reserve(bars);
    for (const double value : most) heights.push_back(scaled(value, greatest));
    return picture("times of runs", "low", bars, area(heights));
}

}  // namespace quern
