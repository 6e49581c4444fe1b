#include "libcore/report/html_plot.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace quern {
namespace {

constexpr int beyond_row = 32, upper = 56, lower = 292;
constexpr double most_db = 100;  // of the scale: what has more has no noise that matters

std::string label(std::string_view at, double percent, std::string_view text) {
    return fmt::format("<span class=\"{}:{:.1f}%\">{}</span>", at, percent, text);
}

}  // namespace

void DecibelPlot::add(double db) {
    if (db > most_db) {
        beyond_ = true;
        return;
    }
    least_ = std::min(least_, std::max(db, -1e3));
    greatest_ = std::max(greatest_, db);
}

void DecibelPlot::settle() {
    if (!(least_ <= greatest_)) least_ = greatest_ = 0;
    least_ = std::floor(least_ / 10) * 10;
    greatest_ = std::max(std::ceil(greatest_ / 10) * 10, least_ + 20);
}

int DecibelPlot::y(double db) const {
    if (db > most_db) return beyond_row;
    return static_cast<int>(std::lround(upper + (lower - upper) * (greatest_ - std::max(db, least_)) / (greatest_ - least_)));
}

double DecibelPlot::step() const { return std::ceil((greatest_ - least_) / 100) * 10; }

std::string DecibelPlot::lines() const {
    std::string path;
    for (double db = least_; db <= greatest_; db += step()) path += fmt::format("M0 {}H{}", y(db), width);
    return fmt::format("<path class=\"line\" d=\"{}\"/>", path);
}

std::string DecibelPlot::labels(std::string_view top) const {
    constexpr std::string_view left = "y\" style=\"top";
    std::string out;
    for (double db = least_; db <= greatest_; db += step()) out += label(left, 100.0 * y(db) / height, fmt::format("{:.0f}", db));
    if (beyond_) out += label(left, 100.0 * beyond_row / height, fmt::format("&gt; {:.0f}", most_db));
    if (!top.empty()) out += label(left, 100.0 * top_row / height, top);
    return out;
}

std::string DecibelPlot::label_below(int x, std::string_view text) { return label("x\" style=\"left", 100.0 * x / width, text); }

std::string DecibelPlot::dot(std::string_view kind, int x, int y, std::string_view id, std::string_view title) {
    return fmt::format("<a href=\"#{}\" tabindex=\"-1\"><path class=\"{}\" d=\"M{} {}h.1\"><title>{}</title></path></a>\n", id, kind, x, y,
                       title);
}

std::string DecibelPlot::figure(std::string_view name, bool many, std::string_view top, std::string_view below,
                                const std::string& content) const {
    return fmt::format(
        "<div class=\"figure\"><div class=\"plot{}\">{}{}<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
        "aria-label=\"{}\">{}{}</svg></div></div>\n",
        many ? " many" : "", labels(top), below, width, height, name, lines(), content);
}

}  // namespace quern
