// The page: figures, why nodes are on cpu, the picture, heuristics side by side, partitions with their memory, every node.
#include <algorithm>
#include <set>

#include "libcore/base/text.h"
#include "libcore/place/canvas.h"
#include "libcore/place/report.h"
#include "libcore/place/report_parts.h"
#include "libcore/report/html.h"

namespace quern::place {
namespace {

constexpr const char* page_style = R"(
.bar{display:flex;height:1.2rem;border-radius:4px;overflow:hidden;margin:1rem 0 .3rem}
.picture{overflow:auto;border:1px solid var(--line);border-radius:6px;max-height:85vh;text-align:center}.picture svg{vertical-align:top}
#fit:checked~.levels svg{max-width:100%;height:auto}.level{display:none}.way{overflow-wrap:anywhere;margin:.4rem 0}#fit{flex:none}
.level:target,.level:has(:target),.levels:not(:has(:target)) #m0{display:block}.graph g:target>rect:first-of-type{stroke:var(--cut);stroke-width:4;stroke-dasharray:none}
.tools{display:flex;flex-wrap:wrap;gap:.3rem .5rem;align-items:center}#found{margin:.3rem 0;columns:16rem;font-size:12px;padding:0;list-style:none;overflow-wrap:anywhere}
@supports not selector(:has(a)){.level{display:block}}
@media(max-width:640px){#fit:checked~.levels svg{max-width:none}}
@media print{.tools,#fit,#fit+label,.level:not(#m0){display:none!important}#m0{display:block!important}.picture{max-height:none;overflow:visible}.picture svg{max-width:100%;height:auto}}
)";

// Zoom, moving by the mouse, and a search that leads to nodes; all pictures can be reached without.
constexpr const char* page_script = R"(
const levels = document.querySelector('.levels'), fit = document.getElementById('fit'), tools = document.querySelector('.tools');
if (levels) {
  const shown = () => [...levels.children].find(one => one.offsetParent).querySelector('.picture');
  let scale = 0;
  const zoom = (factor, at) => {
    const frame = shown(), svg = frame.querySelector('svg'), box = svg.getBoundingClientRect(), natural = svg.viewBox.baseVal.width;
    const x = at ? at.clientX : box.left + frame.clientWidth / 2, y = at ? at.clientY : frame.getBoundingClientRect().top + frame.clientHeight / 2;
    const partX = (x - box.left) / box.width, partY = (y - box.top) / box.height;
    scale = Math.min(8, Math.max(.05, box.width / natural * factor));
    svg.style.cssText = 'max-width:none;height:auto;width:' + natural * scale + 'px';
    const now = svg.getBoundingClientRect();
    frame.scrollLeft += now.left + partX * now.width - x;
    frame.scrollTop += now.top + partY * now.height - y;
  };
  const whole = () => levels.querySelectorAll('svg').forEach(svg => svg.style.cssText = '');
  tools.hidden = false;
  tools.elements.more.onclick = () => zoom(1.4);
  tools.elements.less.onclick = () => zoom(1 / 1.4);
  fit.addEventListener('change', whole);
  tools.addEventListener('submit', event => event.preventDefault());
  levels.addEventListener('wheel', event => {
    if (!event.ctrlKey) return;
    event.preventDefault();
    zoom(event.deltaY < 0 ? 1.15 : 1 / 1.15, event);
  }, {passive: false});
  let held = null;
  levels.addEventListener('pointerdown', event => { if (event.pointerType === 'mouse') held = {frame: shown(), x: event.clientX, y: event.clientY}; });
  addEventListener('pointermove', event => {
    if (!held || !event.buttons) return void (held = null);
    held.frame.scrollLeft -= event.clientX - held.x;
    held.frame.scrollTop -= event.clientY - held.y;
    held.x = event.clientX;
    held.y = event.clientY;
  });
  const nodes = [...levels.querySelectorAll('g[id],a[href^="#m"]>g')].map(box => ({
    link: box.id || box.parentNode.getAttribute('href').slice(1), words: box.querySelector('title').textContent.split('\n')[0]}));
  const found = document.getElementById('found');
  tools.elements.text.addEventListener('input', event => {
    const words = event.target.value.toLowerCase().split(/\s+/).filter(word => word);
    const hits = words.length ? nodes.filter(node => words.every(word => node.words.toLowerCase().includes(word))) : [];
    tools.elements.shown.value = words.length ? hits.length + ' found' : '';
    found.replaceChildren(...hits.slice(0, 24).map(hit => {
      const item = document.createElement('li'), link = document.createElement('a');
      link.href = '#' + hit.link;
      link.textContent = hit.words;
      item.append(link);
      return item;
    }));
  });
  tools.elements.text.addEventListener('keydown', event => {
    const first = found.querySelector('a');
    if (event.key === 'Enter' && first) location.hash = first.getAttribute('href');
  });
}
)";

constexpr size_t listed_nodes = 4000;

std::string cell(std::string_view html) { return fmt::format("<td>{}</td>", html); }
std::string number(size_t count) { return html_number(std::to_string(count)); }

std::string chip(size_t device, std::string_view text) {
    return fmt::format("<span style=\"background:{};color:{};border-radius:3px;padding:0 .4em;white-space:nowrap\">{}</span>",
                       html_fill(device), html_ink(device), html_text(text));
}

class Page {
   public:
    explicit Page(const PlacementReport& report) : r_(report), p_(report.placement), shares_(report.shares()) {}

