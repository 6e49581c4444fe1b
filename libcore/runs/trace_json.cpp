// The log of runs in the trace-event format of Chrome (complete events "X", counters "C", names "M"), times in microseconds.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/json.h"
#include "libcore/runs/run_report.h"

namespace quern {
namespace {

// Nanoseconds since the first run began: whole numbers, so that what lies inside still does after rounding.
struct Span {
    int64_t start = 0, end = 0;
    std::string name, args;
};

std::string microseconds(int64_t nanoseconds) { return fmt::format("{}.{:03}", nanoseconds / 1000, nanoseconds % 1000); }

// Places spans on threads, so that two on one thread lie apart or one in the other.
class Tracks {
   public:
    size_t place(const Span& span) {
        for (size_t i = 0;; ++i) {
            if (i == open_.size()) open_.emplace_back();
            auto& ends = open_[i];
            while (!ends.empty() && ends.back() <= span.start) ends.pop_back();
            if (!ends.empty() && ends.back() < span.end) continue;
            ends.push_back(span.end);
            return i;
        }
    }
    size_t count() const { return open_.size(); }

   private:
    std::vector<std::vector<int64_t>> open_;  // ends of what is open, the innermost last
};

class Trace {
   public:
    explicit Trace(const RunReport& report) : r_(report) {
        double first = std::numeric_limits<double>::infinity();
        for (const LaneLog& lane : r_.times.lanes)
            for (const TimedRun& run : lane.runs) first = std::min(first, run.start);
        for (const LaneLog& lane : r_.times.lanes) dropped_ += lane.steps.dropped;
        base_ = std::isfinite(first) ? first : 0;
    }

    std::string run() {
        out_ = fmt::format(
            "{{\"displayTimeUnit\":\"ms\",\"otherData\":{{\"model\":{},\"mode\":{},\"computed\":{},\"threads\":{},\"steps_left_out\":{}}},"
            "\n\"traceEvents\":[\n{{\"ph\":\"M\",\"pid\":1,\"name\":\"process_name\",\"args\":{{\"name\":{}}}}}",
            json_text(r_.model), json_text(r_.mode), json_text(r_.computed), r_.threads, dropped_, json_text("quern run " + r_.model));
        for (size_t i = 0; i < r_.times.lanes.size(); ++i) add_lane(i);
        return out_ + "\n]}\n";
    }

   private:
    int64_t at(double seconds) const { return std::max<int64_t>(0, std::llround((seconds - base_) * 1e9)); }

    static std::string args_of(const StepTime& line) {
        return fmt::format("\"cat\":{},\"args\":{{\"operator\":{},\"kernel\":{}{}}}", json_text(line.op), json_text(line.op),
                           json_text(line.kernel), line.device.empty() ? "" : ",\"device\":" + json_text(line.device));
    }

    void add_lane(size_t number) {
        const LaneLog& lane = r_.times.lanes[number];
        std::vector<Span> spans;
        for (const TimedRun& run : lane.runs)
            spans.push_back({at(run.start), at(run.end), fmt::format("sample {}", run.sample),
                             fmt::format("\"cat\":\"run\",\"args\":{{\"sample\":{}}}", run.sample)});
        for (const StepEvent& event : lane.steps.events) {
            const StepTime& line = lane.steps.lines[event.line];
            spans.push_back({at(event.start), at(event.end), line.node, args_of(line)});
            if (line.op != "partition")
                out_ += fmt::format(
                    ",\n{{\"ph\":\"C\",\"pid\":1,\"name\":\"memory of session {}\",\"ts\":{},\"args\":{{\"arena\":{},\"values\":{}}}}}",
                    number + 1, microseconds(at(event.end)), event.arena_bytes, event.value_bytes);
        }
        std::stable_sort(spans.begin(), spans.end(),
                         [](const Span& a, const Span& b) { return a.start != b.start ? a.start < b.start : a.end > b.end; });
        Tracks tracks;
        for (const Span& span : spans)
            out_ += fmt::format(",\n{{\"ph\":\"X\",\"pid\":1,\"tid\":{},\"name\":{},\"ts\":{},\"dur\":{},{}}}",
                                threads_ + 1 + tracks.place(span), json_text(span.name), microseconds(span.start),
                                microseconds(span.end - span.start), span.args);
        for (size_t i = 0; i < tracks.count(); ++i)
            out_ += fmt::format(",\n{{\"ph\":\"M\",\"pid\":1,\"tid\":{},\"name\":\"thread_name\",\"args\":{{\"name\":\"session {}{}\"}}}}",
                                threads_ + 1 + i, number + 1, i ? fmt::format(", beside {}", i) : "");
        threads_ += tracks.count();
    }

    const RunReport& r_;
    double base_ = 0;
    uint64_t dropped_ = 0;
    size_t threads_ = 0;
    std::string out_;
};

}  // namespace

std::string trace_json(const RunReport& report) { return Trace(report).run(); }

}  // namespace quern
