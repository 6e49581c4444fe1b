// Elementwise operators.

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/fused.h"
#include "formats/tflite/lower/lower.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"

namespace quern::tflite_format {
namespace {

// Sums of 16-bit codes, whose operands are shifted where all scales are powers of two.
template <Code code>
void sum(Lowering& at) {
    at.result(code, at.ins(), at.node().attrs.contains(powers_key) ? Attrs{{powers_key, int64_t{1}}} : Attrs());
}

// One operand more than the format's operator has: one after the other.
template <Code code>
void chain(Lowering& at) {
    if (at.in_count() == 1) return at.result(Code::RESHAPE, {at.in(0), at.shape_of(at.in(0), "shape")});
    int64_t sum = at.in(0);
    Shape shape = at.type(0).shape;
    for (size_t i = 1; i + 1 < at.in_count(); ++i) {
        shape = broadcast(shape, at.type(i).shape);
        const int64_t next = at.temp("part", at.type(i).dtype, open_dims(shape), at.out_encoding());
        at.op(code, {sum, at.in(i)}, {next}, takes_activation(code) ? no_activation : Attrs());
        sum = next;
    }
    at.result(code, {sum, at.in(at.in_count() - 1)});
}

void leaky_relu(Lowering& at) { at.result(Code::LEAKY_RELU, at.ins(), {{"alpha", at.view().real("alpha")}}); }

void gelu(Lowering& at) { at.result(Code::GELU, at.ins(), {{"approximate", int64_t{at.view().text("approximate") == "tanh"}}}); }

void clip(Lowering& at) {
    const auto low = at.number(1), high = at.number(2);
    if ((at.has(1) && !low) || (at.has(2) && !high)) throw unsupported("its bounds are not constant");
    if (low && high && *low == 0 && *high == 6) return at.result(Code::RELU6, {at.in(0)});
    if (low && high && *low == -1 && *high == 1) return at.result(Code::RELU_N1_TO_1, {at.in(0)});
    if (low && !high && *low == 0) return at.result(Code::RELU, {at.in(0)});
    const bool wide = at.on_codes() && bits_of(at.in_encoding(0)->storage) > 8;
    if (low && high && *low == 0 && *high == 1 && !wide) return at.result(Code::RELU_0_TO_1, {at.in(0)});
    if (!low && !high) throw unsupported("has no bounds");
    if (!high) return at.result(Code::MAXIMUM, {at.in(0), at.number("min", *low, 0)});
    if (!low) return at.result(Code::MINIMUM, {at.in(0), at.number("max", *high, 0)});
    const int64_t raised = at.temp_like("raised", 0, at.out_shape());
    at.op(Code::MAXIMUM, {at.in(0), at.number("min", *low, 0)}, {raised});
    at.result(Code::MINIMUM, {raised, at.number("max", *high, 0)});
}

// x * sigmoid(alpha x), each step with codes of its own only where there are none.
void swish(Lowering& at) {
    int64_t x = at.in(0);
    const DType dtype = at.type(0).dtype;
    if (const float alpha = at.view().real("alpha"); alpha != 1) {
        x = at.temp("scaled", dtype, at.out_shape());
        at.op(Code::MUL, {at.in(0), at.number("alpha", alpha, 0)}, {x}, no_activation);
    }
    const int64_t gate = at.temp("gate", dtype, at.out_shape());
    at.op(Code::LOGISTIC, {x}, {gate});
    at.result(Code::MUL, {at.in(0), gate});
}

// max(0, min(1, alpha x + beta)).
void hard_sigmoid(Lowering& at) {
    const DType dtype = at.type(0).dtype;
    const int64_t scaled = at.temp("scaled", dtype, at.out_shape()), shifted = at.temp("shifted", dtype, at.out_shape());
    at.op(Code::MUL, {at.in(0), at.number("alpha", at.view().real("alpha"), 0)}, {scaled}, no_activation);
    at.op(Code::ADD, {scaled, at.number("beta", at.view().real("beta"), 0)}, {shifted}, no_activation);
    at.result(Code::RELU_0_TO_1, {shifted});
}

void reciprocal(Lowering& at) {
    const int64_t one = at.constant("one", Tensor::scalar(1.0f));
    at.result(Code::DIV, {one, at.in(0)});
}

// Are the scale and zero point of a QuantizeLinear or DequantizeLinear those of the encoding?
bool has_parameters_of(const Graph& graph, const Node& node, const std::optional<Encoding>& encoding) {
    if (!integer_grid(encoding) || node.in.size() != 3 || !node.op->domain.empty()) return false;
    const auto scale = graph.constant(node.in[1]), zero = graph.constant(node.in[2]);
    if (!scale || !zero || scale->count() != 1 || zero->count() != 1 || zero->dtype != encoding->storage) return false;
    return to_floats(*scale) == to_floats(encoding->scale) && to_ints(*zero)[0] == encoding->zero_at();
}

void put_cast(Lowering& at, int64_t from, int64_t to) {
    const auto word = [&](int64_t tensor) { return std::string(tflite::EnumNameTensorType(at.file_tensor(tensor).type)); };
    at.op(Code::CAST, {from}, {to}, {{"in_data_type", word(from)}, {"out_data_type", word(to)}});
}

// The format's operator casts codes as they are, and makes codes: what is said of them stands with their tensors.
void cast_codes(Lowering& at, int64_t from, ValueId made) {
    const NodeId reader = at.only_reader(made);
    if (reader != NodeId::none) {
        const Node& next = at.graph().node(reader);
        if (next.is(ops::DequantizeLinear, ops::microsoft::DequantizeLinear) &&
            has_parameters_of(at.graph(), next, at.graph().value(next.out[0]).enc)) {
            at.done(reader);
            made = next.out[0];
        }
    }
    put_cast(at, from, at.exporter().tensor(at.scope(), made));
}

// Of real numbers, also where its operand or its result is stored in codes.
void cast(Lowering& at) {
    const Value& made = at.graph().value(at.node().out[0]);
    if (at.type(0).dtype == DType::f16 && made.type.dtype == DType::f32 && at.constant(0)) return at.result(Code::DEQUANTIZE, {at.in(0)});
    if (made.enc) return put_cast(at, at.in(0), at.out());
    cast_codes(at, at.in(0), at.node().out[0]);
}

// In front of a Cast: the codes of its operand as numbers.
void codes_of(Lowering& at) {
    const NodeId reader = at.only_reader(at.node().out[0]);
    if (reader == NodeId::none || !at.graph().node(reader).is(ops::Cast) || !has_parameters_of(at.graph(), at.node(), at.value(0).enc))
        throw unsupported("codes as numbers, which the format has only of an output, or where nothing but a Cast reads them");
    at.done(reader);
    cast_codes(at, at.exporter().tensor(at.scope(), at.id(0)), at.graph().node(reader).out[0]);
}

// The remainder with the sign of the divisor is the format's; fmod is not, but of sizes.
void mod(Lowering& at) {
    if (at.view().integer("fmod") != 0 && !is_mod_of_sizes(at.graph(), at.node())) throw unsupported("fmod");
    at.result(Code::FLOOR_MOD, at.ins());
}

// A change of encoding: by the types on both sides.
void recode(Lowering& at) {
    const Value& out = at.graph().value(at.node().out[0]);
    const bool coded = at.value(0).enc.has_value();
    const int64_t from = at.exporter().tensor(at.scope(), at.id(0)), to = at.exporter().tensor(at.scope(), at.node().out[0]);
    if (!coded && !out.enc) return at.op(Code::RESHAPE, {from, at.shape_of(from, "shape")}, {to});
    at.op(out.enc ? Code::QUANTIZE : Code::DEQUANTIZE, {from}, {to});
}

void shift(Lowering& at) {
    if (at.view().text("direction") != "RIGHT") throw unsupported("a shift to the left");
    at.result(Code::RIGHT_SHIFT, at.ins());
}

constexpr std::array elementwise_table{
    LowerRow{ops::Add, sum<Code::ADD>},
    LowerRow{ops::BitShift, shift},
    LowerRow{.op = ops::Cast, .lower = cast, .on_reals = true},
    LowerRow{ops::Clip, clip},
    LowerRow{ops::Gelu, gelu},
    LowerRow{.op = ops::HardSigmoid, .lower = hard_sigmoid, .on_reals = true},
    LowerRow{ops::LeakyRelu, leaky_relu},
    LowerRow{ops::Max, chain<Code::MAXIMUM>},
    LowerRow{ops::Min, chain<Code::MINIMUM>},
    LowerRow{ops::Mod, mod},
    LowerRow{ops::QuantizeLinear, codes_of},
    LowerRow{.op = ops::Reciprocal, .lower = reciprocal, .on_reals = true},
    LowerRow{ops::own::Recode, recode},
    LowerRow{ops::Sub, sum<Code::SUB>},
    LowerRow{ops::Sum, chain<Code::ADD>},
    LowerRow{.op = ops::Swish, .lower = swish, .on_reals = true},
};

}  // namespace

std::span<const LowerRow> lower_elementwise_rows() { return elementwise_table; }

}  // namespace quern::tflite_format
