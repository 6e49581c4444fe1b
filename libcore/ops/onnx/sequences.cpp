// Operators of sequences and optionals. The tensors of a sequence are cut and joined by Split and Concat.
#include <algorithm>
#include <array>

#include "libcore/ops/onnx/control.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/ops/shared/sequence.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

using Kind = Type::Kind;

Type of_element(Kind kind, Type element) { return {kind, DType::none, {}, std::make_shared<const Type>(std::move(element))}; }

// The type of the items of input `i`; of unknown type while the input is.
Type element_in(const InferCtx& ctx, size_t i, Kind kind = Kind::sequence) {
    const Type& type = ctx.in(i);
    if (type.kind == kind) return type.element ? *type.element : Type{};
    if (type.kind == Kind::tensor && type.dtype == DType::none) return {};
    throw bad_input("input {} is {}, need {}", i, to_string(type), kind == Kind::sequence ? "a sequence" : "an optional");
}

const Type& tensor_in(const InferCtx& ctx, size_t i) {
    if (ctx.in(i).kind != Kind::tensor) throw bad_input("input {} is {}, need a tensor", i, to_string(ctx.in(i)));
    return ctx.in(i);
}

int64_t number_of(const Tensor& tensor, const char* what) {
    if (tensor.count() != 1) throw bad_input("{} is {}, need one number", what, to_string(tensor.dims));
    return to_ints(tensor)[0];
}

// A place in a sequence, counted from the end if negative; `end`: after the last is a place, too, and the default.
size_t place_in(EvalCtx& ctx, size_t input, size_t count, bool end) {
    const auto size = static_cast<int64_t>(count);
    const Tensor* given = ctx.in(input);
    if (!given && size == 0 && !end) throw bad_input("the sequence is empty");
    const int64_t place = given ? number_of(*given, "position") : end ? size : size - 1;
    if (place < -size || place >= size + (end ? 1 : 0))
        throw bad_input("position {} of a sequence, need {} to {}", place, -size, end ? size : size - 1);
    return static_cast<size_t>(place < 0 ? place + size : place);
}

// `op` along `axis`, of `inputs`, by its own row.
std::vector<Tensor> computed(std::string_view op, int64_t axis, std::span<const Tensor> inputs, size_t outputs) {
    Node node;
    node.op = need_op(op);
    node.attrs["axis"] = axis;
    node.in.resize(inputs.size(), ValueId{0});
    node.out.assign(outputs, ValueId{0});
    return eval_node(node, inputs);
}

// ---- made, changed, read ------------------------------------------------------------------------------------------------

void infer_empty(InferCtx& ctx) { ctx.set(0, of_element(Kind::sequence, Type::tensor(dtype_attr(ctx, "dtype", DType::f32)))); }
void eval_empty(EvalCtx& ctx) { ctx.give(0, sequence_of({})); }

void infer_construct(InferCtx& ctx) {
    Type element = tensor_in(ctx, 0);
    for (size_t i = 1; i < ctx.in_count(); ++i) element = common_type(element, tensor_in(ctx, i));
    ctx.set(0, of_element(Kind::sequence, std::move(element)));
}
void eval_construct(EvalCtx& ctx) {
    std::vector<Tensor> items;
    for (size_t i = 0; i < ctx.in_count(); ++i) items.push_back(ctx.need(i));
    ctx.give(0, sequence_of(items));
}

void infer_insert(InferCtx& ctx) { ctx.set(0, of_element(Kind::sequence, common_type(element_in(ctx, 0), tensor_in(ctx, 1)))); }
void eval_insert(EvalCtx& ctx) {
    auto items = items_of(ctx.need(0));
    const Tensor& item = ctx.need(1);
    if (!items.empty() && items[0].dtype != item.dtype)
        throw bad_input("inserts {} into a sequence of {}", name_of(item.dtype), name_of(items[0].dtype));
    items.insert(items.begin() + static_cast<int64_t>(place_in(ctx, 2, items.size(), true)), item);
    ctx.give(0, sequence_of(items));
}

void infer_erase(InferCtx& ctx) { ctx.set(0, of_element(Kind::sequence, element_in(ctx, 0))); }
void eval_erase(EvalCtx& ctx) {
    auto items = items_of(ctx.need(0));
    items.erase(items.begin() + static_cast<int64_t>(place_in(ctx, 1, items.size(), false)));
    ctx.give(0, sequence_of(items));
}

void infer_at(InferCtx& ctx) { ctx.set(0, element_in(ctx, 0)); }
void eval_at(EvalCtx& ctx) {
    auto items = items_of(ctx.need(0));
    ctx.give(0, std::move(items[place_in(ctx, 1, items.size(), false)]));
}

