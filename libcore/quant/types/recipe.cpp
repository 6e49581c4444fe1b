#include "libcore/quant/types/recipe.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "libcore/base/error.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/support/operands.h"

namespace quern {
namespace {

// Of QNN's HTP, v75 (soc_model 57), single operators beside onnxruntime's CPU; steps are those of the result's scale.
constexpr std::array htp_fixed{FixedOp{"Softmax", {DType::u8, 1.0f / 255, 0}}, FixedOp{"Softmax", {DType::u16, 1.0f / 65536, 0}},
                               FixedOp{"Sigmoid", {DType::u16, 1.0f / 65536, 0}}, FixedOp{"Tanh", {DType::u16, 1.0f / 32768, 32768}}};
constexpr std::array htp_coarse{
    CoarseOp{"Log", 16, "HTP's result on uint16 is of no use"},
    CoarseOp{"Mish", 0, "HTP takes it as float only"},
    CoarseOp{"Softplus", 16, "HTP is up to 201 steps off on uint16"},
    CoarseOp{"Sqrt", 16, "HTP is up to 76 steps off on uint16"},
    CoarseOp{"RoiAlign", 16, "HTP is up to 62 steps off on uint16"},
    CoarseOp{"Selu", 16, "HTP is up to 40 steps off on uint16"},
    CoarseOp{"Reciprocal", 16, "HTP is up to 32 steps off on uint16"},
    CoarseOp{"MatMul", 16, "HTP is up to 139 steps off on uint16 where both factors are computed", false},
    CoarseOp{"MatMul", 8, "HTP's results are wrong on 8 bits and five dims where both factors are computed", false, 5},
    CoarseOp{"LRN", 16, "HTP takes it on 8 bits and as float only"},
    CoarseOp{"Einsum", 16, "HTP takes it on 8 bits and as float only"},
    CoarseOp{"PRelu", 16, "HTP prepares no graph with it on uint16"},
    CoarseOp{"RMSNormalization", 8, "HTP takes it on 16 bits and as float only"},
    CoarseOp{"ThresholdedRelu", 0, "HTP's codes are wrong beside the threshold"}};

constexpr std::array htp_precise{PreciseOp{"ReduceMean", 0},
                                 PreciseOp{"ReduceSum", 0},
                                 PreciseOp{"ReduceMax", 0},
                                 PreciseOp{"ReduceMin", 0},
                                 PreciseOp{"Abs", 0},
                                 PreciseOp{"Neg", 0},
                                 PreciseOp{"Sum", 0},
                                 PreciseOp{"Mean", 0},
                                 PreciseOp{"ScatterND", 0},
                                 PreciseOp{"ScatterElements", 0},
                                 PreciseOp{"LayerNormalization", 16},
                                 PreciseOp{"RMSNormalization", 16},
                                 PreciseOp{"LpNormalization", 16},
                                 PreciseOp{"LogSoftmax", 16}};
constexpr std::array htp_off{OpSteps{"Softmax", 16, 9},
                             OpSteps{"ReduceL2", 16, 8},
                             OpSteps{"Gelu", 16, 7},
                             OpSteps{"Swish", 16, 6},
                             OpSteps{"RMSNormalization", 16, 4},
                             OpSteps{"Mean", 16, 3},
                             OpSteps{"InstanceNormalization", 16, 2.5},
                             OpSteps{"Sum", 16, 2},
                             OpSteps{"LayerNormalization", 16, 2},
                             OpSteps{"Sigmoid", 16, 1.4}};

constexpr std::array recipe_table{
    Recipe{.name = "onnx", .doc = "onnxruntime's rules", .tables = true, .edges_apart = true},
    Recipe{.name = "tflite",
           .doc = "TensorFlow Lite's quantization specification",
           .rules = &QuantRule::tflite,
           .channels_by_rules = true,
           .tables = true,
           .wide_bias = DType::i64,
           .lstm = true,
           .hybrid_recurrent = true,
           .runtime = "litert"},
    Recipe{.name = "one",
           .doc = "Samsung/ONE's rules",
           .rules = &QuantRule::one,
           .fixed_by_rows = false,
           .asymmetric_channels = true,
           .weight_only_by_rules = true,
           .least_scale = 1e-5f,
           .least_scale_16 = 1e-8f,
           .half_away = true,
           .wide_bias = DType::i64,
           .by_runs = true,
           .products_runtime = "onert",
           .averaging_batch = 16},
    // Weights by the formulas of docs/numerics-nnpa.md: none are clipped.
    Recipe{.name = "nnpa", .doc = "IBM's NNPA", .by_runs = true},
    Recipe{.name = "qnn",
           .doc = "Qualcomm's QNN on HTP",
           .fixed = htp_fixed,
           .coarse = htp_coarse,
           .precise = htp_precise,
           .off = htp_off,
           .least_ratio = 1.5 * 0x1p-24,  // right at 2^-23.75, 0 at 2^-24.02
           .greatest_float = 65504,
           .unsigned_only = true,
           .operands_apart = true,
           .whole_blocks = true,
           .gemms = true,
           .float_recurrent = true,
           .joins_quantized = true,
           .wholes = true},
};

int64_t code_half_away(float x, float scale, int64_t zero, const Encoding& e) {
    const auto number = [&](int64_t code) { return static_cast<float>(static_cast<double>(code - zero) * static_cast<double>(scale)); };
    const bool plain = int_range(e.storage).min < 0;
    const float least = number(e.qmin), greatest = number(e.qmax);
    const float clipped = std::min(std::max(x, least), greatest), reciprocal = static_cast<float>(1.0 / static_cast<double>(scale));
    const double steps = std::round(static_cast<double>((plain ? clipped : clipped - least) * reciprocal));
    const double code = steps + static_cast<double>(plain ? zero : e.qmin);
    if (!(code > static_cast<double>(e.qmin))) return e.qmin;
    return code < static_cast<double>(e.qmax) ? static_cast<int64_t>(code) : e.qmax;
}

// The row of an operator of ONNX, on such codes.
template <class Row>
const Row* row_of(std::span<const Row> rows, const Op& op, DType activation) {
    if (!op.domain.empty()) return nullptr;
    const auto found =
        std::ranges::find_if(rows, [&](const Row& row) { return row.op == op.name && (row.bits == 0 || row.bits == bits_of(activation)); });
    return found == rows.end() ? nullptr : &*found;
}

}  // namespace

const RuntimeRule& Recipe::rule_of(const Op& op) const {
    static constexpr RuntimeRule nothing;
    return rules && op.domain.empty() ? op.quant.*rules : nothing;
}

const FixedResult* Recipe::fixed_as(const Op& op, DType storage) const {
    if (const FixedResult* row = rule_of(op).fixed_as(storage)) return row;
    const auto row = std::ranges::find_if(
        fixed, [&](const FixedOp& own) { return op.domain.empty() && own.op == op.name && own.result.storage == storage; });
    return row == fixed.end() ? nullptr : &row->result;
}

std::string_view Recipe::coarse_on(const Graph& graph, const Node& node, DType activation) const {
    const bool weighted = weight_input(graph, node) >= 0;
    const size_t rank = node.in.empty() || node.in[0] == ValueId::none ? 0 : graph.value(node.in[0]).type.shape.rank();
    const auto is = [&](const CoarseOp& own) {
        return own.op == node.op->name && (own.bits == 0 || own.bits == bits_of(activation)) && (own.weighted || !weighted) &&
               rank >= own.least_rank;
    };
    const auto row = std::ranges::find_if(coarse, is);
    return row == coarse.end() || !node.op->domain.empty() ? std::string_view() : row->why;
}

bool Recipe::is_precise(const Op& op, DType activation) const { return rule_of(op).friendly || row_of(precise, op, activation) != nullptr; }

double Recipe::steps_off(const Op& op, DType activation) const {
    const OpSteps* row = row_of(off, op, activation);
    return row ? row->rms : 0;
}

Sharing Recipe::sharing_of(const Op& op) const {
    if (operands_apart && op.is(ops::Concat)) return Sharing::none;
    if (rules && op.domain.empty()) return rule_of(op).sharing;
    const auto kind = op.quant.kind;
    const bool shares = kind == QuantRule::Kind::same_as_input || kind == QuantRule::Kind::all_same;
    return shares && !has(op.traits, Trait::activation) ? Sharing::together : Sharing::none;
}

bool Recipe::has_channels(const Op& op, bool symmetric) const {
    return (symmetric || asymmetric_channels) && (!channels_by_rules || rule_of(op).channels);
}
bool Recipe::has_channel_constant(const Op& op, size_t input) const {
    return input < 32 && (rule_of(op).channel_constants >> input & 1u) != 0;
}
bool Recipe::takes_weight_only(const Op& op) const { return !weight_only_by_rules || rule_of(op).weight_only; }

GridSpec Recipe::grid(GridSpec spec) const {
    spec.min_scale = spec.symmetric && bits_of(spec.storage) == 16 ? least_scale_16 : least_scale;
    spec.half_away = half_away;
    return spec;
}

Grid Recipe::whole(Grid grid) {
    grid.scale = grid.scale < 1 ? 1.0f : std::round(grid.scale);
    return grid;
}

const Recipe& recipe_named(std::string_view name) {
    for (const Recipe& row : recipe_table)
        if (row.name == name) return row;
    throw bug("no quantizer recipe {}", name);
}

std::string_view type_by(const Recipe& recipe, std::string_view type) {
    static constexpr std::pair<std::string_view, std::string_view> without_signs[] = {
        {"i8", "u8i8"}, {"w8a16", "w8u16"}, {"i16-asym", "w8u16"}, {"w4a16", "w4u16"}, {"w4a16-lpbq", "w4u16-lpbq"}};
    const auto* const row = std::ranges::find(without_signs, type, [](const auto& entry) { return entry.first; });
    return recipe.unsigned_only && row != std::end(without_signs) ? row->second : type;
}

Tensor constant_codes(const Tensor& real, const Encoding& e, const Recipe& recipe) {
    if (!recipe.half_away || e.block > 0 || !is_integer(e.storage)) return quantize(real, e);
    const Tensor numbers = real.dtype == DType::f32 ? real : from_floats(DType::f32, real.dims, to_floats(real));
    const std::span<const float> values = numbers.view<float>();
    const auto scales = to_floats(e.scale);
    const auto zeros = e.zeros();
    size_t length = 1, inner = 1;
    if (!e.per_tensor()) {
        length = static_cast<size_t>(real.dims.at(static_cast<size_t>(e.axis)));
        for (size_t i = static_cast<size_t>(e.axis) + 1; i < real.dims.size(); ++i) inner *= static_cast<size_t>(real.dims[i]);
    }
    // Piece by piece: the wide codes of a large weight would take many times its memory.
    constexpr size_t piece = 1 << 16;
    MutableBytes bytes(storage_size(e.storage, values.size()));
    std::vector<int64_t> codes;
    for (size_t begin = 0; begin < values.size(); begin += piece) {
        codes.resize(std::min(piece, values.size() - begin));
        for (size_t i = 0; i < codes.size(); ++i) {
            const size_t at = begin + i, k = !e.per_tensor() ? at / inner % length : 0;
            codes[i] = code_half_away(values[at], scales[k], zeros[k], e);
        }
        const Tensor part = from_ints(e.storage, {static_cast<int64_t>(codes.size())}, codes);
        std::memcpy(bytes.data() + storage_size(e.storage, begin), part.data.data(), part.data.size());
    }
    return {e.storage, real.dims, std::move(bytes).freeze()};
}

}  // namespace quern
