#include "libcore/quant/types/work.h"

#include <algorithm>

#include "libcore/base/json.h"
#include "libcore/ops/integer/family.h"

namespace quern {

Destination destination_of(std::string_view format, std::string_view runtime) {
    if (!runtime.empty() && (format == "tflite" || format == "circle"))
        throw unsupported("a {} file follows its own runtime's rules, not those of {}", format, runtime)
            .with_hint("ONNX and quern's own files follow them");
    return {std::string(format), std::string(runtime)};
}

QuantWork::QuantWork(const QuantRequest& asked, const Graph& graph) : QuantWork(asked) {
    keep_float = names_at(graph, keep_float_key);
    to_quantize = names_at(graph, to_quantize_key);
    const auto& [format, runtime] = asked.destination;
    if (!runtime.empty()) {
        recipe = &recipe_named(runtime);
        return;
    }
    if (format == "tflite") {
        recipe = &recipe_named("tflite");
        block = 0;  // its reference kernels know no blocks
    }
    for_products_runtime = format == "circle";
    half_scales = format == "tflite" || format == "circle";
    if (format == "circle" || (is_of_tflite(graph) && format != "onnx")) usual = &recipe_named("tflite");
}

std::set<std::string> names_at(const Graph& graph, std::string_view key) {
    const auto found = graph.metadata.find(std::string(key));
    if (found == graph.metadata.end()) return {};
    const Json document = parse_json(found->second);
    const JsonView json(document, std::string(key));
    std::set<std::string> names;
    for (size_t i = 0; i < json.size(); ++i) names.insert(json.at(i).text());
    return names;
}

const Recipe& recipe_of(const Scheme& scheme, const QuantWork& work) {
    if (work.recipe) return *work.recipe;
    if (!scheme.recipe.empty()) return recipe_named(scheme.recipe);
    return work.usual ? *work.usual : recipe_named("onnx");
}

namespace {

GridSpec spec_of(const EdgeType& type, const Scheme& scheme, const QuantWork& work) {
    GridSpec spec = recipe_of(scheme, work).grid(grid_spec(type.storage, type.symmetric));
    spec.min_scale = std::max(spec.min_scale, scheme.least_scale);
    return spec;
}

}  // namespace

GridSpec activation_spec(const Scheme& scheme, const QuantWork& work) {
    return spec_of({scheme.activation, scheme.activation_symmetric}, scheme, work);
}
GridSpec taken_spec(const Scheme& scheme, const QuantWork& work) { return spec_of(scheme.taken_as(), scheme, work); }
GridSpec made_spec(const Scheme& scheme, const QuantWork& work) { return spec_of(scheme.made_as(), scheme, work); }

GridSpec weight_spec(const Scheme& scheme, const QuantWork& work) {
    GridSpec spec = recipe_of(scheme, work).grid({.storage = scheme.weight, .symmetric = scheme.weight_symmetric});
    spec.min_scale = std::max(spec.min_scale, scheme.least_scale);
    return spec;
}

SearchOptions search_of(const Scheme& scheme, const QuantWork& work) {
    const Recipe& recipe = recipe_of(scheme, work);
    SearchOptions search = work.request.search;
    search.by_runs = recipe.by_runs;
    search.averaging_batch = recipe.averaging_batch;
    return search;
}

bool asks_for_codes(const QuantRequest& request) {
    const auto makes_codes = [](const Scheme* scheme) {
        return scheme && (scheme->activations != Scheme::Activations::float32 || is_scaled(scheme->weight));
    };
    return makes_codes(request.scheme) || (request.rules && request.rules->any([&](const Rule& rule) { return makes_codes(rule.scheme); }));
}

bool goes_by_runs(const QuantWork& work) {
    const auto is_by_runs = [&](const Scheme* scheme, const Method* method) {
        return (method ? method : work.request.search.method)->by_runs || (scheme && recipe_of(*scheme, work).by_runs);
    };
    return is_by_runs(work.request.scheme, nullptr) ||
           (work.request.rules && work.request.rules->any([&](const Rule& rule) { return is_by_runs(rule.scheme, rule.method); }));
}

}  // namespace quern