void infer_length(InferCtx& ctx) {
    element_in(ctx, 0);
    ctx.set(0, Type::tensor(DType::i64, Shape::of_dims({})));
}
void eval_length(EvalCtx& ctx) { ctx.give(0, Tensor::scalar(static_cast<int64_t>(items_of(ctx.need(0)).size()))); }

// ---- ConcatFromSequence, SplitToSequence -----------------------------------------------------------------------------------

void infer_concat(InferCtx& ctx) {
    const Type element = element_in(ctx, 0);
    Shape shape = element.shape;
    if (shape.ranked) {
        const bool fresh = ctx.integer("new_axis") != 0;
        const size_t axis = normal_axis(ctx.integer("axis"), shape.rank() + (fresh ? 1 : 0));
        if (fresh)
            shape.dims.insert(shape.dims.begin() + static_cast<int64_t>(axis), Dim::unknown());
        else
            shape.dims[axis] = Dim::unknown();
    }
    ctx.set(0, Type::tensor(element.dtype, std::move(shape)));
}

void eval_concat(EvalCtx& ctx) {
    auto items = items_of(ctx.need(0));
    if (items.empty()) throw bad_input("the sequence is empty");
    int64_t axis = ctx.integer("axis");
    if (ctx.integer("new_axis") != 0) {
        axis = static_cast<int64_t>(normal_axis(axis, items[0].dims.size() + 1));
        for (Tensor& item : items) item.dims.insert(item.dims.begin() + std::min<int64_t>(axis, static_cast<int64_t>(item.dims.size())), 1);
    }
    for (const Tensor& item : items)
        if (item.dtype != items[0].dtype) throw bad_input("joins {} and {}", name_of(items[0].dtype), name_of(item.dtype));
    ctx.give(0, std::move(computed("Concat", axis, items, 1)[0]));
}

void infer_split(InferCtx& ctx) {
    Shape shape = ctx.shape(0);
    if (shape.ranked) {
        const size_t axis = normal_axis(ctx.integer("axis"), shape.rank());
        shape.dims[axis] = ctx.has_in(1) ? Dim::unknown() : Dim::of(1);
        if (!ctx.has_in(1) && ctx.integer("keepdims") == 0) shape.dims.erase(shape.dims.begin() + static_cast<int64_t>(axis));
    }
    ctx.set(0, of_element(Kind::sequence, Type::tensor(ctx.dtype(0), std::move(shape))));
}

// Lengths of the parts: as listed, or all of one length, of which the last may be shorter.
std::vector<int64_t> parts_of(const Tensor* split, int64_t length) {
    if (split && !split->dims.empty()) return to_ints(*split);
    const int64_t each = split ? number_of(*split, "split") : 1;
    if (each < 1) throw bad_input("parts of {}, need at least 1", each);
    if (length / each > 1'000'000) throw unsupported("a sequence of {} tensors, need at most 1000000", length / each);
    std::vector<int64_t> parts;
    for (int64_t at = 0; at < length; at += each) parts.push_back(std::min(each, length - at));
    return parts;
}

void eval_split(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const auto parts = parts_of(ctx.in(1), x.dims[axis]);
    std::vector<Tensor> items;
    if (!parts.empty())
        items = computed("Split", static_cast<int64_t>(axis), std::array{x, Tensor::vector<int64_t>(parts)}, parts.size());
    else if (x.dims[axis] != 0)
        throw bad_input("no parts of a dimension of {}", x.dims[axis]);
    if (!ctx.in(1) && ctx.integer("keepdims") == 0)
        for (Tensor& item : items) item.dims.erase(item.dims.begin() + static_cast<int64_t>(axis));
    ctx.give(0, sequence_of(items));
}

// ---- SequenceMap ---------------------------------------------------------------------------------------------------------

void infer_map(InferCtx& ctx) {
    std::vector<Type> in{element_in(ctx, 0)};
    for (size_t i = 1; i < ctx.in_count(); ++i) in.push_back(ctx.in(i).kind == Kind::sequence ? element_in(ctx, i) : ctx.in(i));
    const auto out = ctx.infer_body(body_named(ctx, "body"), in);
    if (out.size() != ctx.out_count()) throw bad_input("body gives {} values, need {}", out.size(), ctx.out_count());
    for (size_t i = 0; i < out.size(); ++i) ctx.set(i, of_element(Kind::sequence, out[i]));
}

