// Rules: which parts of a model are quantized how, as JSON {"kind": "rules", "version": 1, ...} or by flags (quern-rules(7)):
//
//     "global": R, "io": R,                      R is a type ("i8"), "none" (stays float), or {"type": T, KEY: VALUE ...}
//     "module_names": {"/encoder/layer.0": R},   a module and everything in it; bodies are modules, too ("If_3/then_branch")
//     "module_types": {"attention": R},          a module's name without its index, anywhere on the path
//     "subgraphs": {"conv_1..relu_4": R},        every node on a way from the first to the last, both included
//     "node_names": {"conv_3": R}, "op_types": {"Softmax": R}
//
// In all these names "*", "?" and "[...]" stand for other characters where no name is the same. The most particular rule decides: node
// name, pattern of node names, subgraph, module name (the innermost), op type, module type, global. `io` stands apart: the form of the
// model's inputs and outputs. A rule that matches nothing is an error.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/graph/op.h"
#include "libcore/quant/search/search.h"
#include "libcore/quant/types/scheme.h"

namespace quern {

struct Rule {
    const Scheme* scheme = nullptr;          // nullptr: "none"
    const Method* method = nullptr;          // of activations; nullptr: that of the flags
    const Method* weight_method = nullptr;   // of weights; nullptr: by `method`, weight_encoding() has how
    std::shared_ptr<const Scheme> own = {};  // what `scheme` is if the rule changes a type
    SchemeChanges changes = {};              // what it changes of the type that `own` is named after
    // Names of those that treat its nodes (algorithms/choice.h knows them); nothing: those of the flags.
    std::optional<std::vector<std::string>> algorithms = {};
    mutable bool used = false;
};

// What a rule in full may say beside its type, one row each; JSON, flags and the schema have the same names.
struct RuleKey {
    enum class Kind : uint8_t { word, number, boolean, edge, weights, algorithms };
    std::string_view name, doc;
    Kind kind;
};
std::span<const RuleKey> rule_keys();

Rule read_rule(const JsonView& json);  // throws Exit::bad_input naming the place
Json rule_json(const Rule& rule);      // as read_rule() reads it
// "i8", "none", "w8a16,per_channel=no,method=mse,algorithms=cle+gptq". Throws Exit::usage.
Rule parse_rule(std::string_view text);

struct Rules {
    std::optional<Rule> global, io;
    std::map<std::string, Rule> module_names, module_types, node_names, op_types, subgraphs;

    // One kind of rules about parts that are named.
    struct Kind {
        std::string_view key;  // "op_types"
        std::map<std::string, Rule> Rules::*rules;
    };
    static std::span<const Kind> kinds();

    struct Match {
        const Rule* rule = nullptr;  // nullptr: no rule says anything
        std::string name;            // "node conv_3", "op type Softmax"
        bool by_kind = false;        // a rule that names this node or this operator, not a whole model
    };
    Match match(const Node& node, const std::string& path) const;  // marks the rule as used

    // Finds which nodes the subgraphs hold, beside those of graphs that were looked into before: match() knows no others.
    void look_into(const Graph& graph) const;

    // Of all rules, by their place in the file: `node_names."conv_3"`.
    void each(const std::function<void(const std::string&, const Rule&)>& see) const;

    bool any(const std::function<bool(const Rule&)>& is) const;
    bool need_ranges() const;  // does any ask for a type whose activations are codes?

    // Rules that matched nothing: `rule node_names."conv_8" matches nothing (did you mean "conv_7"?)`.
    std::vector<std::string> unmatched(const Graph& graph, const std::set<std::string>& fused) const;

   private:
    struct Subgraph {
        std::set<std::string> nodes;  // with the path of their graph
        std::string why;              // there are none
    };
    using Offer = std::function<void(const std::string& kind, const std::string& name, const Rule& rule, bool by_kind)>;
    void look_for(const std::string& key, const Graph& graph, const std::string& path) const;
    std::string why_unmatched(std::string_view kind, const std::string& name, const Graph& graph, const std::set<std::string>& fused) const;
    void match_modules(const std::string& full, const Node& node, const Offer& offer) const;

    mutable std::map<std::string, Subgraph> found_;  // by key of `subgraphs`
};

Rules parse_rules(std::string_view json);  // throws Exit::bad_input naming the place

}  // namespace quern
