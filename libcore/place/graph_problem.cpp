#include "libcore/place/graph_problem.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/place/cost.h"
#include "libcore/place/partition_memory.h"
#include "libcore/place/support.h"

namespace quern::place {
namespace {

bool is_neutral(const Node& node) { return node.is(ops::Transpose, ops::Reshape, ops::Constant); }

// The first refusal of the node or of one in its bodies.
Refusal refusal_of(const Device& device, const Graph& graph, NodeId id) {
    if (device.name == cpu_device) return {};
    if (auto refused = refused_by(device, graph, id)) return *refused;
    for (const Graph& body : graph.node(id).bodies)
        for (const NodeId inner : body.order()) {
            const Node& node = body.node(inner);
            if (node.is(ops::Constant)) continue;
            if (const Refusal refused = refusal_of(device, body, inner); !refused.reason.empty())
                return {fmt::format("\"{}\" ({}) in its body: {}", escape(node.name), escape(node.op->name), refused.reason),
                        "in a body: " + refused.check};
        }
    return {};
}

// Devices that the node and those in its bodies ask for.
void wishes_of(const Node& node, std::set<std::string>& to) {
    if (!node.device.empty()) to.insert(node.device);
    for (const Graph& body : node.bodies)
        for (const NodeId inner : body.order()) wishes_of(body.node(inner), to);
}

class Builder {
   public:
    Builder(const Graph& graph, const Target& target) : graph_(graph), target_(target), ends_(graph) {}

    GraphProblem run() {
        out_.units = units_of(graph_);
        for (const Device& device : target_.devices)
            if (device.name == cpu_device) out_.devices.push_back(&device);
        for (const Device& device : target_.devices)
            if (device.name != cpu_device) out_.devices.push_back(&device);
        out_.problem.devices = out_.devices.size();
        const double terms = static_cast<double>((graph_.value_count() + graph_.node_count() + 2) * out_.devices.size() * 2);
        max_ticks_ = std::ldexp(1.0, 59) / terms;
        out_.options.resize(graph_.node_count());
        for (const NodeId id : graph_.order()) add_options(id);
        for (const Device* device : out_.devices) bounded_.push_back(bounded(target_, device->name));
        for (const auto& unit : out_.units.members) {
            const size_t before = out_.too_large.size();
            ask_memory(unit);
            add_item(unit, before);
        }
        for (int i = 0; i < 2; ++i) add_caller();
        for (size_t i = 0; i < graph_.value_count(); ++i) add_nets(static_cast<ValueId>(i));
        return std::move(out_);
    }

   private:
    Ticks ticks(double seconds) const { return static_cast<Ticks>(std::min(std::max(seconds, 0.0) * ticks_per_second, max_ticks_)); }
    size_t device_count() const { return out_.devices.size(); }

    void add_options(NodeId id) {
        const Node& node = graph_.node(id);
        auto& options = out_.options[index_of(id)];
        double longest = -1;
        for (const Device* device : out_.devices) {
            NodeOption option;
            Refusal refused = refusal_of(*device, graph_, id);
            option.refusal = std::move(refused.reason);
            option.check = std::move(refused.check);
            option.seconds = node_seconds(*device, graph_, id);
            if (!option.seconds && is_recode(node) && !node.out.empty() && node.out[0] != ValueId::none)
                option.seconds = recode_seconds(*device, graph_.value(node.out[0]));
            if (option.seconds) longest = std::max(longest, *option.seconds);
            options.push_back(std::move(option));
        }
        for (size_t d = 0; d < device_count(); ++d) {
            NodeOption& option = options[d];
            option.counted = option.seconds ? *option.seconds : d == 0 ? (longest < 0 ? 1e-6 : 2 * longest) : options[0].counted / 2;
            if (!option.seconds && option.refusal.empty())
                out_.without_cost.insert(fmt::format("{} on {}", full_name(*node.op), out_.devices[d]->name));
        }
        for (size_t d = 0; d < device_count(); ++d) options[d].counted += encoding_seconds(*out_.devices[d], graph_, node);
    }

    // A unit is never cut: a device whose memory does not hold it alone, nor in stripes, refuses it.
    void ask_memory(const std::vector<NodeId>& unit) {
        for (size_t d = 0; d < device_count(); ++d) {
            if (!bounded_[d] || !runs(unit, d)) continue;
            Partition alone;
            alone.device = out_.devices[d]->name;
            alone.nodes = unit;
            ends_.find(alone);
            const PartitionMemory memory = memory_of(graph_, alone, target_);
            if (memory.stripes) run_in_stripes(unit, d, *memory.stripes);
            if (memory.fits()) continue;
            out_.too_large.push_back({unit[memory.peak_step], d, memory.misfit()});
            for (const NodeId id : unit) {
                NodeOption& option = out_.options[index_of(id)][d];
                option.refusal = memory.misfit();
                option.check = "memory: does not fit by itself";
            }
        }
    }

    void run_in_stripes(const std::vector<NodeId>& unit, size_t device, const Stripes& stripes) {
        for (const NodeId id : unit) out_.options[index_of(id)][device].stripes = stripes;
        out_.options[index_of(unit.front())][device].counted += stripes.seconds;
    }

