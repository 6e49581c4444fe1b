// The graph as a picture: nodes coloured by device, values that cross devices drawn bold, refused nodes with a dashed border.
#include <algorithm>
#include <array>
#include <map>
#include <set>

#include "libcore/base/html.h"
#include "libcore/base/text.h"
#include "libcore/place/drawing.h"
#include "libcore/place/report.h"
#include "libcore/place/report_parts.h"
#include "libcore/support/units.h"

namespace quern::place {
namespace {

constexpr double box_width = 132, box_height = 34, legend_height = 64;

constexpr const char* style = R"(text{fill:#1d2733;font:10px system-ui,sans-serif;text-anchor:middle}.op{font-weight:600;font-size:11px}
.name{font-size:8.5px;opacity:.8}.far{font-size:7px;fill:#8a5a00;text-anchor:start}.line{fill:none;stroke:#8b98a5;stroke-width:1}
.cross{fill:none;stroke:#c2410c;stroke-width:2.2}.no{stroke:#b42318;stroke-dasharray:4 2;stroke-width:1.4}.asked{stroke:#111827;stroke-width:2}
.page,.end{fill:#fff}.end{stroke:#8b98a5}.key{text-anchor:start;font-size:12px}.title{text-anchor:start;font-size:14px;font-weight:600}
.part{font-size:7px;opacity:.75;text-anchor:end}.on text{fill:inherit}
@media(prefers-color-scheme:dark){.page,.end{fill:#151b22}text{fill:#dce4ec}.far{fill:#e0b060}.asked{stroke:#f2f5f8}})";

// The end of a long name says most.
std::string tail(std::string_view text, size_t most) {
    if (text.size() <= most || !is_utf8(text)) return std::string(text.substr(0, most));
    size_t from = text.size() - most + 1;
    while (from < text.size() && (static_cast<unsigned char>(text[from]) & 0xc0) == 0x80) ++from;
    return "…" + std::string(text.substr(from));
}

struct Vertex {
    NodeId node = NodeId::none;  // none: an input or output of the model
    ValueId value = ValueId::none;
    size_t device = 0;
};

class Picture {
   public:
    explicit Picture(const PlacementReport& report) : r_(report), graph_(report.graph) {}

    std::string run() {
        for (const Decision& d : r_.placement.decisions)
            if (!d.choices.empty()) decisions_[d.node] = &d;
        add_vertices();
        add_edges();
        layout_ = lay_out({vertices_.size(), edges_, box_width, box_height, 1.5});
        const double zoom = std::max(1.0, layout_.width / 1800);  // of the legend: to be read where a large picture is shown whole
        const double width = std::max({layout_.width, key_width() * zoom, 420.0}), height = layout_.height + legend_height * zoom;
        std::string out = fmt::format(
            "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" height=\"{1:.0f}\" role=\"img\" "
            "aria-label=\"graph coloured by device\"><style>{2}</style><rect class=\"page\" width=\"100%\" height=\"100%\"/>\n",
            width, height, style);
        out += fmt::format("<g transform=\"scale({:.2f})\">{}</g>\n", zoom, legend());
        out +=
            fmt::format("<g transform=\"translate({:.1f} {:.0f})\">\n", std::max(0.0, (width - layout_.width) / 2), legend_height * zoom);
        for (const bool crossing : {false, true})
            for (size_t e = 0; e < edges_.size(); ++e)
                if (crosses(e) == crossing) out += line(e);
        for (size_t v = 0; v < vertices_.size(); ++v) out += box(v);
        return out + "</g></svg>\n";
    }

   private:
    size_t device_index(std::string_view name) const {
        const auto& devices = r_.placement.devices;
        return static_cast<size_t>(std::find(devices.begin(), devices.end(), name) - devices.begin()) % std::max<size_t>(devices.size(), 1);
    }

    void add_vertices() {
        for (const ValueId id : graph_.inputs) {
            maker_[id] = vertices_.size();
            vertices_.push_back({NodeId::none, id, 0});
        }
        for (const NodeId id : graph_.topo()) {
            for (const ValueId made : graph_.node(id).out)
                if (made != ValueId::none) maker_[made] = vertices_.size();
            vertex_[id] = vertices_.size();
            vertices_.push_back({id, ValueId::none, device_index(graph_.node(id).device)});
        }
        for (const ValueId id : graph_.outputs) vertices_.push_back({NodeId::none, id, 0});
    }

    void add_edges() {
        std::set<std::pair<size_t, size_t>> edges;
        for (const auto& [id, v] : vertex_)
            for (const ValueId value : values_read(graph_.node(id)))
                if (const auto maker = maker_.find(value); maker != maker_.end() && maker->second != v) edges.emplace(maker->second, v);
        for (size_t i = 0; i < graph_.outputs.size(); ++i)
            if (const auto maker = maker_.find(graph_.outputs[i]); maker != maker_.end())
                edges.emplace(maker->second, vertices_.size() - graph_.outputs.size() + i);
        edges_.assign(edges.begin(), edges.end());
        for (const auto& [from, to] : edges_) far_[from];
    }

    bool crosses(size_t e) const { return vertices_[edges_[e].first].device != vertices_[edges_[e].second].device; }

    std::string line(size_t e) {
        const auto& points = layout_.lines[e];
        if (points.empty()) {
            far_[edges_[e].first].push_back(edges_[e].second);
            near_[edges_[e].second].push_back(edges_[e].first);
            return "";
        }
        std::string path = fmt::format("M{:.1f} {:.1f}", points[0].x, points[0].y);
        for (size_t i = 1; i < points.size(); ++i) {
            const Point &a = points[i - 1], &b = points[i];
            const bool straight = std::abs(a.x - b.x) < 0.5 || b.y <= a.y || b.y - a.y > 2 * (box_height + 60);
            const double middle = (a.y + b.y) / 2;
            path += straight ? fmt::format("L{:.1f} {:.1f}", b.x, b.y)
                             : fmt::format("C{:.1f} {:.1f} {:.1f} {:.1f} {:.1f} {:.1f}", a.x, middle, b.x, middle, b.x, b.y);
        }
        return fmt::format("<path class=\"{}\" d=\"{}\"/>\n", crosses(e) ? "cross" : "line", path);
    }

    std::string name_of_vertex(size_t v) const {
        return vertices_[v].node == NodeId::none ? graph_.value(vertices_[v].value).name : graph_.node(vertices_[v].node).name;
    }

    // Lines too long to be drawn are named where they begin and end.
    std::string far_ends(size_t v, const Point& at) const {
        std::string out;
        const double left = at.x - box_width / 2;
        if (const auto to = far_.find(v); to != far_.end() && !to->second.empty())
            out += fmt::format("<text class=\"far\" x=\"{:.1f}\" y=\"{:.1f}\">&#8628; {}</text>", left, at.y + box_height / 2 + 8,
                               to->second.size() == 1 ? html_text(tail(name_of_vertex(to->second[0]), 30))
                                                      : fmt::format("{} far readers", to->second.size()));
        if (const auto from = near_.find(v); from != near_.end())
            out += fmt::format("<text class=\"far\" x=\"{:.1f}\" y=\"{:.1f}\">&#8627; {}{}</text>", left, at.y - box_height / 2 - 3,
                               html_text(tail(name_of_vertex(from->second[0]), 30)), from->second.size() > 1 ? ", ..." : "");
        return out;
    }

    std::string box(size_t v) const {
        const Vertex& vertex = vertices_[v];
        const Point at = layout_.at[v];
        const double left = at.x - box_width / 2, top = at.y - box_height / 2;
        std::string out = "<g>" + fmt::format("<title>{}</title>", html_text(hint(vertex)));
        if (vertex.node == NodeId::none) {
            const Value& value = graph_.value(vertex.value);
            out += fmt::format("<rect class=\"end\" x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"17\"/>", left, top, box_width,
                               box_height);
            out += fmt::format(
                "<text class=\"op\" x=\"{0:.1f}\" y=\"{1:.1f}\">{2}</text><text class=\"name\" x=\"{0:.1f}\" y=\"{3:.1f}\">{4}</text>",
                at.x, at.y - 2, html_text(tail(value.name, 18)), at.y + 10, html_text(tail(to_string(value.type), 25)));
            return out + far_ends(v, at) + "</g>\n";
        }
        const Node& node = graph_.node(vertex.node);
        const Decision* decision = decision_of(vertex.node);
        const bool refused = decision && vertex.device == 0 && decision->rule == "no other device runs it";
        const bool asked = decision && decision->rule.starts_with("asked for");
        out += fmt::format("<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{}\" height=\"{}\" rx=\"5\" fill=\"{}\"{}/>", left, top, box_width,
                           box_height, device_fill(vertex.device),
                           refused ? " class=\"no\""
                           : asked ? " class=\"asked\""
                                   : "");
        out += fmt::format(
            "<g class=\"on\" fill=\"{5}\"><text class=\"op\" x=\"{0:.1f}\" y=\"{1:.1f}\">{2}</text><text class=\"name\" x=\"{0:.1f}\" "
            "y=\"{3:.1f}\">{4}</text>"
            "<text class=\"part\" x=\"{6:.1f}\" y=\"{7:.1f}\">{8}</text></g>",
            at.x, at.y - 2, html_text(tail(node.op->name, 19)), at.y + 10, html_text(tail(node.name, 25)), device_ink(vertex.device),
            at.x + box_width / 2 - 3, at.y + box_height / 2 - 3, r_.part_of[index_of(vertex.node)]);
        return out + far_ends(v, at) + "</g>\n";
    }

    const Decision* decision_of(NodeId id) const {
        const auto found = decisions_.find(id);
        return found == decisions_.end() ? nullptr : found->second;
    }

    std::string hint(const Vertex& vertex) const {
        if (vertex.node == NodeId::none) {
            const Value& value = graph_.value(vertex.value);
            return fmt::format("{}: {}", value.name, to_string(value.type));
        }
        const Node& node = graph_.node(vertex.node);
        if (const Decision* decision = decision_of(vertex.node)) return explain(r_.placement, *decision);
        return fmt::format("{} ({}) runs on {}", node.name, node.op->name, node.device);
    }

    // What stands beside each colour, and what its text takes (a letter of its size is at most 7 wide).
    std::vector<std::string> keys() const {
        std::vector<std::string> out;
        const auto shares = r_.shares();
        for (size_t d = 0; d < r_.placement.devices.size(); ++d)
            out.push_back(
                fmt::format("{}: {}, {}", r_.placement.devices[d], count_of_nodes(shares[d].nodes), human_seconds(shares[d].compute)));
        return out;
    }
    static constexpr std::string_view key_of_refused = "no other device runs it";
    static double key_step(std::string_view text) { return 46 + 7 * static_cast<double>(text.size()); }
    double key_width() const {
        double width = 24 + key_step(key_of_refused);
        for (const std::string& text : keys()) width += key_step(text);
        return width;
    }

    std::string legend() const {
        const Placement& p = r_.placement;
        std::string out = fmt::format("<text class=\"title\" x=\"24\" y=\"22\">{}{}on {}: {} a run, {} partitions</text>\n",
                                      html_text(tail(graph_.name, 40)), graph_.name.empty() ? "" : " ", html_text(p.target),
                                      human_seconds(p.seconds), r_.partitions.parts.size());
        double x = 24;
        const std::vector<std::string> texts = keys();
        for (size_t d = 0; d < texts.size(); ++d) {
            out += fmt::format(
                "<rect x=\"{:.0f}\" y=\"36\" width=\"16\" height=\"16\" rx=\"3\" fill=\"{}\"/><text class=\"key\" x=\"{:.0f}\" "
                "y=\"48\">{}</text>\n",
                x, device_fill(d), x + 22, html_text(texts[d]));
            x += key_step(texts[d]);
        }
        const bool refused =
            std::any_of(p.decisions.begin(), p.decisions.end(), [](const Decision& d) { return d.rule == "no other device runs it"; });
        if (refused)
            out += fmt::format(
                "<rect class=\"no\" x=\"{:.0f}\" y=\"36\" width=\"16\" height=\"16\" rx=\"3\" fill=\"none\"/><text class=\"key\" "
                "x=\"{:.0f}\" y=\"48\">{}</text>\n",
                x, x + 22, key_of_refused);
        return out;
    }

    const PlacementReport& r_;
    const Graph& graph_;
    std::vector<Vertex> vertices_;
    std::map<ValueId, size_t> maker_;
    std::map<NodeId, size_t> vertex_;
    std::map<NodeId, const Decision*> decisions_;
    std::vector<std::pair<size_t, size_t>> edges_;
    std::map<size_t, std::vector<size_t>> far_, near_;
    Drawing layout_;
};

}  // namespace

std::string_view device_fill(size_t device) {
    constexpr std::array fills{"#d3dae1", "#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#d55e00", "#f0e442"};
    return fills[device < fills.size() ? device : 1 + (device - 1) % (fills.size() - 1)];
}

std::string_view device_ink(size_t device) {
    constexpr std::array inks{"#1d2733", "#ffffff", "#1d2733", "#ffffff", "#1d2733", "#1d2733", "#ffffff", "#1d2733"};
    return inks[device < inks.size() ? device : 1 + (device - 1) % (inks.size() - 1)];
}

std::string report_svg(const PlacementReport& report) { return Picture(report).run(); }

}  // namespace quern::place
