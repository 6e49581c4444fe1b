// Tensors made from few numbers: Constant ConstantOfShape Range EyeLike and the window functions.
#include <algorithm>
#include <array>
#include <cmath>
#include <numbers>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/elementwise.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"

namespace quern {
namespace {

// ---- Constant ----------------------------------------------------------------------------------------------------------------

Tensor constant_value(const NodeView& node) {
    if (const Tensor* value = node.has("value") ? node.tensor("value") : nullptr) return *value;
    if (node.has("value_float")) return Tensor::scalar<float>(node.real("value_float"));
    if (node.has("value_floats")) return Tensor::vector<float>(node.reals("value_floats"));
    if (node.has("value_int")) return Tensor::scalar<int64_t>(node.integer("value_int"));
    if (node.has("value_ints")) return Tensor::vector<int64_t>(node.integers("value_ints"));
    if (node.has("value_string")) return Tensor::strings({}, std::array{node.text("value_string")});
    if (node.has("value_strings")) {
        const auto& items = std::get<std::vector<std::string>>(node.node().attrs.find("value_strings")->second);
        return Tensor::strings({static_cast<int64_t>(items.size())}, items);
    }
    if (node.has("sparse_value")) throw unsupported("sparse constants");
    throw bad_input("has no value");
}

void infer_constant(InferCtx& ctx) {
    const Tensor value = constant_value(ctx);
    ctx.set(0, Type::tensor(value.dtype, Shape::of(value.dims)));
    if (value.dims.size() > 1 || value.count() > 64 || (value.dtype != DType::i64 && value.dtype != DType::i32)) return;
    std::vector<Dim> dims;
    for (const int64_t number : to_ints(value)) dims.push_back(dim_of_number(number));
    ctx.set_dims_value(0, std::move(dims));
}
void eval_constant(EvalCtx& ctx) { ctx.give(0, constant_value(ctx)); }

// ---- ConstantOfShape ---------------------------------------------------------------------------------------------------------

Tensor fill_value(const NodeView& node) {
    const Tensor* value = node.has("value") ? node.tensor("value") : nullptr;
    if (!value) return Tensor::scalar(0.0f);
    if (value->count() != 1) throw bad_input("value is {}, need one element", to_string(value->dims));
    return *value;
}

void infer_constant_of_shape(InferCtx& ctx) {
    const Tensor value = fill_value(ctx);
    Shape out;
    if (const auto* dims = ctx.dims_value(0)) {
        out = Shape::of_dims(*dims);
        for (const Dim& dim : out.dims) checked_dim(dim);
    } else if (ctx.shape(0).ranked && ctx.shape(0).rank() == 1 && ctx.shape(0).dims[0].known() && ctx.shape(0).dims[0].value <= 64) {
        out = Shape::of_rank(static_cast<size_t>(ctx.shape(0).dims[0].value));
    }
    const bool whole = value.dtype == DType::i64 || value.dtype == DType::i32;
    if (whole && out.fixed() && out.rank() <= 1 && (out.rank() == 0 || out.dims[0].value <= 64)) {
        const size_t count = out.rank() == 0 ? 1 : static_cast<size_t>(out.dims[0].value);
        ctx.set_dims_value(0, std::vector<Dim>(count, dim_of_number(to_ints(value)[0])));
    }
    ctx.set(0, Type::tensor(value.dtype, std::move(out)));
}
void eval_constant_of_shape(EvalCtx& ctx) {
    const Tensor value = fill_value(ctx);
    need_type(ctx.need(0).dtype, DType::i64, "the shape");
    const Dims dims = to_ints(ctx.need(0));
    check_size(value.dtype, dims);
    const Elements item(value);
    ElementsOut out(ctx, 0, value.dtype, dims);
    fill_elements(out.data(), out.count(), item.data(), item.size());
    out.finish();
}

// ---- Range -------------------------------------------------------------------------------------------------------------------

void infer_range(InferCtx& ctx) {
    Dim count = Dim::unknown();
    const auto start = known_integers(ctx, 0), limit = known_integers(ctx, 1), delta = known_integers(ctx, 2);
    const bool whole = is_integer(ctx.dtype(0));
    if (whole && start && limit && delta && start->size() == 1 && limit->size() == 1 && delta->size() == 1 && delta->front() != 0) {
        const double span = static_cast<double>(limit->front()) - static_cast<double>(start->front());
        const double steps = std::ceil(span / static_cast<double>(delta->front()));
        if (steps < 9e15) count = Dim::of(steps > 0 ? static_cast<int64_t>(steps) : 0);
    } else if (const auto* symbol = ctx.dims_value(1); whole && symbol && symbol->size() == 1 && start && delta) {
        if (*start == std::vector<int64_t>{0} && *delta == std::vector<int64_t>{1} && !number_of(symbol->front())) count = symbol->front();
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), Shape::of_dims({count})));
}

template <class T>
int64_t range_count(T start, T limit, T delta) {
    if (delta == T{0}) throw bad_input("delta is 0");
    const double steps = std::ceil((static_cast<double>(limit) - static_cast<double>(start)) / static_cast<double>(delta));
    if (!(steps < 1e15)) throw bad_input("a range from {} to {} by {} has too many elements", start, limit, delta);
    return steps > 0 ? static_cast<int64_t>(steps) : 0;
}

