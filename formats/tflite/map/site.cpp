#include "formats/tflite/map/site.h"

#include <algorithm>
#include <array>
#include <utility>

#include "formats/tflite/file/products.h"
#include "libcore/base/text.h"
#include "libcore/ops/integer/weight_only.h"

namespace quern::tflite_format {
namespace {

template <class T>
const T* option(const FileOperator& op, std::string_view name) {
    const auto found = op.options.find(name);
    return found == op.options.end() ? nullptr : std::get_if<T>(&found->second);
}

}  // namespace

ValueId Site::in(size_t i) { return has(i) ? importer_.read(scope_, op_.in[i]) : ValueId::none; }

Values Site::ins(size_t from) {
    Values out;
    for (size_t i = from; i < op_.in.size(); ++i) out.push_back(in(i));
    return out;
}

const FileTensor& Site::tensor(size_t i) const {
    if (!has(i)) throw bad_input("input {} is missing", i);
    return scope_.from.tensors[static_cast<size_t>(op_.in[i])];
}

const FileTensor& Site::out_tensor(size_t i) const {
    if (i >= op_.out.size()) throw bad_input("output {} is missing", i);
    return scope_.from.tensors[static_cast<size_t>(op_.out[i])];
}

int64_t Site::dim(size_t i, size_t axis) const {
    const FileTensor& from = tensor(i);
    if (axis >= from.shape.size()) throw bad_input("input {} has no dimension {}", i, axis);
    return from.signature.empty() || from.signature[axis] >= 0 ? from.shape[axis] : -1;
}

Ints Site::dims(size_t i) const {
    Ints all;
    for (size_t axis = 0; axis < rank(i); ++axis) all.push_back(dim(i, axis));
    return all;
}

std::optional<Ints> Site::ints(size_t i) const { return has(i) ? ints_of(tensor(i)) : std::nullopt; }

std::optional<Ints> Site::axes(size_t i, size_t rank) const {
    auto items = ints(i);
    if (items)
        for (int64_t& axis : *items) axis = static_cast<int64_t>(normal_axis(axis, rank));
    return items;
}

int64_t Site::integer(std::string_view name, int64_t fallback) const {
    const auto* item = option<int64_t>(op_, name);
    return item ? *item : fallback;
}

float Site::real(std::string_view name, float fallback) const {
    const auto* item = option<float>(op_, name);
    return item ? *item : fallback;
}

std::string Site::word(std::string_view name, std::string_view fallback) const {
    if (const auto* item = option<std::string>(op_, name)) return *item;
    if (const auto* item = option<int64_t>(op_, name)) throw bad_input("option {} is {}", name, *item);
    return std::string(fallback);
}

std::optional<Ints> Site::list(std::string_view name) const {
    const auto* item = option<Ints>(op_, name);
    return item ? std::optional(*item) : std::nullopt;
}

std::string Site::fresh(std::string_view what) {
    const std::string& base = op_.out.empty() ? op_.name : out_tensor().name;
    return fmt::format("{}{}/{}", scope_.prefix, base, what);
}

ValueId Site::as_i64(size_t i) {
    if (dtype(i) == DType::i64) return in(i);
    if (const auto items = ints(i)) return constant(from_ints(DType::i64, tensor(i).shape, *items), "int64");
    return add(ops::Cast, {in(i)}, {{"to", onnx_type(DType::i64)}});
}

Site::Variable Site::variable(size_t i) {
    const ValueId next = value("next");
    const std::string& name = graph().value(next).name;
    return {add(ops::own::State, {in(i)}, {{"next", name}}), next};
}

ValueId Site::permuted(size_t i, const Ints& order) {
    const FileTensor& from = tensor(i);
    const auto blocked = is_blocked(from.type) || from.quantization.block > 0;
    if (!constant(i) || from.shape.size() != order.size() || blocked) return add(ops::Transpose, {in(i)}, {{"perm", order}});
    const auto key = std::pair(op_.in[i], order);
    if (const auto found = scope_.permuted.find(key); found != scope_.permuted.end()) return found->second;
    const ValueId id = importer_.declare_constant(scope_, op_.in[i]);
    Value& value = graph().value(id);
    const Tensor moved = quern::permuted(*graph().constant(id), order);
    value.type.shape = Shape::of(moved.dims);
    value.data = moved.data;
    value.permutation.assign(order.begin(), order.end());
    if (value.enc && !value.enc->per_tensor())
        value.enc->axis = static_cast<int>(std::find(order.begin(), order.end(), value.enc->axis) - order.begin());
    return scope_.permuted[key] = id;
}

// Elements that are only moved stay in their codes, but in a result of the file; what the file says of the weights of its product is said
// of ours.
void Site::place(NodeId id) {
    Node& node = graph().node(id);
    if (node.op->quant.weight >= 0 && op_.options.contains(weight_only_key)) node.attrs[weight_only_key] = int64_t{1};
    if (as_the_file_says_ || !quern::has(node.op->traits, Trait::data_movement) || quern::has(node.op->traits, Trait::variadic_in)) return;
    if (node.in[0] == ValueId::none) return;
    const std::optional<Encoding> enc = graph().value(node.in[0]).enc;
    if (!enc || !enc->per_tensor()) return;
    for (const ValueId out : node.out)
        if (auto& own = graph().value(out).enc; !own) own = enc;
}

ValueId Site::out_value(size_t i) {
    if (i >= op_.out.size()) throw bad_input("output {} is missing", i);
    const ValueId id = importer_.declare_tensor(scope_, static_cast<size_t>(op_.out[i]));
    if (graph().value(id).type.dtype != DType::none) graph().value(id).type = {};  // what a row can infer is not taken from the file
    return id;
}

std::optional<std::pair<OpId, Values>> Site::activation(ValueId before, DType dtype) {
    const std::string name = word("fused_activation_function", "NONE");
    if (name == "NONE") return std::nullopt;
    if (name == "RELU") return std::pair(ops::Relu, Values{before});
    if (name == "TANH") return std::pair(ops::Tanh, Values{before});
    if (name != "RELU6" && name != "RELU_N1_TO_1") throw unsupported("fused activation {}", name);
    const double low = name == "RELU6" ? 0 : -1, high = name == "RELU6" ? 6 : 1;
    const ValueId least = scalar(low, dtype, "min"), most = scalar(high, dtype, "max");
    return std::pair(ops::Clip, Values{before, least, most});
}

void Site::result(OpId op, Values in, Attrs attrs, size_t out) {
    if (out == 0 && word("fused_activation_function", "NONE") != "NONE") {
        const ValueId before = add(op, std::move(in), std::move(attrs));
        std::tie(op, in) = *activation(before, tflite_format::type_of(out_tensor()).dtype);
        attrs = {};
    }
    as_the_file_says_ = true;
    put(op, std::move(in), {out_value(out)}, std::move(attrs));
    as_the_file_says_ = false;
}

void Site::bind(ValueId value, size_t i) {
    const ValueId id = out_value(i);
    const NodeId producer = graph().value(value).producer;
    if (static_cast<size_t>(value) < before_ || producer == NodeId::none || !graph().uses(value).empty()) {
        put(ops::Identity, {value}, {id});
        return;
    }
    Value &made = graph().value(value), &result = graph().value(id);
    Node& node = graph().node(producer);
    *std::ranges::find(node.out, value) = id;
    result.producer = std::exchange(made.producer, NodeId::none);
    result.type = made.type;
    graph().erase(value);
    if (node.out[0] == id) graph().rename(producer, result.name);
}

ValueId Site::before_movement(OpId op, Values in, Attrs attrs) {
    ValueId made = add(op, std::move(in), std::move(attrs));
    if (auto fused = activation(made, tflite_format::type_of(out_tensor()).dtype)) made = add(fused->first, std::move(fused->second));
    graph().value(made).enc = encoding_of(out_tensor(), scope_.from);
    return made;
}

// Codes that are added to sums of codes are in steps of data times weights, whether the file says so or not.
Values Site::with_bias(Values in, int64_t channels) {
    const ProductRow& row = *product_row(op_.code);
    const bool given = has(row.bias), implied = given && constant(row.bias) && is_integer(dtype(row.bias));
    const bool zeros =
        !given && word("quantized_bias_type", "FLOAT32") == "INT32" && tflite_format::dtype_of(tensor(row.data).type) == DType::i16;
    const auto x = implied || zeros ? encoding_of(tensor(row.data), scope_.from) : std::nullopt;
    const auto w = x ? encoding_of(tensor(row.weights), scope_.from) : std::nullopt;
    if (!x || !w || w->block > 0) {
        if (given) in.push_back(this->in(row.bias));
        return in;
    }
    std::vector<float> scales = to_floats(w->scale);
    for (float& scale : scales) scale *= to_floats(x->scale)[0];
    const int axis = scales.size() > 1 ? 0 : -1;
    const Tensor scale = axis < 0 ? Tensor::scalar(scales[0]) : Tensor::vector<float>(scales);
    const std::vector<int64_t> none(static_cast<size_t>(std::max<int64_t>(channels, 0)), 0);
    const ValueId id = implied ? importer_.declare_constant(scope_, op_.in[row.bias])
                               : constant(from_ints(DType::i32, {static_cast<int64_t>(none.size())}, none), "bias");
    Value& bias = graph().value(id);
    bias.enc = make_encoding(bias.type.dtype, scale, {}, axis);
    bias.type.dtype = DType::f32;
    in.push_back(id);
    return in;
}

NodeId Site::results(const Op* op, Values in, Attrs attrs) {
    Values out;
    for (size_t i = 0; i < op_.out.size(); ++i) out.push_back(out_value(i));
    std::string name = out.empty() ? fmt::format("{}{}#{}", scope_.prefix, op_.name, graph().node_count()) : graph().value(out[0]).name;
    while (out.empty() && graph().find(name) != ValueId::none) name += "#";
    return graph().add_node(op, std::move(name), std::move(in), std::move(out), std::move(attrs));
}

// Neither contents nor anything that computes it: memory that the operator works in.
bool Site::is_memory(int64_t index) {
    if (index < 0) return false;
    const auto at = static_cast<size_t>(index);
    const FileTensor& tensor = scope_.from.tensors[at];
    if (scope_.values[at] != ValueId::none || !tensor.data.empty() || tensor.variable || tensor.external || count_of(tensor.shape) == 0)
        return false;
    if (scope_.computed.empty()) {
        scope_.computed.resize(scope_.from.tensors.size());
        for (const FileOperator& op : scope_.from.operators)
            for (const int64_t out : op.out) scope_.computed[static_cast<size_t>(out)] = true;
    }
    return !scope_.computed[at] && tflite_format::type_of(tensor).dtype != DType::none;
}

void Site::keep() {
    const bool custom = op_.code == Code::CUSTOM;
    const Op* op = unknown_op(op_.name, custom ? importer_.format() + ".custom" : importer_.format(), op_.version);
    Attrs attrs = op_.options;
    if (!op_.custom_options.empty())
        attrs["custom_options"] = Tensor{DType::u8, {static_cast<int64_t>(op_.custom_options.size())}, op_.custom_options};
    Values inputs;
    for (size_t i = 0; i < op_.in.size(); ++i) {
        const bool memory = custom && is_memory(op_.in[i]);
        if (memory)
            attrs[fmt::format("{}{}", kept_memory, i)] = tflite_format::type_of(scope_.from.tensors[static_cast<size_t>(op_.in[i])]);
        inputs.push_back(memory ? ValueId::none : in(i));
    }
    const NodeId id = results(op, std::move(inputs), std::move(attrs));
    for (size_t i = 0; i < op_.out.size(); ++i) graph().value(graph().node(id).out[i]).type = tflite_format::type_of(out_tensor(i));
}

}  // namespace quern::tflite_format