    std::string run() const {
        return html_page("placement report", page_style + std::string(canvas_style),
                         fmt::format("<h1>{}Placement on {}</h1>\n<p class=\"soft\">{}; costs: {}</p>\n",
                                     r_.graph.name.empty() ? "" : html_text(r_.graph.name) + ": ", html_text(p_.target),
                                     html_text(r_.target.doc), html_text(p_.costs())) +
                             cards() + bar() + refusals() + picture() + heuristics() + partitions() + nodes(),
                         page_script);
    }

   private:
    size_t device_index(std::string_view device) const {
        return static_cast<size_t>(std::find(p_.devices.begin(), p_.devices.end(), device) - p_.devices.begin());
    }
    std::string device(std::string_view name) const { return chip(device_index(name), name); }

    std::string cards() const {
        return fmt::format(
            "<div class=\"cards\"><div><b>{}</b>a run, by {}</div><div><b>{}</b>of it transfers and "
            "recoding</div><div><b>{}</b>{}</div>"
            "<div><b>{}</b>values between devices, {}</div><div><b>{}</b>{}</div></div>\n",
            html_time(p_.seconds), name_of(p_.heuristic), html_time(p_.seconds - p_.compute_seconds), r_.partitions.parts.size(),
            r_.partitions.parts.size() == 1 ? "partition" : "partitions", r_.crossings(), human_bytes(r_.crossing_bytes()),
            p_.exact ? (p_.measured ? "exact" : "estimate") : fmt::format("{:.1f} %", 100 * p_.gap()), p_.proof());
    }

    std::string bar() const {
        std::string bar, key;
        double sum = 0;
        for (const auto& share : shares_) sum += share.compute;
        for (size_t d = 0; d < shares_.size(); ++d) {
            if (shares_[d].nodes == 0) continue;
            bar += fmt::format("<div style=\"background:{};width:{:.2f}%\"></div>", html_fill(d),
                               sum > 0 ? 100 * shares_[d].compute / sum : 0);
            key += fmt::format("<span><i style=\"background:{}\"></i>{}: {}, {}</span>", html_fill(d), html_text(p_.devices[d]),
                               count_of_nodes(shares_[d].nodes), html_time(shares_[d].compute));
        }
        return "<div class=\"bar\">" + bar + "</div><p class=\"key\">" + key + "</p>\n";
    }

    std::string picture() const {
        return "<h2>Graph</h2>\n<p class=\"soft\">Colour: device. Bold lines go from device to device. Dashed border: no other device runs "
               "it. Strong border: asked for. Small number: partition. Point at a node for its times; a module opens.</p>\n"
               "<form class=\"tools find\" hidden=\"\"><input name=\"text\" type=\"search\" placeholder=\"search nodes and modules\" "
               "aria-label=\"search the graph\"/><button name=\"less\" type=\"button\" aria-label=\"smaller\">&#8722;</button><button "
               "name=\"more\" type=\"button\" aria-label=\"larger\">+</button><output name=\"shown\" class=\"soft\"></output></form>\n"
               "<ul id=\"found\"></ul>\n<input type=\"checkbox\" id=\"fit\" checked=\"\"/><label for=\"fit\"> fit the width</label>\n"
               "<div class=\"levels\">\n" +
               report_levels(r_) + "</div>\n";
    }

