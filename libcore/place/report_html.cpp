// The page: figures, why nodes are on cpu, the picture, heuristics side by side, partitions with their memory, every node.
#include <algorithm>

#include "libcore/base/html.h"
#include "libcore/base/text.h"
#include "libcore/place/report.h"
#include "libcore/place/report_parts.h"

namespace quern::place {
namespace {

constexpr const char* style = R"(
.bar{display:flex;height:1.2rem;border-radius:4px;overflow:hidden;margin:1rem 0 .3rem}.key i{display:inline-block;width:.8em;height:.8em;border-radius:3px;margin:0 .4em 0 1em}
.picture{overflow:auto;border:1px solid var(--line);border-radius:6px;max-height:90vh}#fit:checked~.picture svg{max-width:100%;height:auto}
)";

std::string chip(size_t device, std::string_view text) {
    return fmt::format("<span style=\"background:{};color:{};border-radius:3px;padding:0 .4em\">{}</span>", device_fill(device),
                       device_ink(device), html_text(text));
}

class Page {
   public:
    explicit Page(const PlacementReport& report) : r_(report), p_(report.placement), shares_(report.shares()) {}

    std::string run() const {
        return html_page("placement report", style,
                         fmt::format("<h1>{}Placement on {}</h1>\n<p class=soft>{}; costs: {}</p>\n",
                                     r_.graph.name.empty() ? "" : html_text(r_.graph.name) + ": ", html_text(p_.target),
                                     html_text(r_.target.doc), html_text(p_.costs())) +
                             cards() + bar() + refusals() + picture() + heuristics() + partitions() + nodes());
    }

   private:
    size_t device_index(std::string_view device) const {
        return static_cast<size_t>(std::find(p_.devices.begin(), p_.devices.end(), device) - p_.devices.begin());
    }
    std::string device(std::string_view name) const { return chip(device_index(name), name); }

    std::string cards() const {
        return fmt::format(
            "<div class=cards><div><b>{}</b>a run, by {}</div><div><b>{}</b>of it transfers and "
            "recoding</div><div><b>{}</b>partitions</div>"
            "<div><b>{}</b>values between devices, {}</div><div><b>{}</b>{}</div></div>\n",
            human_seconds(p_.seconds), name_of(p_.heuristic), human_seconds(p_.seconds - p_.compute_seconds), r_.partitions.parts.size(),
            r_.crossings(), human_bytes(r_.crossing_bytes()),
            p_.exact ? (p_.measured ? "exact" : "estimate") : fmt::format("{:.1f} %", 100 * p_.gap()), p_.proof());
    }

    std::string bar() const {
        std::string bar, key;
        double sum = 0;
        for (const auto& share : shares_) sum += share.compute;
        for (size_t d = 0; d < shares_.size(); ++d) {
            if (shares_[d].nodes == 0) continue;
            bar += fmt::format("<div style=\"background:{};width:{:.2f}%\"></div>", device_fill(d),
                               sum > 0 ? 100 * shares_[d].compute / sum : 0);
            key += fmt::format("<i style=\"background:{}\"></i>{}: {}, {}", device_fill(d), html_text(p_.devices[d]),
                               count_of_nodes(shares_[d].nodes), human_seconds(shares_[d].compute));
        }
        return "<div class=bar>" + bar + "</div><div class=key>" + key + "</div>\n";
    }

    std::string picture() const {
        return "<h2>Graph</h2>\n<input type=checkbox id=fit checked><label for=fit> fit the width</label>\n<p class=soft>Colour: device. "
               "Bold lines go "
               "from device to device. Dashed border: no other device runs it. Strong border: asked for. Small number: partition. Point at "
               "a node for "
               "its times.</p>\n<div class=picture>" +
               report_svg(r_) + "</div>\n";
    }

    std::string heuristics() const {
        std::string rows;
        for (const auto& [name, seconds] : p_.others)
            rows += fmt::format("<tr><td>{}</td><td class=n>{}</td><td class=n>{:+.1f} %</td></tr>\n", html_text(name),
                                human_seconds(seconds), p_.seconds > 0 ? 100 * (seconds / p_.seconds - 1) : 0.0);
        std::string text =
            "<h2>Heuristics</h2>\n<table><tr><th>placed by<th class=n>a run<th class=n>against this</tr>\n" + rows + "</table>\n";
        if (!p_.without_cost.empty())
            text += fmt::format("<p>No cost row, an assumed time counts: {}.</p>\n", html_text(join(p_.without_cost, ", ")));
        if (!p_.free_links.empty())
            text += fmt::format("<p>No link stated, counted as free: {}.</p>\n", html_text(join(p_.free_links, ", ")));
        return text;
    }

