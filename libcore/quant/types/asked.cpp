#include "libcore/quant/types/asked.h"

namespace quern {

Asked asked_of(const Node& node, const std::string& path, const QuantWork& work) {
    Asked asked{.scheme = work.request.scheme, .search = work.request.search};
    if (work.request.scheme) asked.search = search_of(*work.request.scheme, work);
    if (work.request.rules)
        if (const auto match = work.request.rules->match(node, path); match.rule) {
            asked.scheme = match.rule->scheme;
            asked.rule = match.name;
            asked.demanded = match.by_kind && asked.scheme;
            if (asked.scheme) asked.search = search_of(*asked.scheme, work);
            if (match.rule->method) asked.search.method = match.rule->method;
            asked.weight_method = match.rule->weight_method;
            if (!asked.scheme) asked.reason = fmt::format("the rule of {} sets none", match.name);
        }
    if (!asked.scheme) {
        if (asked.reason.empty()) asked.reason = "no rule or type asks for it";
    } else if (work.keep_float.contains(path + node.name) || work.keep_float.contains(node.name)) {
        asked.reason = "the placement forbids to quantize it";
    } else if (work.dividers.contains(path + node.name)) {
        asked.reason = "smoothquant has it divide what products read on a grid of their own";
    } else if (asked.rule == "type" && node.device == "cpu" && !work.to_quantize.contains(path + node.name)) {
        asked.reason = "it is bound to cpu, and no rule asks for it";
    }
    if (!asked.reason.empty()) asked.scheme = nullptr;
    return asked;
}

bool kept_from_codes(const Node& node, const std::string& path, const QuantWork& work) {
    const Asked asked = asked_of(node, path, work);
    return !asked.scheme || !asked.scheme->full();
}

}  // namespace quern
