// The graph as pictures: nodes coloured by device, values that cross devices drawn bold, refused nodes with a dashed border. In a file all
// of it is one picture; in a page there is one for each module.
#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "libcore/base/text.h"
#include "libcore/place/modules.h"
#include "libcore/place/report.h"
#include "libcore/report/canvas.h"
#include "libcore/report/html.h"
#include "libcore/support/units.h"

namespace quern::place {
namespace {

constexpr double legend_height = 64;
constexpr size_t listed_ends = 12;  // values that a module's picture shows as coming from outside, and as going there

class Pictures {
   public:
    explicit Pictures(const PlacementReport& report) : r_(report), graph_(report.graph), order_(report.graph.topo()) {
        for (const Decision& d : r_.placement.decisions)
            if (!d.choices.empty()) decisions_[d.node] = &d;
        for (size_t place = 0; place < order_.size(); ++place)
            for (const ValueId made : graph_.node(order_[place]).out)
                if (made != ValueId::none) maker_[made] = place;
        for (size_t place = 0; place < order_.size(); ++place)
            for (const ValueId read : values_read(graph_.node(order_[place])))
                if (maker_.contains(read) || graph_.is_input(read)) readers_[read].push_back(place);
    }

    std::string whole() {
        Module all{.count = order_.size()};
        for (size_t place = 0; place < order_.size(); ++place) all.items.push_back({false, place});
        modules_ = {std::move(all)};
        find_homes();
        return canvas_of(0, false).svg("graph coloured by device", legend(), legend_width(), legend_height);
    }

    std::string levels() {
        modules_ = modules_of(graph_, order_);
        find_homes();
        std::string out;
        size_t drawn = 0;
        for (size_t m = 0; m < modules_.size(); ++m) {
            if ((drawn += modules_[m].items.size()) > drawn_nodes) break;
            out += level(m);
        }
        return out;
    }

   private:
    // ---- what is in a box -------------------------------------------------------------------------------------------

    size_t device_index(std::string_view name) const {
        const auto& devices = r_.placement.devices;
        return static_cast<size_t>(std::find(devices.begin(), devices.end(), name) - devices.begin()) % std::max<size_t>(devices.size(), 1);
    }
    size_t device_at(size_t place) const { return device_index(graph_.node(order_[place]).device); }
    size_t device_of(ValueId value) const {
        const auto made = maker_.find(value);
        return made == maker_.end() ? 0 : device_at(made->second);
    }
    const Decision* decision_of(NodeId id) const {
        const auto found = decisions_.find(id);
        return found == decisions_.end() ? nullptr : found->second;
    }
    double seconds_at(size_t place) const {
        const Decision* decision = decision_of(order_[place]);
        return decision ? decision->choices[device_at(place)].counted : 0;
    }

    Box end(ValueId id) const {
        const Value& value = graph_.value(id);
        const std::string type = to_string(value.type);
        return {.title = value.name, .name = type, .hint = fmt::format("{}: {}", value.name, type), .kind = "end"};
    }

    Box node_box(size_t place, bool named) const {
        const Node& node = graph_.node(order_[place]);
        const Decision* decision = decision_of(order_[place]);
        const size_t device = device_at(place);
        const bool refused = decision && device == 0 && decision->rule == "no other device runs it";
        const bool asked = decision && decision->rule.starts_with("asked for");
        return {
            .title = std::string(node.op->name),
            .name = node.name,
            .hint = decision ? explain(r_.placement, *decision) : fmt::format("{} ({}) runs on {}", node.name, node.op->name, node.device),
            .fill = std::string(html_fill(device)),
            .ink = std::string(html_ink(device)),
            .kind = refused ? "no"
                    : asked ? "asked"
                            : "",
            .corner = std::to_string(r_.part_of[index_of(order_[place])]),
            .id = named ? fmt::format("n{}", index_of(order_[place])) : "",
            .link = {},
            .bar = {}};
    }

    Box module_box(size_t index) const {
        const Module& module = modules_[index];
        std::map<size_t, double> nodes;  // by device
        double seconds = 0;
        collect(module, [&](size_t place) {
            nodes[device_at(place)] += 1;
            seconds += seconds_at(place);
        });
        Box box{.title = module.name,
                .name = fmt::format("{}, {}", count_of_nodes(module.count), html_time(seconds)),
                .hint = path_of(index),
                .kind = "module",
                .link = fmt::format("m{}", index)};
        for (const auto& [device, count] : nodes) {
            box.hint += fmt::format("\n{}: {}", r_.placement.devices[device], count_of_nodes(static_cast<size_t>(count)));
            box.bar.emplace_back(html_fill(device), count / static_cast<double>(module.count));
        }
        return box;
    }

