#include "formats/tensors/named_steps.h"

#include <cmath>

#include "formats/hdf5/hdf5.h"
#include "formats/tensors/rows.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

bool is_letter(char c) { return c >= 'a' && c <= 'z'; }
bool is_of_value(char c) { return is_letter(c) || (c >= '0' && c <= '9') || std::string_view("+-./,").find(c) != std::string_view::npos; }

// "resize=256" or "mono"; nullopt: it is no step.
std::optional<NamedStep> step_of(std::string_view text) {
    const size_t end = std::min(text.find('='), text.size());
    const std::string_view name = text.substr(0, end);
    if (name.empty() || !is_letter(name[0]) || !std::ranges::all_of(name, [](char c) { return is_letter(c) || c == '-'; }))
        return std::nullopt;
    const std::string_view value = end == text.size() ? text.substr(end) : text.substr(end + 1);
    if (!std::ranges::all_of(value, is_of_value) || (end < text.size() && value.empty())) return std::nullopt;
    return NamedStep{std::string(name), std::string(value)};
}

std::optional<std::vector<NamedStep>> steps_of(std::string_view text) {
    std::vector<NamedStep> steps;
    for (size_t at = 0; at <= text.size();) {
        size_t end = text.find(',', at);
        while (end != std::string_view::npos && end + 1 < text.size() && !is_letter(text[end + 1])) end = text.find(',', end + 1);
        end = std::min(end, text.size());
        const auto step = step_of(text.substr(at, end - at));
        if (!step) return std::nullopt;
        steps.push_back(*step);
        at = end + 1;
    }
    return steps;
}

}  // namespace

std::optional<NamedSteps> named_steps(const std::string& text) {
    const size_t colon = text.rfind(':');
    if (colon == std::string::npos || colon == 0 || file_exists(text)) return std::nullopt;
    NamedSteps named{text.substr(0, colon), text.substr(colon + 1), {}};
    auto steps = steps_of(named.text);
    if (!steps) return std::nullopt;
    named.steps = std::move(*steps);
    return named;
}

std::string sample_path(const std::string& text) {
    if (const auto rows = parse_rows(text)) return rows->path;
    if (const auto steps = named_steps(text)) return steps->path;
    return hdf5_place(text).path;
}

std::optional<std::vector<float>> step_numbers(std::string_view value) {
    std::vector<float> numbers;
    std::string text(value);
    std::ranges::replace(text, ',', '/');
    for (const std::string& part : split(text, '/')) {
        const auto number = parse_double(part);
        if (!number || !std::isfinite(static_cast<float>(*number))) return std::nullopt;
        numbers.push_back(static_cast<float>(*number));
    }
    if (numbers.empty()) return std::nullopt;
    return numbers;
}

std::optional<int64_t> step_integer(std::string_view value, int64_t least, int64_t most) {
    const auto number = parse_int(value);
    if (!number || *number < least || *number > most) return std::nullopt;
    return *number;
}

void refuse_step(const std::string& name, const std::vector<std::string>& known, std::string_view what) {
    throw usage_error("{} have no step \"{}\"{}", what, escape(name), did_you_mean(name, known))
        .with_hint(fmt::format("their steps: {}", join(known, ", ")));
}

}  // namespace quern
