// Elements chosen by index: Gather GatherElements GatherND.
#include <array>
#include <cstring>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"

namespace quern {

size_t checked_index(int64_t index, int64_t length) {
    if (index < -length || index >= length) throw bad_input("index {} is outside of a dimension of {}", index, length);
    return static_cast<size_t>(index < 0 ? index + length : index);
}

std::vector<int64_t> indices_of(const Tensor& tensor) {
    need_type(tensor.dtype, DType::i64 | DType::i32, "the indices");
    return to_ints(tensor);
}

namespace {

// ---- Gather ------------------------------------------------------------------------------------------------------------------

void gather_dims_value(InferCtx& ctx) {
    const auto* value = ctx.dims_value(0);
    const auto indices = known_integers(ctx, 1);
    if (!value || !indices || !ctx.shape(0).ranked || ctx.shape(0).rank() != 1 || !ctx.shape(1).ranked || ctx.shape(1).rank() > 1) return;
    std::vector<Dim> out;
    for (const int64_t index : *indices) out.push_back((*value)[checked_index(index, static_cast<int64_t>(value->size()))]);
    ctx.set_dims_value(0, std::move(out));
}

void infer_gather(InferCtx& ctx) {
    const Shape &data = ctx.shape(0), &indices = ctx.shape(1);
    if (!data.ranked || !indices.ranked) return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const auto axis = static_cast<int64_t>(normal_axis(ctx.integer("axis"), data.rank()));
    std::vector<Dim> dims(data.dims.begin(), data.dims.begin() + axis);
    dims.insert(dims.end(), indices.dims.begin(), indices.dims.end());
    dims.insert(dims.end(), data.dims.begin() + axis + 1, data.dims.end());
    ctx.set(0, Type::tensor(ctx.dtype(0), Shape::of_dims(std::move(dims))));
    gather_dims_value(ctx);
}

void eval_gather(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &which = ctx.need(1);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const auto indices = indices_of(which);
    const Elements in(x);
    Dims dims(x.dims.begin(), x.dims.begin() + static_cast<int64_t>(axis));
    dims.insert(dims.end(), which.dims.begin(), which.dims.end());
    dims.insert(dims.end(), x.dims.begin() + static_cast<int64_t>(axis) + 1, x.dims.end());
    ElementsOut out(ctx, 0, x.dtype, dims);
    const size_t outer = span_count(x.dims, 0, axis), row = span_count(x.dims, axis + 1, x.dims.size()) * in.size();
    const int64_t length = x.dims[axis];
    std::byte* to = out.data();
    for (size_t o = 0; o < outer && out.count() > 0; ++o) {
        const std::byte* from = in.data() + o * static_cast<size_t>(length) * row;
        for (const int64_t index : indices) {
            std::memcpy(to, from + checked_index(index, length) * row, row);
            to += row;
        }
    }
    out.finish();
}

// ---- GatherElements ----------------------------------------------------------------------------------------------------------

void infer_gather_elements(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), ctx.shape(1))); }

void eval_gather_elements(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &which = ctx.need(1);
    const size_t axis = normal_axis(ctx.integer("axis"), x.dims.size());
    const auto indices = indices_of(which);
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, which.dims);
    for_each_along(x.dims, which.dims, axis, [&](size_t i, size_t base, size_t stride) {
        std::memcpy(out.at(i), in.at(base + checked_index(indices[i], x.dims[axis]) * stride), in.size());
    });
    out.finish();
}

// ---- GatherND ----------------------------------------------------------------------------------------------------------------

void infer_gather_nd(InferCtx& ctx) {
    const Shape &data = ctx.shape(0), &indices = ctx.shape(1);
    if (!data.ranked || !indices.ranked || indices.rank() == 0 || !indices.dims.back().known())
        return ctx.set(0, Type::tensor(ctx.dtype(0)));
    const int64_t depth = indices.dims.back().value + ctx.integer("batch_dims");
    if (depth < 0 || depth > static_cast<int64_t>(data.rank()))
        throw bad_input("indices {} are too deep for {}", to_string(indices), to_string(data));
    std::vector<Dim> dims(indices.dims.begin(), indices.dims.end() - 1);
    dims.insert(dims.end(), data.dims.begin() + depth, data.dims.end());
    ctx.set(0, Type::tensor(ctx.dtype(0), Shape::of_dims(std::move(dims))));
}

void eval_gather_nd(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &which = ctx.need(1);
    const auto indices = indices_of(which);
    const int64_t given = ctx.integer("batch_dims");
    if (which.dims.empty() || given < 0 || given >= static_cast<int64_t>(which.dims.size()))
        throw bad_input("batch_dims is {}, need 0 or more and less than the rank of indices {}", given, to_string(which.dims));
    const auto batch_dims = static_cast<size_t>(given);
    if (x.dims.size() < batch_dims || !std::equal(x.dims.begin(), x.dims.begin() + given, which.dims.begin()))
        throw bad_input("batch dims of {} and {} differ", to_string(x.dims), to_string(which.dims));
    const TupleIndex tuple(std::span(x.dims).subspan(batch_dims), which.dims.back());
    Dims dims(which.dims.begin(), which.dims.end() - 1);
    dims.insert(dims.end(), x.dims.begin() + static_cast<int64_t>(batch_dims + tuple.depth()), x.dims.end());
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, dims);
    const size_t batch = span_count(x.dims, batch_dims, x.dims.size());
    const size_t per_batch = span_count(which.dims, batch_dims, which.dims.size() - 1);
    const size_t total = span_count(which.dims, 0, which.dims.size() - 1), run = tuple.run() * in.size();
    for (size_t i = 0; i < total && run > 0; ++i)
        std::memcpy(out.data() + i * run, in.at(i / per_batch * batch + tuple.at(indices.data() + i * tuple.depth())), run);
    out.finish();
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array axis_attrs{AttrDef{"axis", AttrKind::integer, "0"}};
constexpr std::array nd_attrs{AttrDef{"batch_dims", AttrKind::integer, "0"}};

constexpr QuantRule by_index = rules::same.with_places(0b10);
constexpr RuntimeRule looked_up{.sharing = Sharing::together, .channels = true};

constexpr std::array gather_table{
    moving("Gather", {2, 2}, axis_attrs, infer_gather, eval_gather, by_index.with_runtimes(looked_up, rules::forward),
           "slices along an axis, by index"),
    moving("GatherElements", {2, 2}, axis_attrs, infer_gather_elements, eval_gather_elements, by_index,
           "an element along an axis for each index"),
    moving("GatherND", {2, 2}, nd_attrs, infer_gather_nd, eval_gather_nd, by_index.with_runtimes(rules::together),
           "slices chosen by tuples of indices"),
};

}  // namespace

std::span<const Op> gather_ops() { return gather_table; }

}  // namespace quern
