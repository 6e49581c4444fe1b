// Schemes: the number formats that --type names, one row each.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/quant/ranges/grid.h"

namespace quern {

// How a value is stored: as codes, or as float32.
struct EdgeType {
    DType storage = DType::f32;  // f32: no codes
    bool symmetric = false;
    bool is_codes() const { return storage != DType::f32; }
    bool operator==(const EdgeType&) const = default;
};

// What rules call the types of edges and of weights: "i8" ... "none".
DType edge_storage(std::string_view name, bool weights);  // throws Exit::usage for a name that is none of edge_names
std::string_view edge_name(DType storage);
std::vector<std::string> edge_names(bool weights);

struct Scheme {
    enum class Activations : uint8_t { float32, fixed, dynamic };
    std::string_view name, doc;
    Activations activations = Activations::fixed;
    DType activation = DType::none;  // storage of activations
    bool activation_symmetric = false;
    DType weight = DType::i8;  // storage of weights, floats among them
    bool weight_symmetric = true;
    bool per_channel = true;                  // weights, unless asked otherwise
    bool per_row = true;                      // those of MatMul and Gemm likewise
    bool blocks = false;                      // weights have a scale per block of input channels
    bool two_level = false;                   // the scales of blocks are 4-bit integers times a float scale of the channel (two_level.h)
    std::string_view recipe = {};             // whose rules it follows wherever the model goes; empty: those of the output
    std::string_view alias = {};              // onert's name
    std::optional<int64_t> block;             // of weights in blocks; nothing: as --block says
    float least_scale = 0;                    // no scale is smaller (0: no limit but the recipe's)
    int bias_bits = 32;                       // of biases beside quantized products; 8: int8 with one scale of its own
    int float_bits = 32;                      // of constants that stay floats: 16 stores them as float16
    std::optional<EdgeType> inputs, outputs;  // what its nodes read and make, where a rule says it apart from `activation`

    // Of types with full(): what its nodes take of an operand, and how a result is stored.
    EdgeType taken_as() const { return inputs.value_or(EdgeType{activation, activation_symmetric}); }
    EdgeType made_as() const { return outputs.value_or(EdgeType{activation, activation_symmetric}); }
    bool full() const { return activations == Activations::fixed; }
    GridSpec activation_spec() const { return grid_spec(activation, activation_symmetric); }
    // Are activations the same codes by both? Weights may differ.
    bool same_activations(const Scheme& other) const;
};

// Fine settings over a type. The names are those of flags (--act-bits) and of keys of rules (act_bits).
struct SchemeChanges {
    std::optional<int64_t> act_bits, weight_bits, bias_bits, float_bits, block;
    std::optional<bool> act_sym, weight_sym, per_channel, per_row, two_level;
    std::optional<float> eps;
    std::optional<DType> inputs, outputs, weights;  // f32: they stay float
    bool operator==(const SchemeChanges&) const = default;
};

// `base` with the changes; its name stays. 16-bit activations are symmetric and 8-bit ones are not, unless act_sym says otherwise.
// Throws Exit::usage naming a change that the type has no place for.
Scheme changed(const Scheme& base, const SchemeChanges& changes);

std::span<const Scheme> all_schemes();
std::vector<std::string_view> scheme_names();       // their aliases last
bool is_scheme_name(std::string_view name);         // an alias, too
const Scheme& scheme_named(std::string_view name);  // throws Exit::usage with a suggestion

}  // namespace quern
