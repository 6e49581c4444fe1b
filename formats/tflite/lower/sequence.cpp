#include "formats/tflite/lower/sequence.h"

#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/ops/recurrent/recurrent.h"

namespace quern::tflite_format {
namespace {

using namespace recurrent_operands;

}  // namespace

SequenceLowering::SequenceLowering(Lowering& at, size_t gates)
    : at_(at),
      gates_(static_cast<int64_t>(gates)),
      units_(at.view().integer("hidden_size")),
      batch_first_(at.view().integer("layout") == 1),
      backwards_(at.view().text("direction") == "reverse") {
    batch_ = at_.dim(0, batch_first_ ? 0 : 1);
    if (batch_ < 0) throw unsupported("a batch that is not fixed").with_hint("model-convert --shape fixes it");
    squeeze_ = find_squeeze();
    const ValueId made = at_.node().out[0];
    name_ =
        squeeze_ != NodeId::none ? at_.graph().value(at_.graph().node(squeeze_).out[0]).name : at_.graph().value(made).name + "/sequence";
    if (backwards_) name_ += "/backwards";  // as the operator's own result is called, which is turned around behind it
}

// Where steps can be counted, what is not of the operator itself has been written step by step already.
static Error not_alone(std::string_view what) {
    return unsupported("{}", what)
        .with_hint("step by step it could be written, with a known number of steps and of rows (--shape fixes them), and no gate clipped");
}

void SequenceLowering::check(std::span<const size_t> states) const {
    const NodeView& view = at_.view();
    if (view.text("direction") == "bidirectional" || view.has("clip")) throw not_alone("both directions in one, or clipped gates");
    if (at_.has(lengths_at)) throw not_alone("lengths");
    for (const size_t i : states) {
        if (!at_.has(i)) continue;
        const auto state = at_.reals(i);
        if (!state || std::any_of(state->view<float>().begin(), state->view<float>().end(), [](float x) { return x != 0; }))
            throw not_alone("a first state");
    }
    for (size_t i = 1; i < at_.node().out.size(); ++i)
        if (at_.node().out[i] != ValueId::none && !at_.scope().uses[index_of(at_.node().out[i])].empty())
            throw not_alone("its last state is wanted");
    if (!at_.constant(weights_at) || !at_.constant(recurrence_at)) throw unsupported("its weights are not constant");
}

// A tensor of the same type for something else.
int64_t SequenceLowering::another(std::string_view name, int64_t like) {
    FileTensor tensor = at_.file_tensor(like);
    tensor.name = name.empty() ? name_ : fmt::format("{}/{}", name_, name);
    tensor.data = {};
    return at_.exporter().add_tensor(at_.scope(), std::move(tensor));
}

// The operator walks forwards only: what goes backwards is turned around before and behind it.
int64_t SequenceLowering::turned(int64_t tensor, int64_t into) {
    const Tensor axis = Tensor::vector<int32_t>(std::array{batch_first_ ? 1 : 0});
    const std::string name = at_.file_tensor(into).name + "/axis";  // as restore_shape.cpp calls it
    at_.op(Code::REVERSE_V2, {tensor, at_.exporter().add_constant(at_.scope(), name, axis, {})}, {into});
    return into;
}

int64_t SequenceLowering::data() {
    const int64_t x = at_.in(0);
    return backwards_ ? turned(x, another("turned", x)) : x;
}

bool SequenceLowering::in_codes(size_t operand) const {
    if (!at_.constant(operand)) return false;
    const auto& all = at_.value(operand).enc;
    if (!all || !all->is_fixed() || all->storage != DType::i8 || all->block > 0 || !all->symmetric()) return false;
    if (all->per_tensor()) return true;
    const auto scales = to_floats(all->scale);
    for (size_t i = 0; i < scales.size(); ++i)
        if (scales[i] != scales[i - i % static_cast<size_t>(units_)]) return false;
    return all->axis == 1;
}

bool SequenceLowering::stored_in_codes(size_t operand) const {
    if (!at_.node().attrs.contains(weight_only_key) || !at_.constant(operand)) return false;
    const auto& encoding = at_.value(operand).enc;
    if (!encoding || !encoding->is_fixed() || encoding->format || encoding->block > 0 || encoding->axis > 1 || encoding->min.defined())
        return false;
    constexpr std::array storages{DType::i4, DType::i8, DType::i16, DType::f16};
    const int64_t each = count_of(*at_.type(operand).shape.concrete()) / gates_;
    return std::ranges::count(storages, encoding->storage) > 0 && encoding->symmetric() && each * bits_of(encoding->storage) % 8 == 0;
}

int64_t SequenceLowering::part(std::string_view name, size_t operand, int64_t gate, bool coded) {
    if (!at_.on_codes() && stored_in_codes(operand)) return made_real(name, operand, gate);
    const Tensor all = coded ? *at_.graph().constant(at_.id(operand)) : *at_.reals(operand);
    std::optional<Encoding> encoding;
    if (coded) encoding = encoding_of(*at_.value(operand).enc, gate);
    return constant(name, rows_of(all, gate), encoding);
}

// Its codes, with a scale for each row, and the operator that makes numbers of them.
int64_t SequenceLowering::made_real(std::string_view name, size_t operand, int64_t gate) {
    const Encoding& all = *at_.value(operand).enc;
    const Tensor codes = rows_of(*at_.graph().constant(at_.id(operand)), gate);
    Encoding own = all;
    if (!all.per_tensor()) {
        own.axis = 0;
        own.scale = rows_of(all.scale, gate, 0);
        own.zero = Tensor();  // they are symmetric
    }
    const int64_t stored = constant(fmt::format("{}/codes", name), codes, own);
    const int64_t made = at_.exporter().add_tensor(
        at_.scope(), tensor_of(fmt::format("{}/{}", name_, name), Type::tensor(DType::f32, Shape::of(codes.dims)), {}));
    at_.op(Code::DEQUANTIZE, {stored}, {made});
    return made;
}

// The rows of a gate, of those that lie along `axis`; a dimension of directions before it goes.
Tensor SequenceLowering::rows_of(const Tensor& all, int64_t gate, size_t axis) const {
    Dims dims(all.dims.begin() + static_cast<std::ptrdiff_t>(axis), all.dims.end());
    dims[0] = units_;
    const size_t each = storage_size(all.dtype, static_cast<size_t>(count_of(dims)));
    return {all.dtype, std::move(dims), all.data.slice(static_cast<size_t>(gate) * each, each)};
}

// The one scale of a gate.
Encoding SequenceLowering::encoding_of(const Encoding& all, int64_t gate) const {
    if (!all.symmetric()) throw unsupported("weights with zero points");
    const auto scales = to_floats(all.scale);
    if (all.per_tensor()) return make_encoding(all.storage, Tensor::scalar(scales.at(0)), {});
    if (all.axis != 1) throw unsupported("weights with scales along axis {}", all.axis);
    const auto from = scales.begin() + gate * units_;
    if (std::any_of(from, from + units_, [&](float scale) { return scale != *from; })) throw unsupported("several scales in one gate");
    return make_encoding(all.storage, Tensor::scalar(*from), {});
}

int64_t SequenceLowering::real_bias(std::string_view name, int64_t gate) {
    const auto b = at_.reals(bias_at);
    if (at_.has(bias_at) && !b) throw unsupported("its biases are not constant");
    std::vector<float> bias(static_cast<size_t>(units_), 0.0f);
    for (size_t k = 0; b && k < bias.size(); ++k) {
        const auto place = static_cast<size_t>(gate * units_) + k;
        bias[k] = b->view<float>()[place] + b->view<float>()[place + static_cast<size_t>(gates_ * units_)];
    }
    return constant(name, from_floats(DType::f32, {units_}, bias));
}

int64_t SequenceLowering::state(std::string_view name, size_t operand) {
    FileTensor tensor =
        tensor_of(fmt::format("{}/{}", name_, name), Type::tensor(DType::f32, Shape::of(Dims{batch_, units_})), at_.in_encoding(operand));
    tensor.variable = true;
    return at_.exporter().add_tensor(at_.scope(), std::move(tensor));
}

int64_t SequenceLowering::intermediate(std::string_view name, const std::optional<Encoding>& encoding) {
    return at_.exporter().add_tensor(at_.scope(),
                                     tensor_of(fmt::format("{}/{}", name_, name), Type::tensor(DType::f32, Shape::of(Dims{0})), encoding));
}

int64_t SequenceLowering::constant(std::string_view name, const Tensor& contents, const std::optional<Encoding>& encoding) {
    return at_.exporter().add_constant(at_.scope(), fmt::format("{}/{}", name_, name), contents, encoding);
}

NodeId SequenceLowering::find_squeeze() const {
    const NodeId reader = at_.only_reader(at_.node().out[0]);
    if (reader == NodeId::none) return reader;
    const Node& node = at_.graph().node(reader);
    const Value &made = at_.graph().value(at_.node().out[0]), &out = at_.graph().value(node.out[0]);
    const bool same = made.enc == out.enc && at_.on_codes() == made.enc.has_value();
    if (!node.is(ops::Squeeze) || !same || out.type.shape.rank() != 3) return NodeId::none;
    const Lowering view(at_.exporter(), at_.scope(), reader);
    if (view.has(1) ? view.axes(1, 4) != Ints{batch_first_ ? 2 : 1} : made.type.shape.dims[batch_first_ ? 1 : 0] == Dim::of(1))
        return NodeId::none;
    return reader;
}

void SequenceLowering::write(Code code, const Ints& in, Attrs options, const Ints& intermediates) {
    options["time_major"] = int64_t{!batch_first_};
    if (at_.node().attrs.contains(asymmetric_key)) options[asymmetric_key] = int64_t{1};
    const int64_t time = at_.dim(0, batch_first_ ? 1 : 0);
    const Ints shape = batch_first_ ? Ints{batch_, time, units_} : Ints{time, batch_, units_};
    if (squeeze_ != NodeId::none) at_.done(squeeze_);
    const int64_t made = squeeze_ != NodeId::none ? at_.exporter().tensor(at_.scope(), at_.graph().node(squeeze_).out[0])
                                                  : at_.temp("sequence", DType::f32, shape, at_.out_encoding());
    const int64_t walked = backwards_ ? another("", made) : made;
    at_.op(code, in, {walked}, options, intermediates);
    if (backwards_) turned(walked, made);
    if (squeeze_ != NodeId::none) return;
    const Ints whole = at_.out_shape();
    at_.op(Code::RESHAPE, {made, at_.numbers("shape", needed_shape(whole))}, {at_.out()}, {{"new_shape", whole}});
}

}  // namespace quern::tflite_format
