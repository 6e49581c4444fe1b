#include "libcore/report/dots.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <set>

#include "libcore/base/json.h"
#include "libcore/report/html.h"

namespace quern {
namespace {

// A figure of dots: decibels upward, with labels as HTML beside the picture.
class Figure {
   public:
    Figure(const std::vector<const Json*>& items, const Dots& dots, const Scope& around, size_t linked)
        : items_(items),
          dots_(dots),
          around_(around),
          linked_(std::min(linked, items.size())),
          on_top_(dots.on_top.empty() ? nullptr : find_member(around, dots.on_top)) {
        for (const Json* item : items) note(*item);
        if (on_top_)
            for (const Json& x : *on_top_) above_ = true, furthest_ = std::max(furthest_, x.get<double>());
        if (!(least_ <= greatest_)) least_ = greatest_ = 0;
        least_ = std::floor(least_ / 10) * 10;
        greatest_ = std::max(std::ceil(greatest_ / 10) * 10, least_ + 20);
    }

    std::string run() const {
        if (!any_ && !above_) return "";
        return fmt::format(
            "<div class=\"figure\"><div class=\"plot{}\">{}<svg viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" "
            "aria-label=\"SQNR of values\"><path class=\"line\" d=\"{}\"/>{}{}</svg></div></div>\n{}<div id=\"picked\" "
            "hidden=\"\"></div>\n",
            items_.size() > many ? " many" : "", labels(), width, height, lines(), merged(), links(),
            filled_or_empty(dots_.below, around_));
    }

   private:
    static constexpr size_t many = 1000;  // dots: smaller ones
    static constexpr int width = 1000, height = 300, top_row = 8, beyond_row = 32, upper = 56, lower = 292;
    static constexpr double most_db = 100;  // of the scale: what has more has no noise that matters

    double decibel(const Json& item) const { return number_at({around_.document, item}, dots_.decibel); }
    double across(const Json& item) const { return number_at({around_.document, item}, dots_.x); }
    bool drawn(const Json& item) const { return !std::isnan(decibel(item)) && across(item) >= 0; }

    void note(const Json& item) {
        if (!drawn(item)) return;
        const double db = decibel(item);
        any_ = true;
        furthest_ = std::max(furthest_, across(item));
        above_ |= db == -std::numeric_limits<double>::infinity();
        beyond_ |= db > most_db;
        if (db > most_db || std::isinf(db)) return;
        least_ = std::min(least_, std::max(db, -1e3));
        greatest_ = std::max(greatest_, db);
    }

    int x(double at) const { return 12 + static_cast<int>((width - 24) * at / std::max(furthest_, 1.0)); }
    int y(double db) const {
        if (db > most_db) return beyond_row;
        if (std::isinf(db)) return top_row;
        return static_cast<int>(std::lround(upper + (lower - upper) * (greatest_ - std::max(db, least_)) / (greatest_ - least_)));
    }
    double step() const { return std::ceil((greatest_ - least_) / 100) * 10; }

    std::string lines() const {
        std::string path;
        for (double db = least_; db <= greatest_; db += step()) path += fmt::format("M0 {}H{}", y(db), width);
        return path;
    }

    static std::string label(std::string_view at, double part, std::string_view text) {
        return fmt::format("<span class=\"{}:{:.1f}%\">{}</span>", at, 100 * part, text);
    }

    std::string labels() const {
        const auto left = [](int at, std::string_view text) { return label("y\" style=\"top", static_cast<double>(at) / height, text); };
        std::string out;
        for (double db = least_; db <= greatest_; db += step()) out += left(y(db), fmt::format("{:.0f}", db));
        if (beyond_) out += left(beyond_row, fmt::format("&gt; {:.0f}", most_db));
        if (above_) out += left(top_row, dots_.top);
        if (!dots_.labelled) return out;
        const double step = std::max(1.0, std::floor((furthest_ + 4) / 5));
        for (double at = 0; at <= furthest_; at += step)
            out += label("x\" style=\"left", static_cast<double>(x(at)) / width, fmt::format("{:.0f}", at));
        return out;
    }

    // Dots that lead nowhere, one path a kind, those at the same place once.
    std::string merged() const {
        std::map<std::string, std::set<std::pair<int, int>>> places;
        for (size_t i = linked_; i < items_.size(); ++i)
            if (drawn(*items_[i])) places[kind(*items_[i])].emplace(x(across(*items_[i])), y(decibel(*items_[i])));
        if (on_top_)
            for (const Json& at : *on_top_) places["f"].emplace(x(at.get<double>()), top_row);
        std::string out;
        for (const auto& [name, all] : places) {
            std::string path;
            for (const auto& [px, py] : all) path += fmt::format("M{} {}h.1", px, py);
            out += fmt::format("<path class=\"{}\" d=\"{}\"/>", name, path);
        }
        return out;
    }

    std::string kind(const Json& item) const { return filled_or_empty(dots_.kind, {around_.document, item}); }

    std::string links() const {
        std::string out;
        for (size_t i = linked_; i-- > 0;) {
            const Json& item = *items_[i];
            if (drawn(item))
                out +=
                    fmt::format("<a href=\"#v{}\" tabindex=\"-1\"><path class=\"{}\" d=\"M{} {}h.1\"><title>{}</title></path></a>\n", i,
                                kind(item), x(across(item)), y(decibel(item)), filled_or_empty(dots_.title, {around_.document, item, i}));
        }
        return out;
    }

    const std::vector<const Json*>& items_;
    const Dots& dots_;
    const Scope& around_;
    size_t linked_;
    const Json* on_top_;
    double least_ = 1e300, greatest_ = -1e300, furthest_ = 0;
    bool any_ = false, above_ = false, beyond_ = false;
};

}  // namespace

std::string dots_figure(const std::vector<const Json*>& items, const Dots& dots, const Scope& around, size_t linked) {
    return Figure(items, dots, around, linked).run();
}

}  // namespace quern
