#include "libcore/report/canvas.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/report/html.h"

namespace quern {
namespace {

constexpr double box_width = 132, box_height = 34, bar_height = 4;

}  // namespace

constinit const std::string_view canvas_style =
    R"(.graph text{fill:#1d2733;font:10px system-ui,sans-serif;text-anchor:middle}.graph .op{font-weight:600;font-size:11px}
.graph .name{font-size:8.5px;opacity:.8}.graph .far{font-size:7px;fill:#8a5a00;text-anchor:start}.graph .line{fill:none;stroke:#8b98a5;stroke-width:1}
.graph .cross{fill:none;stroke:#c2410c;stroke-width:2.2}.graph .no{stroke:#b42318;stroke-dasharray:4 2;stroke-width:1.4}.graph .asked{stroke:#111827;stroke-width:2}
.graph .page,.graph .end,.graph .module{fill:#fff}.graph .end,.graph .module{stroke:#8b98a5}.graph .module{stroke:#4a6178;stroke-width:1.5}
.graph .key{text-anchor:start;font-size:12px}.graph .title{text-anchor:start;font-size:14px;font-weight:600}
.graph .part{font-size:7px;opacity:.75;text-anchor:end}.graph .on text{fill:inherit}.graph a:hover rect{stroke-width:3}
@media screen and (prefers-color-scheme:dark){.graph .page,.graph .end{fill:#151b22}.graph .module{fill:#202a35;stroke:#8fa5ba}.graph text{fill:#dce4ec}.graph .far{fill:#e0b060}.graph .asked{stroke:#f2f5f8}.graph .on text{fill:inherit}})";

std::string tail(std::string_view text, size_t max) {
    if (text.size() <= max || !is_utf8(text)) return std::string(text.substr(0, max));
    size_t from = text.size() - max + 1;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
    return "…" + std::string(text.substr(from));
}

size_t Canvas::add(Box box) {
    boxes_.push_back(std::move(box));
    return boxes_.size() - 1;
}

void Canvas::join(size_t from, size_t to, bool crossing) { joined_[{from, to}] |= crossing; }

std::string Canvas::line(size_t e) const {
    const auto& points = layout_.lines[e];
    std::string path = fmt::format("M{:.1f} {:.1f}", points[0].x, points[0].y);
    for (size_t i = 1; i < points.size(); ++i) {
        const Point &a = points[i - 1], &b = points[i];
        const bool straight = std::abs(a.x - b.x) < 0.5 || b.y <= a.y || b.y - a.y > 2 * (box_height + 60);
        const double middle = (a.y + b.y) / 2;
        path += straight ? fmt::format("L{:.1f} {:.1f}", b.x, b.y)
                         : fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, middle, b.x, middle, b.x, b.y);
    }
    return fmt::format("<path class=\"{}\" d=\"{}\"/>\n", crossing_[e] ? "cross" : "line", path);
}

// Lines too long to be drawn are named where they begin and end.
std::string Canvas::far_ends(size_t v, const Point& at) const {
    std::string out;
    const double left = at.x - box_width / 2;
    if (const auto to = far_.find(v); to != far_.end())
        out += fmt::format(
            "<text class=\"far\" x=\"{:.1f}\" y=\"{:.1f}\">&#8628; {}</text>", left, at.y + box_height / 2 + 8,
            to->second.size() == 1 ? html_text(tail(boxes_[to->second[0]].name, 30)) : fmt::format("{} far readers", to->second.size()));
    if (const auto from = near_.find(v); from != near_.end())
        out += fmt::format("<text class=\"far\" x=\"{:.1f}\" y=\"{:.1f}\">&#8627; {}{}</text>", left, at.y - box_height / 2 - 3,
                           html_text(tail(boxes_[from->second[0]].name, 30)), from->second.size() > 1 ? ", ..." : "");
    return out;
}

std::string Canvas::box(size_t v) const {
    const Box& b = boxes_[v];
    const Point at = layout_.at[v];
    const double left = at.x - box_width / 2, top = at.y - box_height / 2;
    std::string out = fmt::format("<g{}><title>{}</title><rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"{}\"{}{}/>",
                                  b.id.empty() ? "" : fmt::format(" id=\"{}\"", b.id), html_text(b.hint), left, top, box_width, box_height,
                                  b.kind == "end" ? 17 : 5, b.fill.empty() ? "" : fmt::format(" fill=\"{}\"", b.fill),
                                  b.kind.empty() ? "" : fmt::format(" class=\"{}\"", b.kind));
    double x = left;
    for (const auto& [colour, part] : b.bar) {
        out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{}\" fill=\"{}\"/>", x, top + box_height - bar_height,
                           box_width * part, bar_height, colour);
        x += box_width * part;
    }
    const double up = b.bar.empty() ? 0 : 2;
    std::string text =
        fmt::format("<text class=\"op\" x=\"{0:.1f}\" y=\"{1:.1f}\">{2}</text><text class=\"name\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>",
                    at.x, at.y - 2 - up, html_text(tail(b.title, 19)), at.y + 10 - up, html_text(tail(b.name, 25)));
    if (!b.corner.empty())
        text += fmt::format("<text class=\"part\" x=\"{:.1f}\" y=\"{:.1f}\">{}</text>", at.x + box_width / 2 - 3, at.y + box_height / 2 - 3,
                            html_text(b.corner));
    out += b.ink.empty() ? text : fmt::format("<g class=\"on\" fill=\"{}\">{}</g>", b.ink, text);
    out += far_ends(v, at) + "</g>\n";
    return b.link.empty() ? out : fmt::format("<a href=\"#{}\">{}</a>", b.link, out);
}

std::string Canvas::svg(std::string_view label, const std::string& head, double head_width, double head_height) {
    for (const auto& [edge, crossing] : joined_) {
        if (edge.first < edge.second) {
            edges_.push_back(edge);
            crossing_.push_back(crossing);
        } else if (edge.first > edge.second) {  // back to what stands before: modules that need each other
            far_[edge.first].push_back(edge.second);
            near_[edge.second].push_back(edge.first);
        }
    }
    layout_ = lay_out({boxes_.size(), edges_, box_width, box_height, 1.5});
    for (size_t e = 0; e < edges_.size(); ++e) {
        if (!layout_.lines[e].empty()) continue;
        far_[edges_[e].first].push_back(edges_[e].second);
        near_[edges_[e].second].push_back(edges_[e].first);
    }
    const double zoom = std::max(1.0, layout_.width / 1800);  // of the head: to be read where a large picture is shown whole
    const double width = std::max({layout_.width, head_width * zoom, 160.0}), height = layout_.height + head_height * zoom;
    std::string out = fmt::format(
        "<svg class=\"graph\" xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" "
        "role=\"img\" aria-label=\"{2}\">{3}<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n",
        width, height, html_text(label), head.empty() ? "" : fmt::format("<style>{}</style>", canvas_style));
    if (!head.empty()) out += fmt::format("<g transform=\"scale({:.2f})\">{}</g>\n", zoom, head);
    out += fmt::format("<g transform=\"translate({:.1f} {:.0f})\">\n", std::max(0.0, (width - layout_.width) / 2), head_height * zoom);
    for (const bool crossing : {false, true})
        for (size_t e = 0; e < edges_.size(); ++e)
            if (crossing_[e] == crossing && !layout_.lines[e].empty()) out += line(e);
    for (size_t v = 0; v < boxes_.size(); ++v) out += box(v);
    return out + "</g></svg>\n";
}

}  // namespace quern