    bool runs(const std::vector<NodeId>& unit, size_t device) const {
        return std::all_of(unit.begin(), unit.end(), [&](NodeId id) { return out_.options[index_of(id)][device].refusal.empty(); });
    }

    // Those that cannot go where they are asked to, or anywhere.
    void find_asked(const std::vector<NodeId>& unit, const std::set<std::string>& wishes, size_t first) {
        bool homeless = true;
        for (size_t d = 0; d < device_count(); ++d) homeless = homeless && !runs(unit, d);
        for (size_t i = first; i < out_.too_large.size(); ++i)
            out_.too_large[i].asked = homeless || wishes.contains(out_.devices[out_.too_large[i].device]->name);
    }

    // `before`: how many units were too large for a device until now.
    void add_item(const std::vector<NodeId>& unit, size_t before) {
        Item item{std::vector<Ticks>(device_count(), 0), std::vector<bool>(device_count(), true), true, std::vector<bool>(device_count())};
        std::set<std::string> wishes;
        for (const NodeId id : unit) {
            const Node& node = graph_.node(id);
            item.neutral = item.neutral && is_neutral(node);
            wishes_of(node, wishes);
            for (size_t d = 0; d < device_count(); ++d) {
                const NodeOption& option = out_.options[index_of(id)][d];
                item.cost[d] += ticks(option.counted);
                item.allowed[d] = item.allowed[d] && option.refusal.empty();
                item.unknown[d] = item.unknown[d] || !option.seconds;
            }
        }
        find_asked(unit, wishes, before);
        out_.bound.push_back(bind(item, wishes));
        out_.problem.items.push_back(std::move(item));
    }

    std::string bind(Item& item, const std::set<std::string>& wishes) const {
        if (wishes.empty()) return std::count(item.allowed.begin(), item.allowed.end(), true) == 1 ? "no other device runs it" : "";
        size_t device = 0;
        for (size_t d = 0; d < device_count(); ++d)
            if (wishes.size() == 1 && out_.devices[d]->name == *wishes.begin() && item.allowed[d]) device = d;
        item.allowed.assign(device_count(), false);
        item.allowed[device] = true;
        if (out_.devices[device]->name == *wishes.begin())
            return wishes.size() == 1 ? "asked for" : "strictest of what its unit is asked for";
        return "a member of its unit does not run elsewhere";
    }

    void add_caller() {
        Item item{std::vector<Ticks>(device_count(), 0), std::vector<bool>(device_count(), false), true, std::vector<bool>(device_count())};
        item.allowed[0] = true;
        out_.problem.items.push_back(std::move(item));
    }

    void add_nets(ValueId id) {
        const Value& value = graph_.value(id);
        if (value.erased || value.constant()) return;
        if (readers_.empty()) find_readers();
        const auto& readers = readers_[index_of(id)];
        const size_t units = out_.units.members.size();
        const int from = static_cast<int>(value.producer == NodeId::none ? units : out_.units.of[index_of(value.producer)]);
        Net net{from, {}, {}};
        Net decode{-1, {}, {}};
        std::set<size_t> seen, decoding;
        for (const NodeId reader : readers) {
            const size_t unit = reader == NodeId::none ? units + 1 : out_.units.of[index_of(reader)];
            if (static_cast<int>(unit) != from && seen.insert(unit).second) net.to.push_back(static_cast<int>(unit));
            if (reader == NodeId::none || !value.enc || !works_at_the_edge(graph_, graph_.node(reader))) continue;
            if (decoding.insert(unit).second) decode.to.push_back(static_cast<int>(unit));
        }
        if (!net.to.empty()) add_transfers(value, std::move(net));
        if (!decode.to.empty()) {
            for (const Device* d : out_.devices) decode.cost.push_back(ticks(recode_seconds(*d, value)));
            out_.problem.nets.push_back(std::move(decode));
        }
    }

    void add_transfers(const Value& value, Net net) {
        for (const Device* f : out_.devices)
            for (const Device* d : out_.devices) {
                net.cost.push_back(ticks(transfer_seconds(target_, f->name, d->name, value)));
                if ((f == out_.devices[0]) != (d == out_.devices[0]) && !find_link(target_, f->name, d->name))
                    out_.free_links.insert(fmt::format("{} to {}", f->name, d->name));
            }
        out_.problem.nets.push_back(std::move(net));
    }

    void find_readers() {
        readers_.resize(graph_.value_count());
        for (const auto& unit : out_.units.members)
            for (const NodeId id : unit)
                for (const ValueId value : values_read(graph_.node(id))) readers_[index_of(value)].push_back(id);
        for (const ValueId id : graph_.outputs) readers_[index_of(id)].push_back(NodeId::none);
    }

    const Graph& graph_;
    const Target& target_;
    Ends ends_;
    std::vector<bool> bounded_;  // by device
    GraphProblem out_;
    double max_ticks_ = 0;
    std::vector<std::vector<NodeId>> readers_;
};

}  // namespace

GraphProblem problem_of(const Graph& graph, const Target& target) { return Builder(graph, target).run(); }

double seconds_of(Ticks ticks) { return static_cast<double>(ticks) / ticks_per_second; }

}  // namespace quern::place
