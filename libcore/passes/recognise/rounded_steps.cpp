#include "libcore/passes/recognise/rounded_steps.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/graph/grid.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

constexpr int computed_depth = 4;

// Not through roundings, which are those of weights.
std::optional<Tensor> parameter(const Graph& graph, ValueId id, int depth) {
    if (id == ValueId::none || graph.value(id).enc) return std::nullopt;
    if (graph.value(id).constant()) return graph.constant(id);
    const NodeId by = graph.value(id).producer;
    if (by == NodeId::none || depth == 0) return std::nullopt;
    const Node& node = graph.node(by);
    if (!node.is(ops::Reciprocal, ops::Div) && !node.is(ops::Mul, ops::Neg) && !node.is(ops::Reshape, ops::Unsqueeze) &&
        !node.is(ops::Cast))
        return std::nullopt;
    std::vector<Tensor> inputs;
    for (const ValueId in : node.in) {
        const auto input = parameter(graph, in, depth - 1);
        if (!input || input->count() > 1 << 16) return std::nullopt;
        inputs.push_back(*input);
    }
    try {
        return eval_small(node, inputs).at(0);
    } catch (const Error& error) {
        if (error.exit() == Exit::bug) throw;
        return std::nullopt;
    }
}

// Numbers for all of a tensor, or one for each channel: a dim of theirs at most is not 1.
struct Numbers {
    std::vector<float> items;
    Dims dims;
};

struct WithNumbers {
    ValueId rest;
    Numbers numbers;
};

std::optional<Numbers> numbers_of(const Tensor& tensor) {
    if (tensor.dtype != DType::f32 || std::ranges::count_if(tensor.dims, [](int64_t dim) { return dim != 1; }) > 1) return std::nullopt;
    return Numbers{to_floats(tensor), tensor.dims};
}

std::optional<Numbers> numbers_of(const Graph& graph, ValueId id) {
    const auto tensor = parameter(graph, id, computed_depth);
    return tensor ? numbers_of(*tensor) : std::nullopt;
}

// The operands of a node one of which is numbers: those of operators that take them in this order alone stand second.
std::optional<WithNumbers> with_numbers(const Graph& graph, const Node* node) {
    if (!node || node->in.size() != 2) return std::nullopt;
    for (const size_t at : {1, 0}) {
        if (at == 0 && !node->is(ops::Add, ops::Mul)) break;
        if (auto numbers = numbers_of(graph, node->in[at])) return WithNumbers{node->in[1 - at], std::move(*numbers)};
    }
    return std::nullopt;
}

// What is added to or taken from `id` by its maker, as what is added; none: `id` as it is, and zeros.
WithNumbers with_sum(const Graph& graph, ValueId id) {
    if (const auto sum = with_numbers(graph, made_by(graph, id, ops::Add))) return *sum;
    if (auto difference = with_numbers(graph, made_by(graph, id, ops::Sub))) {
        for (float& number : difference->numbers.items) number = -number;
        return *difference;
    }
    return {id, {{0.0f}, {}}};
}

std::optional<WithNumbers> with_quotient(const Graph& graph, ValueId id, bool& divides) {
    auto found = with_numbers(graph, made_by(graph, id, ops::Div));
    divides = found.has_value();
    return found ? found : with_numbers(graph, made_by(graph, id, ops::Mul));
}

// The axis of x that the numbers are along; -1: they are one number. Nullopt: they make x larger, or its dims are not known.
std::optional<int> axis_along(const Numbers& numbers, const Shape& x) {
    if (numbers.dims.empty()) return -1;
    if (!x.ranked || numbers.dims.size() > x.dims.size() || numbers.items.empty()) return std::nullopt;
    if (numbers.items.size() == 1) return -1;
    const size_t shorter = x.dims.size() - numbers.dims.size();
    const auto at = static_cast<size_t>(std::ranges::find_if(numbers.dims, [](int64_t dim) { return dim != 1; }) - numbers.dims.begin());
    const Dim& dim = x.dims[shorter + at];
    if (!dim.known() || dim.value != numbers.dims[at]) return std::nullopt;
    return static_cast<int>(shorter + at);
}

float at(const Numbers& numbers, size_t i) { return numbers.items[numbers.items.size() == 1 ? 0 : i]; }

// The same axis, or one number for all channels.
bool goes_with(const Numbers& numbers, int axis, const Shape& x) {
    const auto own = axis_along(numbers, x);
    return own && (*own == -1 || *own == axis);
}

bool is_code(float number) { return number == std::nearbyint(number) && std::fabs(number) <= 65535; }

struct Limits {
    int64_t least, most;
};

// The narrowest type whose codes, or all of them but the least, these are when it has as many bits as they.
std::optional<DType> storage_of(const Limits& limits) {
    const bool is_signed = limits.least < 0;
    const uint64_t half = static_cast<uint64_t>(limits.most) + 1;
    if (limits.most < 1 || !std::has_single_bit(half)) return std::nullopt;
    const int bits = std::countr_zero(half) + (is_signed ? 1 : 0);
    if (is_signed ? limits.least != -limits.most - 1 && limits.least != -limits.most : limits.least != 0) return std::nullopt;
    constexpr std::array with_sign{DType::i2, DType::i4, DType::i8, DType::i16}, without{DType::u2, DType::u4, DType::u8, DType::u16};
    for (const DType storage : is_signed ? with_sign : without)
        if (bits >= 2 && bits <= bits_of(storage)) return storage;
    return std::nullopt;
}

