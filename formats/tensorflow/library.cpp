#include "formats/tensorflow/library.h"

#include <algorithm>
#include <array>

#include "formats/tensorflow/file/flow.h"
#include "formats/tensorflow/map/map.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

constexpr int depth_limit = 64;  // of functions that call each other, when effects are looked for

constexpr std::array effect_ops{"Assign",
                                "AssignAdd",
                                "AssignSub",
                                "AssignVariableOp",
                                "AssignAddVariableOp",
                                "AssignSubVariableOp",
                                "ResourceScatterUpdate",
                                "ResourceScatterAdd",
                                "ResourceScatterSub"};

// The place of result `k` of output argument `argument` among all results.
size_t flat_output(std::string_view outputs, std::string_view argument, size_t k, std::string_view reference) {
    if (outputs.empty()) return k;
    size_t at = 0;
    for (const std::string& name : split(outputs, ' ')) {
        const bool list = name.ends_with('*');
        if (std::string_view(name).substr(0, name.size() - (list ? 1 : 0)) == argument) return at + k;
        if (list) break;  // how many results come before is not known
        ++at;
    }
    throw bad_input("refers to \"{}\", its operator has no such output", escape(reference));
}

}  // namespace

// Makes a NodeGraph of nodes that refer to each other by name.
class Linker {
   public:
    Linker(const Library& library, NodeGraph& to) : library_(library), to_(to) {}

    void add(const std::vector<Node>& nodes) {
        for (const Node& node : nodes) {
            if (!to_.by_name.emplace(node.name, to_.nodes.size()).second) throw bad_input("node \"{}\" is there twice", escape(node.name));
            to_.nodes.push_back(node);
        }
    }
    void link() {
        to_.inputs.resize(to_.nodes.size());
        to_.controls.resize(to_.nodes.size());
        to_.outputs.assign(to_.nodes.size(), 1);
        for (size_t i = 0; i < to_.nodes.size(); ++i)
            at_place(fmt::format("node \"{}\" ({})", escape(to_.nodes[i].name), escape(to_.nodes[i].op)), [&] {
                for (const std::string& input : to_.nodes[i].inputs) {
                    if (input.starts_with('^'))
                        to_.controls[i].push_back(to_.find(std::string_view(input).substr(1)).node);
                    else
                        to_.inputs[i].push_back(resolved(input));
                }
            });
    }
    Ref resolved(std::string_view reference) {
        const size_t first = reference.find(':'), second = first == std::string_view::npos ? first : reference.find(':', first + 1);
        Ref ref = to_.find(second == std::string_view::npos ? reference : reference.substr(0, first));
        if (second != std::string_view::npos)
            ref.out = flat_output(outputs_of(to_.nodes[ref.node]), reference.substr(first + 1, second - first - 1),
                                  output_number(reference.substr(second + 1), reference), reference);
        size_t& outputs = to_.outputs[ref.node];
        outputs = std::max(outputs, ref.out + 1);
        return ref;
    }

   private:
    std::string outputs_of(const Node& node) const {
        if (library_.has(node.op)) {
            std::vector<std::string> names;
            for (const Argument& output : library_.signature(node.op).outputs) names.push_back(output.name);
            return join(names, " ");
        }
        const MapRow* row = map_row(node.op);
        return row ? std::string(row->outputs) : "";
    }

    const Library& library_;
    NodeGraph& to_;
};

namespace {

void mark_effects(NodeGraph& graph, const std::vector<size_t>& effects) {
    graph.before_effect.assign(graph.nodes.size(), false);
    if (effects.empty()) return;
    std::vector<std::vector<size_t>> followers(graph.nodes.size());
    for (size_t i = 0; i < graph.nodes.size(); ++i) {
        for (const Ref& ref : graph.inputs[i]) followers[ref.node].push_back(i);
        for (const size_t node : graph.controls[i]) followers[node].push_back(i);
    }
    std::vector<size_t> queue = effects;
    while (!queue.empty()) {
        const size_t node = queue.back();
        queue.pop_back();
        if (graph.before_effect[node]) continue;
        graph.before_effect[node] = true;
        queue.insert(queue.end(), followers[node].begin(), followers[node].end());
    }
}

}  // namespace

bool Library::has_effect(const Node& node, int depth) {
    if (std::ranges::find(effect_ops, node.op) != effect_ops.end()) return true;
    std::vector<std::string> called = callees(node);
    if (has(node.op)) called.push_back(node.op);
    return std::ranges::any_of(called, [&](const std::string& name) {
        const auto known = effects_.find(name);
        if (known != effects_.end()) return known->second;
        const auto found = def_.functions.find(name);
        if (found == def_.functions.end() || depth > depth_limit) return false;
        effects_[name] = false;  // of one that calls itself
        const bool any = std::ranges::any_of(found->second.nodes, [&](const Node& inner) { return has_effect(inner, depth + 1); });
        return effects_[name] = any;
    });
}

Library::Library(GraphDef def) : def_(std::move(def)) {
    Linker linker(*this, main_);
    linker.add(def_.nodes);
    linker.link();
    std::vector<size_t> effects;
    for (size_t i = 0; i < main_.nodes.size(); ++i)
        if (has_effect(main_.nodes[i], 0)) effects.push_back(i);
    mark_effects(main_, effects);
    main_.flow = flow_of(main_);
}

const Function& Library::signature(std::string_view name) const {
    const auto found = def_.functions.find(name);
    if (found == def_.functions.end()) throw bad_input("function \"{}\" is not in the file", escape(name));
    return found->second;
}

size_t Library::node_count() const {
    size_t count = def_.nodes.size();
    for (const auto& [name, function] : def_.functions) count += function.nodes.size();
    return count;
}

const NodeGraph& Library::function(std::string_view name) {
    if (const auto found = functions_.find(name); found != functions_.end()) return found->second;
    const Function& from = signature(name);
    NodeGraph graph;
    at_place(fmt::format("function \"{}\"", escape(name)), [&] {
        Linker linker(*this, graph);
        graph.name = from.name;
        graph.arguments = from.inputs.size();
        std::vector<Node> arguments;
        for (const Argument& input : from.inputs) arguments.push_back({.name = input.name, .op = "_Arg", .inputs = {}, .attrs = {}});
        linker.add(arguments);
        linker.add(from.nodes);
        linker.link();
        for (const Argument& output : from.outputs) {
            const auto result = from.results.find(output.name);
            if (result == from.results.end()) throw bad_input("says nothing of its output \"{}\"", escape(output.name));
            graph.results.push_back(linker.resolved(result->second));
        }
        for (size_t i = graph.arguments; i < graph.nodes.size(); ++i)
            if (has_effect(graph.nodes[i], 0)) graph.effects.push_back(i);
        mark_effects(graph, graph.effects);
        graph.flow = flow_of(graph);
    });
    return functions_.emplace(std::string(name), std::move(graph)).first->second;
}

}  // namespace quern::tensorflow_format
