#include "formats/tflite/lower/lower.h"

#include <algorithm>
#include <array>

#include "formats/tflite/file/pairs.h"
#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/fused.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/passes/onnx/qonnx.h"
#include "libcore/support/units.h"

namespace quern::tflite_format {
namespace {

bool on_integers(const std::optional<Encoding>& encoding) { return encoding && encoding->is_fixed() && is_integer(encoding->storage); }

// Is a value read and written as real numbers: has it no codes, or such as operators of Circle make of themselves?
bool is_real(const Value& value) { return !value.enc || mx_element(*value.enc); }

// Operands that an operator computes with, where others (the scales of a Resize, the bounds of a Clip) say how.
bool is_data(const Op& op, size_t i) {
    const auto place = static_cast<int>(i);
    if (op.quant.kind == QuantRule::Kind::keep_float) return true;
    return (op.quant.activations >> std::min<size_t>(i, 31) & 1) != 0 || op.quant.weight == place || op.quant.bias == place;
}

// What is made within a node is named after its result: of real numbers, where that is made of them.
std::string name_within(const Lowering& at) {
    const Value& made = at.graph().value(at.node().out.at(0));
    return at.on_codes() || is_real(made) ? made.name : made.name + "/real";
}

void lower_pair(Lowering& at) {
    const auto pair = std::ranges::find_if(pairs, [&](const PairRow& row) { return at.node().is(row.op); });
    at.result(pair->code, at.ins());
}

}  // namespace

const LowerRow* lower_row(const Op& op) {
    for (const auto family : {lower_elementwise_rows(), lower_spatial_rows(), lower_product_rows(), lower_shape_rows(), lower_reduce_rows(),
                              lower_control_rows(), lower_recurrent_rows()})
        for (const LowerRow& row : family)
            if (op.is(row.op)) return &row;
    static const auto paired = [] {
        std::array<LowerRow, pairs.size()> rows{};
        std::ranges::transform(pairs, rows.begin(), [](const PairRow& pair) { return LowerRow{pair.op, lower_pair}; });
        return rows;
    }();
    const auto found = std::ranges::find_if(paired, [&](const LowerRow& row) { return op.is(row.op); });
    return found == paired.end() ? nullptr : &*found;
}

void Lowering::run() {
    if (is_kept()) return keep();
    row_ = lower_row(*node_.op);
    if (!row_ && node_.is(ops::GRU))
        throw unsupported("{} has no such operator, and its steps cannot be written", exporter_.format())
            .with_hint("the number of steps and of rows must be known (--shape fixes them), and no gate clipped");
    if (!row_) {
        const std::string why = why_kept(graph(), node_);
        throw unsupported("{} has no such operator{}{}", exporter_.format(), why.empty() ? "" : ": ", why);
    }
    if (is_dynamic(node_.out.empty() ? ValueId::none : node_.out[0])) return;  // its readers do that themselves
    find_activation();
    find_arithmetic();
    row_->lower(*this);
    for (const auto& [tensor, id] : requantized_) op(Code::QUANTIZE, {tensor}, {exporter_.tensor(scope_, id)});
}

// A Relu or a Clip to 0..6 or -1..1 that alone reads the result, which has no encoding of its own.
void Lowering::find_activation() {
    result_ = node_.out.empty() ? ValueId::none : node_.out[0];
    if (const auto fused = node_.attrs.find(activation_key); fused != node_.attrs.end()) {
        activation_ = std::get<std::string>(fused->second);
        return;
    }
    if (result_ == ValueId::none || graph().value(result_).enc) return;
    const bool alone = scope_.uses[index_of(result_)].size() == 1;  // states read their next values, too
    const NodeId next = alone ? support::follower_of(graph(), result_) : NodeId::none;
    const std::string_view name = next == NodeId::none ? "NONE" : fused_name(graph(), graph().node(next));
    if (name == "NONE") return;
    activation_ = name;
    activation_node_ = next;
}

NodeId Lowering::only_reader(ValueId id) const {
    const auto& uses = scope_.uses[index_of(id)];
    const bool alone = !uses.empty() && std::all_of(uses.begin(), uses.end(), [&](const Use& use) {
        return use.node != NodeId::none && use.node == uses[0].node && use.index >= 0;
    });
    return alone ? uses[0].node : NodeId::none;
}

// Readers multiply real numbers with symmetric codes of at most 8 bits in the products that they have kernels for.
bool Lowering::takes_codes_as_weights() const {
    const int place = row_->codes;
    if (place < 0 || !constant(static_cast<size_t>(place)) || !on_integers(value(static_cast<size_t>(place)).enc)) return false;
    const Encoding& encoding = *value(static_cast<size_t>(place)).enc;
    if (encoding.block > 0) return row_->blocks;
    const bool dynamic = before_dynamic(id(0)) != id(0);
    if (exporter_.format() == "tflite" && place == 1 && !dynamic && (!exporter_.hybrid() || node_.attrs.contains(weight_only_key)))
        return false;
    if (place != 1 || !encoding.symmetric()) return false;
    if (node_.is(ops::ConvTranspose) && encoding.per_tensor()) return false;  // its kernel wants a scale for each channel
    return encoding.storage == DType::i8 ||
           (encoding.storage == DType::i4 && row_->four_bits && (!node_.is(ops::Conv) || view_.integer("group") == 1));
}

// On codes if the result and everything it is computed from are codes; else on real numbers, with changes of encoding around.
void Lowering::find_arithmetic() {
    const Value* out = result_ == ValueId::none ? nullptr : &graph().value(result_);
    if (out && !out->enc && activation_node_ != NodeId::none) out = &graph().value(graph().node(activation_node_).out[0]);
    const bool real_result = out && (out->type.dtype == DType::none || is_float(out->type.dtype));
    bool any = false, all = true;
    for (size_t i = 0; i < node_.in.size(); ++i) {
        if (!has(i) || !is_float(type(i).dtype) || !is_data(*node_.op, i)) continue;
        const bool integers = on_integers(value(i).enc);
        any |= integers;
        all &= integers;
    }
    hybrid_ = takes_codes_as_weights() && (row_->codes == 0 || !on_integers(value(0).enc));
    exporter_.rounded() += hybrid_ && node_.attrs.contains(weight_only_key);
    for (const ValueId id : node_.in)
        if (before_dynamic(id) != id && (!hybrid_ || id != node_.in[0]))
            throw unsupported("its operand is quantized as it is found, and the format has no such operator");
    codes_ = !row_->on_reals && any && all && (!real_result || on_integers(out->enc));
    const int weight = node_.op->quant.weight;
    if (codes_ && exporter_.format() == "tflite" && weight >= 0 && constant(static_cast<size_t>(weight)) &&
        value(static_cast<size_t>(weight)).enc->storage == DType::i16)
        throw unsupported("its weights are int16, which no reader of TFLite takes").with_hint("--type w8a16 has int8 weights");
    if (codes_ && exporter_.format() == "tflite" && weight >= 0 && constant(static_cast<size_t>(weight)) &&
        value(static_cast<size_t>(weight)).enc->storage == DType::i8 && value(0).enc->storage == DType::u8)
        throw unsupported("its data are uint8 and its weights int8, which no reader of TFLite takes together")
            .with_hint("--type i8 has int8 data, u8-asym uint8 weights");
    if (codes_ && real_result) out_encoding_ = out->enc;
}

size_t Lowering::rank(size_t i) const {
    if (!type(i).shape.ranked) throw unsupported("the rank of input {} is not known", i);
    return type(i).shape.rank();
}

int64_t Lowering::dim(size_t i, size_t axis) const {
    rank(i);
    const Dim& dim = type(i).shape.dims.at(axis);
    return dim.known() ? dim.value : -1;
}

std::optional<Ints> Lowering::ints(size_t i) const {
    if (!has(i) || value(i).enc) return std::nullopt;
    const auto tensor = graph().constant(id(i));
    return tensor && is_integer(tensor->dtype) ? std::optional(to_ints(*tensor)) : std::nullopt;
}

Ints Lowering::need_ints(size_t i) const {
    const auto items = ints(i);
    if (!items) throw unsupported("input {} is not constant", i);
    return *items;
}

std::optional<Tensor> Lowering::reals(size_t i) const {
    if (!has(i)) return std::nullopt;
    const auto tensor = graph().constant(id(i));
    if (!tensor || !is_float(type(i).dtype)) return std::nullopt;
    const Tensor numbers = value(i).enc ? dequantize(*tensor, *value(i).enc) : *tensor;
    return from_floats(DType::f32, numbers.dims, to_floats(numbers));
}

std::optional<float> Lowering::number(size_t i) const {
    const auto tensor = reals(i);
    return tensor && tensor->count() == 1 ? std::optional(tensor->view<float>()[0]) : std::nullopt;
}

Ints Lowering::axes(size_t i, size_t rank) const {
    Ints out;
    if (has(i)) {
        for (const int64_t axis : need_ints(i)) out.push_back(static_cast<int64_t>(normal_axis(axis, rank)));
        return out;
    }
    for (size_t k = 0; k < rank; ++k) out.push_back(static_cast<int64_t>(k));
    return out;
}

size_t Lowering::axis(std::string_view attr, size_t rank) const { return normal_axis(view_.integer(attr), rank); }

Ints Lowering::out_shape(size_t i) const { return open_dims(graph().value(node_.out.at(i)).type.shape); }

Ints open_dims(const Shape& shape) {
    if (!shape.ranked) throw unsupported("the rank of its result is not known");
    Ints out;
    for (const Dim& dim : shape.dims) out.push_back(dim.known() ? dim.value : -1);
    return out;
}

// An encoded value as real numbers, for callers that compute on those.
int64_t Lowering::real(ValueId id) {
    const Value& value = graph().value(id);
    if (is_real(value)) return exporter_.tensor(scope_, id);
    if (const auto found = scope_.real_tensors.find(id); found != scope_.real_tensors.end()) return found->second;
    if (value.constant() && bits_of(value.enc->storage) > 16)  // a bias
        return scope_.real_tensors[id] =
                   exporter_.add_tensor(scope_, tensor_of(value.name, dequantize(*graph().constant(id), *value.enc), {}));
    const int64_t coded = exporter_.tensor(scope_, id);
    const int64_t made = exporter_.add_tensor(scope_, tensor_of(value.name + "/real", value.type, {}));
    op(Code::DEQUANTIZE, {coded}, {made});
    return scope_.real_tensors[id] = made;
}

// A dynamic encoding is a matter of the operator that reads it: its operand is what was there before.
ValueId Lowering::before_dynamic(ValueId id) const {
    if (id == ValueId::none) return id;
    const Value& value = graph().value(id);
    return is_dynamic(id) && value.producer != NodeId::none ? graph().node(value.producer).in.at(0) : id;
}

bool Lowering::rounds_asymmetrically() const {
    if (!hybrid_) return false;
    const ValueId data = id(0);
    return node_.attrs.contains(asymmetric_key) || (before_dynamic(data) != data && value(0).enc->storage == DType::u8);
}

int64_t Lowering::in(size_t i) {
    if (!has(i)) return -1;
    if (hybrid_ && i == 0 && !constant(0)) return real(before_dynamic(id(0)));
    return codes_ || !is_float(type(i).dtype) ? exporter_.tensor(scope_, id(i)) : real(id(i));
}

Ints Lowering::ins(size_t from) {
    Ints out;
    for (size_t i = from; i < node_.in.size(); ++i) out.push_back(in(i));
    return out;
}

const std::optional<Encoding>& Lowering::in_encoding(size_t i) const {
    static const std::optional<Encoding> none;
    return codes_ && has(i) ? value(i).enc : none;
}

int64_t Lowering::in_as_i32(size_t i) {
    if (const auto items = ints(i))
        return constant(fmt::format("operand_{}", i), from_ints(DType::i32, graph().constant(id(i))->dims, *items));
    if (type(i).dtype == DType::i32) return in(i);
    Ints shape;
    for (size_t k = 0; k < rank(i); ++k) shape.push_back(dim(i, k));
    const int64_t made = temp(fmt::format("operand_{}", i), DType::i32, shape);
    op(Code::CAST, {in(i)}, {made}, {{"in_data_type", std::string("INT64")}, {"out_data_type", std::string("INT32")}});
    return made;
}

// Where an axis is when dims of 1 have come or gone, behind it or before it.
static int axis_in(const Dims& shape, const Dims& before, int axis) {
    const auto place = static_cast<size_t>(axis);
    if (place < shape.size() && shape[place] == before[place]) return axis;
    return axis + static_cast<int>(shape.size()) - static_cast<int>(before.size());
}

// Codes that stand for real numbers stay codes in the file.
int64_t Lowering::as_real(std::string_view name, const Tensor& codes, const Encoding& encoding) {
    const int64_t coded = exporter_.add_constant(scope_, std::string(name), codes, encoding);
    const int64_t made =
        exporter_.add_tensor(scope_, tensor_of(fmt::format("{}/real", name), Type::tensor(DType::f32, Shape::of(codes.dims)), {}));
    op(Code::DEQUANTIZE, {coded}, {made});
    return made;
}

int64_t Lowering::permuted(size_t i, const Ints& order, Dims shape) {
    if (!constant(i)) throw unsupported("input {} is not constant", i);
    const Value& from = value(i);
    const bool small = from.enc && from.enc->block == 0 && bits_of(from.enc->storage) <= 16 && exporter_.format() == "tflite";
    const bool half = from.enc && from.enc->storage == DType::f16;
    const bool coded = from.enc && (codes_ || hybrid_ || small || half);
    const Tensor contents = coded || !from.enc ? *graph().constant(id(i)) : *reals(i);
    Tensor moved = quern::permuted(contents, order);
    std::optional<Encoding> encoding;
    if (coded) encoding = from.enc;
    if (encoding && !encoding->per_tensor())
        encoding->axis = static_cast<int>(std::find(order.begin(), order.end(), encoding->axis) - order.begin());
    if (encoding && encoding->block > 0)
        for (Tensor* part : {&encoding->scale, &encoding->zero, &encoding->min})
            if (part->defined()) *part = quern::permuted(*part, order);
    if (!shape.empty()) {
        if (encoding && !encoding->per_tensor()) encoding->axis = axis_in(shape, moved.dims, encoding->axis);
        moved.dims = std::move(shape);
    }
    if (coded && (half || (!codes_ && !hybrid_))) return as_real(from.name, moved, *encoding);
    return exporter_.add_constant(scope_, from.name, moved, encoding);
}

int64_t Lowering::numbers(std::string_view what, const Ints& items) {
    return constant(what, from_ints(DType::i32, {static_cast<int64_t>(items.size())}, items));
}

int64_t Lowering::constant(std::string_view what, const Tensor& contents, const std::optional<Encoding>& encoding) {
    made_.emplace_back(exporter_.add_constant(scope_, fmt::format("{}/{}", name_within(*this), what), contents, encoding), what);
    return made_.back().first;
}

int64_t Lowering::shape_of(int64_t tensor, std::string_view what) {
    const FileTensor& from = file_tensor(tensor);
    return numbers(what, from.signature.empty() ? from.shape : from.signature);
}

int64_t Lowering::number(std::string_view what, float number, size_t like) {
    const Tensor real = Tensor::scalar(number);
    const auto& encoding = in_encoding(like);
    return encoding ? constant(what, quantize(real, *encoding), encoding) : constant(what, real);
}

int64_t Lowering::temp(std::string_view what, DType dtype, const Ints& shape, const std::optional<Encoding>& encoding) {
    std::vector<Dim> dims;
    for (const int64_t dim : shape) dims.push_back(dim < 0 ? Dim::unknown() : Dim::of(dim));
    return exporter_.add_tensor(
        scope_, tensor_of(fmt::format("{}/{}", name_within(*this), what), Type::tensor(dtype, Shape::of_dims(dims)), encoding));
}

int64_t Lowering::temp_like(std::string_view what, size_t operand, const Ints& shape) {
    return temp(what, type(operand).dtype, shape, in_encoding(operand));
}

int64_t Lowering::out(size_t i) {
    const ValueId id = i == 0 && activation_node_ != NodeId::none && scope_.done.contains(activation_node_)
                           ? graph().node(activation_node_).out[0]
                           : node_.out.at(i);
    if (id == ValueId::none) return -1;
    const Value& value = graph().value(id);
    if (is_real(value) || codes_) return exporter_.tensor(scope_, id);
    const int64_t made = exporter_.add_tensor(scope_, tensor_of(value.name + "/real", value.type, {}));
    requantized_.emplace_back(made, id);
    return made;
}

void Lowering::result(Code code, Ints in, Attrs options) {
    if (takes_activation(code)) {
        options = activated(std::move(options));
        return op(code, std::move(in), {out()}, std::move(options));
    }
    if (activation_node_ == NodeId::none || !codes_) return op(code, std::move(in), {out()}, std::move(options));
    // Between the two stand codes of the encoding behind both.
    const Value& before = graph().value(node_.out[0]);
    const int64_t between = exporter_.add_tensor(scope_, tensor_of(before.name, before.type, out_encoding_));
    op(code, std::move(in), {between}, std::move(options));
    scope_.done.insert(activation_node_);
    op(operator_of(activation_), {between}, {out()});
}

Attrs Lowering::activated(Attrs options) {
    options["fused_activation_function"] = activation_;
    if (activation_node_ != NodeId::none) scope_.done.insert(activation_node_);
    return options;
}

int64_t Lowering::transposed(std::string_view what, int64_t tensor, const Ints& order) {
    FileTensor made = file_tensor(tensor);
    made.name = fmt::format("{}/{}", name_within(*this), what);
    made.data = {};
    const Dims shape = made.shape;
    const Ints signature = made.signature;
    for (size_t i = 0; i < order.size(); ++i) {
        made.shape[i] = shape.at(static_cast<size_t>(order[i]));
        if (!signature.empty()) made.signature[i] = signature[static_cast<size_t>(order[i])];
    }
    const int64_t to = exporter_.add_tensor(scope_, std::move(made));
    op(Code::TRANSPOSE, {tensor, numbers("order", order)}, {to});
    return to;
}

bool has_more_open_dims(const Ints& shape) { return std::ranges::count(shape, -1) > 1; }

const Ints& needed_shape(const Ints& shape) {
    if (has_more_open_dims(shape)) throw unsupported("several dimensions of its result are not fixed");
    return shape;
}

int64_t Lowering::reshaped(std::string_view what, int64_t tensor, const Ints& shape) {
    FileTensor made = file_tensor(tensor);
    made.name = fmt::format("{}/{}", name_within(*this), what);
    made.data = {};
    made.shape.assign(shape.begin(), shape.end());
    made.signature = std::count(shape.begin(), shape.end(), -1) > 0 ? shape : Ints();
    std::replace(made.shape.begin(), made.shape.end(), int64_t{-1}, int64_t{1});
    const int64_t to = exporter_.add_tensor(scope_, std::move(made));
    op(Code::RESHAPE, {tensor, numbers("shape", needed_shape(shape))}, {to}, {{"new_shape", shape}});
    return to;
}

// Was it read and not understood, or put together for this format? Circle has all operators of TFLite, and both the same custom ones.
bool Lowering::is_kept() const {
    if (node_.op->eval) return false;
    const std::string_view domain = node_.op->domain;
    return domain == exporter_.format() || domain == "tflite" || domain == "tflite.custom" || domain == "circle.custom";
}

// What was read and not understood is written as it was.
void Lowering::keep() {
    FileOperator op;
    const bool custom = node_.op->domain.ends_with(".custom");
    op.name = std::string(node_.op->name);
    op.code = Code::CUSTOM;
    if (!custom) {
        const flatbuffers::TypeTable& codes = *tflite::BuiltinOperatorTypeTable();
        for (size_t i = 0; i < codes.num_elems; ++i)
            if (op.name == codes.names[i]) op.code = static_cast<Code>(codes.values[i]);
    }
    op.version = node_.op->version;
    op.options = node_.attrs;
    if (const auto found = op.options.find("custom_options"); found != op.options.end()) {
        if (const auto* bytes = std::get_if<Tensor>(&found->second)) op.custom_options = bytes->data;
        op.options.erase(found);
    }
    for (size_t i = 0; i < node_.in.size(); ++i) {
        const std::string memory = fmt::format("{}{}", kept_memory, i);
        const auto found = op.options.find(memory);
        const Type* type = found == op.options.end() ? nullptr : std::get_if<Type>(&found->second);
        const bool absent = custom && type && node_.in[i] == ValueId::none;
        op.in.push_back(absent ? exporter_.add_tensor(scope_, tensor_of(node_.name + "/" + memory, *type, {}))
                               : exporter_.tensor(scope_, node_.in[i]));
        op.options.erase(memory);
    }
    for (const ValueId id : node_.out) op.out.push_back(exporter_.tensor(scope_, id));
    op.kept = op.version != 0;
    if (op.version == 0) op.version = version_of(op, exporter_.subgraph(scope_));
    exporter_.subgraph(scope_).operators.push_back(std::move(op));
}

}  // namespace quern::tflite_format
