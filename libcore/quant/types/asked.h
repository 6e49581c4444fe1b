// What is asked of a node before anything is known of it: by the type, the rules, its device and its placement.
#pragma once

#include <string>

#include "libcore/quant/types/work.h"

namespace quern {

struct Asked {
    const Scheme* scheme = nullptr;  // nullptr: stays as it is
    SearchOptions search;
    const Method* weight_method = nullptr;
    std::string rule = "type", reason;  // reason: why it stays as it is
    bool demanded = false;              // a rule names this node or operator
};

// `path` leads to the graph that the node is in, "" for the main one.
Asked asked_of(const Node& node, const std::string& path, const QuantWork& work);

// Is it known already that its results will be no codes?
bool kept_from_codes(const Node& node, const std::string& path, const QuantWork& work);

}  // namespace quern
