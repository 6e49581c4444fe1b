// The quantizer: from a float graph and its ranges to a graph with encodings (the folded form: no quantized operators).
//
//     plan     which nodes are quantized, how and why not (rules, operator rows, estimated noise); integer units
//     assign   which encoding each value needs, and where one value needs two (Recode)
//     apply    grids from the ranges, weights and biases turned to codes, everything reported
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "libcore/graph/op.h"
#include "libcore/os/threads.h"
#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/report/report.h"
#include "libcore/quant/search/search.h"
#include "libcore/quant/types/recipe.h"
#include "libcore/quant/types/rules.h"
#include "libcore/quant/types/scheme.h"

namespace quern {

// An encoding that is wanted for a value by name, from an overrides file. Scales of a per-channel entry lie along `axis` (-1: the
// weight's own channel axis).
struct Override {
    DType storage = DType::none;  // float32: the value stays float
    bool symmetric = false;       // zero point in the middle, and the least code of signed types is not used
    bool any_sign = false;        // codes may as well be signed, zero points moved with them: the file does not say
    std::vector<float> scale;     // empty: only the type is wanted, the range is measured
    std::vector<int64_t> zero;
    int axis = -1;
    int64_t block = 0;
    std::vector<float> channels;  // not empty: scales of blocks are integers, to be multiplied by that of their channel (two_level.h)
};
using Overrides = std::map<std::string, Override>;

// Of a model's metadata: names of nodes that a placement forbids to quantize, as a JSON array.
inline constexpr std::string_view keep_float_key = "keep_float";
std::set<std::string> kept_float(const Graph& graph);  // what stands there; throws Exit::bad_input if it is no array of strings

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

// Quantizes `graph` and its bodies. `ranges` may be nullptr for schemes without activations. Throws Exit::bad_input naming a value
// that is needed but was not observed, or a rule that matches nothing (allow_unmatched: the report lists it).
QuantReport quantize_graph(Graph& graph, const Ranges* ranges, const QuantOptions& options, ThreadPool& pool);

// Throws Exit::bad_input naming an override for a value of none of these names, with a suggestion.
void check_overrides(const Overrides& overrides, std::vector<std::string> names);

// The keys of all values of a graph and its bodies.
std::vector<std::string> value_keys(const Graph& graph);

}  // namespace quern
