// What a run makes of what is asked of it: whose rules it follows, the grids that follow from them, and what it decides on the way.
#pragma once

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "libcore/quant/types/recipe.h"
#include "libcore/quant/types/request.h"

namespace quern {

struct QuantWork {
    explicit QuantWork(const QuantRequest& asked)
        : request(asked), block(asked.block), overrides(asked.overrides), measured(asked.measured) {}
    // By the rules of the request's destination, for this graph.
    QuantWork(const QuantRequest& asked, const Graph& graph);

    const QuantRequest& request;
    // Whose rules encodings follow: `recipe` for all types, else the type's own, else `usual`, else "onnx".
    const Recipe *recipe = nullptr, *usual = nullptr;
    int64_t block;                      // of wo-i4; 0: a scale for each output channel
    bool half_scales = false;           // those of blocks are float16
    bool for_products_runtime = false;  // onert's kernels of products decide how their weights are, weights alone included
    const Overrides* overrides;         // by the names that the graph has
    bool measured;                      // as in the request
    std::set<std::string> fused;        // names and operators of nodes that passes have taken into others, for what is said of such rules
    std::set<std::string> spelled;      // nodes that together stand for one that the runtime lacks: on codes, as was decided for it
    std::map<std::string, std::string> lost;  // nodes that were measured and stay float, and why
    std::set<std::string> keep_float;         // whatever rules say; quantize_graph adds those of the model's metadata
    std::set<std::string> to_quantize;        // also where they are bound to the CPU
    std::set<std::string> dividers;           // Muls of smoothquant, which stay float whatever rules say
    std::map<std::string, DType>
        short_floats;  // constants that came as float16 or bfloat16, by key: so they stay where nothing is made of them
};

// Of a model's metadata: names of nodes that a placement forbids to quantize, and of those that it asks to quantize, as JSON arrays.
inline constexpr std::string_view keep_float_key = "keep_float", to_quantize_key = "to_quantize";
std::set<std::string> names_at(const Graph& graph, std::string_view key);  // throws Exit::bad_input if it is no array of strings

const Recipe& recipe_of(const Scheme& scheme, const QuantWork& work);
// The grids of a type's activations and weights, and how ranges of activations are searched, by its recipe.
GridSpec activation_spec(const Scheme& scheme, const QuantWork& work);
GridSpec taken_spec(const Scheme& scheme, const QuantWork& work);  // of what its nodes read as codes
GridSpec made_spec(const Scheme& scheme, const QuantWork& work);   // of results that are stored as codes
GridSpec weight_spec(const Scheme& scheme, const QuantWork& work);
SearchOptions search_of(const Scheme& scheme, const QuantWork& work);
// Does any type of these make codes of something?
bool asks_for_codes(const QuantRequest& request);
// Does any type, method or rule of these look at the extremes of each run?
bool goes_by_runs(const QuantWork& work);

}  // namespace quern
