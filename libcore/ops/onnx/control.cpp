// If Loop Scan: bodies run through the context, which binds their captures.
#include <algorithm>
#include <array>
#include <limits>

#include "libcore/ops/onnx/control.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/slices.h"

namespace quern {

size_t body_named(const NodeView& view, std::string_view name) {
    const auto& names = view.node().body_names;
    for (size_t b = 0; b < names.size(); ++b)
        if (names[b] == name) return b;
    throw bad_input("body \"{}\" is missing", name);
}

namespace {

std::vector<int64_t> listed(const NodeView& view, std::string_view name, size_t count) {
    auto items = view.integers(name);
    if (items.empty()) items.assign(count, 0);
    if (items.size() != count) throw bad_input("attribute \"{}\" has {} items, need {}", name, items.size(), count);
    return items;
}

}  // namespace

ScanPlan scan_plan(const NodeView& view, size_t in_count, size_t out_count) {
    const int64_t scans = view.integer("num_scan_inputs");
    if (scans < 1 || static_cast<size_t>(scans) > in_count)
        throw bad_input("num_scan_inputs is {}, need 1 to the {} inputs", scans, in_count);
    ScanPlan plan{.body = body_named(view, "body"),
                  .scans = static_cast<size_t>(scans),
                  .states = in_count - static_cast<size_t>(scans),
                  .outputs = 0,
                  .in_axes = {},
                  .out_axes = {},
                  .in_back = {},
                  .out_back = {}};
    if (out_count < plan.states) throw bad_input("has {} outputs, need one for each of {} states", out_count, plan.states);
    plan.outputs = out_count - plan.states;
    plan.in_axes = listed(view, "scan_input_axes", plan.scans);
    plan.in_back = listed(view, "scan_input_directions", plan.scans);
    plan.out_axes = listed(view, "scan_output_axes", plan.outputs);
    plan.out_back = listed(view, "scan_output_directions", plan.outputs);
    return plan;
}

Type common_type(const Type& a, const Type& b) {
    if (a.kind != b.kind) return Type{};
    if (a.kind != Type::Kind::tensor) {
        if (!a.element || !b.element) return a.element ? a : b;
        return {a.kind, DType::none, {}, std::make_shared<const Type>(common_type(*a.element, *b.element))};
    }
    if (a.dtype != b.dtype && a.dtype != DType::none && b.dtype != DType::none)
        throw bad_input("gives {} and {}, need the same", name_of(a.dtype), name_of(b.dtype));
    const DType dtype = a.dtype == DType::none ? b.dtype : a.dtype;
    if (!a.shape.ranked || !b.shape.ranked || a.shape.rank() != b.shape.rank()) return Type::tensor(dtype);
    Shape shape = a.shape;
    for (size_t i = 0; i < shape.rank(); ++i)
        if (!same(shape.dims[i], b.shape.dims[i])) shape.dims[i] = Dim::unknown();
    return Type::tensor(dtype, std::move(shape));
}

namespace {

bool truth(const Tensor& condition) {
    if (condition.dtype != DType::boolean || condition.count() != 1)
        throw bad_input("condition is {} {}, need one bool", name_of(condition.dtype), to_string(condition.dims));
    return condition.data.data()[0] != std::byte{0};
}

// ---- If --------------------------------------------------------------------------------------------------------------

// Types of a branch's results. A contradiction in a branch is its own: it is there at all because some shapes never take it.
std::optional<std::vector<Type>> types_of_branch(InferCtx& ctx, size_t body, std::optional<Error>& problem) {
    try {
        return ctx.infer_body(body, {});
    } catch (const Error& error) {
        if (error.exit() != Exit::bad_input) throw;
        problem = error;
        return std::nullopt;
    }
}

void infer_if(InferCtx& ctx) {
    const size_t yes = body_named(ctx, "then_branch"), no = body_named(ctx, "else_branch");
    const Tensor* condition = ctx.constant(0);
    std::optional<Error> problem;
    std::optional<std::vector<Type>> taken, other;
    if (!condition || truth(*condition)) taken = types_of_branch(ctx, yes, problem);
    if (!condition || !truth(*condition)) other = types_of_branch(ctx, no, problem);
    if (!taken && !other) throw *problem;
    for (const auto* branch : {&taken, &other})
        if (*branch && (*branch)->size() < ctx.out_count())
            throw bad_input("a branch gives {} values, need {}", (*branch)->size(), ctx.out_count());
    for (size_t i = 0; i < ctx.out_count(); ++i)
        ctx.set(i, !taken ? other->at(i) : !other ? taken->at(i) : common_type(taken->at(i), other->at(i)));
}

void eval_if(EvalCtx& ctx) {
    const bool taken = truth(ctx.need(0));
    auto out = ctx.run_body(body_named(ctx, taken ? "then_branch" : "else_branch"), {});
    if (out.size() < ctx.out_count()) throw bad_input("branch gives {} values, need {}", out.size(), ctx.out_count());
    for (size_t i = 0; i < ctx.out_count(); ++i)
        if (ctx.wants(i)) ctx.give(i, std::move(out[i]));
}

// ---- Loop ------------------------------------------------------------------------------------------------------------

// The declared rank of the iteration number: some exporters write [1] for a scalar.
Dims counter_dims(const NodeView& view, size_t body) {
    const Graph& graph = view.node().bodies.at(body);
    const Shape& shape = graph.inputs.empty() ? Shape() : graph.value(graph.inputs[0]).type.shape;
    return shape.ranked && shape.rank() == 1 ? Dims{1} : Dims{};
}
Dims condition_dims(const NodeView& view, size_t body) {
    const Graph& graph = view.node().bodies.at(body);
    const Shape& shape = graph.inputs.size() < 2 ? Shape() : graph.value(graph.inputs[1]).type.shape;
    return shape.ranked && shape.rank() == 1 ? Dims{1} : Dims{};
}

Type without_shapes(const Type& type) {
    if (type.kind == Type::Kind::tensor) return Type::tensor(type.dtype);
    if (!type.element) return type;
    return {type.kind, DType::none, {}, std::make_shared<const Type>(without_shapes(*type.element))};
}

Shape with_leading(const Shape& shape, Dim first) {
    if (!shape.ranked) return {};
    Shape out = shape;
    out.dims.insert(out.dims.begin(), std::move(first));
    return out;
}

void infer_loop(InferCtx& ctx) {
    const size_t body = body_named(ctx, "body");
    const size_t carried = ctx.in_count() < 2 ? 0 : ctx.in_count() - 2;
    std::vector<Type> in{Type::tensor(DType::i64, Shape::of(counter_dims(ctx, body))),
                         Type::tensor(DType::boolean, Shape::of(condition_dims(ctx, body)))};
    for (size_t i = 0; i < carried; ++i) in.push_back(without_shapes(ctx.in(2 + i)));  // which may change from turn to turn
    const auto out = ctx.infer_body(body, in);
    if (out.size() != ctx.out_count() + 1 || ctx.out_count() < carried)
        throw bad_input("body gives {} values, need {}", out.size(), ctx.out_count() + 1);
    for (size_t i = 0; i < ctx.out_count(); ++i) {
        const Type& type = out[i + 1];
        if (i < carried)
            ctx.set(i, common_type(ctx.in(2 + i), type));
        else
            ctx.set(i, Type::tensor(type.dtype, with_leading(type.shape, Dim::unknown())));
    }
}

// A tensor without elements for a scan output of a loop that never ran: unknown dims are 0.
Tensor nothing(const NodeView& view, size_t body, size_t output, Dims leading) {
    const Graph& graph = view.node().bodies.at(body);
    const Type& type = graph.value(graph.outputs.at(output)).type;
    for (const Dim& dim : type.shape.dims) leading.push_back(dim.known() ? dim.value : 0);
    if (type.dtype == DType::string) return Tensor::strings(std::move(leading), {});
    return {type.dtype, std::move(leading), Bytes()};
}

void eval_loop(EvalCtx& ctx) {
    const size_t body = body_named(ctx, "body");
    const Tensor *trips = ctx.in(0), *condition = ctx.in(1);
    if (trips && trips->count() != 1) throw bad_input("trip count is {}, need one number", to_string(trips->dims));
    const int64_t limit = trips ? to_ints(*trips)[0] : std::numeric_limits<int64_t>::max();
    bool go = !condition || truth(*condition);
    const size_t carried = ctx.in_count() < 2 ? 0 : ctx.in_count() - 2;
    if (ctx.out_count() < carried) throw bad_input("has {} outputs for {} carried values", ctx.out_count(), carried);
    const Dims counter = counter_dims(ctx, body), flag = condition_dims(ctx, body);
    std::vector<Tensor> in(2 + carried);
    for (size_t i = 0; i < carried; ++i)
        if (const Tensor* first = ctx.in(2 + i)) in[2 + i] = *first;  // else an empty optional
    std::vector<std::vector<Tensor>> scans(ctx.out_count() - carried);
    for (int64_t turn = 0; turn < limit && go; ++turn) {
        in[0] = Tensor::make<int64_t>(counter, std::span(&turn, 1));
        in[1] = Tensor::make<bool>(flag, std::span(&go, 1));
        auto out = ctx.run_body(body, in);
        if (out.size() != ctx.out_count() + 1) throw bad_input("body gives {} values, need {}", out.size(), ctx.out_count() + 1);
        go = truth(out[0]);
        for (size_t i = 0; i < carried; ++i) in[2 + i] = std::move(out[1 + i]);
        for (size_t i = 0; i < scans.size(); ++i) scans[i].push_back(std::move(out[1 + carried + i]));
    }
    for (size_t i = 0; i < ctx.out_count(); ++i) {
        if (!ctx.wants(i)) continue;
        if (i < carried)
            ctx.give(i, std::move(in[2 + i]));
        else
            ctx.give(i, scans[i - carried].empty() ? nothing(ctx, body, i + 1, {0}) : stacked(scans[i - carried], 0));
    }
}

// ---- Scan ------------------------------------------------------------------------------------------------------------

void infer_scan(InferCtx& ctx) {
    const ScanPlan plan = scan_plan(ctx, ctx.in_count(), ctx.out_count());
    std::vector<Type> in;
    Dim length = Dim::unknown();
    for (size_t i = 0; i < ctx.in_count(); ++i) {
        Type type = ctx.in(i);
        if (i >= plan.states && type.shape.ranked) {
            const size_t axis = normal_axis(plan.in_axes[i - plan.states], type.shape.rank(), "scan input axis");
            if (!length.known()) length = type.shape.dims[axis];
            type.shape.dims.erase(type.shape.dims.begin() + static_cast<int64_t>(axis));
        }
        in.push_back(std::move(type));
    }
    const auto out = ctx.infer_body(plan.body, in);
    if (out.size() != ctx.out_count()) throw bad_input("body gives {} values, need {}", out.size(), ctx.out_count());
    for (size_t i = 0; i < out.size(); ++i) {
        Type type = out[i];
        if (i < plan.states) {
            type = common_type(ctx.in(i), type);
        } else if (type.shape.ranked) {
            const size_t axis = normal_axis(plan.out_axes[i - plan.states], type.shape.rank() + 1, "scan output axis");
            type.shape.dims.insert(type.shape.dims.begin() + static_cast<int64_t>(axis), length);
        }
        ctx.set(i, std::move(type));
    }
}

int64_t scan_length(EvalCtx& ctx, const ScanPlan& plan) {
    int64_t length = -1;
    for (size_t i = 0; i < plan.scans; ++i) {
        const Dims& dims = ctx.need(plan.states + i).dims;
        const int64_t here = dims[normal_axis(plan.in_axes[i], dims.size(), "scan input axis")];
        if (length >= 0 && here != length) throw bad_input("scan inputs have lengths {} and {}, need the same", length, here);
        length = here;
    }
    return length;
}

void eval_scan(EvalCtx& ctx) {
    const ScanPlan plan = scan_plan(ctx, ctx.in_count(), ctx.out_count());
    const int64_t length = scan_length(ctx, plan);
    std::vector<Tensor> in(ctx.in_count());
    for (size_t i = 0; i < plan.states; ++i) in[i] = ctx.need(i);
    std::vector<std::vector<Tensor>> pieces(plan.outputs);
    for (int64_t turn = 0; turn < length; ++turn) {
        for (size_t i = 0; i < plan.scans; ++i) {
            const Tensor& whole = ctx.need(plan.states + i);
            const size_t axis = normal_axis(plan.in_axes[i], whole.dims.size(), "scan input axis");
            in[plan.states + i] = slice_of(whole, axis, plan.in_back[i] ? length - 1 - turn : turn);
        }
        auto out = ctx.run_body(plan.body, in);
        if (out.size() != ctx.out_count()) throw bad_input("body gives {} values, need {}", out.size(), ctx.out_count());
        for (size_t i = 0; i < plan.states; ++i) in[i] = std::move(out[i]);
        for (size_t i = 0; i < plan.outputs; ++i) pieces[i].push_back(std::move(out[plan.states + i]));
    }
    for (size_t i = 0; i < plan.states; ++i)
        if (ctx.wants(i)) ctx.give(i, std::move(in[i]));
    for (size_t i = 0; i < plan.outputs; ++i) {
        if (!ctx.wants(plan.states + i)) continue;
        if (pieces[i].empty()) {
            ctx.give(plan.states + i, nothing(ctx, plan.body, plan.states + i, {0}));
            continue;
        }
        if (plan.out_back[i]) std::reverse(pieces[i].begin(), pieces[i].end());
        const size_t axis = normal_axis(plan.out_axes[i], pieces[i][0].dims.size() + 1, "scan output axis");
        ctx.give(plan.states + i, stacked(pieces[i], axis));
    }
}

// ---- rows ------------------------------------------------------------------------------------------------------------

constexpr std::array if_attrs{AttrDef{"else_branch", AttrKind::graph, "", true}, AttrDef{"then_branch", AttrKind::graph, "", true}};
constexpr std::array loop_attrs{AttrDef{"body", AttrKind::graph, "", true}};
constexpr std::array scan_attrs{
    AttrDef{"body", AttrKind::graph, "", true},      AttrDef{"num_scan_inputs", AttrKind::integer, "", true},
    AttrDef{"scan_input_axes", AttrKind::integers},  AttrDef{"scan_input_directions", AttrKind::integers},
    AttrDef{"scan_output_axes", AttrKind::integers}, AttrDef{"scan_output_directions", AttrKind::integers},
};

constexpr std::array control_table{
    Op{.name = "If",
       .attrs = if_attrs,
       .traits = Trait::control_flow | Trait::variadic_out,
       .types = DType::boolean,
       .infer = infer_if,
       .eval = eval_if,
       .doc = "one of two bodies"},
    Op{.name = "Loop",
       .in = {0, 3},
       .attrs = loop_attrs,
       .traits = Trait::control_flow | Trait::variadic_in | Trait::variadic_out,
       .types = DType::i64,
       .infer = infer_loop,
       .eval = eval_loop,
       .doc = "a body repeated while a condition holds"},
    Op{.name = "Scan",
       .attrs = scan_attrs,
       .traits = Trait::control_flow | Trait::variadic_in | Trait::variadic_out,
       .types = dtypes::numbers | dtypes::float8s | DType::boolean,
       .infer = infer_scan,
       .eval = eval_scan,
       .doc = "a body over the slices of its inputs"},
};

}  // namespace

std::span<const Op> control_ops() { return control_table; }

}  // namespace quern
