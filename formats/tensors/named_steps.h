// Named steps behind a path: photos/:resize=256,crop=224,mean=0.485/0.456/0.406
//
// A colon, then steps separated by commas: a name, or a name and values. A comma before a letter begins the next step; values are separated
// by "/", "x" or commas.
#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {

struct NamedStep {
    std::string name, value;  // value: "" if there is none
};
struct NamedSteps {
    std::string path;  // what stands before them
    std::string text;  // the steps as written
    std::vector<NamedStep> steps;
};

// nullopt: `text` is a path alone.
std::optional<NamedSteps> named_steps(const std::string& text);

// The path of what names samples: without rows, steps or a dataset.
std::string sample_path(const std::string& text);

// One step of a grammar; its function says whether the value is one.
template <class Steps>
struct StepRow {
    std::string_view name;
    std::string_view needs;  // of its value, for messages: "a number"
    bool (*take)(Steps& steps, std::string_view value);
};

// "0.5/1" as numbers, one at least, all of them finite; else nullopt.
std::optional<std::vector<float>> step_numbers(std::string_view value);
// A whole number from `least` to `most`.
std::optional<int64_t> step_integer(std::string_view value, int64_t least, int64_t most);

// Throws Exit::usage: no step of `what` ("pictures") has the name.
[[noreturn]] void refuse_step(const std::string& name, const std::vector<std::string>& known, std::string_view what);

// Each step by its row; what `repeats` says may stand more than once.
template <class Steps, class Rows>
Steps read_steps(const NamedSteps& named, const Rows& rows, std::string_view what, bool (*repeats)(std::string_view)) {
    Steps steps;
    std::vector<std::string> seen, known;
    for (const auto& row : rows) known.emplace_back(row.name);
    for (const NamedStep& step : named.steps) {
        const auto row = std::ranges::find(rows, step.name, [](const auto& r) { return std::string(r.name); });
        if (row == std::end(rows)) refuse_step(step.name, known, what);
        if (std::ranges::find(seen, step.name) != seen.end() && !repeats(step.name)) throw usage_error("step {} twice", step.name);
        seen.push_back(step.name);
        if (!row->take(steps, step.value)) throw usage_error("{}={}: need {}", step.name, escape(step.value), row->needs);
    }
    return steps;
}

}  // namespace quern
