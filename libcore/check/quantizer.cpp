#include "libcore/check/quantizer.h"

#include "libcore/base/json.h"
#include "libcore/quantize/quantize_model.h"

namespace quern {

Quantizer Quantizer::with_type(const Scheme& type) const {
    Quantizer other = *this;
    other.request_.scheme = &type;
    return other;
}

Quantizer Quantizer::with_method(const Method& method) const {
    Quantizer other = *this;
    other.request_.search.method = &method;
    return other;
}

Quantizer Quantizer::with_ranges(const Ranges& ranges) const {
    Quantizer other = *this;
    other.ranges_ = &ranges;
    return other;
}

Quantizer Quantizer::with_algorithms(AlgorithmOptions algorithms) const {
    Quantizer other = *this;
    other.algorithms_ = std::move(algorithms);
    return other;
}

const Profile* Quantizer::profile() const {
    const std::string_view rules = request_.destination.format == "circle" ? "one" : recipe_of(*request_.scheme, work()).name;
    return rules == "tflite" || rules == "one" ? profile_named(rules) : nullptr;
}

Graph Quantizer::exact() const {
    Graph graph = model_->graph;
    prepare_graph(graph, work());
    return graph;
}

Graph Quantizer::quantized(const QuantRequest& request, QuantReport* report) const {
    Model copy{.graph = model_->graph, .lineage = {}, .facts = {}};
    QuantReport made = quantize_model(copy, ranges_, request, *pool_, "overrides", algorithms_);
    if (report) *report = std::move(made);
    return std::move(copy.graph);
}

Graph Quantizer::quantized(const Scheme& type, QuantReport* report) const { return quantized(with_type(type).request_, report); }

void ChosenRules::add_to(Rules& rules) const {
    if (global) rules.global = Rule{.scheme = global, .method = nullptr};
    for (const auto& [name, rule] : nodes) rules.node_names[name] = rule;
}

Graph Quantizer::with_rules(const ChosenRules& chosen, QuantReport* report) const {
    if (chosen.empty()) return quantized(request_, report);
    Rules rules = request_.rules ? *request_.rules : Rules();
    chosen.add_to(rules);
    QuantRequest request = request_;
    request.rules = &rules;
    return quantized(request, report);
}

std::string rules_json(const Scheme& base, const ChosenRules& chosen, const Rules* others, const Method* method, bool corrected) {
    const auto io_of = [&](Rule rule) {
        if (!rule.method && rule.scheme) rule.method = method;
        return rule_json(rule);
    };
    const auto rule_of = [&](Rule rule) {
        if (corrected && rule.scheme && !rule.algorithms) rule.algorithms = std::vector<std::string>{"bias-correction"};
        return io_of(std::move(rule));
    };
    const auto map_of = [&](const std::map<std::string, Rule>& rules) {
        Json json = Json::object();
        for (const auto& [name, rule] : rules) json[name] = rule_of(rule);
        return json;
    };
    Json json{{"kind", "rules"}, {"version", 1}};
    std::map<std::string, Rule> all = chosen.nodes;
    if (others) {
        all.insert(others->node_names.begin(), others->node_names.end());
        if (others->io) json["io"] = io_of(*others->io);
        for (const Rules::Kind& kind : Rules::kinds())
            if (const auto& rules = others->*kind.rules; !rules.empty()) json[std::string(kind.key)] = map_of(rules);
    }
    const Rule global{.scheme = chosen.global ? chosen.global : &base, .method = nullptr};
    json["global"] = rule_of(others && others->global ? *others->global : global);
    json["node_names"] = map_of(all);
    return json_document(json, 1);
}

}  // namespace quern