    // Where each value lies in the arena (upward) and for how long (to the right).
    std::string arena(const PartitionMemory& memory, size_t steps) const {
        if (memory.arena_bytes == 0) return "";
        constexpr double width = 220, height = 44;
        std::string boxes;
        for (const LiveRange& range : memory.ranges) {
            const double x = width * static_cast<double>(range.first) / static_cast<double>(steps),
                         w = width * static_cast<double>(range.last + 1 - range.first) / static_cast<double>(steps),
                         h = height * static_cast<double>(range.bytes) / static_cast<double>(memory.arena_bytes),
                         y = height - height * static_cast<double>(range.offset) / static_cast<double>(memory.arena_bytes) - h;
            boxes += fmt::format(
                "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"{:.1f}\" fill=\"#5b8db8\" stroke=\"#fff\" "
                "stroke-width=\".4\"><title>{}: {}</title></rect>",
                x, y, w, h, html_text(r_.graph.value(range.value).name), human_bytes(static_cast<double>(range.bytes)));
        }
        return fmt::format(
            "<svg width=\"{0}\" height=\"{1}\" role=\"img\" aria-label=\"live ranges\"><rect width=\"{0}\" height=\"{1}\" "
            "fill=\"#8883\"/>{2}</svg>",
            width, height, boxes);
    }

    std::string partitions() const {
        std::string rows;
        for (const Partition& part : r_.partitions.parts) {
            const PartitionMemory& m = r_.memory[static_cast<size_t>(part.id)];
            rows += fmt::format(
                "<tr><td class=n>{}<td>{}<td class=n>{}<td class=n>{}<td class=n>{}<td class=n>{}<td "
                "class=n>{}<td>{}<td><code>{}</code>{}</tr>\n",
                part.id, device(part.device), part.nodes.size(), part.inputs.size(), part.outputs.size(),
                human_bytes(static_cast<double>(m.arena_bytes)), human_bytes(static_cast<double>(m.weight_bytes)),
                arena(m, std::max<size_t>(part.nodes.size(), 1)), html_text(r_.graph.node(part.nodes.front()).name),
                m.fits() ? "" : "<br><span class=bad>does not fit: " + html_text(m.misfit()) + "</span>");
        }
        std::string text =
            "<h2>Partitions</h2>\n<table><tr><th class=n>number<th>device<th class=n>nodes<th class=n>in<th class=n>out<th "
            "class=n>arena<th class=n>weights"
            "<th>live ranges<th>first node</tr>\n" +
            rows + "</table>\n";
        for (const MemorySplit& split : r_.partitions.memory_splits) text += "<p>" + html_text(to_string(split)) + ".</p>\n";
        if (r_.partitions.cyclic)
            text += fmt::format("<p>{} parts of a device waited for themselves through others: split into {} partitions more.</p>\n",
                                r_.partitions.cyclic, r_.partitions.splits);
        return text;
    }

    std::string refusals() const {
        std::string rows;
        for (const auto& item : r_.refusals())
            rows += fmt::format(
                "<tr><td class=n>{}<td class=n>{:.1f} %<td class=n>{:.1f} %<td class=n>{}<td>{}<td>{}<td class=n>{}<td>{}<td><code>{}{}"
                "</code></tr>\n",
                human_seconds(item.on_cpu), 100 * item.time_share, 100 * item.macs_share, item.nodes.size(), device(item.device),
                html_text(item.cause()), human_seconds(item.there), html_text(join(item.types, ", ")), html_text(item.nodes[0]),
                item.nodes.size() > 1 ? ", &hellip;" : "");
        if (rows.empty()) return "";
        return "<h2>Why nodes are on cpu</h2>\n<table><tr><th class=n>on cpu<th class=n>of a run<th class=n>of MACs<th "
               "class=n>nodes<th>device<th>why it refuses<th class=n>there<th>operators<th>first</tr>\n" +
               rows + "</table>\n";
    }

    std::string nodes() const {
        std::string head = "<tr><th>node<th>operator<th>device<th>why", rows;
        for (const std::string& name : p_.devices) head += "<th class=n>" + html_text(name);
        for (const Decision& d : p_.decisions) {
            rows += fmt::format("<tr><td><code>{}</code>{}<td>{}<td>{}<td>{}", html_text(d.key),
                                d.refused.empty() ? "" : "<br><span class=bad>not granted: " + html_text(d.refused) + "</span>",
                                html_text(d.type), device(d.device), html_text(d.rule));
            for (const DeviceOption& c : d.choices)
                rows += !c.refusal.empty() ? "<td class=n title=\"" + html_text(c.refusal) + "\">refused"
                                           : fmt::format("<td class=n>{}{}", human_seconds(c.counted), c.seconds ? "" : " ?");
            rows += "</tr>\n";
        }
        return fmt::format("<h2>Nodes</h2>\n<details{}><summary>{} nodes</summary><table>{}</tr>\n{}</table></details>\n",
                           p_.decisions.size() <= 60 ? " open" : "", p_.decisions.size(), head, rows);
    }

    const PlacementReport& r_;
    const Placement& p_;
    std::vector<PlacementReport::Share> shares_;
};

}  // namespace

std::string report_html(const PlacementReport& report) { return Page(report).run(); }

}  // namespace quern::place
