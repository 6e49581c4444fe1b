// Tile DepthToSpace SpaceToDepth ReverseSequence Trilu: elements in other places.
#include <array>
#include <cstring>

#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"

namespace quern {
namespace {

// ---- Tile --------------------------------------------------------------------------------------------------------------------

void infer_tile(InferCtx& ctx) {
    const Shape& shape = ctx.shape(0);
    const auto* repeats = ctx.dims_value(1);
    Shape out = shape.ranked ? Shape::of_rank(shape.rank()) : Shape();
    if (shape.ranked && repeats) {
        if (repeats->size() != shape.rank()) throw bad_input("{} repeats, need {}, one per dim", repeats->size(), shape.rank());
        for (size_t d = 0; d < shape.rank(); ++d) out.dims[d] = combine(shape.dims[d], checked_dim((*repeats)[d]), '*');
    }
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
}
void eval_tile(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const auto repeats = to_ints(ctx.need(1));
    if (repeats.size() != x.dims.size()) throw bad_input("{} repeats, need {}, one per dim", repeats.size(), x.dims.size());
    Dims dims(x.dims.size());
    for (size_t d = 0; d < dims.size(); ++d)
        if (repeats[d] < 0 || __builtin_mul_overflow(x.dims[d], repeats[d], &dims[d]))
            throw bad_input("a dimension of {} cannot be repeated {} times", x.dims[d], repeats[d]);
    check_size(x.dtype, dims);
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, dims);
    const auto from = byte_strides(x.dims, in.size()), to = byte_strides(dims, in.size());
    std::vector<int64_t> pair_dims, pair_from, pair_to;  // each dim as [repeats, length]
    for (size_t d = 0; d < dims.size(); ++d) {
        pair_dims.insert(pair_dims.end(), {repeats[d], x.dims[d]});
        pair_from.insert(pair_from.end(), {0, from[d]});
        pair_to.insert(pair_to.end(), {to[d] * x.dims[d], to[d]});
    }
    if (out.count() > 0) copy_strided(out.data(), pair_to, in.data(), pair_from, pair_dims, in.size());
    out.finish();
}

// ---- DepthToSpace, SpaceToDepth ----------------------------------------------------------------------------------------------

struct Blocks {
    int64_t size;
    bool depth_first;  // DCR: the block's place is the outer part of the channel
};

Blocks blocks_of(const NodeView& node) {
    const std::string mode = node.text("mode");
    if (mode != "DCR" && mode != "CRD") throw bad_input("mode is \"{}\", need DCR or CRD", mode);
    const int64_t size = node.integer("blocksize");
    if (size < 1 || size > (1 << 20)) throw bad_input("blocksize is {}, need 1 to {}", size, 1 << 20);
    return {size, mode == "DCR"};
}

Dim divided(const Dim& dim, int64_t by) {
    if (dim.known() && dim.value % by != 0) throw bad_input("dimension {} cannot be divided by {}", dim.value, by);
    return combine(dim, Dim::of(by), '/');
}

Shape depth_to_space_shape(const NodeView& node, const Shape& in) {
    if (!in.ranked) return Shape::of_rank(4);
    if (in.rank() != 4) throw bad_input("input 0 has rank {}, need 4", in.rank());
    const int64_t b = blocks_of(node).size;
    const Dim size = Dim::of(b);
    return Shape::of_dims({in.dims[0], divided(in.dims[1], b * b), combine(in.dims[2], size, '*'), combine(in.dims[3], size, '*')});
}
Shape space_to_depth_shape(const NodeView& node, const Shape& in) {
    if (!in.ranked) return Shape::of_rank(4);
    if (in.rank() != 4) throw bad_input("input 0 has rank {}, need 4", in.rank());
    const int64_t b = blocks_of(node).size;
    return Shape::of_dims({in.dims[0], combine(in.dims[1], Dim::of(b * b), '*'), divided(in.dims[2], b), divided(in.dims[3], b)});
}
void infer_depth_to_space(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), depth_to_space_shape(ctx, ctx.shape(0)))); }
void infer_space_to_depth(InferCtx& ctx) { ctx.set(0, Type::tensor(ctx.dtype(0), space_to_depth_shape(ctx, ctx.shape(0)))); }

// Strides of [N, C, H, W, block row, block column] in the deep tensor [N, C*b*b, H, W] and in the wide one [N, C, H*b, W*b].
std::array<int64_t, 6> deep_strides(const Dims& deep, const Blocks& blocks) {
    const int64_t plane = deep[2] * deep[3], b = blocks.size, channels = deep[1] / (b * b);
    const int64_t channel = blocks.depth_first ? plane : plane * b * b, place = blocks.depth_first ? plane * channels : plane;
    return {deep[1] * plane, channel, deep[3], 1, place * b, place};
}
std::array<int64_t, 6> wide_strides(const Dims& wide, const Blocks& blocks) {
    const int64_t plane = wide[2] * wide[3], b = blocks.size;
    return {wide[1] * plane, plane, b * wide[3], b, wide[3], 1};
}

