// Fake quantization that is spelled out becomes QuantizeLinear and DequantizeLinear with the scales and zero points that were trained;
// constants get their codes, exactly those that the formula gives.
//   - TensorFlow's FAKE_QUANT, which the reader spells out as floor((clip(x, bottom, top) - bottom) / scale + 0.5) * scale + bottom: codes
//     of 2 to 16 bits are signed, in the narrowest type that has them. Values in the middle of two steps are rounded to even instead of up.
//   - PyTorch's, (clip(round(x / scale) + zero) - zero) * scale (recognise/rounded_steps.h), in the narrowest type of its codes.
// Where the type has more codes (3 bits in int4, 12 in int16, or no least code: narrow_range), a Clip of numbers stays in front, as no
// QuantizeLinear clips like that.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/recognise/fake_quantized.h"
#include "libcore/passes/recognise/rounded_steps.h"
#include "libcore/passes/shared.h"

namespace quern {
namespace {

struct FakeQuant {
    ValueId x = ValueId::none, clipped = ValueId::none;
    float bottom = 0, top = 0, scale = 1, inverse = 1;
};

// A node of two operands one of which is a constant number: that number, and the other operand.
struct WithNumber {
    ValueId rest;
    float number;
};

std::optional<WithNumber> with_number(const Graph& graph, const Node* node) {
    if (!node || node->in.size() != 2) return std::nullopt;
    for (const size_t at : {1, 0}) {
        if (at == 0 && node->is(ops::Sub)) break;
        if (!is_plain_constant(graph, node->in[at])) continue;
        if (const auto number = scalar_of(graph, node->in[at])) return WithNumber{node->in[1 - at], *number};
    }
    return std::nullopt;
}

// `last` makes the result. Where bottom is 0 nothing need be taken off or added.
std::optional<FakeQuant> match(const Graph& graph, const Node& last) {
    FakeQuant found;
    const Node* product = last.is(ops::Mul) ? &last : nullptr;
    float back = 0;
    if (last.is(ops::Add)) {
        const auto sum = with_number(graph, &last);
        if (!sum) return std::nullopt;
        back = sum->number;
        product = made_by(graph, sum->rest, ops::Mul);
    }
    const auto whole = with_number(graph, product);
    const Node* floor = whole ? made_by(graph, whole->rest, ops::Floor) : nullptr;
    const auto half = floor ? with_number(graph, made_by(graph, floor->in[0], ops::Add)) : std::nullopt;
    if (!half || half->number != 0.5f) return std::nullopt;
    const auto steps = with_number(graph, made_by(graph, half->rest, ops::Mul));
    if (!steps) return std::nullopt;
    found.scale = whole->number;
    found.inverse = steps->number;
    ValueId clipped = steps->rest;
    float from = 0;
    if (const auto taken = with_number(graph, made_by(graph, clipped, ops::Sub))) {
        from = taken->number;
        clipped = taken->rest;
    }
    const Node* clip = made_by(graph, clipped, ops::Clip);
    const auto low = clip ? scalar_of(graph, input_of(*clip, 1)) : std::nullopt,
               high = clip ? scalar_of(graph, input_of(*clip, 2)) : std::nullopt;
    if (!low || !high || from != *low || back != *low || !(found.scale > 0)) return std::nullopt;
    found.x = clip->in[0];
    found.clipped = clip->out[0];
    found.bottom = *low;
    found.top = *high;
    return found;
}

// How many bits the codes of so many steps have, with the least code or without it; nullopt: they are not codes of 2 to 16 bits.
std::optional<int> bits_of_steps(float steps) {
    if (!(steps >= 2 && steps <= 65535)) return std::nullopt;
    const auto count = static_cast<uint32_t>(steps) + 1;
    for (const uint32_t all : {count, count + 1})
        if (std::has_single_bit(all)) return std::countr_zero(all);
    return std::nullopt;
}

std::optional<Encoding> encoding_of(const FakeQuant& fake) {
    const float steps = std::round((fake.top - fake.bottom) / fake.scale);
    const auto bits = bits_of_steps(steps);
    if (!bits || !(fake.bottom <= 0 && fake.top >= 0)) return std::nullopt;
    constexpr std::array storages{DType::i2, DType::i4, DType::i8, DType::i16};
    const DType storage = *std::ranges::find_if(storages, [&](DType candidate) { return bits_of(candidate) >= *bits; });
    const int64_t most = (int64_t{1} << (*bits - 1)) - 1, least = most - static_cast<int64_t>(steps);
    const int64_t zero = least + static_cast<int64_t>(std::round(-fake.bottom / fake.scale));
    return make_encoding(storage, Tensor::scalar(fake.scale), from_ints(storage, {}, std::vector<int64_t>{zero})).with_limits(least, most);
}

Tensor codes_of(const Tensor& real, const FakeQuant& fake, const Encoding& encoding) {
    std::vector<int64_t> codes;
    for (const float x : to_floats(real)) {
        const float clipped = std::min(std::max(x, fake.bottom), fake.top);
        codes.push_back(static_cast<int64_t>(std::floor((clipped - fake.bottom) * fake.inverse + 0.5f)) + encoding.qmin);
    }
    return from_ints(encoding.storage, real.dims, codes);
}

std::optional<FakeQuantized> found_at(const Graph& graph, const Node& last) {
    if (const auto fake = match(graph, last)) {
        auto encoding = encoding_of(*fake);
        if (!encoding) return std::nullopt;
        FakeQuantized found{fake->x, fake->clipped, std::move(*encoding), {}};
        if (const auto real = graph.constant(fake->x)) found.codes = codes_of(*real, *fake, found.encoding);
        return found;
    }
    const auto steps = rounded_steps(graph, last);
    if (!steps) return std::nullopt;
    FakeQuantized found{steps->x, ValueId::none, steps->encoding, {}};
    if (const auto real = graph.constant(steps->x)) found.codes = codes_of(*real, *steps);
    return found;
}

bool fold(Graph& graph, const Node& last) {
    const ValueId result = last.out[0];
    const auto found = found_at(graph, last);
    if (!found || graph.value(result).type.dtype != DType::f32 || graph.value(found->x).enc || !can_spell(*found)) return false;
    const std::vector<ValueId> before = last.in;
    spell_linear(graph, result, *found);
    for (const ValueId in : before) erase_unread(graph, in);
    return true;
}

int fold_in(Graph& graph) {
    int changes = 0;
    for (const NodeId id : graph.topo()) {
        const Node& node = graph.node(id);
        if (!node.erased && node.is(ops::Add, ops::Mul) && node.out.size() == 1 && fold(graph, node)) ++changes;
    }
    if (changes > 0) graph.sort();
    return changes;
}

}  // namespace

constinit const Pass fold_fake_quant{"fold_fake_quant", "spelled-out fake quantization becomes QuantizeLinear and DequantizeLinear",
                                     [](Graph& graph) { return on_every_graph(graph, fold_in); }, 1.0f / 128, false};

}  // namespace quern
