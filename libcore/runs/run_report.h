// What `run` reports: as text for people, or as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/runs/runner.h"
#include "libcore/runs/score.h"

namespace quern {

struct RunReport {
    std::string model;           // its file's name
    std::string mode, computed;  // "int", "codes, profile onnx" (computed_text)
    int threads = 1;
    double load = 0;  // seconds
    RunTimes times;
    std::optional<Score> score;
    std::optional<double> metric;
    bool timing = false, explain = false;
};

std::string report_text(const RunReport& report);
Json report_document(const RunReport& report, bool timing, bool explain);
std::string report_json(const RunReport& report);

// Of runs that were timed with a log of `max_logged_events`, so that both are bounded.
inline constexpr size_t max_logged_events = 200'000;
// A page: totals, time by operator, one run over time with its memory, all nodes with what computed them.
std::string profile_html(const RunReport& report);
// The log as the trace events that Perfetto and Chrome show: runs, and the steps inside of them, on a thread for each session; the arena's
// bytes as a counter.
std::string trace_json(const RunReport& report);

}  // namespace quern
