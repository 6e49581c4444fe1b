#include "libcore/graph/edit.h"

#include <algorithm>
#include <map>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/op.h"

namespace quern {
namespace {

bool is_open(const Shape& shape) { return shape.ranked && !shape.fixed(); }

std::vector<std::string> input_names(const Graph& graph) {
    std::vector<std::string> names;
    for (const ValueId id : graph.inputs) names.push_back(graph.value(id).name);
    return names;
}

Shape parse_shape(std::string_view text, std::string_view spec) {
    Shape shape{true, {}};
    for (const std::string& item : split(text, ',')) {
        const auto number = parse_int(item);
        if (item.empty() || (number && *number < 0))
            throw usage_error("--shape {}: got \"{}\", need a number of at least 0 or a symbol", spec, escape(item));
        shape.dims.push_back(number ? Dim::of(*number) : Dim::named(item));
    }
    return shape;
}

// Types that were computed from the old shapes.
void forget_types(Graph& graph) {
    for_each_graph(graph, [](Graph& g, const std::string&) {
        for (const NodeId id : g.order())
            if (g.node(id).op->known())
                for (const ValueId out : g.node(id).out)
                    if (out != ValueId::none && g.value(out).type.kind == Type::Kind::tensor) g.value(out).type.shape = {};
    });
}

std::vector<ValueId> values_named(const Graph& graph, std::string_view names, const std::vector<ValueId>& fallback) {
    if (names.empty()) return fallback;
    std::vector<std::string> known;
    for (size_t i = 0; i < graph.value_count(); ++i)
        if (const Value& value = graph.value(static_cast<ValueId>(i)); !value.erased) known.push_back(value.name);
    std::vector<ValueId> ids;
    for (const std::string& name : split(names, ',')) {
        const ValueId id = graph.find(name);
        if (id == ValueId::none) throw usage_error("--extract: no value \"{}\"{}", escape(name), did_you_mean(name, known));
        ids.push_back(id);
    }
    return ids;
}

}  // namespace

ValueId input_named(const Graph& graph, const std::string& name, std::string_view option) {
    const ValueId id = graph.find(name);
    if (id == ValueId::none || !graph.is_input(id))
        throw usage_error("{}: no input \"{}\"{}", option, escape(name), did_you_mean(name, input_names(graph)))
            .with_hint(fmt::format("its inputs: {}", printable(join(input_names(graph), ", "))));
    return id;
}

void set_input_shape(Graph& graph, std::string_view spec) {
    const size_t equals = spec.rfind('=');
    if (equals == std::string_view::npos) throw usage_error("--shape {}: need NAME=1,3,224,224", escape(spec));
    const std::string name(spec.substr(0, equals));
    const ValueId id = input_named(graph, name, "--shape");
    const Shape shape = parse_shape(spec.substr(equals + 1), spec);
    const Shape old = graph.value(id).type.shape;
    std::map<std::string, Dim> symbols;
    if (old.ranked && old.rank() != shape.rank())
        throw usage_error("--shape {}: input \"{}\" is {}", escape(spec), escape(name), to_string(graph.value(id).type));
    for (size_t i = 0; i < old.rank(); ++i) {
        const Dim &was = old.dims[i], &is = shape.dims[i];
        if (was.known() && was != is)
            throw usage_error("--shape {}: dim {} of input \"{}\" is fixed at {}", escape(spec), i, escape(name), was.value);
        if (!was.known() && !was.symbol.empty()) symbols[was.symbol] = is;
    }
    graph.value(id).type.shape = shape;
    for (const ValueId input : graph.inputs)
        for (Dim& dim : graph.value(input).type.shape.dims)
            if (const auto found = symbols.find(dim.symbol); !dim.known() && !dim.symbol.empty() && found != symbols.end())
                dim = found->second;
    forget_types(graph);
    infer_types(graph);
}

void set_input_shapes(Graph& graph, std::span<const std::string> specs) {
    for (const std::string& spec : specs) set_input_shape(graph, spec);
}

bool has_open_dims(const Graph& graph) {
    return std::any_of(graph.inputs.begin(), graph.inputs.end(), [&](ValueId id) { return is_open(graph.value(id).type.shape); });
}

std::vector<std::string> take_open_dims_as_one(Graph& graph, OpenDims which) {
    std::vector<std::string> taken;
    for (const ValueId id : std::vector<ValueId>(graph.inputs)) {
        const Value& value = graph.value(id);
        const Shape& shape = value.type.shape;
        if (!is_open(shape)) continue;
        const bool batch =
            !shape.dims[0].known() && std::all_of(shape.dims.begin() + 1, shape.dims.end(), [](const Dim& dim) { return dim.known(); });
        if (!batch && which == OpenDims::batch) continue;
        taken.push_back(fmt::format("input \"{}\" is {}: taken with {} of 1 (--shape sets others)", escape(value.name),
                                    to_string(value.type), batch ? "a batch" : "open dims"));
        std::vector<std::string> dims;
        for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? std::to_string(dim.value) : "1");
        set_input_shape(graph, value.name + "=" + join(dims, ","));
    }
    return taken;
}

