// Text to graph.
#include <fmt/format.h>

#include <set>

#include "formats/text/parse_attr.h"
#include "formats/text/syntax.h"
#include "formats/text/text.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

using namespace text;

struct Name {
    std::string text;
    size_t position;
};

// One graph under construction inside the ones around it.
struct Level {
    Graph& graph;
    Level* outer;
    bool open;                       // operands that nothing defines are inputs: a list of operations without a function
    std::set<std::string> absent = {};  // names that stand for "no value"
    int unnamed = 0;
};

// An operation as written, before it becomes a node.
struct Written {
    Name op;
    std::vector<Name> results, operands;
    std::deque<Graph> bodies;
    Dict attrs;
    std::vector<std::optional<Type>> in, out;
};

class Parser {
   public:
    Parser(std::string_view text, const std::string& folder) : scan_(text), attrs_(scan_, folder) {}
    Model model();

   private:
    void module();
    void function();
    void bare_program();
    void argument(Graph& graph);
    void region(Level& outer, Graph& body);
    // Operations up to the terminator; true if there was one.
    bool operations(Level& level);
    void terminator(Level& level);
    void operation(Level& level);
    std::vector<Name> names();
    std::vector<std::optional<Type>> type_list();
    ValueId resolve(Level& level, const std::string& name);
    ValueId operand(Level& level, const Name& name, const std::optional<Type>& type);
    ValueId define(Level& level, const Name& name, const Type& type);
    void constant(Level& level, const Written& op);
    void capture(Level& level, const Written& op);
    void absent(Level& level, const Written& op);
    void node(Level& level, Written& op);
    const Op* row(const Written& op) const;
    void own_attr(Level& level, NodeId id, const std::string& key, const Item& item);
    void value_attrs(Graph& graph, std::span<const ValueId> values, const Dict& attrs);
    void set_encodings(Graph& graph, std::span<const ValueId> values, const Item& item);
    void set_permutations(Graph& graph, std::span<const ValueId> values, const Item& item);
    void metadata(const Dict& attrs);
    std::map<std::string, std::string> text_map(const Item& item) const;

    Scanner scan_;
    AttrParser attrs_;
    Model model_;
    bool seen_function_ = false;
};

Model Parser::model() {
    if (scan_.next_is_word("module") || scan_.next_is("\"builtin.module\"")) {
        module();
    } else if (scan_.next_is_word("func.func") || scan_.next_is_word("func")) {
        function();
    } else {
        bare_program();
    }
    if (!scan_.at_end()) throw scan_.unexpected("the end of the text");
    if (!seen_function_) throw scan_.unexpected("func.func");
    return std::move(model_);
}

void Parser::module() {
    const size_t begin = scan_.position();
    if (!scan_.accept_word("module")) throw scan_.unexpected("\"module\"");
    if (scan_.accept("@")) scan_.name();
    if (scan_.accept_word("attributes")) metadata(attrs_.dict());
    scan_.expect("{");
    while (!scan_.accept("}")) {
        if (scan_.at_end()) throw scan_.error(scan_.position(), fmt::format("the module opened at {} lacks its closing brace", scan_.place(begin)));
        if (scan_.next_is("\"onnx.EntryPoint\"")) {  // names the only function there is
            scan_.string();
            scan_.expect("(");
            scan_.expect(")");
            attrs_.dict();
            scan_.expect(":");
            type_list();
            scan_.expect("->");
            type_list();
        } else {
            function();
        }
    }
}

std::map<std::string, std::string> Parser::text_map(const Item& item) const {
    std::map<std::string, std::string> out;
    for (const auto& [key, value] : attrs_.dict_of(item)) out[key] = attrs_.string(value);
    return out;
}

void Parser::metadata(const Dict& attrs) {
    for (const auto& [key, item] : attrs) {
        if (key == "quern.metadata")
            model_.graph.metadata = text_map(item);
        else if (key == "quern.facts")
            model_.facts = text_map(item);
        else if (key == "quern.lineage")
            model_.lineage = attrs_.string(item);
        else if (key.starts_with("quern."))
            throw scan_.error(item.position, fmt::format("unknown attribute \"{}\" of the module", escape(key)));
        // Attributes of other tools (llvm.data_layout) say nothing about the network.
    }
}

ValueId Parser::define(Level& level, const Name& name, const Type& type) {
    if (level.graph.find(name.text) != ValueId::none || level.absent.contains(name.text))
        throw scan_.error(name.position, fmt::format("{} is defined twice", value_name(name.text)));
    return level.graph.add_value(name.text, type);
}

