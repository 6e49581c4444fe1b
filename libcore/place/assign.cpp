#include "libcore/place/assign.h"

#include <algorithm>
#include <array>
#include <set>

#include "libcore/base/text.h"
#include "libcore/place/cost.h"
#include "libcore/place/graph_problem.h"
#include "libcore/place/memory_split.h"
#include "libcore/place/min_cut.h"
#include "libcore/place/nodes.h"
#include "libcore/place/partitioning.h"

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
        check_memory();
        place();
        describe_target();
        write_devices();
        decide();
        return std::move(out_);
    }

   private:
    // What was asked for, or must be somewhere, and is too large.
    void check_memory() {
        std::vector<std::string> lines;
        for (const TooLarge& item : given_.too_large) {
            const Node& node = graph_.node(item.node);
            const auto source = options_.sources.find(node.name);
            const std::string asked =
                item.asked && source != options_.sources.end() ? fmt::format(" (asked for by {})", source->second) : "";
            (item.asked ? lines : out_.too_large)
                .push_back(fmt::format("node \"{}\" ({}) does not fit {}{}: {}", escape(node.name), escape(node.op->name),
                                       given_.devices[item.device]->name, asked, item.need));
        }
        if (lines.empty()) return;
        const std::string first = lines.front();
        lines.erase(lines.begin());
        throw Error(Exit::no, first).with_details(std::move(lines)).with_hint("this is the least memory with which it runs there");
    }

    // A placement at hand, with what its splits for memory take.
    struct Candidate {
        std::string name;
        Labels labels;
        double seconds = 0;
    };

    void place() {
        std::vector<Candidate> candidates;
        std::vector<Labels> starts;
        for (const Heuristic heuristic : greedy) {
            starts.push_back(place_greedily(given_.problem, heuristic));
            candidates.push_back({std::string(name_of(heuristic)), starts.back()});
        }
        if (std::ranges::all_of(given_.problem.items, [](const Item& i) { return i.allowed[0]; }))
            candidates.push_back({"cpu alone", Labels(given_.problem.items.size(), 0)});
        const Solution best = cheapest_placement(given_.problem, starts);
        candidates.push_back({std::string(name_of(Heuristic::min_cut)), best.labels});
        weigh(candidates);
        out_.heuristic = options_.heuristic.value_or(target_.compiler_decides ? Heuristic::qualifying_ops : Heuristic::min_cut);
        labels_ = chosen(candidates).labels;
        divide();
        const Ticks reached = price(given_.problem, labels_);
        out_.seconds = seconds_of(reached) + out_.memory_seconds;
        out_.bound = seconds_of(best.bound);
        out_.exact = reached == best.bound && out_.memory_seconds == 0;
        Ticks compute = 0;
        for (size_t i = 0; i < labels_.size(); ++i) compute += given_.problem.items[i].cost[labels_[i]];
        out_.compute_seconds = seconds_of(compute);
    }

    void weigh(std::vector<Candidate>& candidates) {
        const bool splits = std::ranges::any_of(given_.devices, [&](const Device* d) { return bounded(target_, d->name); });
        for (auto at = candidates.begin(); at != candidates.end(); ++at) {
            Candidate& candidate = *at;
            if (const auto same = std::ranges::find(candidates.begin(), at, candidate.labels, &Candidate::labels); same != at) {
                candidate.seconds = same->seconds;
                continue;
            }
            labels_ = candidate.labels;
            out_.memory_seconds = 0;
            if (splits) divide();
            candidate.seconds = seconds_of(price(given_.problem, labels_)) + out_.memory_seconds;
        }
        // The cheapest without splits may take more with them than one of a heuristic.
        const auto min = std::ranges::min_element(candidates, {}, &Candidate::seconds);
        if (min->seconds < candidates.back().seconds) candidates.back().labels = min->labels, candidates.back().seconds = min->seconds;
        for (const Candidate& candidate : candidates) out_.others.emplace_back(candidate.name, candidate.seconds);
    }

    const Candidate& chosen(const std::vector<Candidate>& candidates) const {
        return out_.heuristic == Heuristic::min_cut ? candidates.back() : candidates[static_cast<size_t>(out_.heuristic)];
    }

    // Partitions of the placement at hand, and what its splits for memory take.
    void divide() {
        std::vector<size_t> devices;
        for (size_t u = 0; u < given_.units.members.size(); ++u)
            devices.push_back(static_cast<size_t>(given_.devices[labels_[u]] - target_.devices.data()));
        out_.partitions = partition_units(graph_, target_, given_.units, devices);
        out_.memory_seconds = split_seconds(graph_, target_, out_.partitions);
    }

    void describe_target() {
        out_.target = target_.name;
        out_.basis = target_.basis;
        for (const Device* device : given_.devices) out_.devices.push_back(device->name);
        out_.without_cost.assign(given_.without_cost.begin(), given_.without_cost.end());
        out_.free_links.assign(given_.free_links.begin(), given_.free_links.end());
        out_.measured = measured(target_) && out_.without_cost.empty();
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
            decision.rule = name_of(out_.heuristic);
        else
            decision.rule = given_.bound[unit];
        for (size_t d = 0; d < out_.devices.size(); ++d) {
            const NodeOption& option = given_.options[index_of(ref.id)][d];
            DeviceOption choice{option.seconds, option.counted, option.refusal, option.check, option.stripes, std::nullopt};
            if (choice.refusal.empty()) refuse_with_unit(choice, unit, d, ref.id);
            if (choice.refusal.empty()) choice.moved = seconds_of(surroundings.moved(unit, d));
            decision.choices.push_back(std::move(choice));
        }
        add_transfers(decision, ref.id);
    }

    // Why the unit cannot be on the device though this node of it can.
    void refuse_with_unit(DeviceOption& choice, size_t unit, size_t device, NodeId except) const {
        for (const NodeId id : given_.units.members[unit]) {
            const NodeOption& other = given_.options[index_of(id)][device];
            if (id == except || other.refusal.empty()) continue;
            choice.refusal = fmt::format("\"{}\"{}{}", graph_.node(id).name, of_unit, other.refusal);
            choice.check = other.check;
            return;
        }
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

}  // namespace quern::place
