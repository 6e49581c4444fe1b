#include "libcore/place/assign.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <set>

#include "libcore/base/text.h"
#include "libcore/place/cost.h"
#include "libcore/place/graph_problem.h"
#include "libcore/place/min_cut.h"
#include "libcore/place/nodes.h"

namespace quern::place {
namespace {

constexpr std::array greedy{Heuristic::qualifying_ops, Heuristic::faster_ops, Heuristic::faster_ops_wsu, Heuristic::much_faster_ops_wsu};

// What one item and its nets cost; for the question what moving it alone would change.
class Surroundings {
   public:
    Surroundings(const Problem& problem, const Labels& labels) : problem_(problem), labels_(labels), nets_(problem.items.size()) {
        for (const Net& net : problem.nets) {
            std::set<int> ends(net.to.begin(), net.to.end());
            if (net.from >= 0) ends.insert(net.from);
            for (const int end : ends) nets_[static_cast<size_t>(end)].push_back(&net);
        }
    }

    // Ticks that the placement is dearer with the item on `device`.
    Ticks moved(size_t item, size_t device) {
        const Ticks now = around(item);
        const size_t before = labels_[item];
        labels_[item] = device;
        const Ticks then = around(item);
        labels_[item] = before;
        return then - now;
    }

   private:
    Ticks around(size_t item) const {
        Ticks sum = problem_.items[item].cost[labels_[item]];
        for (const Net* net : nets_[item]) {
            const size_t row = net->from < 0 ? 0 : labels_[static_cast<size_t>(net->from)] * problem_.devices;
            std::set<size_t> seen;
            for (const int reader : net->to)
                if (const size_t d = labels_[static_cast<size_t>(reader)]; seen.insert(d).second) sum += net->cost[row + d];
        }
        return sum;
    }

    const Problem& problem_;
    Labels labels_;
    std::vector<std::vector<const Net*>> nets_;
};

class Assignment {
   public:
    Assignment(Graph& graph, const Target& target, const AssignOptions& options)
        : graph_(graph), target_(target), options_(options), given_(problem_of(graph, target)) {}

    Placement run() {
        place();
        describe_target();
        write_devices();
        decide();
        out_.partitions = partition_graph(graph_, target_);
        return std::move(out_);
    }

   private:
    void place() {
        std::vector<Labels> starts;
        for (const Heuristic heuristic : greedy) {
            starts.push_back(place_greedily(given_.problem, heuristic));
            out_.others.emplace_back(name_of(heuristic), seconds_of(price(given_.problem, starts.back())));
        }
        const Labels host(given_.problem.items.size(), 0);
        const bool legal =
            std::all_of(given_.problem.items.begin(), given_.problem.items.end(), [](const Item& i) { return i.allowed[0]; });
        if (legal) out_.others.emplace_back("cpu alone", seconds_of(price(given_.problem, host)));
        const Solution best = cheapest_placement(given_.problem, starts);
        out_.others.emplace_back(name_of(Heuristic::min_cut), seconds_of(best.price));
        const bool wanted = options_.heuristic == Heuristic::min_cut;
        labels_ = wanted ? best.labels : starts[static_cast<size_t>(options_.heuristic)];
        out_.heuristic = options_.heuristic;
        const Ticks reached = price(given_.problem, labels_);
        out_.seconds = seconds_of(reached);
        out_.bound = seconds_of(best.bound);
        out_.exact = reached == best.bound;
        Ticks compute = 0;
        for (size_t i = 0; i < labels_.size(); ++i) compute += given_.problem.items[i].cost[labels_[i]];
        out_.compute_seconds = seconds_of(compute);
    }

    void describe_target() {
        out_.target = target_.name;
        out_.basis = target_.basis;
        for (const Device* device : given_.devices) out_.devices.push_back(device->name);
        out_.without_cost.assign(given_.without_cost.begin(), given_.without_cost.end());
        out_.free_links.assign(given_.free_links.begin(), given_.free_links.end());
    }

    void write_devices() {
        wished_.resize(graph_.node_count());
        for (const NodeId id : graph_.order()) {
            wished_[index_of(id)] = graph_.node(id).device;
            put_on(graph_.node(id), out_.devices[labels_[given_.units.of[index_of(id)]]]);
        }
    }

    void decide() {
        std::map<const Graph*, NodeId> holder;
        for (const NodeId id : graph_.order())
            for (Graph& body : graph_.node(id).bodies) for_each_graph(body, [&](Graph& g, const std::string&) { holder[&g] = id; });
        Surroundings surroundings(given_.problem, labels_);
        for (const NodeRef& ref : placed_nodes(graph_)) {
            Decision decision;
            decision.key = ref.key;
            decision.type = ref.type();
            decision.device = ref.node().device;
            if (const auto found = options_.refused.find(ref.key); found != options_.refused.end()) decision.refused = found->second;
            const bool inner = ref.graph != &graph_;
            decision.node = inner ? holder.at(ref.graph) : ref.id;
            if (inner)
                decision.rule = fmt::format("goes with \"{}\", whose body it is in", graph_.node(decision.node).name);
            else
                describe(decision, ref, wished_[index_of(ref.id)], surroundings);
            out_.decisions.push_back(std::move(decision));
        }
    }