std::vector<std::string> make_static(Graph& graph, std::string_view whose) {
    std::vector<std::string> taken = take_open_dims_as_one(graph, OpenDims::batch);
    for (const ValueId id : graph.inputs) {
        const Value& value = graph.value(id);
        if (value.type.shape.fixed()) continue;
        throw unsupported("input \"{}\" is {}: {} needs fixed shapes", escape(value.name), to_string(value.type), whose)
            .with_hint(fmt::format("--shape {}=... fixes it", escape(value.name)));
    }
    return taken;
}

namespace {

// What computes values `to` from values `stops`.
struct Cone {
    std::set<ValueId> needed;
    std::vector<NodeId> others;  // nodes outside of it, later ones first
};

Cone cone_of(const Graph& graph, const std::set<ValueId>& stops, const std::vector<ValueId>& to) {
    Cone cone{{to.begin(), to.end()}, {}};
    const std::vector<NodeId> order = graph.topo();
    for (auto it = order.rbegin(); it != order.rend(); ++it) {
        const Node& node = graph.node(*it);
        const bool used =
            std::any_of(node.out.begin(), node.out.end(), [&](ValueId id) { return cone.needed.contains(id) && !stops.contains(id); });
        if (!used) {
            cone.others.push_back(*it);
            continue;
        }
        for (const ValueId id : node.in)
            if (id != ValueId::none) cone.needed.insert(id);
        for (const Graph& body : node.bodies)
            for (const Graph::Capture& capture : body.captures) cone.needed.insert(capture.outer);
    }
    return cone;
}

}  // namespace

void extract(Graph& graph, const std::vector<ValueId>& from, const std::vector<ValueId>& to) {
    const std::set<ValueId> stops(from.begin(), from.end());
    const Cone cone = cone_of(graph, stops, to);
    for (const NodeId id : cone.others) graph.erase(id);
    graph.inputs = from;
    graph.outputs = to;
    for (const ValueId id : from)
        if (graph.value(id).producer != NodeId::none) throw bug("extract kept the producer of an input");
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        if (!graph.value(id).erased && !cone.needed.contains(id) && !stops.contains(id) && graph.value(id).producer == NodeId::none)
            graph.erase(id);
    }
}

void extract(Graph& graph, std::string_view from, std::string_view to) {
    const std::vector<ValueId> inputs = values_named(graph, from, graph.inputs), outputs = values_named(graph, to, graph.outputs);
    const std::set<ValueId> stops(inputs.begin(), inputs.end());
    const Cone cone = cone_of(graph, stops, outputs);
    for (const ValueId id : graph.inputs)
        if (cone.needed.contains(id) && !stops.contains(id))
            throw usage_error("--extract: the result depends on input \"{}\", which is not among the starting values",
                              escape(graph.value(id).name));
    extract(graph, inputs, outputs);
}

void localize_constants(Graph& graph) {
    std::set<ValueId> moved;
    for (const NodeId id : graph.order())
        for (Graph& body : graph.node(id).bodies) {
            std::erase_if(body.captures, [&](const Graph::Capture& capture) {
                const Value& outer = graph.value(capture.outer);
                if (!outer.constant()) return false;
                Value& inner = body.value(capture.inner);
                inner.type = outer.type;
                inner.enc = outer.enc;
                inner.data = outer.data;
                moved.insert(capture.outer);
                return true;
            });
            localize_constants(body);
        }
    for (const ValueId id : moved)
        if (graph.uses(id).empty()) graph.erase(id);
}

}  // namespace quern
