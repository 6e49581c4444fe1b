#include "libcore/quant/report/report_plot.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/report/html.h"
#include "libcore/report/html_plot.h"

namespace quern {
namespace {

constexpr size_t columns = 64;
constexpr int high = 40;  // of the small pictures

// A step for each height, from column `from` to before `to`, as an area over the lower edge.
std::string steps(const std::vector<int>& heights, size_t from, size_t to) {
    if (from >= to || std::all_of(heights.begin() + static_cast<std::ptrdiff_t>(from), heights.begin() + static_cast<std::ptrdiff_t>(to),
                                  [](int h) { return h == 0; }))
        return "";
    std::string path = fmt::format("M{} {}", from, high);
    for (size_t c = from; c < to; ++c) path += fmt::format("V{}h1", high - heights[c]);
    return path + fmt::format("V{}z", high);
}

std::vector<double> counts_of(const ValueReport& value, double lo, double hi) {
    std::vector<double> counts(columns, 0.0);
    const auto column = [&](double x) { return std::clamp((x - lo) / (hi - lo) * columns, 0.0, columns - 1e-9); };
    for (const Mass& mass : value.masses) {
        const double from = column(mass.lo), to = std::max(column(mass.hi), from + 1e-9);
        for (auto c = static_cast<size_t>(from); c <= std::min(static_cast<size_t>(to), columns - 1); ++c) {
            const double overlap = std::min(static_cast<double>(c + 1), to) - std::max(static_cast<double>(c), from);
            counts[c] += mass.weight * std::max(overlap, 0.0) / (to - from);
        }
    }
    return counts;
}

std::string area(std::string_view path, std::string_view colour) {
    return path.empty() ? "" : fmt::format("<path d=\"{}\" fill=\"var(--{})\"/>", path, colour);
}

// Between the ranges of neighbouring columns, drawn there along the upper ends and back along the lower ones.
std::string between(const std::vector<ChannelRange>& channels, RealRange ChannelRange::*which, double most) {
    const auto y = [&](double x) { return std::clamp(static_cast<int>(std::lround(high / 2.0 * (1 - x / most))), 0, high); };
    std::string path = "M0 " + std::to_string(high / 2);
    for (const ChannelRange& channel : channels) path += fmt::format("V{}h1", y((channel.*which).hi));
    for (auto channel = channels.rbegin(); channel != channels.rend(); ++channel) path += fmt::format("V{}h-1", y(((*channel).*which).lo));
    return path + "z";
}

}  // namespace

std::string decibel_text(double value) {
    if (std::isnan(value)) return "";
    return std::isinf(value) ? "exact" : fmt::format("{:.1f}", value);
}

std::string histogram_picture(const ValueReport& value, size_t number) {
    const bool ranged = value.range.hi > value.range.lo;
    const double lo = ranged ? std::min(value.observed.lo, value.range.lo) : value.observed.lo,
                 hi = ranged ? std::max(value.observed.hi, value.range.hi) : value.observed.hi;
    if (value.masses.empty() || !(hi > lo) || !std::isfinite(hi - lo)) return "";
    const std::vector<double> counts = counts_of(value, lo, hi);
    const double most = portable::log1p(*std::ranges::max_element(counts));
    std::vector<int> heights;
    heights.reserve(columns);
    for (const double count : counts)
        heights.push_back(most > 0 && count > 0 ? std::max(1, static_cast<int>(std::lround(portable::log1p(count) / most * high))) : 0);
    const auto at = [&](double x) { return std::clamp((x - lo) / (hi - lo) * columns, 0.0, static_cast<double>(columns)); };
    const double left = ranged ? at(value.range.lo) : 0, right = ranged ? at(value.range.hi) : columns;
    const auto first = static_cast<size_t>(std::lround(left)), last = static_cast<size_t>(std::lround(right));
    return fmt::format(
        "<svg class=\"mini\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"histogram\"><g "
        "id=\"h{}\">{}{}{}{}"
        "</g></svg>",
        columns, high, number,
        ranged ? fmt::format("<rect x=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"var(--band)\"/>", left, right - left, high) : "",
        area(steps(heights, first, last), "bar"), area(steps(heights, 0, first), "cut"), area(steps(heights, last, columns), "cut"));
}

std::string histogram_again(size_t number) {
    return fmt::format(
        "<svg class=\"big\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"histogram\"><use "
        "href=\"#h{}\"/></svg>",
        columns, high, number);
}

std::string channels_picture(const ValueReport& value) {
    double most = 0;
    for (const ChannelRange& channel : value.channels)
        for (const RealRange& range : {channel.observed, channel.range}) most = std::max({most, std::abs(range.lo), std::abs(range.hi)});
    if (value.channels.size() < 2 || !(most > 0) || !std::isfinite(most)) return "";
    return fmt::format(
        "<svg class=\"big\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"ranges of channels\">{}{}</svg>",
        value.channels.size(), high, area(between(value.channels, &ChannelRange::range, most), "band"),
        area(between(value.channels, &ChannelRange::observed, most), "bar"));
}

namespace {

// The figure: dB upward, depth to the right; above it a row for operators on floats.
class DepthPicture {
   public:
    DepthPicture(const QuantReport& report, const std::vector<size_t>& order, size_t linked)
        : report_(report), order_(order), linked_(linked) {
        for (const ValueReport& value : report.values)
            if (value.depth >= 0 && !std::isnan(value.sqnr_db)) add(value);
        for (const NodeReport& node : report.nodes) {
            deepest_ = std::max(deepest_, node.depth);
            floats_ |= !node.quantized && node.depth >= 0;
        }
        plot_.settle();
    }

