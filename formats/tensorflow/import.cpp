#include "formats/tensorflow/import.h"

#include <algorithm>
#include <numeric>

#include "formats/tensorflow/file/flow.h"
#include "formats/tensorflow/map/map.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern::tensorflow_format {
namespace {

constexpr int depth_limit = 40;                 // of functions inside each other
constexpr int place_limit = 2;                  // places of deeper calls are left out: a message is one line
constexpr size_t node_limit = 100'000;          // that functions named many times may bring beyond those of the file
constexpr uint64_t constant_limit = 256 << 20;  // bytes

}  // namespace

Importer::Importer(Library& library, const VariableContents& variables, size_t file_size)
    : library_(library),
      contents_(variables),
      bytes_left_(constant_limit + 16 * uint64_t{file_size}),
      nodes_left_(node_limit + 2 * library.node_count()) {}

const NodeGraph& Importer::function(const std::string& name) { return library_.function(name); }

void Importer::spend(uint64_t bytes) {
    if (bytes > bytes_left_) throw unsupported("operators stand for constants that take more than {} bytes", constant_limit);
    bytes_left_ -= bytes;
}

// ---- nodes ----

const std::vector<Bound>* Importer::find(const Scope& scope, size_t node) const {
    for (const Scope* at = &scope; at; at = at->around)
        if (const auto found = at->results.find(node); found != at->results.end()) return &found->second;
    return nullptr;
}

const Bound& Importer::read(const Scope& scope, Ref ref) const {
    const std::vector<Bound>* results = find(scope, ref.node);
    if (!results || ref.out >= results->size() || (*results)[ref.out].kind == Bound::Kind::none)
        throw bad_input("reads result {} of \"{}\" ({}), which is not computed", ref.out, escape(scope.from.nodes[ref.node].name),
                        escape(scope.from.nodes[ref.node].op));
    return (*results)[ref.out];
}

// What is added before a node.
std::vector<size_t> Importer::needs(const Scope& scope, size_t node) const {
    const NodeGraph& from = scope.from;
    std::vector<size_t> list;
    if (const auto flow = flow_needs(from, node)) return *flow;
    for (const Ref& ref : from.inputs[node]) list.push_back(ref.node);
    for (const size_t control : from.controls[node])
        if (from.before_effect[control]) list.push_back(control);
    return list;
}

std::vector<size_t> Importer::order_of(const Scope& scope, std::span<const size_t> roots) const {
    struct Open {
        size_t node;
        std::vector<size_t> needs;
        size_t next = 0;
    };
    std::vector<size_t> order;
    std::map<size_t, bool> done;  // false: begun
    std::vector<Open> stack;
    const auto enter = [&](size_t node) {
        if (find(scope, node)) return;
        const auto [at, fresh] = done.emplace(node, false);
        if (fresh) return stack.push_back({node, needs(scope, node)});
        if (!at->second) throw bad_input("node \"{}\" is computed of itself", escape(scope.from.nodes[node].name));
    };
    for (const size_t root : roots) {
        enter(root);
        while (!stack.empty()) {
            Open& open = stack.back();
            if (open.next < open.needs.size()) {
                enter(open.needs[open.next++]);
                continue;
            }
            done[open.node] = true;
            order.push_back(open.node);
            stack.pop_back();
        }
    }
    return order;
}

void Importer::add_node(Scope& scope, size_t index) {
    const Node& node = scope.from.nodes[index];
    const auto add = [&] {
        if (nodes_left_-- == 0)
            throw unsupported("its functions, each as often as it is used, have more than {} operators beyond the file's", node_limit);
        Site site(*this, scope, index);
        if (library_.has(node.op)) {  // a function that is called by its name
            std::vector<Bound> arguments;
            for (size_t i = 0; i < site.inputs(); ++i) arguments.push_back(site.bound(i));
            std::vector<Bound> results = call(scope.frame, node.op, arguments, site.fresh(""), scope.depth + 1);
            for (size_t i = 0; i < results.size(); ++i) site.out(i, std::move(results[i]));
            return;
        }
        const MapRow* row = map_row(node.op);
        if (!row || !row->rewrite(site)) site.keep();
    };
    if (scope.depth > place_limit) return add();
    at_place(fmt::format("node \"{}\" ({})", escape(node.name), escape(node.op)), add);
}

std::vector<Bound> Importer::evaluate(Scope& scope, std::span<const Ref> results, std::span<const size_t> effects) {
    if (scope.depth > depth_limit) throw unsupported("functions and branches are inside each other deeper than {} levels", depth_limit);
    std::vector<size_t> roots(effects.begin(), effects.end());
    for (const Ref& ref : results) roots.push_back(ref.node);
    scope.order = order_of(scope, roots);
    for (const size_t node : scope.order)
        if (!find(scope, node)) add_node(scope, node);
    std::vector<Bound> bound;
    for (const Ref& ref : results) bound.push_back(read(scope, ref));
    return bound;
}

std::vector<Bound> Importer::call(Frame& frame, const std::string& name, const std::vector<Bound>& arguments, const std::string& prefix,
                                  int depth) {
    const NodeGraph& from = library_.function(name);
    if (arguments.size() != from.arguments)
        throw bad_input("function \"{}\" takes {} arguments, gets {}", escape(name), from.arguments, arguments.size());
    Scope scope{.frame = frame, .from = from, .prefix = prefix, .depth = depth};
    for (size_t i = 0; i < arguments.size(); ++i) scope.results[i] = {arguments[i]};
    return evaluate(scope, from.results, from.effects);
}

// ---- variables ----