void eval_range(EvalCtx& ctx) {
    const Tensor& first = ctx.need(0);
    for (size_t i = 0; i < 3; ++i) {
        need_same_type(first, ctx.need(i));
        if (ctx.need(i).count() != 1) throw bad_input("input {} is {}, need a scalar", i, to_string(ctx.need(i).dims));
    }
    with_arithmetic(first.dtype, [&](auto zero) {
        using T = decltype(zero);
        const T start = Numbers<T>(first)[0], limit = Numbers<T>(ctx.need(1))[0], delta = Numbers<T>(ctx.need(2))[0];
        const Dims dims{range_count(start, limit, delta)};
        check_size(first.dtype, dims);
        NumbersOut<T> out(ctx, 0, first.dtype, dims);
        for (size_t i = 0; i < out.size(); ++i) out[i] = start + static_cast<T>(i) * delta;
    });
}

// ---- EyeLike -----------------------------------------------------------------------------------------------------------------

void infer_eye_like(InferCtx& ctx) { ctx.set(0, Type::tensor(dtype_attr(ctx, "dtype", ctx.dtype(0)), ctx.shape(0))); }
void eval_eye_like(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    if (x.dims.size() != 2) throw bad_input("input 0 has rank {}, need 2", x.dims.size());
    const DType dtype = need_type(dtype_attr(ctx, "dtype", x.dtype), dtypes::numbers | DType::boolean, "the output");
    const int64_t k = std::clamp(ctx.integer("k"), -x.dims[0], x.dims[1]);
    NumbersOut<float> out(ctx, 0, dtype, x.dims);
    std::fill(out.span().begin(), out.span().end(), 0.0f);
    for (int64_t row = std::max<int64_t>(0, -k); row < x.dims[0] && row + k < x.dims[1]; ++row)
        out[static_cast<size_t>(row * x.dims[1] + row + k)] = 1;
}

// ---- windows -----------------------------------------------------------------------------------------------------------------

void infer_window(InferCtx& ctx) {
    const auto* size = ctx.dims_value(0);
    const Dim length = size && size->size() == 1 ? checked_dim(size->front()) : Dim::unknown();
    ctx.set(0, Type::tensor(dtype_attr(ctx, "output_datatype", DType::f32), Shape::of_dims({length})));
}

// a0 - a1 cos(2 pi i / n) + a2 cos(4 pi i / n), n the size, less one if symmetric.
void window(EvalCtx& ctx, double a0, double a1, double a2) {
    const Tensor& given = ctx.need(0);
    if (given.count() != 1) throw bad_input("size is {}, need one number", to_string(given.dims));
    const int64_t size = to_ints(given)[0];
    const DType dtype = need_type(dtype_attr(ctx, "output_datatype", DType::f32), dtypes::numbers, "the output");
    check_size(dtype, Dims{size});
    const double period = std::max(1.0, static_cast<double>(ctx.integer("periodic") != 0 ? size : size - 1));
    NumbersOut<double> out(ctx, 0, dtype, {size});
    for (size_t i = 0; i < out.size(); ++i) {
        const double turn = 2 * std::numbers::pi * static_cast<double>(i) / period;
        out[i] = a0 - a1 * portable::cos(turn) + a2 * portable::cos(2 * turn);
    }
}
void eval_hann(EvalCtx& ctx) { window(ctx, 0.5, 0.5, 0); }
void eval_hamming(EvalCtx& ctx) { window(ctx, 25.0 / 46, 21.0 / 46, 0); }
void eval_blackman(EvalCtx& ctx) { window(ctx, 0.42, 0.5, 0.08); }

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array constant_attrs{
    AttrDef{"sparse_value", AttrKind::tensor}, AttrDef{"value", AttrKind::tensor},        AttrDef{"value_float", AttrKind::real},
    AttrDef{"value_floats", AttrKind::reals},  AttrDef{"value_int", AttrKind::integer},   AttrDef{"value_ints", AttrKind::integers},
    AttrDef{"value_string", AttrKind::text},   AttrDef{"value_strings", AttrKind::texts},
};
constexpr std::array fill_attrs{AttrDef{"value", AttrKind::tensor}};
constexpr std::array range_attrs{AttrDef{"stash_type", AttrKind::integer, "1"}};
constexpr std::array eye_attrs{AttrDef{"dtype", AttrKind::integer, "0"}, AttrDef{"k", AttrKind::integer, "0"}};
constexpr std::array window_attrs{AttrDef{"output_datatype", AttrKind::integer, "1"}, AttrDef{"periodic", AttrKind::integer, "1"}};
constexpr DTypes countable = dtypes::floats | DType::i16 | DType::i32 | DType::i64;
constexpr DTypes sizes = DType::i32 | DType::i64;

constexpr Op window_row(std::string_view name, void (*eval)(EvalCtx&), std::string_view doc) {
    return {.name = name, .attrs = window_attrs, .types = sizes, .infer = infer_window, .eval = eval, .doc = doc};
}

constexpr std::array generate_table{
    plain("Constant", {0, 0}, constant_attrs, {}, infer_constant, eval_constant, "a tensor from an attribute"),
    Op{.name = "ConstantOfShape",
       .attrs = fill_attrs,
       .types = DType::i64,
       .infer = infer_constant_of_shape,
       .eval = eval_constant_of_shape,
       .quant = rules::none.with_places(0b1),
       .doc = "one element repeated to a shape"},
    plain("Range", {3, 3}, range_attrs, countable, infer_range, eval_range, "numbers from start to limit by delta"),
    Op{.name = "EyeLike",
       .attrs = eye_attrs,
       .traits = Trait::shape_only,
       .types = dtypes::numbers | DType::boolean,
       .infer = infer_eye_like,
       .eval = eval_eye_like,
       .doc = "1 on a diagonal, else 0"},
    window_row("HannWindow", eval_hann, "Hann window"),
    window_row("HammingWindow", eval_hamming, "Hamming window"),
    window_row("BlackmanWindow", eval_blackman, "Blackman window"),
};

}  // namespace

std::span<const Op> generate_ops() { return generate_table; }

}  // namespace quern