    std::string run() const {
        if (!dots_ && !floats_) return "";
        return plot_.figure("SQNR by depth", order_.size() > many, floats_ ? "float" : "", depths(), merged() + links()) + legend();
    }

   private:
    static constexpr size_t many = 1000;  // dots: smaller ones

    void add(const ValueReport& value) {
        dots_ = true;
        deepest_ = std::max(deepest_, value.depth);
        plot_.add(value.sqnr_db);
    }

    int x(int depth) const { return DecibelPlot::x(static_cast<double>(depth) / std::max(deepest_, 1)); }

    std::string depths() const {
        std::string out;
        const int step = std::max(1, (deepest_ + 4) / 5);
        for (int depth = 0; depth <= deepest_; depth += step) out += DecibelPlot::label_below(x(depth), std::to_string(depth));
        return out;
    }

    static std::string_view colour(int bits) { return bits <= 4 ? "b4" : bits <= 8 ? "b8" : bits <= 16 ? "b16" : "b32"; }
    static std::string kind(const ValueReport& value) {
        return fmt::format("{}{}", colour(value.bits()), value.role == "activation" ? "" : " w");
    }
    bool drawn(const ValueReport& value) const { return value.depth >= 0 && !std::isnan(value.sqnr_db); }

    // Dots that lead nowhere, one path a colour, those at the same place once.
    std::string merged() const {
        std::map<std::string, std::set<std::pair<int, int>>> dots;
        for (size_t i = linked_; i < order_.size(); ++i) {
            const ValueReport& value = report_.values[order_[i]];
            if (drawn(value)) dots[kind(value)].emplace(x(value.depth), plot_.y(value.sqnr_db));
        }
        for (const NodeReport& node : report_.nodes)
            if (!node.quantized && node.depth >= 0) dots["f"].emplace(x(node.depth), DecibelPlot::top_row);
        std::string out;
        for (const auto& [name, places] : dots) {
            std::string path;
            for (const auto& [px, py] : places) path += fmt::format("M{} {}h.1", px, py);
            out += fmt::format("<path class=\"{}\" d=\"{}\"/>", name, path);
        }
        return out;
    }

    std::string links() const {
        std::string out;
        for (size_t i = std::min(linked_, order_.size()); i-- > 0;) {
            const ValueReport& value = report_.values[order_[i]];
            if (!drawn(value)) continue;
            out += DecibelPlot::dot(kind(value), x(value.depth), plot_.y(value.sqnr_db), fmt::format("v{}", i),
                                    fmt::format("{}: {}{}, {}", html_text(value.key), decibel_text(value.sqnr_db),
                                                std::isinf(value.sqnr_db) ? "" : " dB", html_text(to_string(value.encoding))));
        }
        return out;
    }

    std::string legend() const {
        std::set<std::string_view> colours;
        bool weights = false;
        for (const ValueReport& value : report_.values) {
            if (!drawn(value)) continue;
            colours.insert(colour(value.bits()));
            weights |= value.role != "activation";
        }
        std::string out;
        for (const auto& [name, text] : {std::pair("b4", "4 bits or less"), {"b8", "8 bits"}, {"b16", "16 bits"}, {"b32", "more"}})
            if (colours.contains(name)) out += fmt::format("<span><i class=\"{}\"></i>{}</span>", name, text);
        if (weights) out += "<span><i class=\"round\"></i>activations</span><span><i class=\"square\"></i>weights</span>";
        return fmt::format("<p class=\"key soft\"><span>SQNR in dB over depth: operators on the longest path before</span>{}</p>\n", out);
    }

    const QuantReport& report_;
    const std::vector<size_t>& order_;
    size_t linked_;
    DecibelPlot plot_;
    int deepest_ = 0;
    bool dots_ = false, floats_ = false;
};

}  // namespace

std::string depth_picture(const QuantReport& report, const std::vector<size_t>& order, size_t linked) {
    return DepthPicture(report, order, linked).run();
}

}  // namespace quern
