// Parser: text to graph. parse.cpp has the structure (module, function, region), parse_op.cpp the operations.
#pragma once

#include <deque>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "formats/shared/format.h"
#include "formats/text/parse_attr.h"

namespace quern::text {

struct Name {
    std::string text;
    size_t position;
};

// One graph under construction inside the ones around it.
struct Level {
    Graph& graph;
    Level* outer;
    bool open;                          // operands that nothing defines are inputs: a list of operations without a function
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
    Parser(std::string_view text, const std::string& file) : scan_(text), attrs_(scan_, file) {}
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

}  // namespace quern::text