    template <typename Fn>
    void collect(const Module& module, const Fn& fn) const {
        for (const Module::Item& item : module.items)
            if (item.module)
                collect(modules_[item.index], fn);
            else
                fn(item.index);
    }

    // ---- a picture for each module ----------------------------------------------------------------------------------

    std::string path_of(size_t index) const {
        std::string path = modules_[index].name;
        while ((index = modules_[index].parent) != 0) path.insert(0, modules_[index].name + "/");
        return path;
    }

    // The innermost module of each node.
    void find_homes() {
        home_.assign(order_.size(), 0);
        for (size_t m = 0; m < modules_.size(); ++m)
            for (const Module::Item& item : modules_[m].items)
                if (!item.module) home_[item.index] = m;
    }

    // Of the module's picture: the box in which the node is, none if it is outside.
    struct Boxes {
        size_t module = 0;
        std::map<size_t, size_t> nodes, modules;
    };
    std::optional<size_t> box_in(const Boxes& boxes, size_t place) const {
        if (const auto own = boxes.nodes.find(place); own != boxes.nodes.end()) return own->second;
        for (size_t m = home_[place]; m != 0; m = modules_[m].parent)
            if (const auto found = boxes.modules.find(m); found != boxes.modules.end()) return found->second;
        return {};
    }

    std::string level(size_t index) {
        return fmt::format("<section class=\"level\" id=\"m{}\"><p class=\"way\">{}</p>\n<div class=\"picture\">{}</div></section>\n",
                           index, way(index), canvas_of(index, true).svg(index ? path_of(index) : "the graph"));
    }

    Canvas canvas_of(size_t index, bool named) const {
        const Module& module = modules_[index];
        Canvas canvas;
        Boxes boxes{index, {}, {}};
        const std::map<ValueId, size_t> from_outside = outside(canvas, module, boxes);
        for (const Module::Item& item : module.items)
            (item.module ? boxes.modules : boxes.nodes)[item.index] =
                canvas.add(item.module ? module_box(item.index) : node_box(item.index, named));
        std::map<ValueId, size_t> makers, leaves;
        collect(module, [&](size_t place) {
            join_reads(canvas, boxes, from_outside, place);
            for (const ValueId value : graph_.node(order_[place]).out)
                if (value != ValueId::none) makers[value] = *box_in(boxes, place);
        });
        for (const auto& [value, box] : makers) {
            if (leaves.size() == listed_ends) break;
            if (const auto reader = outer_reader(boxes, value)) add_leaving(canvas, leaves, value, box, *reader);
        }
        for (const ValueId id : index == 0 ? graph_.outputs : std::vector<ValueId>())
            if (const auto& from = makers.contains(id) ? makers : from_outside; from.contains(id))
                canvas.join(from.at(id), canvas.add(end(id)), device_of(id) != 0);
        return canvas;
    }

    // Lines from what makes the values that a node reads, outside or inside of the picture.
    void join_reads(Canvas& canvas, const Boxes& boxes, const std::map<ValueId, size_t>& from_outside, size_t place) const {
        const size_t to = *box_in(boxes, place);
        for (const ValueId value : values_read(graph_.node(order_[place]))) {
            const auto made = maker_.find(value);
            const auto from = made == maker_.end() ? std::nullopt : box_in(boxes, made->second);
            const bool crossing = device_of(value) != device_at(place);
            if (const auto ends = from_outside.find(value); !from && ends != from_outside.end()) canvas.join(ends->second, to, crossing);
            if (from && *from != to) canvas.join(*from, to, crossing);
        }
    }

