// The page: figures, why nodes are on cpu, the picture, heuristics side by side, partitions with their memory, every node.
#include "libcore/base/json.h"
#include "libcore/place/report.h"
#include "libcore/report/canvas.h"
#include "libcore/report/html.h"
#include "libcore/report/page.h"

namespace quern::place {
namespace {

using enum Column::Is;

constexpr const char* graph_style = R"(
.picture{overflow:auto;border:1px solid var(--line);border-radius:6px;max-height:85vh;text-align:center}.picture svg{vertical-align:top}
#fit:checked~.levels svg{max-width:100%;height:auto}.level{display:none}.way{overflow-wrap:anywhere;margin:.4rem 0}#fit{flex:none}
.level:target,.level:has(:target),.levels:not(:has(:target)) #m0{display:block}.graph g:target>rect:first-of-type{stroke:var(--cut);stroke-width:4;stroke-dasharray:none}
.tools{display:flex;flex-wrap:wrap;gap:.3rem .5rem;align-items:center}#found{margin:.3rem 0;columns:16rem;font-size:12px;padding:0;list-style:none;overflow-wrap:anywhere}
@supports not selector(:has(a)){.level{display:block}}
@media(max-width:640px){#fit:checked~.levels svg{max-width:none}}
@media print{.tools,#fit,#fit+label,.level:not(#m0){display:none!important}#m0{display:block!important}.picture{max-height:none;overflow:visible}.picture svg{max-width:100%;height:auto}}
)";

// Zoom, moving by the mouse, and a search that leads to nodes; all pictures can be reached without.
constexpr const char* graph_script = R"(
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

// Where each value lies in the arena (upward) and for how long (to the right).
Json arena_json(const Json& partition) {
    constexpr double width = 220, height = 44;
    const Json& memory = partition["memory"];
    const auto steps = static_cast<double>(std::max<size_t>(partition["nodes"].size(), 1)), arena = memory["arena"].get<double>();
    if (!(arena > 0)) return nullptr;
    Json boxes = Json::array();
    for (const Json& range : memory["live_ranges"]) {
        const double first = range["first"], last = range["last"], bytes = range["bytes"], offset = range["offset"];
        boxes.push_back({{"x", width * first / steps},
                         {"y", height * (1 - (offset + bytes) / arena)},
                         {"w", width * (last + 1 - first) / steps},
                         {"h", height * bytes / arena},
                         {"colour", "#5b8db8"},
                         {"title", fmt::format("{}: {}", range["value"].get<std::string>(), human_bytes(bytes))}});
    }
    return {
        {"label", "live ranges"}, {"width", static_cast<size_t>(width)}, {"height", static_cast<int>(height)}, {"boxes", std::move(boxes)}};
}

void add_devices(Json& out, const PlacementReport& r) {
    const std::vector<PlacementReport::Share> shares = r.shares();
    double compute = 0;
    for (const auto& share : shares) compute += share.compute;
    out["devices"] = r.placement.devices;
    for (size_t d = 0; d < shares.size(); ++d) {
        out["colours"][r.placement.devices[d]] = d;
        if (shares[d].nodes > 0)
            out["shares"].push_back({{"device", r.placement.devices[d]},
                                     {"nodes", shares[d].nodes},
                                     {"compute", shares[d].compute},
                                     {"fill", html_fill(d)},
                                     {"percent", compute > 0 ? 100 * shares[d].compute / compute : 0}});
    }
}

// What is beside the JSON of files.
Json page_document(const PlacementReport& r) {
    const Placement& p = r.placement;
    Json out = report_document(r);
    add_devices(out, r);
    out["graph"] = r.graph.name, out["doc"] = r.target.doc, out["worth"] = p.costs();
    out["moving"] = p.seconds - p.compute_seconds;
    out["crossings"] = r.crossings(), out["crossing_bytes"] = r.crossing_bytes();
    const std::vector<PlacementReport::Refusals> refusals = r.refusals();
    for (size_t i = 0; i < refusals.size(); ++i) out["refusals"][i]["cause"] = refusals[i].cause();
    out["heuristics"] = Json::array();
    for (const auto& [name, seconds] : p.others)
        out["heuristics"].push_back(
            {{"name", name}, {"seconds", seconds}, {"more", p.seconds > 0 ? 100 * (seconds / p.seconds - 1) : 0.0}});
    for (Json& part : out["partitions"]) {
        part["picture"] = arena_json(part);
        const PartitionMemory& memory = r.memory[part["id"]];
        part["misfit"] = memory.misfit();
        if (memory.stripes) part["striped"] = fmt::format("{}: in one piece it {}", to_string(*memory.stripes), memory.whole);
    }
    for (size_t i = 0; i < p.decisions.size(); ++i) {
        const Decision& d = p.decisions[i];
        Json& node = out["nodes"][i];
        for (const std::string& device : p.devices)
            if (node.contains("devices")) node["on"].push_back(node["devices"][device]);
        if (r.part_of[index_of(d.node)] >= 0 && r.graph.node(d.node).name == d.key) node["link"] = fmt::format("n{}", index_of(d.node));
    }
    out["splits_text"] = Json::array();
    for (const MemorySplit& split : r.partitions.memory_splits) out["splits_text"].push_back(to_string(split));
    return out;
}

Panel nodes_panel(const Placement& placement) {
    Panel out{.title = "Nodes",
              .from = "nodes",
              .columns = {{"node",
                           "[<a href=\"#{link}\">{name:code}</a>][{link:no}{name:code}][<br/><span class=\"bad\">not granted: "
                           "{not_granted}</span>]",
                           words, "n"},
                          {"operator", "{type}"},
                          {"device", "{device:chip}"},
                          {"why", "{rule}", why}},
              .search = "search nodes",
              .filters = {{"type", "all operators"}, {"device", "all devices"}},
              .listed = 4000,
              .others = "--report FILE.json",
              .fold = placement.decisions.size() > 60 ? "{nodes:count} nodes" : ""};
    for (size_t d = 0; d < placement.devices.size(); ++d)
        out.columns.push_back(
            {fmt::format("{{/devices/{}}}", d),
             fmt::format("[{{on/{0}/seconds:time}}[{{on/{0}/assumed:if}} ?]][<span title=\"{{on/{0}/refused}}\">refused</span>]", d),
             number, fmt::format("on/{}/seconds", d)});
    return out;
}

Page placement_page(const PlacementReport& report) {
    return {
        .title = "[{graph}: ]Placement on {target}",
        .head = "<p class=\"soft\">[{doc}; ]costs: {worth}</p>\n",
        .panels =
            {{.cards = {{"{seconds:time}", "a run, by {heuristic}"},
                        {"{moving:time}", "of it transfers and recoding"},
                        {"{schedule/makespan:time}", "makespan; the busiest, {schedule/busiest}, {schedule/busiest_seconds:time}"},
                        {"{batches/seconds:time}", "for {batches/count} batches"},
                        {"{partitions:count}", "partition{partitions:s}"},
                        {"{crossings}", "values between devices, {crossing_bytes:bytes}"},
                        {report.placement.exact ? (report.placement.measured ? "exact" : "estimate") : "{gap:share}", "{proof}"}}},
             {.from = "shares", .items = "<div style=\"background:{fill};width:{percent:.2f}%\"></div>", .around = "stack"},
             {.from = "shares",
              .items = "<span><i style=\"background:{fill}\"></i>{device}: {nodes} node{nodes:s}, {compute:time}</span>",
              .around = "key"},
             {.title = "Why nodes are on cpu",
              .from = "refusals",
              .columns = {{"on cpu", "{on_cpu:time}", number},
                          {"of a run", "{time_share:share}", number},
                          {"of MACs", "{macs_share:share}", number},
                          {"nodes", "{nodes:count}", number},
                          {"device", "{device:chip}"},
                          {"why it refuses", "{cause}", why},
                          {"there", "{there:time}", number},
                          {"operators", "{types:words}"},
                          {"first", "<code>{nodes/0}[, {nodes/1:if}…]</code>"}}},
             {.title = "Graph",
              .text =
                  "<p class=\"soft\">Colour: device. Bold lines go from device to device. Dashed border: no other device runs it. Strong "
                  "border: asked for. Small number: partition. Point at a node for its times; a module opens.</p>\n<form class=\"tools "
                  "find\" hidden=\"\"><input name=\"text\" type=\"search\" placeholder=\"search nodes and modules\" aria-label=\"search "
                  "the "
                  "graph\"/><button name=\"less\" type=\"button\" aria-label=\"smaller\">&#8722;</button><button name=\"more\" "
                  "type=\"button\" aria-label=\"larger\">+</button><output name=\"shown\" class=\"soft\"></output></form>\n<ul "
                  "id=\"found\"></ul>\n<input type=\"checkbox\" id=\"fit\" checked=\"\"/><label for=\"fit\"> fit the width</label>\n",
              .drawn = fmt::format("<div class=\"levels\">\n{}</div>\n", report_levels(report))},
             {.title = "Heuristics",
              .from = "heuristics",
              .columns = {{"placed by", "{name}"}, {"a run", "{seconds:time}", number}, {"against this", "{more:+.1f %}", number}},
              .below = "[<p>No cost row, an assumed time counts: {without_cost:words}.</p>\n][<p>No link stated, counted as free: "
                       "{free_links:words}.</p>\n]"},
             {.title = "Partitions",
              .from = "partitions",
              .columns = {{"number", "{id}", number},
                          {"device", "{device:chip}"},
                          {"nodes", "{nodes:count}", number},
                          {"in", "{inputs:count}", number},
                          {"out", "{outputs:count}", number},
                          {"arena", "{memory/arena:bytes}", number},
                          {"weights", "{memory/weights:bytes}", number},
                          {"live ranges", "{picture:boxes arena}", picture},
                          {"first node", "{nodes/0:code}"},
                          {"", "[<span class=\"bad\">does not fit: {misfit}</span>][{striped}]", why}},
              .listed = 4000,
              .others = "--report FILE.json"},
             {.from = "splits_text", .items = "<p>{.}.</p>\n", .around = "notes"},
             {.text = "[{cyclic_parts:if}<p>{cyclic_parts} parts of a device waited for themselves through others: split into {splits} "
                      "partitions more.</p>\n]"},
             nodes_panel(report.placement)},
        .style = graph_style + std::string(canvas_style),
        .script = graph_script};
}

}  // namespace

std::string report_html(const PlacementReport& report) { return html_page(placement_page(report), page_document(report)); }

}  // namespace quern::place
