// What is asked of the quantizer, and the grids that follow from it.
#pragma once

#include <map>
#include <set>
#include <string>

#include "libcore/quant/search/search.h"
#include "libcore/quant/types/overrides.h"
#include "libcore/quant/types/recipe.h"
#include "libcore/quant/types/rules.h"
#include "libcore/quant/types/scheme.h"

namespace quern {

struct QuantOptions {
    const Scheme* scheme = nullptr;  // of everything that no rule speaks of
    // Whose rules encodings follow: `recipe` for all types, else the type's own, else `usual`, else "onnx".
    const Recipe *recipe = nullptr, *usual = nullptr;
    SearchOptions search;
    bool per_tensor = false;            // weights have one scale
    bool full_integer = false;          // also operators that would lose much in eight bits
    int64_t block = 32;                 // of wo-i4; 0: a scale for each output channel
    bool half_scales = false;           // those of blocks are float16
    bool for_products_runtime = false;  // weights alone of products, too, are as the recipe's products_runtime takes them
    double min_sqnr_db = 0;             // elementwise operators stay float when their SQNR would fall below this (0: no limit)
    const Rules* rules = nullptr;
    bool allow_unmatched = false;  // a rule that matches nothing is no error
    std::set<std::string> fused;   // names and operators of nodes that passes have taken into others, for what is said of such rules
    const Overrides* overrides = nullptr;
    std::set<std::string> spelled;            // nodes that together stand for one that the runtime lacks: on codes, as was decided for it
    std::map<std::string, std::string> lost;  // nodes that were measured and stay float, and why
    std::set<std::string> keep_float;         // whatever rules say; quantize_graph adds those of the model's metadata
    std::set<std::string> dividers;           // Muls of smoothquant, which stay float whatever rules say
    bool measured = false;                    // the report gets what passes over weights and graph tell: SQNR of weights, depths, names
};

const Recipe& recipe_of(const Scheme& scheme, const QuantOptions& options);
// The grids of a type's activations and weights, and how ranges of activations are searched, by its recipe.
GridSpec activation_spec(const Scheme& scheme, const QuantOptions& options);
GridSpec weight_spec(const Scheme& scheme, const QuantOptions& options);
SearchOptions search_of(const Scheme& scheme, const QuantOptions& options);
// Does any type, method or rule of these look at the extremes of each run?
bool goes_by_runs(const QuantOptions& options);

}  // namespace quern
