// Schemes: the number formats that --type names, one row each.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/quant/grid.h"

namespace quern {

struct Scheme {
    enum class Activations : uint8_t { float32, fixed, dynamic };
    std::string_view name, doc;
    Activations activations = Activations::fixed;
    DType activation = DType::none;  // storage of activations
    bool activation_symmetric = false;
    DType weight = DType::i8;  // storage of weights, float16 and bfloat16 among them
    bool weight_symmetric = true;
    bool per_channel = true;       // weights, unless asked otherwise
    bool blocks = false;           // weights have a scale per block of input channels
    std::string_view recipe = {};  // whose rules it follows wherever the model goes; empty: those of the output
    std::string_view alias = {};   // onert's name

    bool full() const { return activations == Activations::fixed; }
    GridSpec activation_spec() const { return grid_spec(activation, activation_symmetric); }
};

std::span<const Scheme> all_schemes();
std::vector<std::string_view> scheme_names();       // their aliases last
const Scheme& scheme_named(std::string_view name);  // throws Exit::usage with a suggestion

}  // namespace quern