    // Boxes of the values that come from outside of the module; of the whole graph, its inputs.
    std::map<ValueId, size_t> outside(Canvas& canvas, const Module& module, const Boxes& boxes) const {
        std::map<ValueId, size_t> out;
        if (boxes.module == 0)
            for (const ValueId id : graph_.inputs) out[id] = canvas.add(end(id));
        std::set<size_t> inside;
        collect(module, [&](size_t place) { inside.insert(place); });
        for (const size_t place : inside)
            for (const ValueId value : values_read(graph_.node(order_[place]))) {
                const auto made = maker_.find(value);
                const bool foreign = made != maker_.end() ? !inside.contains(made->second) : graph_.is_input(value);
                if (!foreign || out.contains(value) || (boxes.module != 0 && out.size() == listed_ends)) continue;
                Box box = end(value);
                if (made != maker_.end()) box.link = fmt::format("n{}", index_of(order_[made->second]));
                out[value] = canvas.add(std::move(box));
            }
        return out;
    }

    std::optional<size_t> outer_reader(const Boxes& boxes, ValueId value) const {
        if (const auto readers = readers_.find(value); readers != readers_.end())
            for (const size_t place : readers->second)
                if (!box_in(boxes, place)) return place;
        return {};
    }

    void add_leaving(Canvas& canvas, std::map<ValueId, size_t>& leaves, ValueId value, size_t from, size_t reader) const {
        Box box = end(value);
        box.link = fmt::format("n{}", index_of(order_[reader]));
        leaves[value] = canvas.add(std::move(box));
        canvas.join(from, leaves[value], device_of(value) != device_at(reader));
    }

    // "the graph / encoder / layer.1 - 43 nodes", links but for the last.
    std::string way(size_t index) const {
        const auto name = [&](size_t m) { return m ? html_text(modules_[m].name) : std::string("the graph"); };
        std::string out = fmt::format("<b>{}</b> <span class=\"soft\">{}, {}</span>", name(index), count_of_nodes(modules_[index].count),
                                      html_time(seconds_of(modules_[index])));
        while (index != 0) {
            index = modules_[index].parent;
            out = fmt::format("<a href=\"#m{}\">{}</a> / {}", index, name(index), out);
        }
        return out;
    }

    double seconds_of(const Module& module) const {
        double seconds = 0;
        collect(module, [&](size_t place) { seconds += seconds_at(place); });
        return seconds;
    }

    // ---- the legend of a picture in a file of its own ---------------------------------------------------------------

    // What stands beside each colour, and what its text takes (a letter of its size is at most 7 wide).
    std::vector<std::string> keys() const {
        std::vector<std::string> out;
        const auto shares = r_.shares();
        for (size_t d = 0; d < r_.placement.devices.size(); ++d)
            out.push_back(
                fmt::format("{}: {}, {}", r_.placement.devices[d], count_of_nodes(shares[d].nodes), html_time(shares[d].compute)));
        return out;
    }
    static constexpr std::string_view key_of_refused = "no other device runs it";
    static double key_step(std::string_view text) { return 46 + 7 * static_cast<double>(text.size()); }
    std::string title() const {
        return fmt::format("{}{}on {}: {} a run, {} partitions", tail(graph_.name, 40), graph_.name.empty() ? "" : " ", r_.placement.target,
                           html_time(r_.placement.seconds), r_.partitions.parts.size());
    }
    double legend_width() const {
        double width = 24 + key_step(key_of_refused);
        for (const std::string& text : keys()) width += key_step(text);
        return std::max({width, 48 + 8.5 * static_cast<double>(title().size()), 420.0});
    }

    std::string legend() const {
        const Placement& p = r_.placement;
        std::string out = fmt::format("<text class=\"title\" x=\"24\" y=\"22\">{}</text>\n", html_text(title()));
        double x = 24;
        const std::vector<std::string> texts = keys();
        for (size_t d = 0; d < texts.size(); ++d) {
            out += fmt::format(
                "<rect x=\"{:.0f}\" y=\"36\" width=\"16\" height=\"16\" rx=\"3\" fill=\"{}\"/><text class=\"key\" x=\"{:.0f}\" "
                "y=\"48\">{}</text>\n",
                x, html_fill(d), x + 22, html_text(texts[d]));
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
    std::vector<NodeId> order_;
    std::map<ValueId, size_t> maker_;                 // the place of the node that makes it
    std::map<ValueId, std::vector<size_t>> readers_;  // and of those that read it
    std::map<NodeId, const Decision*> decisions_;
    std::vector<Module> modules_;
    std::vector<size_t> home_;
};

}  // namespace

std::string report_svg(const PlacementReport& report) { return Pictures(report).whole(); }

std::string report_levels(const PlacementReport& report) { return Pictures(report).levels(); }

}  // namespace quern::place
