// What `run` reports: as text for people, or as JSON.
#pragma once

#include <optional>
#include <string>

#include "libcore/session/runner.h"
#include "libcore/session/score.h"

namespace quern {

struct RunReport {
    std::string mode;
    int threads = 1;
    double load = 0;  // seconds
    RunTimes times;
    std::optional<Score> score;
    bool profile = false, explain = false;
};

std::string report_text(const RunReport& report);
std::string report_json(const RunReport& report);

}  // namespace quern
