#include "libcore/quant/types/asked.h"

#include "libcore/base/json.h"

namespace quern {

std::set<std::string> kept_float(const Graph& graph) {
    const auto found = graph.metadata.find(std::string(keep_float_key));
    if (found == graph.metadata.end()) return {};
    const Json document = parse_json(found->second);
    const JsonView json(document, std::string(keep_float_key));
    std::set<std::string> names;
    for (size_t i = 0; i < json.size(); ++i) names.insert(json.at(i).text());
    return names;
}

Asked asked_of(const Node& node, const std::string& path, const QuantOptions& options) {
    Asked asked{.scheme = options.scheme, .search = options.search};
    if (options.scheme) asked.search = search_of(*options.scheme, options);
    if (options.rules)
        if (const auto match = options.rules->match(node, path); match.rule) {
            asked.scheme = match.rule->scheme;
            asked.rule = match.name;
            asked.demanded = match.by_kind && asked.scheme;
            if (asked.scheme) asked.search = search_of(*asked.scheme, options);
            if (match.rule->method) asked.search.method = match.rule->method;
            asked.weight_method = match.rule->weight_method;
            if (!asked.scheme) asked.reason = fmt::format("the rule of {} sets none", match.name);
        }
    if (!asked.scheme) {
        if (asked.reason.empty()) asked.reason = "no rule or type asks for it";
    } else if (options.keep_float.contains(path + node.name) || options.keep_float.contains(node.name)) {
        asked.reason = "the placement forbids to quantize it";
    } else if (options.dividers.contains(path + node.name)) {
        asked.reason = "smoothquant has it divide what products read on a grid of their own";
    } else if (asked.rule == "type" && node.device == "cpu") {
        asked.reason = "it is bound to cpu, and no rule asks for it";
    }
    if (!asked.reason.empty()) asked.scheme = nullptr;
    return asked;
}

bool kept_from_codes(const Node& node, const std::string& path, const QuantOptions& options) {
    const Asked asked = asked_of(node, path, options);
    return !asked.scheme || !asked.scheme->full();
}

}  // namespace quern
