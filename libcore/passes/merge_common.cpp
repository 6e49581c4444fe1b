// Common subexpressions: nodes that compute the same, and constants that are the same, are kept once.
#include <algorithm>
#include <map>

#include "libcore/base/digest.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/qlinear_forms.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr size_t constant_limit = size_t{1} << 20;  // larger constants are not compared

struct Writer {
    std::string operator()(int64_t n) const { return fmt::format("i{}", n); }
    std::string operator()(float n) const { return fmt::format("f{:a}", n); }
    std::string operator()(const std::string& s) const { return fmt::format("s{}:{}", s.size(), s); }
    std::string operator()(const Tensor& t) const {
        return fmt::format("t{}{}{}", name_of(t.dtype), to_string(t.dims), Digest().update(t.data.data(), t.data.size()).hex());
    }
    std::string operator()(const Type& t) const { return "y" + to_string(t); }
    template <class T>
    std::string operator()(const std::vector<T>& items) const {
        std::string out = "[";
        for (const T& item : items) out += (*this)(item) + ",";
        return out + "]";
    }
};

std::string attr_key(const Attr& attr) { return std::visit(Writer{}, attr); }

std::string node_key(const Graph& graph, const Node& node) {
    std::string key = fmt::format("{}.{} {} {} {}", node.op->domain, node.op->name, node.op->version, node.device, node.out.size());
    for (const ValueId in : node.in) key += fmt::format(" {}", static_cast<uint32_t>(in));
    for (const auto& [name, attr] : node.attrs) key += " " + name + "=" + attr_key(attr);
    for (const ValueId out : node.out) {
        const auto& enc = out == ValueId::none ? std::nullopt : graph.value(out).enc;
        key += enc ? " " + to_string(*enc) + attr_key(enc->scale) : out == ValueId::none ? " -" : " +";
    }
    return key;
}

bool has_output(const Graph& graph, const Node& node) {
    for (const ValueId out : node.out)
        if (out != ValueId::none && graph.is_output(out)) return true;
    return false;
}

bool same_encodings(const Graph& graph, const Node& a, const Node& b) {
    for (size_t i = 0; i < a.out.size(); ++i)
        if (a.out[i] != ValueId::none && graph.value(a.out[i]).enc != graph.value(b.out[i]).enc) return false;
    return true;
}

int merge_nodes(Graph& graph) {
    int changes = 0;
    std::map<std::string, NodeId> seen;
    for (const NodeId id : graph.topo()) {
        const Node& node = graph.node(id);
        if (!node.op->known() || !node.bodies.empty() || !node.internal.empty() || has(node.op->traits, Trait::random)) continue;
        const auto [first, fresh] = seen.emplace(node_key(graph, node), id);
        if (fresh || has_output(graph, node) || !same_encodings(graph, node, graph.node(first->second))) continue;
        const std::vector<ValueId> from = node.out, to = graph.node(first->second).out;
        for (size_t i = 0; i < from.size(); ++i)
            if (from[i] != ValueId::none && to[i] != ValueId::none) graph.replace_uses(from[i], to[i]);
        graph.erase(id);
        for (const ValueId out : from)
            if (out != ValueId::none) graph.erase(out);
        ++changes;
    }
    return changes;
}

// What equal constants share, without reading all of them: some of a large one.
std::string sample_of(const Value& value) {
    const std::string_view bytes = value.data->text();
    return fmt::format("{} {} {}{}", to_string(value.type), bytes.size(), bytes.substr(0, 64),
                       bytes.substr(std::max<size_t>(64, bytes.size()) - 64));
}

bool are_equal(const Value& a, const Value& b) {
    return a.type == b.type && a.enc == b.enc && a.permutation == b.permutation && a.data->text() == b.data->text();
}

bool is_on_codes(const Node& node) {
    return node.is(ops::QuantizeLinear, ops::DequantizeLinear, ops::microsoft::QuantizeLinear, ops::microsoft::DequantizeLinear) ||
           node.is(ops::QLinearConv, ops::QLinearMatMul, ops::microsoft::QGemm) || qlinear_form_named(node.op->name);
}

// Codes, scales and zero points stay apart, as a writer has put them: what it writes of a graph is what it writes of the graph that is read
// back.
bool spells_encoding(const Graph& graph, ValueId id) {
    const auto uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        return use.node != NodeId::none && use.index >= 0 && is_on_codes(graph.node(use.node));
    });
}

// Bounds are merged with bounds only: formats whose operators have them in themselves read them as constants that no file has.
bool is_bound(const Graph& graph, ValueId id) {
    const auto uses = graph.uses(id);
    return !uses.empty() && std::ranges::all_of(uses, [&](const Use& use) {
        return use.node != NodeId::none && use.index > 0 && graph.node(use.node).is(ops::Clip);
    });
}

// Told to have exact sums (session.x64quantprecision), onnxruntime loads no weights of 8 bits that two operators read.
bool is_of_bytes(const Value& value) { return value.enc && is_integer(value.enc->storage) && bits_of(value.enc->storage) == 8; }

int merge_constants(Graph& graph) {
    int changes = 0;
    std::map<std::string, std::vector<ValueId>> seen;
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph.value(id);
        if (value.erased || !value.constant() || value.data->size() > constant_limit || graph.is_output(id) || is_of_bytes(value) ||
            spells_encoding(graph, id))
            continue;
        std::vector<ValueId>& alike = seen[sample_of(value) + (is_bound(graph, id) ? " bound" : "")];
        const auto first = std::ranges::find_if(alike, [&](ValueId other) { return are_equal(graph.value(other), value); });
        if (first == alike.end()) {
            alike.push_back(id);
            continue;
        }
        graph.replace_uses(id, *first);
        graph.erase(id);
        ++changes;
    }
    return changes;
}

int merge_in(Graph& graph) { return merge_constants(graph) + merge_nodes(graph); }

}  // namespace

constinit const Pass merge_common{"merge_common", "keep equal constants and equal computations once",
                                  [](Graph& graph) { return on_every_graph(graph, merge_in); }};

}  // namespace quern