void eval_map(EvalCtx& ctx) {
    const size_t body = body_named(ctx, "body");
    const size_t turns = items_of(ctx.need(0)).size();
    std::vector<std::vector<Tensor>> items(ctx.in_count()), results(ctx.out_count());
    std::vector<Tensor> in(ctx.in_count());
    for (size_t i = 0; i < in.size(); ++i) {
        in[i] = ctx.need(i);
        if (is_sequence(in[i])) items[i] = items_of(in[i]);
        if (is_sequence(in[i]) && items[i].size() != turns)
            throw bad_input("input {} has {} items, input 0 has {}", i, items[i].size(), turns);
    }
    for (size_t turn = 0; turn < turns; ++turn) {
        for (size_t i = 0; i < in.size(); ++i)
            if (!items[i].empty()) in[i] = items[i][turn];
        auto out = ctx.run_body(body, in);
        if (out.size() != ctx.out_count()) throw bad_input("body gives {} values, need {}", out.size(), ctx.out_count());
        for (size_t i = 0; i < out.size(); ++i) results[i].push_back(std::move(out[i]));
    }
    for (size_t i = 0; i < results.size(); ++i)
        if (ctx.wants(i)) ctx.give(i, sequence_of(results[i]));
}

// ---- optionals -------------------------------------------------------------------------------------------------------------

void infer_optional(InferCtx& ctx) {
    const auto said = ctx.node().attrs.find("type");
    if (ctx.has_in(0))
        ctx.set(0, of_element(Kind::optional, ctx.in(0)));
    else if (said != ctx.node().attrs.end() && std::holds_alternative<Type>(said->second))
        ctx.set(0, of_element(Kind::optional, std::get<Type>(said->second)));
    else
        throw bad_input("has neither an input nor a type");
}
void eval_optional(EvalCtx& ctx) { ctx.give(0, ctx.in(0) ? *ctx.in(0) : Tensor()); }

// Since opset 18 a value that is not an optional counts as one with a value.
void infer_get(InferCtx& ctx) { ctx.set(0, ctx.in(0).kind == Kind::optional ? element_in(ctx, 0, Kind::optional) : ctx.in(0)); }
void eval_get(EvalCtx& ctx) {
    if (!ctx.in(0)) throw bad_input("the optional is empty");
    ctx.give(0, *ctx.in(0));
}

void infer_has(InferCtx& ctx) { ctx.set(0, Type::tensor(DType::boolean, Shape::of_dims({}))); }
void eval_has(EvalCtx& ctx) { ctx.give(0, Tensor::scalar<bool>(ctx.in(0) != nullptr)); }

constexpr std::array dtype_attrs{AttrDef{"dtype", AttrKind::integer, "0"}};
constexpr std::array concat_attrs{AttrDef{"axis", AttrKind::integer, "", true}, AttrDef{"new_axis", AttrKind::integer, "0"}};
constexpr std::array split_attrs{AttrDef{"axis", AttrKind::integer, "0"}, AttrDef{"keepdims", AttrKind::integer, "1"}};
constexpr std::array map_attrs{AttrDef{"body", AttrKind::graph, "", true}};
constexpr std::array type_attrs{AttrDef{"type", AttrKind::type}};

constexpr std::array sequences_table{
    plain("SequenceEmpty", {0, 0}, dtype_attrs, {}, infer_empty, eval_empty, "a sequence without items"),
    Op{.name = "SequenceConstruct",
       .traits = Trait::variadic_in,
       .types = movable,
       .infer = infer_construct,
       .eval = eval_construct,
       .doc = "the inputs as a sequence"},
    plain("SequenceInsert", {2, 3}, {}, {}, infer_insert, eval_insert, "a sequence with one item more"),
    plain("SequenceErase", {1, 2}, {}, {}, infer_erase, eval_erase, "a sequence with one item less"),
    plain("SequenceAt", {2, 2}, {}, {}, infer_at, eval_at, "an item of a sequence"),
    plain("SequenceLength", {1, 1}, {}, {}, infer_length, eval_length, "how many items there are"),
    plain("ConcatFromSequence", {1, 1}, concat_attrs, {}, infer_concat, eval_concat,
          "the items of a sequence joined along an axis, or a new one"),
    plain("SplitToSequence", {1, 2}, split_attrs, movable, infer_split, eval_split, "parts of a tensor along an axis as a sequence",
          cost_movement),
    Op{.name = "SequenceMap",
       .attrs = map_attrs,
       .traits = Trait::control_flow | Trait::variadic_in | Trait::variadic_out,
       .infer = infer_map,
       .eval = eval_map,
       .doc = "a body run on each item"},
    plain("Optional", {0, 1}, type_attrs, {}, infer_optional, eval_optional, "the input as an optional, or an empty one"),
    plain("OptionalGetElement", {1, 1}, {}, {}, infer_get, eval_get, "what is in an optional"),
    plain("OptionalHasElement", {0, 1}, {}, {}, infer_has, eval_has, "is there anything in an optional?"),
};

}  // namespace

std::span<const Op> sequence_ops() { return sequences_table; }

}  // namespace quern
