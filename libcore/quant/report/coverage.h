// How much of a model is quantized: of its operators, its weights and its multiply-accumulates.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/graph/op.h"

namespace quern {

struct Coverage {
    uint64_t operators = 0, quantized_operators = 0;  // on float numbers; quantized: weights or results are
    uint64_t weight_bytes = 0, quantized_bytes = 0;   // of float constants, as float32; each constant once
    double macs = 0, quantized_macs = 0;              // of one run; open dims count as 1. Quantized: of operators that are
    bool bodies = false;                              // are there any? Their multiply-accumulates are not counted
    std::map<std::string, uint64_t> float_weights;    // of operators whose weights stay float, by key: their bytes as float32
    // Of those whose weights are codes, likewise, by constant: some belong to several.
    std::map<std::string, std::map<const std::byte*, uint64_t>> coded_weights;
    std::map<std::string, double> node_macs;  // of operators with weights, by key
    uint64_t weighted_operators = 0;          // with weights, quantized or not
};

// Of a graph with encodings on values; `short_floats`: constants stored as float16 or bfloat16 count as quantized.
Coverage coverage_of(const Graph& graph, bool short_floats = true);
// Percent of the multiply-accumulates that no operator of codes does.
double float_macs_percent(const Coverage& coverage);
// "62.1 % of the weights (1,234 of 1,987 KB) and 80.0 % of the multiply-accumulates are quantized"
std::string weights_and_macs_text(const Coverage& coverage);
// The same with the operators before it.
std::string coverage_text(const Coverage& coverage);
// "; 12.5 % of the weights" of an operator whose weights stay float; else empty.
std::string float_weights_text(const Coverage& coverage, const std::string& node);
// "12.5 % of the weights and 40.0 % of the multiply-accumulates" of operators whose weights are codes.
std::string share_text(const Coverage& coverage, const std::vector<std::string>& nodes);
Json coverage_json(const Coverage& coverage);

uint64_t stored_bytes(const Graph& graph);  // of constants, equal memory counted once

}  // namespace quern