void rearrange_blocks(EvalCtx& ctx, const Dims& dims, bool to_space) {
    const Tensor& x = ctx.need(0);
    const Blocks blocks = blocks_of(ctx);
    const Dims &deep = to_space ? x.dims : dims, &wide = to_space ? dims : x.dims;
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, dims);
    auto deep_steps = deep_strides(deep, blocks), wide_steps = wide_strides(wide, blocks);
    for (auto* steps : {&deep_steps, &wide_steps})
        for (int64_t& step : *steps) step *= static_cast<int64_t>(in.size());
    const std::array<int64_t, 6> all{wide[0], wide[1], deep[2], deep[3], blocks.size, blocks.size};
    if (out.count() > 0)
        copy_strided(out.data(), to_space ? wide_steps : deep_steps, in.data(), to_space ? deep_steps : wide_steps, all, in.size());
    out.finish();
}
void eval_depth_to_space(EvalCtx& ctx) { rearrange_blocks(ctx, *depth_to_space_shape(ctx, Shape::of(ctx.need(0).dims)).concrete(), true); }
void eval_space_to_depth(EvalCtx& ctx) { rearrange_blocks(ctx, *space_to_depth_shape(ctx, Shape::of(ctx.need(0).dims)).concrete(), false); }

// ---- ReverseSequence ---------------------------------------------------------------------------------------------------------

void eval_reverse_sequence(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const int64_t batch_axis = ctx.integer("batch_axis"), time_axis = ctx.integer("time_axis");
    if (x.dims.size() < 2 || batch_axis + time_axis != 1 || batch_axis * time_axis != 0)
        throw bad_input("batch axis {} and time axis {} of {}", batch_axis, time_axis, to_string(x.dims));
    const int64_t batches = x.dims[static_cast<size_t>(batch_axis)], times = x.dims[static_cast<size_t>(time_axis)];
    const auto lengths = to_ints(ctx.need(1));
    if (static_cast<int64_t>(lengths.size()) != batches) throw bad_input("{} sequence lengths for a batch of {}", lengths.size(), batches);
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, x.dims);
    const size_t run = span_count(x.dims, 2, x.dims.size()) * in.size();
    const auto at = [&](int64_t batch, int64_t time) {
        return static_cast<size_t>(batch_axis == 0 ? batch * times + time : time * batches + batch) * run;
    };
    for (int64_t batch = 0; batch < batches && run > 0; ++batch) {
        const int64_t length = lengths[static_cast<size_t>(batch)];
        if (length < 0 || length > times) throw bad_input("sequence length {}, need 0 to {}", length, times);
        for (int64_t time = 0; time < times; ++time)
            std::memcpy(out.data() + at(batch, time), in.data() + at(batch, time < length ? length - 1 - time : time), run);
    }
    out.finish();
}

// ---- Trilu -------------------------------------------------------------------------------------------------------------------

void eval_trilu(EvalCtx& ctx) {
    const Tensor& x = ctx.need(0);
    const size_t rank = x.dims.size();
    if (rank < 2) throw bad_input("input 0 has rank {}, need 2 or more", rank);
    const Tensor* diagonal = ctx.in(1);
    if (diagonal && diagonal->count() != 1) throw bad_input("k is {}, need one number", to_string(diagonal->dims));
    const int64_t rows = x.dims[rank - 2], columns = x.dims[rank - 1];
    const int64_t k = diagonal ? std::clamp(to_ints(*diagonal)[0], -rows - 1, columns + 1) : 0;
    const bool upper = ctx.integer("upper") != 0;
    const Elements in(x);
    ElementsOut out(ctx, 0, x.dtype, x.dims);
    const std::vector<std::byte> zero(in.size());
    const size_t planes = span_count(x.dims, 0, rank - 2);
    for (size_t row = 0; row < planes * static_cast<size_t>(rows) && columns > 0; ++row) {
        const int64_t r = static_cast<int64_t>(row) % rows;
        const int64_t cut = std::clamp(r + k + (upper ? 0 : 1), int64_t{0}, columns);  // columns left of it belong to the lower part
        const size_t first = row * static_cast<size_t>(columns), left = static_cast<size_t>(cut),
                     right = static_cast<size_t>(columns - cut);
        std::memcpy(out.at(first), in.at(first), (left + right) * in.size());
        fill_elements(out.at(first + (upper ? 0 : left)), upper ? left : right, zero.data(), in.size());
    }
    out.finish();
}

// ---- rows ----------------------------------------------------------------------------------------------------------------

constexpr std::array block_attrs{AttrDef{"blocksize", AttrKind::integer, "", true}, AttrDef{"mode", AttrKind::text, "DCR"}};
constexpr std::array reverse_attrs{AttrDef{"batch_axis", AttrKind::integer, "1"}, AttrDef{"time_axis", AttrKind::integer, "0"}};
constexpr std::array trilu_attrs{AttrDef{"upper", AttrKind::integer, "1"}};

constexpr QuantRule together = rules::same.with_runtimes(rules::together);

constexpr std::array rearrange_table{
    moving("Tile", {2, 2}, {}, infer_tile, eval_tile, together.with_places(0b10), "a tensor repeated along every axis"),
    moving("DepthToSpace", {1, 1}, block_attrs, infer_depth_to_space, eval_depth_to_space, together, "channels moved into blocks of space"),
    moving("SpaceToDepth", {1, 1}, block_attrs, infer_space_to_depth, eval_space_to_depth, together, "blocks of space moved into channels"),
    moving("ReverseSequence", {2, 2}, reverse_attrs, infer_same, eval_reverse_sequence, rules::same,
           "the first elements of each sequence turned round"),
    moving("Trilu", {1, 2}, trilu_attrs, infer_same, eval_trilu, rules::same.with_places(0b10), "the upper or lower triangle, the rest 0"),
};

}  // namespace

std::span<const Op> rearrange_ops() { return rearrange_table; }

}  // namespace quern
