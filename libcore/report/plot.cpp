#include "libcore/report/plot.h"

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

constexpr int high = 40;  // of areas and bands

std::string picture(std::string_view kind, size_t width, int height, std::string_view label, const std::string& content) {
    return fmt::format("<svg class=\"{}\" viewBox=\"0 0 {} {}\" preserveAspectRatio=\"none\" role=\"img\" aria-label=\"{}\">{}</svg>", kind,
                       width, height, label, content);
}

// A step for each height, from column `from` to before `to`, over the lower edge.
std::string steps(const std::vector<int>& heights, size_t from, size_t to, std::string_view colour) {
    if (std::all_of(heights.begin() + static_cast<std::ptrdiff_t>(from), heights.begin() + static_cast<std::ptrdiff_t>(to),
                    [](int h) { return h == 0; }))
        return "";
    std::string path = fmt::format("M{} {}", from, high);
    for (size_t c = from; c < to; ++c) path += fmt::format("V{}h1", high - heights[c]);
    return fmt::format("<path d=\"{}V{}z\" fill=\"var(--{})\"/>", path, high, colour);
}

// Between two lines of steps, drawn there along the upper ends and back along the lower ones.
std::string band(const Json& channels, const char* which, double most, std::string_view colour) {
    const auto y = [&](const Json& end) {
        return std::clamp(static_cast<int>(std::lround(high / 2.0 * (1 - end.get<double>() / most))), 0, high);
    };
    std::string path = fmt::format("M0 {}", high / 2);
    for (const Json& channel : channels) path += fmt::format("V{}h1", y(channel[which][1]));
    for (size_t i = channels.size(); i-- > 0;) path += fmt::format("V{}h-1", y(channels[i][which][0]));
    return fmt::format("<path d=\"{}z\" fill=\"var(--{})\"/>", path, colour);
}

}  // namespace

std::string area_picture(const Json& area, std::string_view how, size_t place) {
    const auto values = area.at("values").get<std::vector<double>>();
    if (values.empty()) return "";
    const double most = *std::ranges::max_element(values);
    std::vector<int> heights;
    heights.reserve(values.size());
    for (const double value : values)
        heights.push_back(most > 0 && value > 0 ? std::max(1, static_cast<int>(std::lround(value / most * high))) : 0);
    std::string content;
    size_t first = 0, last = values.size();
    if (area.contains("band")) {
        const double left = area["band"][0], right = area["band"][1];
        content = fmt::format("<rect x=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"var(--band)\"/>", left, right - left, high);
        first = static_cast<size_t>(std::lround(left)), last = static_cast<size_t>(std::lround(right));
    }
    content += steps(heights, first, last, "bar") + steps(heights, 0, first, "cut") + steps(heights, last, values.size(), "cut");
    const bool again = how == "id";
    if (again) content = fmt::format("<g id=\"h{}\">{}</g>", place, content);
    return picture(again || how.empty() ? "mini" : how, values.size(), high, area.at("label").get<std::string>(), content);
}

std::string area_again(const Json& area, size_t place) {
    return picture("big", area.at("values").size(), high, area.at("label").get<std::string>(), fmt::format("<use href=\"#h{}\"/>", place));
}

std::string bands_picture(const Json& channels) {
    double most = 0;
    for (const Json& channel : channels)
        for (const Json& ends : {channel.at("observed"), channel.at("range")})
            most = std::max({most, std::abs(ends[0].get<double>()), std::abs(ends[1].get<double>())});
    if (channels.size() < 2 || !(most > 0) || !std::isfinite(most)) return "";
    return picture("big", channels.size(), high, "ranges of channels",
                   band(channels, "range", most, "band") + band(channels, "observed", most, "bar"));
}

std::string boxes_picture(const Json& all, std::string_view kind) {
    std::map<std::string, std::string> paths;  // by colour, of what has no title
    std::string content;
    for (const Json& box : all.at("boxes")) {
        const double x = box.at("x"), y = box.at("y"), w = box.at("w"), h = box.at("h");
        const std::string colour = html_text(box.at("colour").get<std::string>());
        if (box.contains("title"))
            content +=
                fmt::format("<rect x=\"{:.4g}\" y=\"{:.4g}\" width=\"{:.4g}\" height=\"{:.4g}\" fill=\"{}\"><title>{}</title></rect>", x, y,
                            w, h, colour, html_text(box["title"].get<std::string>()));
        else
            paths[colour] += fmt::format("M{:.4g} {:.4g}h{:.4g}v{:.4g}h-{:.4g}z", x, y, w, h, w);
    }
    for (const auto& [colour, path] : paths) content += fmt::format("<path d=\"{}\" fill=\"{}\"/>", path, colour);
    return picture(kind, all.at("width"), all.at("height"), all.at("label").get<std::string>(), content);
}

}  // namespace quern
