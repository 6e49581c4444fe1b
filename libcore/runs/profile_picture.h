// The pictures of the profile's page: SVG that stretches to the width of the page. All are bounded, however long the run is.
#pragma once

#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/runs/runner.h"

namespace quern {

inline constexpr size_t coloured_operators = 7;

struct OperatorTime {
    std::string name;
    double seconds = 0;
    size_t nodes = 0;
    std::set<std::string> kernels;
};
std::vector<OperatorTime> operators_of(const std::vector<StepTime>& steps);  // the slowest first
std::string_view colour_of(const std::vector<OperatorTime>& operators, std::string_view name);

// A run whose steps were all logged, with them.
struct LoggedRun {
    double start = 0, end = 0;
    const std::vector<StepTime>* lines = nullptr;
    std::vector<StepEvent> events;
};
std::optional<LoggedRun> median_run(const RunTimes& times);  // of those, that of the median time

std::string steps_picture(const LoggedRun& run, const std::vector<OperatorTime>& operators);
uint64_t most_held(const LoggedRun& run);  // bytes of values
std::string memory_picture(const LoggedRun& run);
std::string runs_picture(const std::vector<double>& seconds);

}  // namespace quern
