#include "formats/tensorflow/frozen.h"

#include <algorithm>
#include <array>

#include "formats/tensorflow/file/flow.h"

namespace quern::tensorflow_format {
namespace {

constexpr std::array no_results{
    "NoOp",   "Assert",           "Print",     "PrintV2",        "Placeholder", "Const", "SaveV2", "Save", "MergeV2Checkpoints",
    "Assign", "AssignVariableOp", "RestoreV2", "ShardedFilename"};

bool has_result(const Node& node) { return std::ranges::find(no_results, node.op) == no_results.end(); }

// What a function gave before it was frozen: "Identity", "Identity_1".
bool is_result(const Node& node) { return node.op == "Identity" && (node.name == "Identity" || node.name.starts_with("Identity_")); }

// The ends of branches and loops: what is wanted of them is read.
bool is_end(const Node& node) { return node.op == "Exit" || node.op == "Merge"; }

// Nodes with `from` behind them, followed from operand to reader.
std::vector<bool> computed_of(const NodeGraph& graph, std::vector<size_t> from) {
    std::vector<std::vector<size_t>> readers(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        for (const Ref& ref : graph.inputs[i]) readers[ref.node].push_back(i);
    std::vector<bool> reached(graph.nodes.size());
    while (!from.empty()) {
        const size_t node = from.back();
        from.pop_back();
        if (reached[node]) continue;
        reached[node] = true;
        from.insert(from.end(), readers[node].begin(), readers[node].end());
    }
    return reached;
}

std::vector<bool> needed_for(const NodeGraph& graph, std::vector<size_t> from) {
    std::vector<bool> reached(graph.nodes.size());
    while (!from.empty()) {
        const size_t node = from.back();
        from.pop_back();
        if (reached[node]) continue;
        reached[node] = true;
        for (const Ref& ref : graph.inputs[node]) from.push_back(ref.node);
        if (graph.flow)
            for (const size_t control : graph.controls[node]) from.push_back(control);
    }
    return reached;
}

// Results that nobody reads. One that others wait for is read by them, unless they do nothing.
std::vector<size_t> leaves(const NodeGraph& graph) {
    std::vector<bool> read(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const Ref& ref : graph.inputs[i]) read[ref.node] = true;
        if (has_result(graph.nodes[i]) || graph.nodes[i].op == "Const")
            for (const size_t node : graph.controls[i]) read[node] = true;
    }
    std::vector<size_t> list;
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        const bool branch = graph.flow && !graph.flow->tags[i].empty();
        if (!read[i] && !branch && has_result(graph.nodes[i])) list.push_back(i);
    }
    return list;
}

}  // namespace

Interface interface_of(const NodeGraph& graph) {
    std::vector<size_t> inputs;
    for (size_t i = 0; i < graph.nodes.size(); ++i)
        if (graph.nodes[i].op == "Placeholder") inputs.push_back(i);
    std::vector<size_t> outputs = leaves(graph);
    const std::vector<bool> computed = computed_of(graph, inputs);
    if (std::ranges::any_of(outputs, [&](size_t node) { return computed[node]; }))
        std::erase_if(outputs, [&](size_t node) { return !computed[node] && !is_result(graph.nodes[node]); });
    if (!std::ranges::all_of(outputs, [&](size_t node) { return is_end(graph.nodes[node]); }))
        std::erase_if(outputs, [&](size_t node) { return is_end(graph.nodes[node]); });
    if (outputs.empty()) throw bad_input("has no output that is computed");
    const std::vector<bool> needed = needed_for(graph, outputs);
    Interface interface;
    for (const size_t node : inputs) {
        if (!needed[node]) continue;
        const auto* dtype = graph.nodes[node].attr<DType>("dtype");
        const auto* shape = graph.nodes[node].attr<Shape>("shape");
        interface.inputs.push_back({graph.nodes[node].name, {node, 0}, dtype ? *dtype : DType::none, shape ? *shape : Shape::unranked()});
    }
    for (const size_t node : outputs) interface.outputs.push_back({graph.nodes[node].name, {node, 0}});
    return interface;
}

}  // namespace quern::tensorflow_format
