// verify() (op.h): what every graph has to satisfy - arity, attributes, types, constants, names, order.
#include <algorithm>
#include <cmath>
#include <set>

#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"
#include "libcore/graph/check_parameters.h"
#include "libcore/graph/device.h"
#include "libcore/graph/op.h"
#include "libcore/graph/summary.h"

namespace quern {
namespace {

void check_arity(const Node& node) {
    const Op& op = *node.op;
    const auto check = [&](const char* what, size_t got, size_t min, size_t max, bool open) {
        if (got < min || (!open && got > max))
            throw bad_input("has {} {}, need {}", got, what,
                            open         ? fmt::format("at least {}", min)
                            : min == max ? fmt::format("{}", min)
                                         : fmt::format("{} to {}", min, max));
    };
    check("inputs", node.in.size(), op.in.min, op.in.max, has(op.traits, Trait::variadic_in));
    check("outputs", node.out.size(), op.out.min, op.out.max, has(op.traits, Trait::variadic_out));
    for (size_t i = 0; i < op.in.min; ++i)
        if (node.in[i] == ValueId::none) throw bad_input("input {} is absent but required", i);
}

bool kind_fits(const Attr& attr, AttrKind kind) {
    switch (kind) {
        case AttrKind::integer: return std::holds_alternative<int64_t>(attr);
        case AttrKind::real: return std::holds_alternative<float>(attr);
        case AttrKind::text: return std::holds_alternative<std::string>(attr);
        case AttrKind::integers: return std::holds_alternative<std::vector<int64_t>>(attr);
        case AttrKind::reals: return std::holds_alternative<std::vector<float>>(attr);
        case AttrKind::texts: return std::holds_alternative<std::vector<std::string>>(attr);
        case AttrKind::tensor: return std::holds_alternative<Tensor>(attr);
        case AttrKind::tensors: return std::holds_alternative<std::vector<Tensor>>(attr);
        case AttrKind::type: return true;
        case AttrKind::graph: return false;  // bodies are not attributes
    }
    return false;
}

void check_attrs(const Node& node) {
    for (const AttrDef& def : node.op->attrs) {
        if (def.kind == AttrKind::graph) {
            const bool present = std::find(node.body_names.begin(), node.body_names.end(), def.name) != node.body_names.end();
            if (def.required && !present) throw bad_input("body \"{}\" is missing", def.name);
            continue;
        }
        const auto found = node.attrs.find(def.name);
        if (found == node.attrs.end()) {
            if (def.required) throw bad_input("attribute \"{}\" is missing", def.name);
        } else if (!kind_fits(found->second, def.kind)) {
            throw bad_input("attribute \"{}\" has the wrong type", def.name);
        }
    }
}

void check_input(const Graph& graph, ValueId id, size_t i) {
    if (id == ValueId::none) return;
    if (index_of(id) >= graph.value_count() || graph.value(id).erased) throw bug("input {} is an erased value", i);
}

void check_constant(const Value& value) {
    if (!value.constant()) return;
    const auto dims = value.type.shape.concrete();
    if (!dims) throw bad_input("constant \"{}\" has no fixed shape", escape(value.name));
    if (value.enc && value.enc->is_dynamic())
        throw bad_input("constant \"{}\" has a dynamic encoding, need one with a scale", escape(value.name));
    if (value.storage() == DType::string) return;
    const uint64_t need = storage_size(value.storage(), static_cast<uint64_t>(count_of(stored_dims(value))));
    if (value.data->size() != need)
        throw bad_input("constant \"{}\" ({} {}) has {} bytes, need {}", escape(value.name), name_of(value.storage()), to_string(*dims),
                        value.data->size(), need);
}

// Files give scales of 0 to int32 values that are only moved, ONE to a constant's channels of zeros, ggml negative ones to blocks: such
// codes are read, and never made anew. In a context a kernel may hold the codes of blocks.
void check_scales(const Value& value) {
    if (value.erased || !value.enc || !value.enc->is_fixed() || !value.enc->scale.defined()) return;
    if (!is_float(value.enc->scale.dtype)) return;
    const bool only_read = !value.enc->per_tensor() && (value.constant() || value.enc->block > 0), wide = bits_of(value.enc->storage) > 16;
    for (const float scale : to_floats(value.enc->scale))
        if (!std::isfinite(scale) || (!only_read && (scale < 0 || (scale == 0 && !wide))))
            throw bad_input("value \"{}\" has a scale of {}, need a finite one above 0", escape(value.name), scale);
}

void check_encoding(const Value& value) {
    if (value.erased || !value.enc || !value.enc->is_fixed() || value.enc->format || !value.enc->scale.defined()) return;
    if (const auto dims = value.type.shape.concrete())
        at_place([&] { return fmt::format("value \"{}\"", escape(value.name)); }, [&] { check_parameters(*dims, *value.enc); });
}

void verify_graph(const Graph& graph);

// Values as they are computed, in order.
class Defined {
   public:
    explicit Defined(const Graph& graph) : graph_(graph), defined_(graph.value_count()) {
        for (const ValueId id : graph.inputs) add(id);
        for (const Graph::Capture& capture : graph.captures) add(capture.inner);
    }
    void add(ValueId id) { defined_[index_of(id)] = true; }
    bool has(ValueId id) const { return id != ValueId::none && defined_[index_of(id)]; }

    void check_inputs(const Node& node) const {
        for (size_t i = 0; i < node.in.size(); ++i) {
            check_input(graph_, node.in[i], i);
            if (node.in[i] != ValueId::none && !has(node.in[i]))
                throw bad_input("input {} (\"{}\") is not computed before", i, escape(graph_.value(node.in[i]).name));
        }
    }
    void check_captures(const Graph& body) const {
        for (const Graph::Capture& capture : body.captures)
            if (!has(capture.outer))
                throw bad_input("a body uses \"{}\", which is not computed before", escape(graph_.value(capture.outer).name));
    }

   private:
    const Graph& graph_;
    std::vector<bool> defined_;
};

void check_device(const Node& node) {
    if (!node.device.empty() && !is_device_name(node.device))
        throw bad_input("its device is \"{}\", {}", escape(node.device), device_name_rule);
}

void check_node(const Node& node, const Defined& defined) {
    check_device(node);
    check_arity(node);
    check_attrs(node);
    defined.check_inputs(node);
    for (const Graph& body : node.bodies) {
        defined.check_captures(body);
        verify_graph(body);
    }
}

void check_values(const Graph& graph, Defined& defined) {
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const Value& value = graph.value(static_cast<ValueId>(i));
        if (value.erased) continue;
        check_constant(value);
        check_scales(value);
        check_encoding(value);
        if (value.constant()) defined.add(static_cast<ValueId>(i));
    }
}

void verify_graph(const Graph& graph) {
    graph.check_lists();
    Defined defined(graph);
    check_values(graph, defined);
    std::set<std::string_view> names;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        at_node(node, [&] {
            if (!names.insert(node.name).second) throw bad_input("another node has the same name");
            check_node(node, defined);
        });
        for (const ValueId out : node.out)
            if (out != ValueId::none) defined.add(out);
    }
    for (const ValueId id : graph.outputs)
        if (!defined.has(id))
            throw bad_input("output \"{}\" is computed by no node", id == ValueId::none ? "" : escape(graph.value(id).name));
}

}  // namespace

void verify(const Graph& graph) { verify_graph(graph); }

}  // namespace quern