std::optional<Limits> limits_of(const Graph& graph, const Node& clip) {
    const auto low = numbers_of(graph, input_of(clip, 1)), high = numbers_of(graph, input_of(clip, 2));
    if (!low || !high || low->items.size() != 1 || high->items.size() != 1) return std::nullopt;
    if (!is_code(low->items[0]) || !is_code(high->items[0])) return std::nullopt;
    return Limits{static_cast<int64_t>(low->items[0]), static_cast<int64_t>(high->items[0])};
}

// Are they 1 / scale, as exactly as float32 says it, or where x is divided the scales themselves?
bool are_steps(const Numbers& factors, bool divides, const Numbers& scale, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const double s = at(scale, i), factor = at(factors, i);
        if (!(s >= std::numeric_limits<float>::min() && std::isfinite(s))) return false;
        if (divides ? factor != s : !(std::fabs(factor * s - 1) <= 2.0 * std::numeric_limits<float>::epsilon())) return false;
    }
    return true;
}

// Are the zero points codes, and taken off behind the Clip again?
bool are_zeros(const Numbers& added, const Numbers& taken, const Limits& limits, size_t count) {
    for (size_t i = 0; i < count; ++i) {
        const float zero = at(added, i);
        if (zero != -at(taken, i) || !is_code(zero) || zero < static_cast<float>(limits.least) || zero > static_cast<float>(limits.most))
            return false;
    }
    return true;
}

Encoding encoding_of(int axis, DType storage, const Numbers& scale, const Numbers& zero) {
    const size_t count = scale.items.size();
    const Dims dims = axis < 0 ? Dims{} : Dims{static_cast<int64_t>(count)};
    std::vector<int64_t> zeros;
    for (size_t i = 0; i < count; ++i) zeros.push_back(static_cast<int64_t>(at(zero, i)));
    return make_encoding(storage, from_floats(DType::f32, dims, scale.items), from_ints(storage, dims, zeros), axis);
}

// What stands between the last product and x.
struct Chain {
    ValueId x;
    const Node* clip;
    Numbers scale, taken, added, factors;
    bool divides;
};

std::optional<Chain> chain_of(const Graph& graph, const Node& last) {
    const auto product = last.is(ops::Mul) ? with_numbers(graph, &last) : std::nullopt;
    if (!product) return std::nullopt;
    const auto [clipped, taken] = with_sum(graph, product->rest);
    const Node* clip = made_by(graph, clipped, ops::Clip);
    if (!clip) return std::nullopt;
    const auto [rounded, added] = with_sum(graph, clip->in[0]);
    const Node* round = made_by(graph, rounded, ops::Round);
    if (!round) return std::nullopt;
    bool divides = false;
    const auto quotient = with_quotient(graph, round->in[0], divides);
    if (!quotient) return std::nullopt;
    return Chain{quotient->rest, clip, product->numbers, taken, added, quotient->numbers, divides};
}

}  // namespace

std::optional<Tensor> parameter(const Graph& graph, ValueId id) { return parameter(graph, id, computed_depth); }

std::optional<Encoding> encoding_along(const Shape& shape, DType storage, const Tensor& scale, const Tensor& zero) {
    const auto scales = numbers_of(scale), zeros = numbers_of(zero);
    const auto axis = scales ? axis_along(*scales, shape) : std::nullopt;
    if (!axis || !zeros || !goes_with(*zeros, *axis, shape)) return std::nullopt;
    return encoding_of(*axis, storage, *scales, *zeros);
}

std::optional<RoundedSteps> rounded_steps(const Graph& graph, const Node& last) {
    const auto chain = chain_of(graph, last);
    const auto limits = chain ? limits_of(graph, *chain->clip) : std::nullopt;
    const auto storage = limits ? storage_of(*limits) : std::nullopt;
    if (!storage) return std::nullopt;
    const Shape& shape = graph.value(chain->x).type.shape;
    const auto axis = axis_along(chain->scale, shape);
    if (!axis || !goes_with(chain->factors, *axis, shape) || !goes_with(chain->added, *axis, shape) ||
        !goes_with(chain->taken, *axis, shape))
        return std::nullopt;
    const size_t count = chain->scale.items.size();
    if (!are_zeros(chain->added, chain->taken, *limits, count) || !are_steps(chain->factors, chain->divides, chain->scale, count))
        return std::nullopt;
    Encoding encoding = encoding_of(*axis, *storage, chain->scale, chain->added).with_limits(limits->least, limits->most);
    return RoundedSteps{chain->x, std::move(encoding), chain->factors.items, chain->divides};
}

Tensor codes_of(const Tensor& real, const RoundedSteps& steps) {
    const Encoding& encoding = steps.encoding;
    const std::vector<float> numbers = to_floats(real);
    const std::vector<int64_t> zeros = encoding.zeros();
    const auto axis = static_cast<size_t>(std::max(encoding.axis, 0));
    const size_t channels = encoding.axis < 0 ? 1 : static_cast<size_t>(real.dims[axis]);
    size_t inner = 1;
    for (size_t i = axis + 1; i < real.dims.size(); ++i) inner *= static_cast<size_t>(real.dims[i]);
    const auto least = static_cast<float>(encoding.qmin), most = static_cast<float>(encoding.qmax);
    std::vector<int64_t> codes;
    for (size_t i = 0; i < numbers.size(); ++i) {
        const size_t channel = i / inner % channels;
        const float factor = steps.factors[steps.factors.size() == 1 ? 0 : channel];
        const float code = std::nearbyint(steps.divides ? numbers[i] / factor : numbers[i] * factor) + static_cast<float>(zeros[channel]);
        codes.push_back(static_cast<int64_t>(code > least ? std::min(code, most) : least));
    }
    return from_ints(encoding.storage, real.dims, codes);
}

}  // namespace quern