Bound Importer::read_variable(const std::string& handle, DType dtype) {
    Variable& variable = variables_[handle];
    if (variable.first == ValueId::none) {
        const auto found = contents_.find(handle);
        if (found == contents_.end()) throw unsupported("variable \"{}\" has no value in the file", escape(handle));
        const Tensor tensor = at_place(fmt::format("variable \"{}\"", escape(handle)), [&] { return found->second.read(); });
        if (dtype != DType::none && tensor.dtype != dtype)
            throw bad_input("variable \"{}\" is {}, what the file has for it {}", escape(handle), name_of(dtype), name_of(tensor.dtype));
        const Type type = Type::tensor(tensor.dtype, Shape::of(tensor.dims));
        variable.first = top_->declare(found->second.name, type);
        top_->graph.value(variable.first).data = tensor.data;
        variable.now = variable.first;
        if (assigns_) {
            variable.now = variable.state = top_->declare(top_->graph.value(variable.first).name + "/state", type);
            top_->add(need_op(ops::own::State), top_->graph.value(variable.state).name, {variable.first}, {variable.state},
                      {{"next", std::string()}});
        }
    }
    return Bound::tensor(variable.now, *top_);
}

void Importer::assign_variable(const Frame& frame, const std::string& handle, ValueId value) {
    if (&frame != top_) throw unsupported("assigns variable \"{}\" where it runs on a condition", escape(handle));
    Variable& variable = variables_.at(handle);
    variable.now = value;
    variable.assigned = true;
}

// Each State is continued by what was assigned last; what is never assigned is a constant.
void Importer::finish_variables() {
    Graph& graph = top_->graph;
    for (const auto& [handle, variable] : variables_) {
        if (variable.state == ValueId::none) continue;
        if (!variable.assigned) {
            if (graph.is_output(variable.state)) {
                take_over(graph, variable.state, need_op(ops::Identity), {variable.first});
                continue;
            }
            graph.erase(graph.value(variable.state).producer);
            graph.replace_uses(variable.state, variable.first);
            graph.erase(variable.state);
            continue;
        }
        ValueId next = variable.now;
        if (graph.value(next).producer == NodeId::none || next == variable.state) {
            next = top_->declare(graph.value(variable.first).name + "/next", {});
            top_->add(need_op(ops::Identity), graph.value(next).name, {variable.now}, {next});
        }
        graph.node(graph.value(variable.state).producer).attrs["next"] = graph.value(next).name;
    }
}

// ---- the model's own graph ----

namespace {

// What is computed from an input has its open lengths for certain: they get names of their own.
void name_dims(Shape& shape, std::set<std::string>& taken) {
    for (size_t i = 0; i < shape.rank(); ++i) {
        Dim& dim = shape.dims[i];
        if (dim.known()) continue;
        const std::string wish = i == 0 ? "batch" : fmt::format("dim{}", i);
        std::string name = wish;
        for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", wish, n);
        dim = Dim::named(std::move(name));
    }
}

}  // namespace

void Importer::add_inputs(Scope& scope, const Interface& interface) {
    std::set<std::string> taken;
    for (const Interface::Port& port : interface.inputs) {
        if (port.dtype == DType::none) throw unsupported("input \"{}\" is a resource or a variant", escape(port.name));
        if (scope.results.contains(port.ref.node)) throw bad_input("input \"{}\" is an input twice", escape(port.name));
        Shape shape = port.shape;
        name_dims(shape, taken);
        const ValueId id = scope.frame.declare(port.name, Type::tensor(port.dtype, std::move(shape)));
        scope.frame.graph.inputs.push_back(id);
        std::vector<Bound>& results = scope.results[port.ref.node];
        results.resize(port.ref.out + 1);
        results[port.ref.out] = Bound::tensor(id, scope.frame);
    }
}

void Importer::finish_outputs(Scope& scope, const Interface& interface, const std::vector<Bound>& outputs) {
    Graph& graph = scope.frame.graph;
    for (size_t i = 0; i < outputs.size(); ++i) {
        const std::string& name = interface.outputs[i].name;
        if (outputs[i].kind != Bound::Kind::tensor) throw unsupported("output \"{}\" is not a tensor", escape(name));
        ValueId id = outputs[i].id;
        if (graph.is_output(id) || graph.value(id).producer == NodeId::none) {
            const ValueId copy = scope.frame.declare(name, {});
            scope.frame.add(need_op(ops::Identity), graph.value(copy).name, {id}, {copy});
            id = copy;
        }
        graph.outputs.push_back(id);
        const ValueId holder = graph.find(name);
        if (holder == id) continue;
        if (holder != ValueId::none) {  // an intermediate that has the name by chance
            if (graph.is_input(holder) || graph.is_output(holder)) continue;
            graph.rename(holder, graph.unique_name(name + "/inner"));
        }
        graph.rename(id, name);
    }
}

Graph Importer::run(const Interface& interface) {
    Graph graph;
    Frame frame(graph);
    top_ = &frame;
    Scope scope{.frame = frame, .from = library_.main(), .prefix = ""};
    add_inputs(scope, interface);
    std::vector<Ref> refs;
    std::vector<size_t> roots;
    for (const Interface::Port& port : interface.outputs) {
        refs.push_back(port.ref);
        roots.push_back(port.ref.node);
    }
    assigns_ = std::ranges::any_of(order_of(scope, roots), [&](size_t node) { return scope.from.before_effect[node]; });
    const std::vector<Bound> outputs = evaluate(scope, refs);
    finish_outputs(scope, interface, outputs);
    finish_variables();
    top_ = nullptr;
    graph.sort();
    drop_dead.run(graph);
    return graph;
}

Graph import_graph(Library& library, const Interface& interface, const VariableContents& variables, size_t file_size) {
    return Importer(library, variables, file_size).run(interface);
}

}  // namespace quern::tensorflow_format
