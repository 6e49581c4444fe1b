// Text to graph: operations, from what is written to nodes and values.
#include <fmt/format.h>

#include <algorithm>

#include "formats/text/parse.h"
#include "formats/text/syntax.h"
#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"

namespace quern::text {

void Parser::operation(Level& level) {
    const Scanner::Depth depth(scan_);
    Written op;
    if (scan_.peek() == '%') {
        op.results = names();
        if (scan_.accept(":")) {  // %0:2 defines %0#0 and %0#1
            const size_t begin = scan_.position();
            const int64_t count = scan_.integer();
            if (op.results.size() != 1 || count < 1 || count > 255) throw scan_.error(begin, "need one name and a count of 1 to 255");
            const Name base = op.results[0];
            op.results.clear();
            for (int64_t i = 0; i < count; ++i) op.results.push_back({fmt::format("{}#{}", base.text, i), base.position});
        }
        scan_.expect("=");
    }
    const size_t begin = scan_.position();
    op.op = {scan_.string(), begin};
    scan_.expect("(");
    if (!scan_.accept(")")) {
        op.operands = names();
        scan_.expect(")");
    }
    if (scan_.accept("(")) {
        do region(level, op.bodies.emplace_back());
        while (scan_.accept(","));
        scan_.expect(")");
    }
    if (scan_.peek() == '{') op.attrs = attrs_.dict();
    scan_.expect(":");
    op.in = type_list();
    scan_.expect("->");
    op.out = type_list();
    if (op.in.size() != op.operands.size() || op.out.size() != op.results.size())
        throw scan_.error(begin, fmt::format("{} operands and {} results, but types for {} and {}", op.operands.size(), op.results.size(),
                                             op.in.size(), op.out.size()));
    if (op.op.text == op_absent) return absent(level, op);
    if (op.op.text == op_capture) return capture(level, op);
    if (op.op.text == op_constant && !op.attrs.contains(attr_node_name)) return constant(level, op);
    node(level, op);
}

void Parser::absent(Level& level, const Written& op) {
    for (size_t i = 0; i < op.results.size(); ++i) {
        if (op.out[i]) throw scan_.error(op.results[i].position, "the result of onnx.NoValue has type none");
        if (level.graph.find(op.results[i].text) != ValueId::none || !level.absent.insert(op.results[i].text).second)
            throw scan_.error(op.results[i].position, fmt::format("{} is defined twice", value_name(op.results[i].text)));
    }
}

void Parser::capture(Level& level, const Written& op) {
    if (!level.outer || op.operands.size() != 1 || op.results.size() != 1 || !op.in[0] || !op.out[0])
        throw scan_.error(op.op.position, "quern.Capture stands in a region and has one operand and one result");
    const ValueId outer = operand(*level.outer, op.operands[0], op.in[0]);
    if (outer == ValueId::none) throw scan_.error(op.operands[0].position, "an absent value cannot be captured");
    const ValueId inner = define(level, op.results[0], *op.out[0]);
    level.graph.captures.push_back({inner, outer});
    value_attrs(level.graph, {&inner, 1}, op.attrs);
}

// Is the tensor what a constant of this type and encoding holds?
static bool stores(const Value& value, const Tensor& tensor) {
    return value.type.shape.concrete() && tensor.dtype == value.storage() && tensor.dims == stored_dims(value);
}

void Parser::constant(Level& level, const Written& op) {
    const auto found = op.attrs.find("value");
    if (found == op.attrs.end() || !op.operands.empty() || op.results.size() != 1 || !op.out[0] || !op.bodies.empty())
        throw scan_.error(op.op.position, "onnx.Constant has no operand, one result and the attribute \"value\"");
    for (const auto& [key, item] : op.attrs)
        if (key != "value" && key != attr_encoding && key != attr_permutation)
            throw scan_.error(item.position, fmt::format("unknown attribute \"{}\" of a constant", escape(key)));
    const Tensor& tensor = attrs_.tensor(found->second);
    const ValueId id = define(level, op.results[0], *op.out[0]);
    value_attrs(level.graph, {&id, 1}, op.attrs);
    Value& value = level.graph.value(id);
    if (!stores(value, tensor))
        throw scan_.error(found->second.position, fmt::format("the tensor is {}{}, the result {}", name_of(tensor.dtype),
                                                              to_string(tensor.dims), to_string(value.type)));
    value.data = tensor.data;
}

const Op* Parser::row(const Written& op) const {
    if (!is_plain(op.op.text)) throw scan_.error(op.op.position, "the operation's name holds control characters or quotes");
    OpName name = split_op_name(op.op.text);
    std::string domain(name.domain);
    if (const auto found = op.attrs.find(attr_domain); found != op.attrs.end()) {
        domain = attrs_.string(found->second);
        const std::string prefix = (domain.empty() ? "onnx" : domain) + ".";
        if (!op.op.text.starts_with(prefix))
            throw scan_.error(op.op.position, fmt::format("the operation's name does not begin with \"{}\"", escape(prefix)));
        name.name = std::string_view(op.op.text).substr(prefix.size());
    }
    if (const auto found = op.attrs.find(attr_version); found != op.attrs.end()) {
        const int64_t version = attrs_.integer(found->second);
        if (version < 0 || version > 1000000) throw scan_.error(found->second.position, "the operator's version is out of range");
        const Op* added = find_registered_op(name.name, domain);
        return added ? added : unknown_op(name.name, domain, static_cast<int>(version));
    }
    const Op* known = find_op(name.name, domain);
    return known ? known : unknown_op(name.name, domain, 0);
}

void Parser::node(Level& level, Written& op) {
    Graph& graph = level.graph;
    const Op* kind = row(op);
    std::vector<ValueId> in, out;
    for (size_t i = 0; i < op.operands.size(); ++i) in.push_back(operand(level, op.operands[i], op.in[i]));
    for (size_t i = 0; i < op.results.size(); ++i) out.push_back(op.out[i] ? define(level, op.results[i], *op.out[i]) : ValueId::none);
    const auto given = op.attrs.find(attr_node_name);
    std::string name = given != op.attrs.end() ? attrs_.string(given->second) : fmt::format("{}_{}", kind->name, level.unnamed++);
    const NodeId id = graph.add_node(kind, std::move(name), std::move(in), out);
    Node& node = graph.node(id);
    for (Graph& body : op.bodies) graph.add_body(id, "", std::move(body));
    node.body_names = body_names(*kind);
    for (const auto& [key, item] : op.attrs) {
        const bool escaped = key.starts_with(attr_escape);
        if (!escaped && reserved(key)) {
            own_attr(level, id, key, item);
            continue;
        }
        const std::string own = escaped ? key.substr(attr_escape.size()) : key;
        const auto def = std::find_if(kind->attrs.begin(), kind->attrs.end(), [&](const AttrDef& d) { return d.name == own; });
        node.attrs[own] = attrs_.attr(item, def == kind->attrs.end() ? nullptr : &*def);
    }
    value_attrs(graph, out, op.attrs);
    if (!op.attrs.contains(attr_bodies) && node.body_names.size() > node.bodies.size()) node.body_names.resize(node.bodies.size());
    if (node.body_names.size() != node.bodies.size())
        throw scan_.error(op.op.position, fmt::format("{} regions, but {} names for them", node.bodies.size(), node.body_names.size()));
}

void Parser::own_attr(Level& level, NodeId id, const std::string& key, const Item& item) {
    Node& node = level.graph.node(id);
    if (key == attr_device) {
        node.device = attrs_.string(item);
    } else if (key == attr_scope) {
        node.scope = attrs_.string(item);
    } else if (key == attr_unit) {
        attrs_.integer(item);  // files of old have one: units are found in the graph
    } else if (key == attr_bodies) {
        node.body_names.clear();
        for (const Item& entry : attrs_.list(item)) node.body_names.push_back(attrs_.string(entry));
    } else if (key == attr_internal) {
        for (const auto& [name, encoding] : attrs_.dict_of(item)) node.internal[name] = attrs_.encoding(encoding);
    } else if (key != attr_node_name && key != attr_encoding && key != attr_permutation && key != attr_version && key != attr_domain) {
        throw scan_.error(item.position, fmt::format("unknown attribute \"{}\"", escape(key)));
    }
}

void Parser::value_attrs(Graph& graph, std::span<const ValueId> values, const Dict& attrs) {
    if (const auto found = attrs.find(attr_encoding); found != attrs.end()) set_encodings(graph, values, found->second);
    if (const auto found = attrs.find(attr_permutation); found != attrs.end()) set_permutations(graph, values, found->second);
}

void Parser::set_encodings(Graph& graph, std::span<const ValueId> values, const Item& item) {
    const Items& items = attrs_.list(item);
    if (items.size() != values.size())
        throw scan_.error(item.position, fmt::format("{} encodings for {} results", items.size(), values.size()));
    for (size_t i = 0; i < items.size(); ++i)
        if (values[i] != ValueId::none && !items[i].get<Item::Unit>()) graph.value(values[i]).enc = attrs_.encoding(items[i]);
}

void Parser::set_permutations(Graph& graph, std::span<const ValueId> values, const Item& item) {
    const Items& items = attrs_.list(item);
    if (items.size() != values.size())
        throw scan_.error(item.position, fmt::format("{} permutations for {} results", items.size(), values.size()));
    for (size_t i = 0; i < items.size(); ++i) {
        std::vector<int> permutation;
        std::set<int64_t> seen;
        const Items& entries = attrs_.list(items[i]);
        for (const Item& entry : entries) {
            const int64_t axis = attrs_.integer(entry);
            if (axis < 0 || axis >= static_cast<int64_t>(entries.size()) || !seen.insert(axis).second)
                throw scan_.error(entry.position, "need a permutation of the axes");
            permutation.push_back(static_cast<int>(axis));
        }
        if (values[i] != ValueId::none) graph.value(values[i]).permutation = std::move(permutation);
    }
}

}  // namespace quern::text
