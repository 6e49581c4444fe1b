// What `run` reports: as text for people, or as JSON.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/session/runner.h"
#include "libcore/session/score.h"

namespace quern {

struct RunReport {
    std::string mode, computed;  // "int", "codes, profile onnx" (computed_text)
    int threads = 1;
    double load = 0;  // seconds
    RunTimes times;
    std::optional<Score> score;
    bool timing = false, explain = false;
};

// Operators of an integer run that compute on real numbers, one text for each kind of operator and reason.
std::vector<std::string> real_operators(const std::vector<Choice>& choices);

std::string report_text(const RunReport& report);
std::string report_json(const RunReport& report);

}  // namespace quern
