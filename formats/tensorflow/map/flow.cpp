// Control flow of TensorFlow 1, raised: the nodes between Switches and Merges become branches of If, those of a loop the body of Loop.
#include "formats/tensorflow/file/flow.h"

#include <algorithm>
#include <array>

#include "formats/tensorflow/map/bodies.h"
#include "formats/tensorflow/map/map.h"

namespace quern::tensorflow_format {
namespace {

// A part of the graph of `scope`, added to a frame of its own.
Scope part_of(const Scope& scope, Frame& frame) {
    return {.frame = frame, .from = scope.from, .prefix = scope.prefix, .depth = scope.depth + 1, .around = &scope};
}

// ---- branches ----

bool way(Site& site) {
    const NodeGraph& from = site.scope().from;
    if (site.inputs() != 2) throw bad_input("has {} inputs, need 2", site.inputs());
    const Ref condition = behind_identities(from, from.inputs[site.index()][1]);
    for (const Scope* at = &site.scope(); at; at = at->around)
        if (const auto side = at->sides.find(condition); side != at->sides.end()) {
            site.pass(side->second, 0);
            return true;
        }
    throw unsupported("what it sends one of several ways is read where the ways do not meet");
}

// Merges of the same branches that can be added now, which become one If.
std::vector<size_t> together(Site& site, const Flow& flow) {
    const Scope& scope = site.scope();
    const Flow::Join& own = flow.joins.at(site.index());
    std::vector<size_t> merges;
    const auto added = [&](size_t node) { return site.importer().find(scope, node) != nullptr; };
    for (const size_t node : scope.order) {
        const auto join = flow.joins.find(node);
        if (join == flow.joins.end() || join->second.condition != own.condition || flow.tags[node] != flow.tags[site.index()]) continue;
        if (!added(node) && join->second.sides.size() == own.sides.size() && std::ranges::all_of(join->second.needs, added))
            merges.push_back(node);
    }
    return merges;
}

// What comes from a way, and which input that is where it is asked for.
Part side_of(Site& site, const Flow& flow, const std::vector<size_t>& merges, size_t side) {
    return [&site, &flow, &merges, side](Frame& frame) {
        Scope part = part_of(site.scope(), frame);
        std::vector<Ref> refs;
        for (const size_t merge : merges) {
            const Flow::Join& join = flow.joins.at(merge);
            const auto from = join.sides.find(side);
            if (from == join.sides.end()) throw unsupported("nothing comes from way {} of a condition", side);
            part.sides[join.condition] = side;
            refs.push_back(from->second);
        }
        std::vector<Bound> results = site.importer().evaluate(part, refs);
        for (size_t i = 0; i < merges.size(); ++i) {
            const auto& inputs = part.from.inputs[merges[i]];
            const auto place = static_cast<int32_t>(std::ranges::find(inputs, refs[i]) - inputs.begin());
            results.push_back(Bound::tensor(frame.graph.add_constant(site.fresh("place"), Tensor::scalar(place)), frame));
        }
        return results;
    };
}

void end_branches(Site& site, const Flow& flow) {
    const Flow::Join& join = flow.joins.at(site.index());
    const std::vector<size_t> merges = together(site, flow);
    const std::string name = site.scope().prefix + site.of().name;
    Frame& frame = site.scope().frame;
    const Bound condition = site.importer().read(site.scope(), join.condition);
    if (condition.kind != Bound::Kind::tensor) throw bad_input("its condition is not a tensor");
    std::vector<Part> sides;
    for (size_t side = 0; side < join.ways; ++side) sides.push_back(side_of(site, flow, merges, side));
    const ValueId value = frame.take(condition.id, condition.frame);
    const bool two = frame.graph.value(value).type.dtype == DType::boolean;
    const std::vector<Bound> results = two ? add_if(frame, name, value, sides[1], sides[0]) : add_case(frame, name, condition, sides);
    for (size_t i = 0; i < merges.size(); ++i) site.scope().results[merges[i]] = {results[i], results[merges.size() + i]};
}

bool merge(Site& site) {
    const Flow& flow = *site.scope().from.flow;
    if (!flow.joins.contains(site.index())) throw unsupported("what it merges are not the ways of one condition");
    end_branches(site, flow);
    return true;
}

// ---- loops ----

bool hands_on(const NodeGraph& graph, const Flow::Variable& variable) {
    const Ref from = behind_identities(graph, variable.next);
    return from.out == 1 && std::ranges::find(variable.switches, from.node) != variable.switches.end();
}

Step step_of(Site& site, const Flow::Loop& loop, std::vector<Ref> refs) {
    return [&site, &loop, refs = std::move(refs)](Frame& frame, const std::vector<Bound>& carried) {
        Scope part = part_of(site.scope(), frame);
        for (size_t i = 0; i < carried.size(); ++i) {
            part.results[loop.variables[i].merge] = {carried[i]};
            for (const size_t node : loop.variables[i].switches) part.results[node] = {Bound(), carried[i]};
        }
        return site.importer().evaluate(part, refs);
    };
}

bool leave(Site& site) {
    const NodeGraph& from = site.scope().from;
    if (!from.flow->exits.contains(site.index())) throw bad_input("leaves no loop");
    const std::string& name = from.flow->exits.at(site.index());
    const Flow::Loop& loop = from.flow->loops.at(name);
    LoopParts parts;
    std::vector<Ref> next;
    for (const Flow::Variable& variable : loop.variables) {
        parts.names.push_back(from.nodes[variable.merge].name);
        parts.first.push_back(site.importer().read(site.scope(), variable.first));
        parts.fixed.push_back(hands_on(from, variable));
        next.push_back(variable.next);
    }
    parts.condition = step_of(site, loop, {loop.condition});
    parts.body = step_of(site, loop, next);
    const std::vector<Bound> results = add_loop(site.scope().frame, site.scope().prefix + site.of().name, parts);
    for (const auto& [exit, of] : from.flow->exits) {
        if (of != name) continue;
        const size_t node = from.inputs[exit][0].node;
        for (size_t i = 0; i < loop.variables.size(); ++i)
            if (std::ranges::find(loop.variables[i].switches, node) != loop.variables[i].switches.end())
                site.scope().results[exit] = {results[i]};
    }
    return true;
}

bool pass(Site& site) {
    site.pass(0, 0);
    return true;
}

constexpr std::array flow_table{
    MapRow{"Enter LoopCond NextIteration RefEnter RefNextIteration", "nothing", pass},
    MapRow{"Exit RefExit", "Loop", leave},
    MapRow{"Merge RefMerge", "If", merge, "output value_index"},
    MapRow{"RefSwitch Switch", "nothing", way, "output_false output_true"},
    MapRow{"_SwitchN", "nothing", way, "outputs*"},
};

}  // namespace

std::span<const MapRow> flow_rows() { return flow_table; }

}  // namespace quern::tensorflow_format
