// Rules: which parts of a model are quantized how, as JSON {"kind": "rules", "version": 1, ...}:
//
//     "global": R, "io": R,                      R is a type ("i8"), "none" (stays float), or {"type": T, "method": M}
//     "module_names": {"/encoder/layer.0": R},   a module and everything in it; bodies are modules, too ("If_3/then_branch")
//     "module_types": {"attention": R},          a module's name without its index, anywhere on the path
//     "node_names": {"conv_3": R}, "op_types": {"Softmax": R}
//
// The most particular rule decides: node name, then module name (the innermost), op type, module type, global. `io` stands apart: it
// is the form of the model's inputs and outputs. A rule that matches nothing is an error.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>

#include "libcore/graph/op.h"
#include "libcore/quant/scheme.h"
#include "libcore/quant/search.h"

namespace quern {

struct Rule {
    const Scheme* scheme = nullptr;  // nullptr: "none"
    const Method* method = nullptr;  // nullptr: that of the flags
    mutable bool used = false;
};

struct Rules {
    std::optional<Rule> global, io;
    std::map<std::string, Rule> module_names, module_types, node_names, op_types;

    struct Match {
        const Rule* rule = nullptr;  // nullptr: no rule says anything
        std::string name;            // "node conv_3", "op type Softmax"
        bool by_kind = false;        // a rule that names this node or this operator, not a whole model
    };
    Match match(const Node& node, const std::string& path) const;  // marks the rule as used
    void check_all_used() const;                                   // throws Exit::bad_input naming a rule that matched nothing
};

Rules parse_rules(std::string_view json);  // throws Exit::bad_input naming the place

}  // namespace quern
