#include "libcore/place/report.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/place/cost.h"
#include "libcore/report/html.h"

namespace quern::place {
namespace {

size_t device_index(const Placement& placement, std::string_view device) {
    const auto found = std::find(placement.devices.begin(), placement.devices.end(), device);
    return static_cast<size_t>(found - placement.devices.begin());
}

std::string schedule_lines(const PlacementReport& r) {
    std::string text, how = "one after the other";
    if (r.schedule) {
        const Schedule& s = *r.schedule;
        const std::string least = fmt::format("{}: {}", s.busiest, human_seconds(s.busiest_seconds));
        text = fmt::format("{:<12}{} a run, devices at the same time; the busiest is {}\n", "makespan", human_seconds(s.makespan), least);
        how = fmt::format("{} and {} for each more", human_seconds(s.makespan), human_seconds(s.busiest_seconds));
    }
    if (r.batches)
        text += fmt::format("{:<12}{}: {}\n", fmt::format("{} batch{}", r.batches, r.batches == 1 ? "" : "es"),
                            human_seconds(r.of_batches()), how);
    return text;
}

std::string target_lines(const PlacementReport& r) {
    const Placement& p = r.placement;
    std::string text = fmt::format("{:<12}{} ({})\n", "target", p.target, p.costs());
    text += fmt::format("{:<12}{}: {} a run, {} of it transfers and changes of encoding; {}\n", "placed by", name_of(p.heuristic),
                        human_seconds(p.seconds), human_seconds(p.seconds - p.compute_seconds), p.proof());
    text += schedule_lines(r);
    std::string_view what = "others";
    for (const auto& [name, seconds] : p.others) {
        if (name == name_of(p.heuristic)) continue;
        text += fmt::format("{:<12}{:<20}{:>12}\n", what, name, human_seconds(seconds));
        what = "";
    }
    return text;
}

std::string device_lines(const PlacementReport& r) {
    std::string text =
        fmt::format("\n{:<12}{:>8}{:>12}{:>14}{:>14}{:>14}\n", "device", "nodes", "partitions", "compute", "largest arena", "weights");
    const auto shares = r.shares();
    for (size_t d = 0; d < shares.size(); ++d)
        text += fmt::format("{:<12}{:>8}{:>12}{:>14}{:>14}{:>14}\n", r.placement.devices[d], shares[d].nodes, shares[d].partitions,
                            human_seconds(shares[d].compute), human_bytes(static_cast<double>(shares[d].arena)),
                            human_bytes(static_cast<double>(shares[d].weights)));
    return text;
}

std::string partition_lines(const PlacementReport& r) {
    std::string text = fmt::format("\n{:<12}{:<12}{:>6}{:>5}{:>5}{:>12}{:>12}{:>12}  {}\n", "partition", "device", "nodes", "in", "out",
                                   "arena", "peak", "weights", "first to last node");
    for (const Partition& part : r.partitions.parts) {
        const PartitionMemory& memory = r.memory[static_cast<size_t>(part.id)];
        text += fmt::format("{:<12}{:<12}{:>6}{:>5}{:>5}{:>12}{:>12}{:>12}  {}{}\n", part.id, part.device, part.nodes.size(),
                            part.inputs.size(), part.outputs.size(), human_bytes(static_cast<double>(memory.arena_bytes)),
                            human_bytes(static_cast<double>(memory.peak_bytes)), human_bytes(static_cast<double>(memory.weight_bytes)),
                            printable(r.graph.node(part.nodes.front()).name),
                            part.nodes.size() > 1 ? " to " + printable(r.graph.node(part.nodes.back()).name) : "");
        if (memory.stripes) text += fmt::format("{:<12}{}: in one piece it {}\n", "", to_string(*memory.stripes), memory.whole);
        if (!memory.fits()) text += fmt::format("{:<12}does not fit: {}\n", "", memory.misfit());
    }
    for (const MemorySplit& split : r.partitions.memory_splits) text += to_string(split) + "\n";
    if (r.placement.memory_seconds > 0)
        text += fmt::format("values that wait on cpu between these parts take {} of a run\n", human_seconds(r.placement.memory_seconds));
    if (r.partitions.cyclic)
        text += fmt::format("{} parts of a device waited for themselves through others: split into {} partitions more\n",
                            r.partitions.cyclic, r.partitions.splits);
    if (std::any_of(r.memory.begin(), r.memory.end(), [](const PartitionMemory& m) { return m.assumed; }))
        text += "shapes are not all fixed: unknown dims count as 1 (first), 64 (last), 32 (before it) and 1\n";
    return text;
}

std::string node_lines(const PlacementReport& r) {
    size_t width = 4;
    for (const Decision& d : r.placement.decisions) width = std::max(width, std::min<size_t>(printable(d.key).size(), 48));
    std::string text =
        fmt::format("\n{:<{}}  {:<24}{:<12}{:>12}{:>12}  {}\n", "node", width, "operator", "device", "time", "on cpu", "why");
    for (const Decision& d : r.placement.decisions) {
        const size_t device = device_index(r.placement, d.device);
        const std::string time = d.choices.empty() ? "" : human_seconds(d.choices[device].counted);
        const std::string cpu = d.choices.empty() || device == 0 ? "" : human_seconds(d.choices[0].counted);
        text += fmt::format("{:<{}}  {:<24}{:<12}{:>12}{:>12}  {}\n", printable(d.key), width, printable(d.type), d.device, time, cpu,
                            printable(d.rule));
    }
    return text;
}

std::string not_granted_lines(const PlacementReport& r) {
    std::string text;
    for (const Decision& d : r.placement.decisions)
        if (!d.refused.empty()) text += fmt::format("  \"{}\": not granted: {}\n", printable(d.key), printable(d.refused));
    return text;
}

std::string why_lines(const PlacementReport& r) {
    const std::string text = refusal_lines(r) + not_granted_lines(r);
    return text.empty() ? "" : "\nwhy nodes are on cpu\n" + text;
}

std::string remark_lines(const PlacementReport& r) {
    std::string text;
    if (r.crossings()) text += fmt::format("\n{} values go from device to device, {}\n", r.crossings(), human_bytes(r.crossing_bytes()));
    if (!r.placement.without_cost.empty())
        text += fmt::format("no cost row, an assumed time counts: {}\n", join(r.placement.without_cost, ", "));
    if (!r.placement.free_links.empty()) text += fmt::format("no link stated, counted as free: {}\n", join(r.placement.free_links, ", "));
    return text;
}

// ---- JSON ---------------------------------------------------------------------------------------------------------------

Json decision_json(const PlacementReport& r, const Decision& d) {
    Json out{{"name", d.key}, {"type", d.type}, {"device", d.device}, {"rule", d.rule}, {"partition", r.part_of[index_of(d.node)]}};
    if (!d.refused.empty()) out["not_granted"] = d.refused;
    if (d.choices.empty()) return out;
    Json choices = Json::object();
    for (size_t i = 0; i < d.choices.size(); ++i) {
        const DeviceOption& c = d.choices[i];
        Json choice = Json::object();
        if (!c.refusal.empty()) choice["refused"] = c.refusal;
        if (c.refusal.empty()) choice["seconds"] = c.counted;
        if (c.refusal.empty() && !c.seconds) choice["assumed"] = true;
        if (c.moved && r.placement.devices[i] != d.device) choice["moved"] = *c.moved;
        choices[r.placement.devices[i]] = std::move(choice);
    }
    out["devices"] = std::move(choices);
    const Node& node = r.graph.node(d.node);
    const Cost work = work_of(r.graph, node);
    out["work"] = {{"macs", work.macs}, {"bytes", work.bytes}, {"precision", precision_of(r.graph, node)}};
    if (d.transfer_in > 0) out["transfer_in"] = d.transfer_in;
    if (d.transfer_out > 0) out["transfer_out"] = d.transfer_out;
    return out;
}

Json names(const Graph& graph, const std::vector<ValueId>& ids) {
    Json out = Json::array();
    for (const ValueId id : ids) out.push_back(graph.value(id).name);
    return out;
}

Json stripes_json(const Stripes& s) {
    return {{"count", s.count}, {"rows", s.rows}, {"of", s.of}, {"groups", s.groups}, {"read_again", s.read_again}, {"seconds", s.seconds}};
}

Json partition_json(const PlacementReport& r, const Partition& part) {
    const PartitionMemory& m = r.memory[static_cast<size_t>(part.id)];
    Json nodes = Json::array(), ranges = Json::array();
    for (const NodeId id : part.nodes) nodes.push_back(r.graph.node(id).name);
    for (const LiveRange& range : m.ranges)
        ranges.push_back({{"value", r.graph.value(range.value).name},
                          {"bytes", range.bytes},
                          {"first", range.first},
                          {"last", range.last},
                          {"offset", range.offset}});
    Json out{{"id", part.id},
             {"device", part.device},
             {"nodes", std::move(nodes)},
             {"inputs", names(r.graph, part.inputs)},
             {"outputs", names(r.graph, part.outputs)}};
    out["memory"] = {{"arena", m.arena_bytes}, {"peak", m.peak_bytes}, {"weights", m.weight_bytes},
                     {"fits", m.fits()},       {"assumed", m.assumed}, {"live_ranges", std::move(ranges)}};
    if (m.stripes) out["memory"]["stripes"] = stripes_json(*m.stripes), out["memory"]["whole"] = m.whole;
    if (m.memory.bytes) out["memory"]["limit"] = m.memory.bytes;
    if (m.weights.bytes) out["memory"]["weights_limit"] = m.weights.bytes;
    return out;
}

Json refusals_json(const PlacementReport& r) {
    Json out = Json::array();
    for (const auto& item : r.refusals())
        out.push_back({{"device", item.device},
                       {"check", item.check},
                       {"reasons", item.reasons},
                       {"nodes", item.nodes},
                       {"types", item.types},
                       {"on_cpu", item.on_cpu},
                       {"there", item.there},
                       {"macs", item.macs},
                       {"time_share", item.time_share},
                       {"macs_share", item.macs_share}});
    return out;
}

Json splits_json(const PlacementReport& r) {
    Json out = Json::array();
    for (const MemorySplit& split : r.partitions.memory_splits)
        out.push_back({{"device", split.device}, {"first", split.first}, {"parts", split.parts}, {"why", split.why}, {"peak", split.peak}});
    return out;
}

Json schedule_json(const Schedule& schedule) {
    Json parts = Json::array();
    for (const Span& span : schedule.parts) parts.push_back({{"start", span.start}, {"end", span.end}});
    return {{"makespan", schedule.makespan},
            {"busiest", schedule.busiest},
            {"busiest_seconds", schedule.busiest_seconds},
            {"partitions", std::move(parts)}};
}

}  // namespace

PlacementReport::PlacementReport(const Graph& g, const Target& t, const Placement& p, size_t runs)
    : graph(g),
      target(t),
      placement(p),
      partitions(p.partitions),
      edges(boundaries(g, partitions.parts)),
      part_of(g.node_count(), -1),
      batches(runs) {
    if (t.parallel) schedule = schedule_of(g, t, p);
    for (const Partition& part : partitions.parts) {
        memory.push_back(memory_of(g, part, t));
        for (const NodeId id : part.nodes) part_of[index_of(id)] = part.id;
    }
}

double PlacementReport::of_batches() const {
    return schedule ? schedule->of_batches(batches) : static_cast<double>(batches) * placement.seconds;
}

std::vector<PlacementReport::Share> PlacementReport::shares() const {
    std::vector<Share> out(placement.devices.size());
    for (const Decision& d : placement.decisions) {
        Share& share = out[device_index(placement, d.device)];
        ++share.nodes;
        if (!d.choices.empty()) share.compute += d.choices[device_index(placement, d.device)].counted;
    }
    for (const Partition& part : partitions.parts) {
        Share& share = out[device_index(placement, part.device)];
        const PartitionMemory& m = memory[static_cast<size_t>(part.id)];
        ++share.partitions;
        share.arena = std::max(share.arena, m.arena_bytes);
        share.weights += m.weight_bytes;
    }
    return out;
}

size_t PlacementReport::crossings() const {
    std::set<std::pair<ValueId, std::string>> seen;
    const auto device = [&](int part) { return part < 0 ? placement.devices[0] : partitions.parts[static_cast<size_t>(part)].device; };
    for (const Boundary& edge : edges)
        if (device(edge.from) != device(edge.to)) seen.emplace(edge.value, device(edge.to));
    return seen.size();
}

double PlacementReport::crossing_bytes() const {
    std::set<std::pair<ValueId, std::string>> seen;
    double sum = 0;
    const auto device = [&](int part) { return part < 0 ? placement.devices[0] : partitions.parts[static_cast<size_t>(part)].device; };
    for (const Boundary& edge : edges)
        if (device(edge.from) != device(edge.to) && seen.emplace(edge.value, device(edge.to)).second)
            sum += stored_bytes(graph.value(edge.value));
    return sum;
}

std::string report_text(const PlacementReport& r) {
    return target_lines(r) + device_lines(r) + why_lines(r) + partition_lines(r) + node_lines(r) + remark_lines(r);
}

Json report_document(const PlacementReport& r) {
    const Placement& p = r.placement;
    Json out{{"kind", "placement-report"},
             {"version", 1},
             {"target", p.target},
             {"basis", p.basis},
             {"heuristic", name_of(p.heuristic)},
             {"seconds", p.seconds},
             {"compute_seconds", p.compute_seconds},
             {"bound", p.bound},
             {"gap", p.gap()},
             {"exact", p.exact},
             {"costs", p.measured ? "measured" : "estimate"},
             {"proof", p.proof()},
             {"memory_seconds", p.memory_seconds},
             {"too_large", p.too_large},
             {"cyclic_parts", p.partitions.cyclic},
             {"splits", p.partitions.splits},
             {"without_cost", p.without_cost},
             {"free_links", p.free_links}};
    Json others = Json::object(), nodes = Json::array(), parts = Json::array(), edges = Json::array();
    for (const auto& [name, seconds] : p.others) others[name] = seconds;
    for (const Decision& d : p.decisions) nodes.push_back(decision_json(r, d));
    for (const Partition& part : r.partitions.parts) parts.push_back(partition_json(r, part));
    for (const Boundary& edge : r.edges) {
        Json item{{"value", r.graph.value(edge.value).name}, {"from", edge.from}, {"to", edge.to}, {"form", edge.form}};
        if (!edge.maker_recodes.empty()) item["encoded_by"] = edge.maker_recodes;
        if (!edge.reader_recodes.empty()) item["decoded_by"] = edge.reader_recodes;
        edges.push_back(std::move(item));
    }
    if (r.schedule) out["schedule"] = schedule_json(*r.schedule);
    if (r.batches) out["batches"] = {{"count", r.batches}, {"seconds", r.of_batches()}};
    out["refusals"] = refusals_json(r);
    out["memory_splits"] = splits_json(r);
    out["others"] = std::move(others);
    out["nodes"] = std::move(nodes);
    out["partitions"] = std::move(parts);
    out["boundaries"] = std::move(edges);
    return out;
}

std::string report_json(const PlacementReport& r) { return json_line(report_document(r)) + "\n"; }

}  // namespace quern::place
