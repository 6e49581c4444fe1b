#include "libcore/runs/metric_command.h"

#include <fmt/format.h>

#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/child.h"
#include "libcore/os/foreign_code.h"

namespace quern {
namespace {

constexpr int not_found = 127;  // as sh says it

std::string shown(const std::string& command) { return fmt::format("--metric: \"{}\"", escape(command)); }

}  // namespace

MetricCommand::MetricCommand(std::string text, const std::string& labels, std::function<void(const std::string&)> note)
    : text_(std::move(text)), note_(std::move(note)) {
    at_place(shown(text_), [] { need_foreign_code(); });
    const size_t colon = labels.rfind(':');
    const std::string file = labels.substr(0, colon);
    if (file.empty() || file == "-" || labels == "next-token") return;
    variables_.push_back("QUERN_LABELS=" + file);
    variables_.push_back("QUERN_LABEL_COLUMN=" + (colon == std::string::npos ? "label" : labels.substr(colon + 1)));
}

double MetricCommand::number(const std::string& model, const OutputFiles& outputs, const OutputFiles* exact) const {
    ChildSettings settings{.folder = {}, .variables = variables_, .apart = true};
    settings.variables.push_back("QUERN_MODEL=" + model);
    settings.variables.push_back("QUERN_OUTPUTS=" + outputs.folder());
    if (exact) settings.variables.push_back("QUERN_FLOAT_OUTPUTS=" + exact->folder());
    settings.variables.push_back(fmt::format("QUERN_FIRST_ROW={}", outputs.first_row()));
    const ChildResult result = run_child({"sh", "-c", text_}, settings);
    if (result.status != 0) {
        Error error = unsupported("{} ended with exit code {}", shown(text_), result.status);
        error.with_details(last_lines(result.errors + "\n" + result.output, 5));
        if (result.status == not_found) error.with_hint(fmt::format("{} are built in; all else is a command for sh", built_in_metrics));
        throw error;
    }
    const std::string_view said = trim(result.output);
    const auto number = parse_double(said);
    if (!number || !std::isfinite(*number))
        throw unsupported("{} printed {}, need one number", shown(text_), said.empty() ? "nothing" : fmt::format("\"{}\"", escape(said)))
            .with_details(last_lines(result.errors, 5));
    for (const std::string& line : last_lines(result.errors, 5)) note_(fmt::format("{}: {}", shown(text_), line));
    return *number;
}

}  // namespace quern
