// Text to graph: modules, functions, regions, and how names are found.
#include "formats/text/parse.h"

#include <fmt/format.h>

#include "formats/text/syntax.h"
#include "formats/text/text.h"
#include "libcore/base/text.h"

namespace quern::text {

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
        if (scan_.at_end())
            throw scan_.error(scan_.position(), fmt::format("the module opened at {} lacks its closing brace", scan_.place(begin)));
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
        throw scan_.error(scan_.position(),
                          fmt::format("func.func @{}, opened at {}, lacks its closing brace", escape(graph.name), scan_.place(begin)));
    }
    if (!returned) throw scan_.error(begin, fmt::format("func.func @{} does not return", escape(graph.name)));
    if (declared && declared->size() != graph.outputs.size())
        throw scan_.error(begin, fmt::format("func.func @{} declares {} results and returns {}", escape(graph.name), declared->size(),
                                             graph.outputs.size()));
    for (size_t i = 0; declared && i < declared->size(); ++i)
        if (!(*declared)[i] || *(*declared)[i] != graph.value(graph.outputs[i]).type)
            throw scan_.error(begin, fmt::format("func.func @{}: result {} is declared with another type than it is returned with",
                                                 escape(graph.name), i));
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
            if (type) throw scan_.error(name.position, fmt::format("{} is not a value, need type none", value_name(name.text)));
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
        throw scan_.error(name.position,
                          fmt::format("{} is {}, but {} here", value_name(name.text), type_text(known), type ? type_text(*type) : "none"));
    return id;
}

}  // namespace quern::text

namespace quern {

Model parse_text(std::string_view text, const std::string& file) { return text::Parser(text, file).model(); }

}  // namespace quern