void Parser::argument(Graph& graph) {
    Level level{graph, nullptr, false};
    const size_t begin = scan_.position();
    scan_.expect("%");
    const Name name{scan_.name(), begin};
    scan_.expect(":");
    const ValueId id = define(level, name, attrs_.type());
    graph.inputs.push_back(id);
    if (scan_.peek() != '{') return;
    Dict attrs = attrs_.dict();
    value_attrs(graph, {&id, 1}, attrs);
    if (const auto found = attrs.find(attr_default); found != attrs.end()) {
        const Tensor& tensor = attrs_.tensor(found->second);
        if (tensor.dtype != graph.value(id).storage() || graph.value(id).type.shape.concrete() != tensor.dims)
            throw scan_.error(found->second.position, "the default has another type than its argument");
        graph.value(id).data = tensor.data;
    }
    for (const auto& [key, item] : attrs)
        if (key.starts_with("quern.") && key != attr_encoding && key != attr_permutation && key != attr_default)
            throw scan_.error(item.position, fmt::format("unknown attribute \"{}\" of an argument", escape(key)));
}

void Parser::function() {
    const size_t begin = scan_.position();
    if (!scan_.accept_word("func.func") && !scan_.accept_word("func")) throw scan_.unexpected("func.func");
    if (seen_function_) throw scan_.error(begin, "a second function: a model is one");
    seen_function_ = true;
    if (!scan_.accept_word("private")) scan_.accept_word("public");
    scan_.expect("@");
    Graph& graph = model_.graph;
    graph.name = scan_.name();
    scan_.expect("(");
    while (!scan_.accept(")")) {
        if (!graph.inputs.empty()) scan_.expect(",");
        argument(graph);
    }
    std::optional<std::vector<std::optional<Type>>> declared;
    if (scan_.accept("->")) declared = type_list();
    if (scan_.accept_word("attributes")) attrs_.dict();
    scan_.expect("{");
    Level level{graph, nullptr, false};
    const bool returned = operations(level);
    if (!scan_.accept("}")) {
        if (!scan_.at_end()) throw scan_.unexpected(returned ? "\"}\" after the return" : "an operation");
        throw scan_.error(scan_.position(), fmt::format("func.func @{}, opened at {}, lacks its closing brace", escape(graph.name), scan_.place(begin)));
    }
    if (!returned) throw scan_.error(begin, fmt::format("func.func @{} does not return", escape(graph.name)));
    if (declared && declared->size() != graph.outputs.size())
        throw scan_.error(begin, fmt::format("func.func @{} declares {} results and returns {}", escape(graph.name), declared->size(), graph.outputs.size()));
    for (size_t i = 0; declared && i < declared->size(); ++i)
        if (!(*declared)[i] || *(*declared)[i] != graph.value(graph.outputs[i]).type)
            throw scan_.error(begin, fmt::format("func.func @{}: result {} is declared with another type than it is returned with", escape(graph.name), i));
}

void Parser::bare_program() {
    seen_function_ = true;
    Level level{model_.graph, nullptr, true};
    if (scan_.at_end()) throw scan_.unexpected("a module, a function or an operation");
    if (operations(level)) return;
    // Without a return the results are what nothing uses.
    const auto uses = model_.graph.all_uses();
    for (size_t i = 0; i < uses.size(); ++i)
        if (uses[i].empty() && model_.graph.value(static_cast<ValueId>(i)).producer != NodeId::none)
            model_.graph.outputs.push_back(static_cast<ValueId>(i));
}

void Parser::region(Level& outer, Graph& body) {
    const Scanner::Depth depth(scan_);
    const size_t begin = scan_.position();
    scan_.expect("{");
    if (scan_.accept("^")) {
        body.name = scan_.name();
        if (body.name == "bb0") body.name.clear();
        if (scan_.accept("("))
            while (!scan_.accept(")")) {
                if (!body.inputs.empty()) scan_.expect(",");
                argument(body);
            }
        scan_.expect(":");
    }
    Level level{body, &outer, false};
    const bool returned = operations(level);
    if (!scan_.accept("}")) {
        if (!scan_.at_end()) throw scan_.unexpected(returned ? "\"}\" after the yield" : "an operation");
        throw scan_.error(scan_.position(), fmt::format("the region opened at {} lacks its closing brace", scan_.place(begin)));
    }
    if (!returned) throw scan_.error(begin, "the region does not yield");
}

bool Parser::operations(Level& level) {
    for (;;) {
        if (scan_.next_is_word("onnx.Return") || scan_.next_is_word("onnx.Yield") || scan_.next_is_word("return") ||
            scan_.next_is_word("func.return")) {
            terminator(level);
            return true;
        }
        if (scan_.peek() != '%' && scan_.peek() != '"') return false;
        operation(level);
    }
}

