#include "formats/torch/file/output_names.h"

#include "libcore/base/error.h"
#include "libcore/base/json.h"

namespace quern::torch_format {
namespace {

// A tree of containers: {"type": NAME or null, "context": what a dictionary's keys are, as JSON, "children_spec": [...]}.
void add_leaves(const JsonView& tree, const std::string& name, std::vector<std::string>& names) {
    if (tree["type"].json().is_null()) return names.push_back(name);
    const JsonView children = tree["children_spec"];
    const bool dictionary = tree["type"].text().find("dict") != std::string::npos || tree["type"].text().find("Dict") != std::string::npos;
    const Json keys = dictionary ? parse_json(tree["context"].text()) : Json();
    for (size_t i = 0; i < children.size(); ++i) {
        const bool keyed = keys.is_array() && i < keys.size() && keys[i].is_string();
        const std::string own = keyed ? keys[i].get<std::string>() : std::to_string(i);
        add_leaves(children.at(i), name.empty() ? own : fmt::format("{}_{}", name, own), names);
    }
}

}  // namespace

std::vector<std::string> output_names(const JsonView& graph_module) {
    if (!graph_module.has("module_call_graph") || graph_module["module_call_graph"].size() == 0) return {};
    const JsonView call = graph_module["module_call_graph"].at(0);
    if (!call.has("signature") || call["signature"].json().is_null() || !call["signature"].has("out_spec")) return {};
    std::vector<std::string> names;
    try {
        const Json spec = parse_json(call["signature"]["out_spec"].text());
        const JsonView tree = JsonView(spec).at(1);
        if (tree["type"].json().is_null() || tree["type"].text().find("ict") == std::string::npos) return {};
        add_leaves(tree, "", names);
    } catch (const Error&) {  // names are a courtesy: another version's form of them is no reason to refuse the program
        return {};
    }
    return names;
}

}  // namespace quern::torch_format
