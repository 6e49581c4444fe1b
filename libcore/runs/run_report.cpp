#include "libcore/runs/run_report.h"

#include <fmt/format.h>

#include <algorithm>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

std::string milliseconds(double seconds) { return fmt::format("{:.3f}", seconds * 1e3); }
std::string mebibytes(uint64_t bytes) { return fmt::format("{:.1f}", static_cast<double>(bytes) / (1 << 20)); }
double percent(uint64_t part, uint64_t whole) { return whole ? 100.0 * static_cast<double>(part) / static_cast<double>(whole) : 0; }

std::string score_text(const Score& score) {
    std::string out = fmt::format("top-1    {:.2f} % ({}/{})\ntop-5    {:.2f} % ({}/{})\n", percent(score.top1, score.scored), score.top1,
                                  score.scored, percent(score.top5, score.scored), score.top5, score.scored);
    if (score.nll > 0) out += fmt::format("perplexity {:.4f}\n", portable::exp(score.nll / static_cast<double>(score.scored)));
    return out;
}

std::string steps_text(const std::vector<StepTime>& steps) {
    double total = 0;
    for (const StepTime& line : steps) total += line.seconds;
    const bool placed = std::any_of(steps.begin(), steps.end(), [](const StepTime& line) { return !line.device.empty(); });
    const auto device = [&](std::string_view name) { return placed ? fmt::format("{:<12} ", name) : std::string(); };
    std::string out =
        fmt::format("{:>10} {:>6} {:>8}  {}{:<20} {:<20} {}\n", "ms", "%", "calls", device("device"), "operator", "kernel", "node");
    for (const StepTime& line : steps)
        out += fmt::format("{:>10} {:>6.2f} {:>8}  {}{:<20} {:<20} {}\n", milliseconds(line.seconds),
                           total > 0 ? 100 * line.seconds / total : 0, line.calls, device(escape(line.device)), escape(line.op),
                           line.kernel, escape(line.node));
    return out;
}

std::string choices_text(const std::vector<Choice>& choices) {
    std::string out;
    for (const Choice& choice : choices) {
        out += fmt::format("{} ({}): {}{}", escape(choice.node), escape(choice.op), choice.kernel,
                           choice.device.empty() ? "" : " on " + escape(choice.device));
        if (!choice.refusals.empty()) out += "; " + printable(choice.refusals);
        out += choice.real.empty() ? "\n" : fmt::format("; on real numbers: {}\n", printable(choice.real));
    }
    return out;
}

Json with_device(Json json, const std::string& device) {
    if (!device.empty()) json["device"] = device;
    return json;
}

Json times_json(const TimeSummary& t) {
    return {{"runs", t.runs}, {"total", t.total}, {"min", t.min}, {"mean", t.mean},      {"median", t.median},
            {"p90", t.p90},   {"p99", t.p99},     {"max", t.max}, {"geomean", t.geomean}};
}

}  // namespace

std::string report_text(const RunReport& report) {
    const RunTimes& times = report.times;
    const TimeSummary& t = times.execute;
    std::string out;
    const std::string computed = report.computed.empty() ? "" : fmt::format(" ({})", report.computed);
    out += fmt::format("mode     {}{}, {} thread{}, {} sample{}, {} run{}\n", report.mode, computed, report.threads,
                       report.threads == 1 ? "" : "s", times.samples, times.samples == 1 ? "" : "s", t.runs, t.runs == 1 ? "" : "s");
    if (report.explain) out += choices_text(times.choices);
    if (report.score) out += score_text(*report.score);
    if (report.metric) out += fmt::format("metric   {:.6g}\n", *report.metric);
    out += fmt::format("ms       load {}  prepare {}  warm-up {}  execute {} (wall {})\n", milliseconds(report.load),
                       milliseconds(times.prepare), milliseconds(times.warmup), milliseconds(t.total), milliseconds(times.wall));
    out +=
        fmt::format("ms a run min {}  mean {}  median {}  p90 {}  p99 {}  max {}  geomean {}\n", milliseconds(t.min), milliseconds(t.mean),
                    milliseconds(t.median), milliseconds(t.p90), milliseconds(t.p99), milliseconds(t.max), milliseconds(t.geomean));
    out += fmt::format("MiB      peak resident {}  arena {}\n", mebibytes(peak_resident_bytes()), mebibytes(times.arena_bytes));
    if (report.timing) out += steps_text(times.steps);
    return out;
}

Json report_document(const RunReport& report, bool timing, bool explain) {
    const RunTimes& times = report.times;
    Json json{{"mode", report.mode},
              {"computed", report.computed},
              {"threads", report.threads},
              {"samples", times.samples},
              {"results", times.results},
              {"arena_bytes", times.arena_bytes},
              {"peak_resident_bytes", peak_resident_bytes()},
              {"seconds", {{"load", report.load}, {"prepare", times.prepare}, {"warmup", times.warmup}, {"wall", times.wall}}}};
    json["seconds"]["execute"] = times_json(times.execute);
    if (report.score) {
        const Score& s = *report.score;
        json["score"] = {{"scored", s.scored}, {"top1", s.top1}, {"top5", s.top5}};
        if (s.nll > 0) json["score"]["perplexity"] = portable::exp(s.nll / static_cast<double>(s.scored));
    }
    if (report.metric) json["metric"] = *report.metric;
    if (timing) {
        json["profile"] = Json::array();
        for (const StepTime& line : times.steps)
            json["profile"].push_back(with_device(
                {{"node", line.node}, {"op", line.op}, {"kernel", line.kernel}, {"seconds", line.seconds}, {"calls", line.calls}},
                line.device));
    }
    if (explain) {
        json["choices"] = Json::array();
        for (const Choice& c : times.choices)
            json["choices"].push_back(
                with_device({{"node", c.node}, {"op", c.op}, {"kernel", c.kernel}, {"refusals", c.refusals}, {"real", c.real}}, c.device));
    }
    return json;
}

std::string report_json(const RunReport& report) { return json_document(report_document(report, report.timing, report.explain)); }

}  // namespace quern
