#include "formats/onnx/import.h"

#include <algorithm>
#include <set>
#include <utility>

#include "formats/onnx/onnx.pb.h"
#include "formats/onnx/upgrade.h"
#include "formats/onnx/versions.h"
#include "libcore/base/text.h"
#include "libcore/graph/declared_types.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/onnx/qonnx.h"

namespace quern::onnx_format {
namespace {

constexpr int depth_limit = 48;                             // of bodies and functions inside each other
constexpr size_t inline_limit = 500'000;                    // nodes that functions bring, at most
constexpr size_t inline_free = 20'000, inline_ratio = 256;  // and for each node of the file
constexpr uint64_t inline_bytes_limit = uint64_t{1} << 29;

std::string function_key(const std::string& domain, const std::string& name, const std::string& overload) {
    return domain + "\n" + name + "\n" + overload;
}

std::string plain_domain(const std::string& domain) { return domain == "ai.onnx" ? "" : domain; }

Opsets opsets_from(const google::protobuf::RepeatedPtrField<onnx::OperatorSet>& items) {
    Opsets out;
    for (const auto& item : items) out[plain_domain(item.domain())] = static_cast<int>(std::clamp<int64_t>(item.version(), 0, 1'000'000));
    return out;
}

void check_name(const std::string& name, std::string_view what) {
    if (!is_utf8(name)) throw bad_input("the name of {} is not valid UTF-8: \"{}\"", what, escape(name));
}

// Names of operators and domains are words: they stand in messages and in the text form as they are.
void check_word(const std::string& word, std::string_view what) {
    check_name(word, what);
    if (!is_plain(word)) throw bad_input("the name of {} holds control characters or quotes: \"{}\"", what, escape(word));
}

std::string place_of(const onnx::Node& message) {
    const std::string& name = !message.name().empty() || message.output_size() == 0 ? message.name() : message.output(0);
    return fmt::format("node \"{}\" ({})", escape(name), escape(message.op_type()));
}

// The module path in a node's name: "/encoder/layer.3/MatMul" is in "/encoder/layer.3/".
std::string scope_of(const std::string& name) {
    const size_t slash = name.rfind('/');
    return slash == std::string::npos || slash == 0 ? "" : name.substr(0, slash + 1);
}

// Of what nodes make: a shape without dims is what exporters write of a rank that they do not know, and of numbers, whose rank is computed.
Type declared_type(const onnx::Type& message) {
    Type type = type_from(message);
    if (type.kind == Type::Kind::tensor && type.shape.rank() == 0) type.shape = {};
    return type;
}

void infer_as_first(InferCtx& ctx) { ctx.set(0, ctx.in(0)); }

}  // namespace

Importer::Importer(const onnx::Model& model, TensorSource& tensors) : model_(model), tensors_(tensors) {
    opsets_ = opsets_from(model.opset_import());
    for (const auto& function : model.functions()) {
        functions_[function_key(plain_domain(function.domain()), function.name(), function.overload())] = &function;
        function_opsets_[&function] = opsets_from(function.opset_import());
    }
}

Graph Importer::run() {
    if (!model_.has_graph()) throw bad_input("the file holds no graph");
    Graph graph;
    Scope scope{.graph = graph, .opsets = &opsets_};
    check_functions();
    import_graph(model_.graph(), scope);
    upgrade_typed(graph);
    return graph;
}

// One after the other, as the ranks of their operands become known.
void Importer::place_operands(Graph& root) {
    constexpr size_t work_limit = 50'000'000;  // nodes looked at
    for (size_t work = 0; !misplaced_.empty(); work += old_nodes_.size()) {
        if (work > work_limit) throw unsupported("too many operands to broadcast by axis (opset {})", misplaced_.front().version);
        root.sort();
        infer_declared_types(root, told_);
        const size_t before = misplaced_.size();
        std::erase_if(misplaced_, [](const OldNode& old) {
            Node& node = old.graph->node(old.id);
            return at_node(node, [&] {
                if (!explicit_broadcast(*old.graph, old.id)) return false;
                node.op = need_op(node.op->name);
                return true;
            });
        });
        if (misplaced_.size() < before) continue;
        const Node& node = misplaced_.front().graph->node(misplaced_.front().id);
        throw unsupported("node \"{}\" ({}, opset {}): broadcasts operands of unknown rank", escape(node.name), escape(node.op->name),
                          misplaced_.front().version);
    }
}

void Importer::upgrade_typed(Graph& root) {
    place_operands(root);
    const auto rows = typed_upgrades();
    const auto wanted = [&](const OldNode& old) {
        return std::any_of(rows.begin(), rows.end(),
                           [&](const Upgrade& row) { return row.op.name == old.graph->node(old.id).op->name && old.version < row.until; });
    };
    std::erase_if(old_nodes_, [&](const OldNode& old) { return !wanted(old); });
    if (old_nodes_.empty() && quants_.empty()) return;
    static constexpr Op stand_in{.name = "old form", .in = {1, 4}, .infer = infer_as_first};
    std::vector<std::pair<Node*, const Op*>> hidden;
    for (const OldNode& old : old_nodes_) {
        Node& node = old.graph->node(old.id);
        const bool like_first =
            std::any_of(rows.begin(), rows.end(), [&](const Upgrade& row) { return row.op.name == node.op->name && row.like_first; });
        if (like_first) hidden.emplace_back(&node, std::exchange(node.op, &stand_in));
    }
    for (const OldNode& quant : quants_) {
        Node& node = quant.graph->node(quant.id);
        if (!node.in.empty() && node.in[0] != ValueId::none && node.in.size() <= 4 && node.out.size() == 1)
            hidden.emplace_back(&node, std::exchange(node.op, &stand_in));
    }
    root.sort();
    infer_declared_types(root, told_);
    for (const auto& [node, op] : hidden) node->op = op;
    for (const OldNode& old : old_nodes_) upgrade(rows, *old.graph, old.id, old.version);
    for (const OldNode& quant : quants_) spell_quant(*quant.graph, quant.id);
}

ValueId Importer::declare(const std::string& name, Scope& scope, Type type) {
    check_name(name, "a value");
    if (scope.names.contains(name)) throw bad_input("value \"{}\" is defined twice", escape(name));
    const std::string wish = scope.prefix + name;
    std::string own = wish;
    if (scope.graph.find(own) != ValueId::none)
        for (size_t& next = value_suffixes_[&scope.graph][wish]; scope.graph.find(own) != ValueId::none;)
            own = fmt::format("{}_{}", wish, ++next);
    return scope.names[name] = scope.graph.add_value(std::move(own), std::move(type));
}

// Files may name nodes as they like: the first keeps its name, the others get a number in the order of the file.
std::string Importer::fresh_node_name(const Graph& graph, const std::string& wish) {
    auto& taken = node_names_[&graph];
    std::string name = wish;
    for (size_t next = 1; taken.contains(name); name = fmt::format("{}_{}", wish, next++)) next = std::max(next, taken[wish]++);
    taken.emplace(name, 1);
    return name;
}

ValueId Importer::resolve(const std::string& name, Scope& scope) {
    if (name.empty()) return ValueId::none;
    if (const auto found = scope.names.find(name); found != scope.names.end()) return found->second;
    if (!scope.parent) throw bad_input("value \"{}\" is not defined", escape(name));
    const ValueId outer = resolve(name, *scope.parent);
    const ValueId inner = declare(name, scope, scope.parent->graph.value(outer).type);
    scope.graph.captures.push_back({inner, outer});
    return inner;
}

void Importer::import_constants(const onnx::Graph& message, Scope& scope) {
    const auto add = [&](const std::string& name, const auto& tensor) {
        if (name.empty()) throw bad_input("an initializer has no name");
        at_place(fmt::format("tensor \"{}\"", escape(name)), [&] {
            const Tensor data = tensors_.read(tensor);
            const ValueId id = declare(name, scope, Type::tensor(data.dtype, Shape::of(data.dims)));
            scope.graph.value(id).data = data.data;
        });
    };
    for (const auto& tensor : message.initializer()) add(tensor.name(), tensor);
    for (const auto& tensor : message.sparse_initializer()) add(tensor.values().name(), tensor);
}

void Importer::import_graph(const onnx::Graph& message, Scope& scope) {
    if (scope.depth > depth_limit) throw bad_input("graphs nested deeper than {}", depth_limit);
    Graph& graph = scope.graph;
    check_name(message.name(), "a graph");
    graph.name = message.name();
    import_constants(message, scope);
    for (const auto& input : message.input()) {
        Type type = at_place(fmt::format("input \"{}\"", escape(input.name())), [&] { return type_from(input.type()); });
        // An initializer that is listed as an input, too, is a constant.
        if (const auto known = scope.names.find(input.name()); known != scope.names.end() && graph.value(known->second).constant())
            continue;
        if (type.kind == Type::Kind::tensor && type.dtype == DType::none && !scope.parent)
            throw bad_input("input \"{}\" has no element type", escape(input.name()));
        if (input.name().empty()) throw bad_input("an input has no name");
        graph.inputs.push_back(declare(input.name(), scope, std::move(type)));
    }
    import_nodes(message.node(), scope);
    for (const auto& output : message.output()) {
        const ValueId id = at_place("output", [&] { return resolve(output.name(), scope); });
        if (id == ValueId::none) throw bad_input("an output has no name");
        graph.outputs.push_back(id);
        Value& value = graph.value(id);
        const Type type = at_place(fmt::format("output \"{}\"", escape(output.name())), [&] { return declared_type(output.type()); });
        if (value.type.kind == Type::Kind::tensor && value.type.dtype == DType::none && !value.constant()) value.type = type;
    }
    for (const auto& info : message.value_info()) {
        const auto found = scope.names.find(info.name());
        if (found == scope.names.end()) continue;
        // What an operator's row can infer is not taken from the file.
        Value& value = graph.value(found->second);
        if (value.producer != NodeId::none && !graph.node(value.producer).op->known() && value.type.dtype == DType::none)
            value.type = at_place(fmt::format("value \"{}\"", escape(info.name())), [&] { return declared_type(info.type()); });
    }
}

// Outputs are declared first: files whose nodes are out of order are read, too.
template <class Nodes>
void Importer::import_nodes(const Nodes& nodes, Scope& scope) {
    for (const auto& node : nodes)
        for (const std::string& name : node.output())
            if (!name.empty() && !scope.names.contains(name)) {
                at_place([&] { return place_of(node); }, [&] { declare(name, scope, {}); });
            } else if (!name.empty() && scope.prefix.empty()) {
                throw bad_input("{}: value \"{}\" is defined twice", place_of(node), escape(name));
            }
    for (const auto& node : nodes) {
        // Places of deep calls are left out: a message is one line.
        if (scope.depth > 2)
            import_node(node, scope);
        else
            at_place([&] { return place_of(node); }, [&] { import_node(node, scope); });
    }
}

int Importer::version_of(const std::string& domain, const Scope& scope) const {
    const auto found = scope.opsets->find(domain);
    if (found == scope.opsets->end()) {
        if (domain.empty() && model_.ir_version() < 3) return 1;
        if (domain.empty()) throw bad_input("the model does not say its opset");
        return 1;
    }
    if (domain.empty() && found->second < 1) throw bad_input("opset {}: the first is 1", found->second);
    if (domain.empty() && found->second > newest_opset)
        throw unsupported("opset {} is newer than the newest known, {}", found->second, newest_opset);
    return found->second;
}

// How many nodes these become, functions opened, beyond those of the main graph itself (depth 0). Whatever nests too deep is refused later.
template <class Nodes>
size_t Importer::nodes_of(const Nodes& nodes, int depth) {
    size_t count = 0;
    if (depth > depth_limit) return count;
    for (const auto& node : nodes) {
        for (const auto& attribute : node.attribute()) {
            if (attribute.has_g()) count += nodes_of(attribute.g().node(), depth);
            for (const auto& graph : attribute.graphs()) count += nodes_of(graph.node(), depth);
        }
        const auto found = functions_.find(function_key(plain_domain(node.domain()), node.op_type(), node.overload()));
        if (depth > 0) ++count;
        if (found != functions_.end()) {
            const auto [known, fresh] = function_nodes_.try_emplace(found->second, 0);
            if (fresh) known->second = nodes_of(found->second->node(), depth + 1);
            count += known->second;
        }
        count = std::min(count, 2 * inline_limit);
    }
    return count;
}

// Before any is opened: a small file can stand for any number of nodes.
void Importer::check_functions() {
    size_t written = static_cast<size_t>(model_.graph().node_size());
    for (const auto& function : model_.functions()) written += static_cast<size_t>(function.node_size());
    const size_t limit = std::min(inline_limit, inline_free + inline_ratio * written);
    if (nodes_of(model_.graph().node(), 0) > limit)
        throw unsupported("functions bring more than {} nodes, to {} in the file", limit, written);
}

// Functions in functions: few nodes with long names are many bytes, too.
void Importer::count_inlined(const onnx::Node& message, const Scope& scope) {
    if (++inlined_ > inline_limit) throw unsupported("functions bring more than {} nodes", inline_limit);
    inlined_bytes_ += message.ByteSizeLong() + scope.prefix.size() * static_cast<size_t>(message.output_size() + 1);
    if (inlined_bytes_ > inline_bytes_limit) throw unsupported("functions bring nodes of more than {} bytes", inline_bytes_limit);
}

// What is unknown keeps the opset that defines its form.
static const Op* op_of(const onnx::Node& message, const std::string& domain, int version) {
    if (const Op* op = find_op(message.op_type(), domain)) return op;
    const int form = domain.empty() ? form_of(message.op_type(), version) : 0;
    return unknown_op(message.op_type(), domain, form > 0 ? form : version);
}

static void check_fresh(const Graph& graph, std::span<const ValueId> out) {
    for (const ValueId id : out)
        if (id != ValueId::none && (graph.value(id).producer != NodeId::none || graph.value(id).constant() || graph.is_input(id)))
            throw bad_input("value \"{}\" is defined twice", escape(graph.value(id).name));
}

void Importer::import_node(const onnx::Node& message, Scope& scope) {
    if (!scope.prefix.empty()) count_inlined(message, scope);
    check_word(message.op_type(), "an operator");
    check_word(message.domain(), "a domain");
    check_name(message.name(), "a node");
    if (message.op_type().empty()) throw bad_input("has no operator");
    const std::string domain = plain_domain(message.domain());
    if (const auto found = functions_.find(function_key(domain, message.op_type(), message.overload())); found != functions_.end()) {
        inline_function(*found->second, message, scope);
        return;
    }
    Graph& graph = scope.graph;
    std::vector<ValueId> in, out;
    for (const std::string& name : message.input()) in.push_back(resolve(name, scope));
    for (const std::string& name : message.output()) out.push_back(name.empty() ? ValueId::none : scope.names.at(name));
    check_fresh(graph, out);
    if (domain.empty() && message.op_type() == "Constant" && out.size() == 1 && import_constant_node(message, scope, out[0])) return;
    const int version = version_of(domain, scope);
    const Op* op = op_of(message, domain, version);
    const bool renamed = domain.empty() && !op->known() && (message.op_type() == "Upsample" || message.op_type() == "Scatter");
    std::string name = message.name();
    if (name.empty()) name = out.empty() || out[0] == ValueId::none ? message.op_type() : graph.value(out[0]).name;
    const NodeId id = graph.add_node(op, fresh_node_name(graph, scope.prefix + name), std::move(in), std::move(out));
    graph.node(id).scope = scope_of(graph.node(id).name);
    put_properties(message, graph.node(id));
    put_attributes(message, scope, graph, id);
    if (op->known() || renamed) upgrade(attribute_upgrades(), graph, id, version);
    if (is_quant(*op)) quants_.push_back({&graph, id, version});
    if (domain.empty() && version < 21) old_nodes_.push_back({&graph, id, version});
    if (op->known() && domain.empty() && broadcasts_explicitly(graph.node(id), version)) {
        misplaced_.push_back({&graph, id, version});
        graph.node(id).op = unknown_op(op->name, "", version);  // not to be inferred as it stands
    }
}

// What a function's body calls an attribute of its own, or the attribute itself.
const onnx::Attribute* Importer::argument(const onnx::Attribute& message, const Scope& scope) const {
    if (message.ref_attr_name().empty()) return &message;
    for (const Scope* at = &scope; at; at = at->parent)
        if (const auto found = at->arguments.find(message.ref_attr_name()); found != at->arguments.end()) return found->second;
    return nullptr;
}

static void check_counts(const onnx::Function& function, const onnx::Node& call) {
    if (call.input_size() > function.input_size() || call.output_size() > function.output_size())
        throw bad_input("has {} inputs and {} outputs, the function takes {} and gives {}", call.input_size(), call.output_size(),
                        function.input_size(), function.output_size());
}

static std::set<std::string> made_by(const onnx::Function& function) {
    std::set<std::string> made;
    for (const auto& node : function.node()) made.insert(node.output().begin(), node.output().end());
    return made;
}

void Importer::inline_function(const onnx::Function& function, const onnx::Node& call, Scope& scope) {
    for (const Scope* at = &scope; at; at = at->function ? at->caller : at->parent)
        if (at->function == &function) throw bad_input("function \"{}\" calls itself", escape(function.name()));
    if (scope.depth >= depth_limit) throw bad_input("functions nest deeper than {}", depth_limit);
    check_counts(function, call);
    const std::string& first =
        call.output_size() > 0 && !call.output(0).empty() ? scope.graph.value(scope.names.at(call.output(0))).name : call.op_type();
    Scope inner{.graph = scope.graph,
                .prefix = (call.name().empty() ? first : scope.prefix + call.name()) + "/",
                .opsets = &function_opsets_.at(&function),
                .depth = scope.depth + 1,
                .function = &function,
                .caller = &scope};
    for (const auto& attribute : function.attribute_proto()) inner.arguments[attribute.name()] = &attribute;
    for (const auto& attribute : call.attribute())
        if (const auto* real = argument(attribute, scope)) inner.arguments[attribute.name()] = real;
    for (int i = 0; i < function.input_size(); ++i)
        inner.names[function.input(i)] = i < call.input_size() ? resolve(call.input(i), scope) : ValueId::none;
    std::vector<std::pair<ValueId, ValueId>> passed;  // outputs that are inputs of the function, too
    const std::set<std::string> made = made_by(function);
    for (int i = 0; i < call.output_size(); ++i) {
        if (call.output(i).empty()) continue;
        const ValueId out = scope.names.at(call.output(i));
        const auto known = inner.names.find(function.output(i));
        if (known != inner.names.end() && known->second != ValueId::none)
            passed.emplace_back(known->second, out);
        else if (!made.contains(function.output(i)))
            throw bad_input("function \"{}\" does not compute its output \"{}\"", escape(function.name()), escape(function.output(i)));
        else
            inner.names[function.output(i)] = out;
    }
    import_nodes(function.node(), inner);
    for (const auto& [from, to] : passed)
        scope.graph.add_node(need_op(ops::Identity), fresh_node_name(scope.graph, inner.prefix + "Identity"), {from}, {to});
}

}  // namespace quern::onnx_format