    std::string heuristics() const {
        std::string rows;
        for (const auto& [name, seconds] : p_.others)
            rows += "<tr>" + cell(html_text(name)) + html_number(html_time(seconds)) +
                    html_number(fmt::format("{:+.1f} %", p_.seconds > 0 ? 100 * (seconds / p_.seconds - 1) : 0.0)) + "</tr>\n";
        std::string text =
            "<h2>Heuristics</h2>\n<table><tr><th>placed by</th><th class=\"n\">a run</th><th class=\"n\">against this</th></tr>\n" + rows +
            "</table>\n";
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
            const std::string misfit = m.fits() ? "" : "<br/><span class=\"bad\">does not fit: " + html_text(m.misfit()) + "</span>";
            rows += "<tr>" + html_number(std::to_string(part.id)) + cell(device(part.device)) + number(part.nodes.size()) +
                    number(part.inputs.size()) + number(part.outputs.size()) +
                    html_number(human_bytes(static_cast<double>(m.arena_bytes))) +
                    html_number(human_bytes(static_cast<double>(m.weight_bytes))) + cell(arena(m, std::max<size_t>(part.nodes.size(), 1))) +
                    cell("<code>" + html_text(r_.graph.node(part.nodes.front()).name) + "</code>" + misfit) + "</tr>\n";
        }
        std::string text =
            "<h2>Partitions</h2>\n<table><tr><th class=\"n\">number</th><th>device</th><th class=\"n\">nodes</th><th class=\"n\">in</th>"
            "<th class=\"n\">out</th><th class=\"n\">arena</th><th class=\"n\">weights</th><th>live ranges</th><th>first node</th></tr>\n" +
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
            rows += "<tr>" + html_number(html_time(item.on_cpu)) + html_number(fmt::format("{:.1f} %", 100 * item.time_share)) +
                    html_number(fmt::format("{:.1f} %", 100 * item.macs_share)) + number(item.nodes.size()) + cell(device(item.device)) +
                    html_prose(html_text(item.cause())) + html_number(html_time(item.there)) + cell(html_text(join(item.types, ", "))) +
                    cell("<code>" + html_text(item.nodes[0]) + (item.nodes.size() > 1 ? ", …" : "") + "</code>") + "</tr>\n";
        if (rows.empty()) return "";
        return "<h2>Why nodes are on cpu</h2>\n<table><tr><th class=\"n\">on cpu</th><th class=\"n\">of a run</th><th class=\"n\">of "
               "MACs</th>"
               "<th class=\"n\">nodes</th><th>device</th><th>why it refuses</th><th "
               "class=\"n\">there</th><th>operators</th><th>first</th></tr>"
               "\n" +
               rows + "</table>\n";
    }

    std::string node(const Decision& d) const {
        const std::string name = fmt::format("<code class=\"name\">{}</code>", html_text(d.key));
        const bool drawn = r_.part_of[index_of(d.node)] >= 0 && r_.graph.node(d.node).name == d.key;
        std::string row = fmt::format("<tr data-o=\"{}\" data-d=\"{}\"><td>{}{}</td><td>{}</td><td>{}</td><td>{}</td>", html_text(d.type),
                                      html_text(d.device), drawn ? fmt::format("<a href=\"#n{}\">{}</a>", index_of(d.node), name) : name,
                                      d.refused.empty() ? "" : "<br/><span class=\"bad\">not granted: " + html_text(d.refused) + "</span>",
                                      html_text(d.type), device(d.device), html_text(d.rule));
        for (const DeviceOption& c : d.choices)
            row += !c.refusal.empty() ? "<td class=\"n\" title=\"" + html_text(c.refusal) + "\">refused</td>"
                                      : fmt::format("<td class=\"n\">{}{}</td>", html_time(c.counted), c.seconds ? "" : " ?");
        return row + "</tr>";
    }

    std::string nodes() const {
        HtmlTable table{.id = "nodes",
                        .head = "<th data-by=\"n\">node</th><th>operator</th><th>device</th><th>why</th>",
                        .rows = std::vector<std::string>(p_.decisions.size()),
                        .listed = listed_nodes,
                        .more = "; <code>--report FILE.json</code> has all"};
        std::set<std::string> types;
        for (const std::string& name : p_.devices) table.head += "<th class=\"n\">" + html_text(name) + "</th>";
        for (size_t i = 0; i < p_.decisions.size(); ++i) {
            types.insert(p_.decisions[i].type);
            if (i < listed_nodes) table.rows[i] = node(p_.decisions[i]);
        }
        return fmt::format("<h2>Nodes</h2>\n<details{}><summary>{}</summary>{}{}</details>\n",
                           p_.decisions.size() <= 60 ? " open=\"\"" : "", count_of_nodes(p_.decisions.size()),
                           html_search("nodes", "search nodes",
                                       html_select_of("o", "all operators", types) +
                                           html_select_of("d", "all devices", std::set<std::string>(p_.devices.begin(), p_.devices.end()))),
                           html_table(table));
    }

    const PlacementReport& r_;
    const Placement& p_;
    std::vector<PlacementReport::Share> shares_;
};

}  // namespace

std::string report_html(const PlacementReport& report) { return Page(report).run(); }

}  // namespace quern::place