    void describe(Decision& decision, const NodeRef& ref, const std::string& wish, Surroundings& surroundings) {
        const size_t unit = given_.units.of[index_of(ref.id)];
        decision.together = given_.units.members[unit].size();
        const auto source = options_.sources.find(ref.key);
        if (source != options_.sources.end() && wish == decision.device)
            decision.rule = "asked for by " + source->second;
        else if (wish == decision.device)
            decision.rule = "asked for by the model";
        else if (given_.bound[unit].empty())
            decision.rule = name_of(options_.heuristic);
        else
            decision.rule = given_.bound[unit];
        for (size_t d = 0; d < out_.devices.size(); ++d) {
            const NodeOption& option = given_.options[index_of(ref.id)][d];
            DeviceOption choice{option.seconds, option.counted, option.refusal, std::nullopt};
            if (choice.refusal.empty()) choice.refusal = refused_unit(unit, d, ref.id);
            if (choice.refusal.empty()) choice.moved = seconds_of(surroundings.moved(unit, d));
            decision.choices.push_back(std::move(choice));
        }
        add_transfers(decision, ref.id);
    }

    // Why the unit cannot be on the device though this node of it can.
    std::string refused_unit(size_t unit, size_t device, NodeId except) const {
        for (const NodeId id : given_.units.members[unit])
            if (const std::string& reason = given_.options[index_of(id)][device].refusal; id != except && !reason.empty())
                return fmt::format("\"{}\"{}{}", graph_.node(id).name, of_unit, reason);
        return "";
    }

    const std::string& device_of(NodeId id) const { return id == NodeId::none ? out_.devices[0] : graph_.node(id).device; }

    void add_transfers(Decision& decision, NodeId id) const {
        const Node& node = graph_.node(id);
        std::set<ValueId> read;
        for (const ValueId value : values_read(node))
            if (!graph_.value(value).constant() && read.insert(value).second)
                decision.transfer_in +=
                    transfer_seconds(target_, device_of(graph_.value(value).producer), decision.device, graph_.value(value));
        if (uses_.empty()) uses_ = graph_.all_uses();
        for (const ValueId value : node.out) {
            if (value == ValueId::none) continue;
            std::set<std::string> to;
            for (const Use& use : uses_[index_of(value)]) to.insert(device_of(use.node));
            for (const std::string& device : to)
                decision.transfer_out += transfer_seconds(target_, decision.device, device, graph_.value(value));
        }
    }

    Graph& graph_;
    const Target& target_;
    const AssignOptions& options_;
    GraphProblem given_;
    Labels labels_;
    Placement out_;
    std::vector<std::string> wished_;  // by node id
    mutable std::vector<std::vector<Use>> uses_;
};

}  // namespace

const Decision* Placement::find(std::string_view key) const {
    for (const Decision& decision : decisions)
        if (decision.key == key) return &decision;
    return nullptr;
}

Placement assign(Graph& graph, const Target& target, const AssignOptions& options) { return Assignment(graph, target, options).run(); }

std::string human_seconds(double seconds) {
    const double size = std::abs(seconds);
    if (size >= 1) return fmt::format("{:.2f} s", seconds);
    if (size >= 1e-3) return fmt::format("{:.2f} ms", seconds * 1e3);
    if (size >= 1e-6) return fmt::format("{:.2f} us", seconds * 1e6);
    return fmt::format("{:.2f} ns", seconds * 1e9);
}

std::string explain(const Placement& placement, std::string_view key) {
    if (const Decision* decision = placement.find(key)) return explain(placement, *decision);
    std::vector<std::string> names;
    for (const Decision& d : placement.decisions) names.push_back(d.key);
    throw usage_error("there is no node \"{}\"{}", escape(key), did_you_mean(key, names));
}

std::string explain(const Placement& placement, const Decision& decision) {
    std::string text = fmt::format("node \"{}\" ({}) runs on {}: {}", escape(decision.key), escape(decision.type), decision.device,
                                   printable(decision.rule));
    if (!decision.refused.empty()) text += "\n  not granted: " + printable(decision.refused);
    if (decision.together > 1) text += fmt::format("\n  one of {} nodes of an integer unit, which stay together", decision.together);
    for (size_t d = 0; d < decision.choices.size(); ++d) {
        const DeviceOption& choice = decision.choices[d];
        text += fmt::format("\n  {:<12}", placement.devices[d]);
        if (!choice.refusal.empty()) {
            text += "refused: " + printable(choice.refusal);
            continue;
        }
        text += choice.seconds ? fmt::format("{:>10}", human_seconds(choice.counted))
                               : fmt::format("{:>10} (assumed: no cost row)", human_seconds(choice.counted));
        if (placement.devices[d] == decision.device)
            text += fmt::format(", transfers in {}, out {}", human_seconds(decision.transfer_in), human_seconds(decision.transfer_out));
        else if (choice.moved)
            text += fmt::format(", moving it there alone: {}{}", *choice.moved >= 0 ? "+" : "", human_seconds(*choice.moved));
    }
    return text;
}

}  // namespace quern::place