void Parser::terminator(Level& level) {
    scan_.word();
    if (scan_.peek() != '%') return;
    const auto values = names();
    scan_.expect(":");
    const size_t begin = scan_.position();
    std::vector<std::optional<Type>> types;
    do types.emplace_back(attrs_.type());
    while (scan_.accept(","));
    if (types.size() != values.size()) throw scan_.error(begin, fmt::format("{} types for {} values", types.size(), values.size()));
    for (size_t i = 0; i < values.size(); ++i) level.graph.outputs.push_back(operand(level, values[i], types[i]));
}

std::vector<Name> Parser::names() {
    std::vector<Name> out;
    do {
        const size_t begin = scan_.position();
        scan_.expect("%");
        out.push_back({scan_.name(), begin});
    } while (scan_.accept(","));
    return out;
}

std::vector<std::optional<Type>> Parser::type_list() {
    std::vector<std::optional<Type>> out;
    const auto one = [&] {
        bool absent = false;
        Type type = attrs_.type(true, absent);
        out.push_back(absent ? std::nullopt : std::optional(std::move(type)));
    };
    if (!scan_.accept("(")) {
        one();
        return out;
    }
    while (!scan_.accept(")")) {
        if (!out.empty()) scan_.expect(",");
        one();
    }
    return out;
}

ValueId Parser::resolve(Level& level, const std::string& name) {
    if (const ValueId id = level.graph.find(name); id != ValueId::none) return id;
    if (!level.outer) return ValueId::none;
    const ValueId outer = resolve(*level.outer, name);
    if (outer == ValueId::none) return outer;
    const ValueId inner = level.graph.add_value(name, level.outer->graph.value(outer).type);
    level.graph.captures.push_back({inner, outer});
    return inner;
}

ValueId Parser::operand(Level& level, const Name& name, const std::optional<Type>& type) {
    for (const Level* at = &level; at; at = at->outer)
        if (at->absent.contains(name.text)) {
            if (type) throw scan_.error(name.position, fmt::format("{} is no value, need type none", value_name(name.text)));
            return ValueId::none;
        }
    ValueId id = resolve(level, name.text);
    if (id == ValueId::none && level.open && type) {
        id = level.graph.add_value(name.text, *type);
        level.graph.inputs.push_back(id);
    }
    if (id == ValueId::none) throw scan_.error(name.position, fmt::format("{} is used but not defined before", value_name(name.text)));
    const Type& known = level.graph.value(id).type;
    if (!type || !(*type == known))
        throw scan_.error(name.position, fmt::format("{} is {}, but {} here", value_name(name.text), type_text(known), type ? type_text(*type) : "none"));
    return id;
}

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
    if (tensor.dtype != value.storage() || value.type.shape.concrete() != tensor.dims)
        throw scan_.error(found->second.position, fmt::format("the tensor is {}{}, the result {}", name_of(tensor.dtype), to_string(tensor.dims), to_string(value.type)));
    value.data = tensor.data;
}

const Op* Parser::row(const Written& op) const {
    OpName name = split_op_name(op.op.text);
    std::string domain(name.domain);
    if (const auto found = op.attrs.find(attr_domain); found != op.attrs.end()) {
        domain = attrs_.string(found->second);
        const std::string prefix = (domain.empty() ? "onnx" : domain) + ".";
        if (!op.op.text.starts_with(prefix)) throw scan_.error(op.op.position, fmt::format("the operation's name does not begin with \"{}\"", escape(prefix)));
        name.name = std::string_view(op.op.text).substr(prefix.size());
    }
    if (const auto found = op.attrs.find(attr_version); found != op.attrs.end()) {
        const int64_t version = attrs_.integer(found->second);
        if (version < 0 || version > 1000000) throw scan_.error(found->second.position, "the operator's version is out of range");
        return unknown_op(name.name, domain, static_cast<int>(version));
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
    node.bodies = std::move(op.bodies);
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
        const int64_t unit = attrs_.integer(item);
        if (unit < -1 || unit > INT32_MAX) throw scan_.error(item.position, "the unit is out of range");
        node.unit = static_cast<UnitId>(unit);
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
    if (items.size() != values.size()) throw scan_.error(item.position, fmt::format("{} encodings for {} results", items.size(), values.size()));
    for (size_t i = 0; i < items.size(); ++i)
        if (values[i] != ValueId::none && !items[i].get<Item::Unit>()) graph.value(values[i]).enc = attrs_.encoding(items[i]);
}

void Parser::set_permutations(Graph& graph, std::span<const ValueId> values, const Item& item) {
    const Items& items = attrs_.list(item);
    if (items.size() != values.size()) throw scan_.error(item.position, fmt::format("{} permutations for {} results", items.size(), values.size()));
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

}  // namespace

Model parse_text(std::string_view text, const std::string& folder) { return Parser(text, folder).model(); }

}  // namespace quern
