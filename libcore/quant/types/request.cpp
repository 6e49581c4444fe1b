#include "libcore/quant/types/request.h"

#include <algorithm>

namespace quern {

const Recipe& recipe_of(const Scheme& scheme, const QuantOptions& options) {
    if (options.recipe) return *options.recipe;
    if (!scheme.recipe.empty()) return recipe_named(scheme.recipe);
    return options.usual ? *options.usual : recipe_named("onnx");
}

GridSpec activation_spec(const Scheme& scheme, const QuantOptions& options) {
    GridSpec spec = recipe_of(scheme, options).grid(scheme.activation_spec());
    spec.min_scale = std::max(spec.min_scale, scheme.least_scale);
    return spec;
}

GridSpec weight_spec(const Scheme& scheme, const QuantOptions& options) {
    GridSpec spec = recipe_of(scheme, options).grid({.storage = scheme.weight, .symmetric = scheme.weight_symmetric});
    spec.min_scale = std::max(spec.min_scale, scheme.least_scale);
    return spec;
}

SearchOptions search_of(const Scheme& scheme, const QuantOptions& options) {
    const Recipe& recipe = recipe_of(scheme, options);
    SearchOptions search = options.search;
    search.by_runs = recipe.by_runs;
    search.averaging_batch = recipe.averaging_batch;
    return search;
}

bool goes_by_runs(const QuantOptions& options) {
    const auto is_by_runs = [&](const Scheme* scheme, const Method* method) {
        return (method ? method : options.search.method)->by_runs || (scheme && recipe_of(*scheme, options).by_runs);
    };
    return is_by_runs(options.scheme, nullptr) ||
           (options.rules && options.rules->any([&](const Rule& rule) { return is_by_runs(rule.scheme, rule.method); }));
}

}  // namespace quern
