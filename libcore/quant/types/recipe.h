// Quantizer recipes: what a runtime asks of the encodings that its models hold - the quantizer's half of an arithmetic profile, as rows.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "libcore/graph/encoding.h"
#include "libcore/graph/op.h"
#include "libcore/quant/ranges/grid.h"

namespace quern {

// The result of an operator has this encoding where it is stored so: the runtime goes by it, whatever the file says.
struct FixedOp {
    std::string_view op;
    FixedResult result;
};

// An operator of ONNX that the runtime computes too coarsely on such codes, or not at all.
struct CoarseOp {
    std::string_view op;
    int bits;  // of activations; 0: of any
    std::string_view why;
    bool weighted = true;   // also with a weight
    size_t least_rank = 0;  // of its first operand
};

// An operator of ONNX that the runtime computes to a step on such codes, though little can be said of its inputs.
struct PreciseOp {
    std::string_view op;
    int bits;  // of activations; 0: of any
};

// What the runtime's result of an operator is off on such codes: the root of the mean square, in steps of the result's scale.
struct OpSteps {
    std::string_view op;
    int bits;  // of activations
    double rms;
};

struct Recipe {
    std::string_view name, doc;
    RuntimeRule QuantRule::*rules = nullptr;    // what operators' rows say of its runtime; nullptr: nothing, values share as `kind` says
    bool fixed_by_rows = true;                  // ranges of operators' rows stand where the runtime fixes nothing
    bool channels_by_rules = false;             // weights have one scale per channel where `rules` say so; else all may
    bool asymmetric_channels = false;           // asymmetric weights may, too
    bool tables = false;                        // those that rows are looked up in are weights, which are codes beside float data
    bool weight_only_by_rules = false;          // weights alone are quantized where `rules` say so; else of all
    float least_scale = 0, least_scale_16 = 0;  // no scale is smaller; of symmetric 16-bit codes
    bool half_away = false;                     // codes and zero points round half away from zero
    DType wide_bias = DType::i32;               // of biases behind 16-bit activations
    bool lstm = false;                          // LSTM has a form on int8 codes
    bool hybrid_recurrent = false;              // LSTM and RNN multiply real numbers with int8 weights
    bool by_runs = false;                       // "auto" is the percentile of the runs' extremes, and clips no weight
    std::string_view runtime = {};              // whose kernels it is for (support/runtime.h); empty: none in particular
    std::string_view products_runtime = {};     // whose kernels of products decide whether their weights have channels; empty: none
    int64_t averaging_batch = 1;                // runs that count as one in a moving average
    std::span<const FixedOp> fixed = {};        // beside those of `rules`
    std::span<const CoarseOp> coarse = {};      // these stay float
    std::span<const PreciseOp> precise = {};    // sensitive operators that are quantized, too
    std::span<const OpSteps> off = {};          // what the runtime adds to the noise of rounding
    // Scales of input and weight over that of the result: where they are less, the runtime's sum is 0. 0: any will do.
    double least_ratio = 0;
    double greatest_float = 0;     // of the floats that it computes in; 0: float32's
    bool unsigned_only = false;    // activations are asymmetric and have no sign; weights beside 16 bits are symmetric
    bool operands_apart = false;   // operands of Concat keep their encodings
    bool whole_blocks = false;     // blocks divide what is summed up; else a scale for each channel
    bool gemms = false;            // products with a constant summand are Gemm, whose bias it is
    bool float_recurrent = false;  // recurrent operators that stay float keep their weights so
    bool joins_quantized = false;  // a float operator between quantized values is taken for one on them
    bool edges_apart = false;      // what a node reads, makes and weighs with may be stored in types of their own, or as floats
    bool wholes = false;           // normalizations and Gelu that are spelled out are one operator

    const RuntimeRule& rule_of(const Op& op) const;
    const FixedResult* fixed_as(const Op& op, DType storage) const;  // nullptr: any encoding
    bool is_precise(const Op& op, DType activation) const;
    double steps_off(const Op& op, DType activation) const;
    // Why the operator stays float; "": it need not.
    std::string_view coarse_on(const Graph& graph, const Node& node, DType activation) const;
    Sharing sharing_of(const Op& op) const;
    bool has_channels(const Op& op, bool symmetric) const;
    bool has_channel_constant(const Op& op, size_t input) const;
    bool takes_weight_only(const Op& op) const;
    GridSpec grid(GridSpec spec) const;  // with this recipe's floors and rounding
    // A grid for whole numbers: its scale rounded, 1 at least; the zero point stays.
    static Grid whole(Grid grid);
};

const Recipe& recipe_named(std::string_view name);  // throws Exit::bug for a name that is none

// The type that stands for one with signs by a recipe that takes none (u8i8 for i8); else the type itself.
std::string_view type_by(const Recipe& recipe, std::string_view type);

// Codes of constants. Half away from zero: in float32, x is clipped to the numbers of the grid, less the lowest of them (0 if the
// codes are signed), times the reciprocal of the scale.
Tensor constant_codes(const Tensor& real, const Encoding& encoding, const Recipe& recipe);

}  // namespace quern
