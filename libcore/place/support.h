// Support: can a device run a node, and if not, why; the page that says it for all operators, and the one that says how to
// state it.
#pragma once

#include <optional>
#include <string>

#include "libcore/graph/op.h"
#include "libcore/place/target.h"

namespace quern::place {

struct Refusal {
    std::string reason;  // with the values met: "kernel height is 300, need at most 256"
    std::string check;   // what other nodes may fail, too: "kernel height: at most 256"
};

// nullopt: the device can run the node as it is encoded now.
std::optional<Refusal> refused_by(const Device& device, const Graph& graph, NodeId node);
std::optional<std::string> refusal(const Device& device, const Graph& graph, NodeId node);  // the reason alone

enum class PageFormat { text, json, markdown };
std::string support_page(const Target& target, PageFormat format);
std::string keys_page(PageFormat format);  // text or json: every key of a target's file, and every check

}  // namespace quern::place
