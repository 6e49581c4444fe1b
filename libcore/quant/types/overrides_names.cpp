#include "libcore/quant/types/overrides_names.h"

#include <algorithm>
#include <array>

#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr std::array<std::string_view, 6> suffixes{"_nhwc", "_nchw", "_moved", "_int8", "_uint8", "_int16"};

bool is_name(std::span<const std::string> names, std::string_view name) { return std::ranges::binary_search(names, name, std::less<>()); }

// Of the value that a made one stands for; empty: none.
std::string_view source_of(std::string_view name, std::span<const std::string> names) {
    for (const std::string_view suffix : suffixes)
        if (name.ends_with(suffix) && is_name(names, name.substr(0, name.size() - suffix.size())))
            return name.substr(0, name.size() - suffix.size());
    return {};
}

bool same(const Override& a, const Override& b) { return a.storage == b.storage && a.scale == b.scale && a.zero == b.zero; }

}  // namespace

Overrides named_as_in(const Overrides& overrides, std::span<const std::string> names) {
    Overrides out;
    for (const auto& [name, entry] : overrides)
        if (is_name(names, name)) out.emplace(name, entry);
    for (const auto& [name, entry] : overrides) {
        if (is_name(names, name)) continue;
        const std::string_view source = entry.axis < 0 && entry.scale.size() <= 1 ? source_of(name, names) : std::string_view();
        const auto taken = source.empty() ? out.end() : out.emplace(source, entry).first;
        if (taken == out.end() || !same(taken->second, entry)) out.emplace(name, entry);
    }
    return out;
}

std::vector<std::string> unknown_of(const Overrides& overrides, std::span<const std::string> names) {
    std::vector<std::string> out;
    for (const auto& [name, entry] : overrides)
        if (!is_name(names, name)) out.push_back(name);
    return out;
}

std::string unknown_text(const std::vector<std::string>& unknown) {
    constexpr size_t most = 10;
    std::vector<std::string> shown;
    for (size_t i = 0; i < std::min(most, unknown.size()); ++i) shown.push_back(escape(unknown[i]));
    return fmt::format("{} {} left out: {}{}", unknown.size(),
                       unknown.size() == 1 ? "override names no value of the model and is" : "overrides name no value of the model and are",
                       join(shown, ", "), unknown.size() > most ? fmt::format(" and {} more", unknown.size() - most) : "");
}

}  // namespace quern
