#include "formats/torch/import.h"

#include <algorithm>

#include "formats/torch/map/map.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"

namespace quern::torch_format {
namespace {

constexpr int depth_limit = 24;                 // of graphs inside each other
constexpr int view_limit = 1000;                // of views of views
constexpr size_t node_limit = 50'000;           // that graphs named many times, and views made anew, may bring beyond those of the file
constexpr uint64_t constant_limit = 256 << 20;  // bytes

// Two tensors that are the same window of the same storage are one constant.
std::string window_key(const StoredTensor& tensor) {
    return fmt::format("{} {} {} {} {}", static_cast<const void*>(tensor.storage.data()), tensor.offset, to_string(tensor.sizes),
                       to_string(tensor.strides), name_of(tensor.dtype));
}

size_t nodes_of(const ProgramGraph& graph) {
    size_t count = graph.nodes.size();
    for (const ProgramNode& node : graph.nodes)
        for (const auto& [name, argument] : node.in)
            if (argument.graph) count += nodes_of(*argument.graph);
    return count;
}

// A name stands for one result, so that nothing is a view of itself.
void check_names(const Scope& scope, const ProgramNode& node) {
    const auto check = [&](const Argument& out) {
        const bool named = out.kind == Argument::Kind::tensor || out.kind == Argument::Kind::symbol;
        if (named && (scope.bound.contains(out.text) || scope.same.contains(out.text)))
            throw bad_input("\"{}\" is computed twice", escape(out.text));
    };
    for (const Argument& out : node.out) {
        check(out);
        for (const Argument& item : out.items) check(item);
    }
}

// The results of `node` show `base`.
void add_views(Scope& scope, const ProgramNode& node, const std::string& base) {
    const auto of_base = scope.views.find(base);
    const int depth = of_base == scope.views.end() ? 1 : of_base->second.depth + 1;
    if (depth > view_limit) throw unsupported("views are of views deeper than {} levels", view_limit);
    const auto show = [&](const Argument& out) { scope.views[out.text] = {base, &node, scope.versions[base], depth}; };
    for (const Argument& out : node.out) {
        if (out.kind == Argument::Kind::tensor) show(out);
        for (const Argument& item : out.items) show(item);
    }
}

}  // namespace

Tensor known_tensor(const Number& number) {
    if (number.dtype == DType::boolean) return Tensor::scalar<bool>(*number.known != 0);
    return Tensor::scalar<int64_t>(*number.known);
}

std::string Scope::root(const std::string& name) const {
    std::string at = name;
    for (auto found = same.find(at); found != same.end(); found = same.find(at)) at = found->second;
    return at;
}

Importer::Importer(const Package& package, const Program& program, size_t file_size)
    : package_(package),
      program_(program),
      bytes_left_(constant_limit + 16 * uint64_t{file_size}),
      nodes_left_(node_limit + nodes_of(program.graph)) {}

void Importer::spend(uint64_t bytes) {
    if (bytes > bytes_left_)
        throw unsupported("its constants, each as often as it is used, take more than {} bytes beyond the file's", constant_limit);
    bytes_left_ -= bytes;
}

ValueId Importer::declare(Graph& graph, const std::string& wish, Type type) {
    std::string name = wish.empty() ? "value" : wish;
    if (graph.find(name) != ValueId::none) {
        const std::string base = name;
        for (size_t& next = suffixes_[{&graph, base}]; graph.find(name) != ValueId::none;) name = fmt::format("{}_{}", base, ++next);
    }
    return graph.add_value(std::move(name), std::move(type));
}

// ---- names ----

Bound Importer::read(Scope& scope, const std::string& name) {
    const std::string root = scope.root(name);
    if (const auto view = scope.views.find(root); view != scope.views.end()) {
        const Scope::View shown = view->second;
        read(scope, shown.base);  // itself a view, it may be made anew
        const uint64_t now = scope.versions[scope.root(shown.base)];
        if (now != shown.version) {
            add_node(scope, *shown.node);
            ++scope.versions[root];
        }
    }
    const auto found = scope.bound.find(root);
    if (found == scope.bound.end()) throw bad_input("\"{}\" is used before it is computed", escape(name));
    return found->second;
}

void Importer::write(Scope& scope, const std::string& name, ValueId value) {
    const std::string root = scope.root(name);
    if (const auto view = scope.views.find(root); view != scope.views.end()) {
        const std::string base = view->second.base;
        Site site(*this, scope, *view->second.node);
        const MapRow& row = *map_row(view->second.node->target).row;
        const ValueId whole = row.write_back ? row.write_back(site, read(scope, base).tensor, value) : ValueId::none;
        if (whole == ValueId::none) throw unsupported("writes into \"{}\", a view by {}", escape(name), view->second.node->target);
        write(scope, base, whole);
        scope.views.find(root)->second.version = scope.versions[scope.root(base)];
    }
    scope.bound[root] = {.tensor = value};
    ++scope.versions[root];
}

// ---- nodes ----

void Importer::add_node(Scope& scope, const ProgramNode& node) {
    at_place(fmt::format("node \"{}\" ({})", escape(node.name), escape(node.alias.empty() ? node.target : node.alias)), [&] {
        if (nodes_left_-- == 0)
            throw unsupported("its graphs, each as often as it is used, have more than {} operators beyond the file's", node_limit);
        Site site(*this, scope, node);
        const Mapped mapped = map_row(node.target);
        if (!mapped.row || !mapped.row->rewrite(site)) return site.keep();
        const Argument* self = site.arg(size_t{0});
        if (!self || self->kind != Argument::Kind::tensor) return;
        if (mapped.in_place) {
            if (node.out.size() != 1) throw bad_input("has {} results", node.out.size());
            const std::string result = node.out[0].text;
            write(scope, self->text, scope.bound.at(result).tensor);
            scope.same[result] = scope.root(self->text);
        } else if (mapped.row->view) {
            add_views(scope, node, scope.root(self->text));
        }
    });
}

std::vector<Bound> Importer::add_nodes(Scope& scope) {
    for (const ProgramNode& node : scope.from.nodes) {
        check_names(scope, node);
        add_node(scope, node);
    }
    std::vector<Bound> results;
    const auto add = [&](const Argument& output) {
        if (output.kind == Argument::Kind::tensor || output.kind == Argument::Kind::symbol)
            results.push_back(read(scope, output.text));
        else if (output.kind == Argument::Kind::integer)
            results.push_back({.number = Number{.known = output.integer, .dtype = output.boolean ? DType::boolean : DType::i64}});
        else
            results.emplace_back();  // none
    };
    for (const Argument& output : scope.from.outputs) {
        if (output.kind != Argument::Kind::list) add(output);
        for (const Argument& item : output.items) add(item);
    }
    return results;
}

std::vector<Bound> Importer::add_graph(Graph& graph, const ProgramGraph& from, const std::vector<Bound>& inputs, const std::string& prefix,
                                       int depth) {
    if (depth > depth_limit) throw unsupported("graphs are inside each other deeper than {} levels", depth_limit);
    if (inputs.size() != from.inputs.size()) throw bad_input("a graph takes {} inputs, gets {}", from.inputs.size(), inputs.size());
    Scope scope{.graph = graph, .from = from, .prefix = prefix, .depth = depth};
    for (size_t i = 0; i < inputs.size(); ++i) scope.bound[from.inputs[i].text] = inputs[i];
    return add_nodes(scope);
}

// ---- the program's own graph ----

ValueId Importer::add_stored(Graph& graph, const InputSpec& spec) {
    return at_place(fmt::format("\"{}\"", escape(spec.owner)), [&] {
        if (const auto refused = package_.refused.find(spec.owner); refused != package_.refused.end())
            throw unsupported("{}", refused->second);
        auto found = package_.weights.find(spec.owner);
        if (found == package_.weights.end()) found = package_.constants.find(spec.owner);
        if (found == package_.constants.end()) throw bad_input("has no contents in the file");
        const std::string key = window_key(found->second);
        const auto known = stored_.find(key);
        if (known != stored_.end() && spec.kind == InputSpec::Kind::parameter) return known->second;
        const StoredTensor& stored = found->second;
        spend(checked_size(stored, constant_limit));  // one storage may be the contents of many
        const ValueId id = declare(graph, spec.owner, Type::tensor(stored.dtype, Shape::of(stored.sizes)));
        graph.value(id).data = known != stored_.end() ? graph.value(known->second).data
                                                      : spool_.put(quern::torch_format::tensor_of(stored, constant_limit).data);
        stored_.emplace(key, id);
        return id;
    });
}

void Importer::add_inputs(Scope& scope) {
    for (size_t i = 0; i < program_.inputs.size(); ++i) {
        const InputSpec& spec = program_.inputs[i];
        const Argument& argument = program_.graph.inputs[i];
        if (spec.kind == InputSpec::Kind::number) continue;
        if (spec.kind == InputSpec::Kind::input && argument.kind == Argument::Kind::symbol) {
            const ValueId id = declare(scope.graph, spec.name, Type::tensor(DType::i64, Shape::of_dims({})));
            scope.graph.inputs.push_back(id);
            scope.bound[spec.name] = {.number = Number{.value = id}};
        } else if (spec.kind == InputSpec::Kind::input) {
            const auto meta = scope.from.tensors.find(spec.name);
            if (meta == scope.from.tensors.end()) throw bad_input("input \"{}\" has no type", escape(spec.name));
            const ValueId id = declare(scope.graph, spec.name, Type::tensor(meta->second.dtype, meta->second.shape));
            scope.graph.inputs.push_back(id);
            scope.bound[spec.name] = {.tensor = id};
        } else {
            scope.bound[spec.name] = {.tensor = add_stored(scope.graph, spec)};
            if (spec.kind == InputSpec::Kind::buffer) states_[spec.name] = scope.bound[spec.name].tensor;
        }
    }
}

ValueId Importer::as_output(Graph& graph, const Bound& bound, const std::string& name) {
    ValueId id = bound.tensor;
    if (bound.number) {
        id = bound.number->value;
        if (bound.number->known) id = graph.add_constant("number", known_tensor(*bound.number));
    }
    if (id == ValueId::none) return id;
    const bool taken = graph.is_input(id) || graph.is_output(id) || graph.value(id).constant();
    if (!taken && (name.empty() || graph.value(id).name == name)) return id;
    if (!taken && graph.find(name) == ValueId::none) {
        graph.rename(id, name);
        return id;
    }
    const ValueId copy = declare(graph, name.empty() ? graph.value(id).name : name, {});
    graph.add_node(need_op(ops::Identity), graph.value(copy).name, {id}, {copy});
    return copy;
}

// What the user gets comes first, then what inputs would have been overwritten with.
void Importer::finish_outputs(Scope& scope, const std::vector<Bound>& outputs) {
    size_t user = 0;
    const bool named =
        std::ranges::count(program_.outputs, OutputSpec::Kind::output, &OutputSpec::kind) == std::ssize(program_.output_names);
    std::vector<std::pair<std::string, Bound>> list, written;
    for (size_t i = 0; i < program_.outputs.size(); ++i) {
        const OutputSpec& spec = program_.outputs[i];
        if (spec.kind == OutputSpec::Kind::output) list.emplace_back(named ? program_.output_names[user] : "", outputs[i]), ++user;
        if (spec.kind == OutputSpec::Kind::input) written.emplace_back(spec.target + "_next", outputs[i]);
        if (spec.kind == OutputSpec::Kind::buffer)
            for (const InputSpec& input : program_.inputs)
                if (input.kind == InputSpec::Kind::buffer && input.owner == spec.target) scope.bound[input.name] = outputs[i];
    }
    list.insert(list.end(), written.begin(), written.end());
    for (const auto& [name, bound] : list)
        if (const ValueId id = as_output(scope.graph, bound, name); id != ValueId::none) scope.graph.outputs.push_back(id);
    if (scope.graph.outputs.empty()) throw bad_input("has no output that is computed");
}

// Buffers that stand for something else at the end begin the next run so.
void Importer::finish_states(Scope& scope) {
    for (const auto& [name, first] : states_) {
        const ValueId last = read(scope, name).tensor;
        if (last != first) add_state(scope.graph, first, last);
    }
}

void Importer::add_state(Graph& graph, ValueId first, ValueId next) {
    const std::string name = graph.value(first).name;
    const ValueId now = declare(graph, name + "/state", {});
    graph.replace_uses(first, now);
    if (graph.is_input(next) || graph.value(next).constant() || next == now) {
        const ValueId copy = declare(graph, name + "/next", {});
        graph.add_node(need_op(ops::Identity), graph.value(copy).name, {next}, {copy});
        next = copy;
    }
    graph.add_node(need_op(ops::own::State), graph.value(now).name, {first}, {now}, {{"next", graph.value(next).name}});
}

Graph Importer::run() {
    Graph graph;
    graph.name = package_.name;
    Scope scope{.graph = graph, .from = program_.graph, .prefix = ""};
    add_inputs(scope);
    const std::vector<Bound> outputs = add_nodes(scope);
    finish_outputs(scope, outputs);
    finish_states(scope);
    graph.sort();
    return graph;
}

Model import_program(const Package& package, const Program& program, size_t file_size) {
    Model model;
    model.graph = Importer(package, program, file_size).run();
    if (!program.torch_version.empty()) model.graph.metadata["torch.version"] = program.torch_version;
    return model;
}

}  // namespace quern::torch_format
