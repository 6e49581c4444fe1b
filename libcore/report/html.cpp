#include "libcore/report/html.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <span>

#include "libcore/base/text.h"

namespace quern {
std::string html_text(std::string_view raw) {
    std::string out;
    std::string text;
    for (const std::string& line : split(raw, '\n')) text += (text.empty() ? "" : "\n") + printable(line);
    for (const char c : text) out += c == '<' ? "&lt;" : c == '>' ? "&gt;" : c == '&' ? "&amp;" : c == '"' ? "&quot;" : std::string(1, c);
    return out;
}

std::string human_seconds(double seconds) {
    const double size = std::abs(seconds);
    if (size >= 1) return fmt::format("{:.2f} s", seconds);
    if (size >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
    if (size >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
    return size > 0 && size < 0.5e-9 ? std::string("below 1 ns")
                                     : fmt::format("{:.0f} ns", seconds * 1e9);  // less is no figure of a machine
}

std::string human_bytes(double bytes) {
    constexpr std::array units{"B", "KB", "MB", "GB", "TB"};
    size_t unit = 0;
    for (; bytes >= 1024 && unit + 1 < units.size(); ++unit) bytes /= 1024;
    return unit ? fmt::format("{:.1f} {}", bytes, units[unit]) : fmt::format("{:.0f} B", bytes);
}

namespace {
// Number 0 once, then the others in turn.
std::string_view in_turn(std::span<const std::string_view> list, size_t number) {
    return list[number < list.size() ? number : 1 + (number - 1) % (list.size() - 1)];
}
}  // namespace

std::string_view html_fill(size_t number) {
    constexpr std::array<std::string_view, 8> fills{"#d3dae1", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"};
    return in_turn(fills, number);
}

std::string_view html_ink(size_t number) {
    constexpr std::array<std::string_view, 8> inks{"#1d2733", "#ffffff", "#1d2733", "#ffffff", "#1d2733", "#1d2733", "#ffffff", "#1d2733"};
    return in_turn(inks, number);
}

std::string html_time(double seconds) {
    if (!(seconds > 0)) return "0";
    std::string text = human_seconds(seconds);
    if (text.ends_with(" us")) text.replace(text.size() - 2, 1, "µ");
    return text;
}

}  // namespace quern
