// Operators that rearrange, cut and frame.
#include <algorithm>
#include <limits>
#include <numeric>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/lower/lower.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/indices.h"

namespace quern::tflite_format {
namespace {

int32_t narrow(int64_t number) {
    return static_cast<int32_t>(std::clamp<int64_t>(number, std::numeric_limits<int32_t>::min(), std::numeric_limits<int32_t>::max()));
}

// To the shape of the result, at most one dimension of which is not fixed.
void to_result_shape(Lowering& at) {
    const Ints shape = at.out_shape();
    at.result(Code::RESHAPE, {at.in(0), at.numbers("shape", needed_shape(shape))}, {{"new_shape", shape}});
}

void reshape(Lowering& at) {
    const Ints shape = at.out_shape();
    if (!has_more_open_dims(shape)) return to_result_shape(at);
    if (const auto given = at.ints(1); given && std::count(given->begin(), given->end(), 0) == 0)
        return at.result(Code::RESHAPE, {at.in(0), at.numbers("shape", *given)}, {{"new_shape", *given}});
    if (at.constant(1)) throw unsupported("several dimensions of its result are not fixed");
    at.result(Code::RESHAPE, {at.in(0), at.in_as_i32(1)});
}

void squeeze(Lowering& at) {
    Ints axes;
    if (at.has(1)) axes = at.axes(1, at.rank(0));
    at.result(Code::SQUEEZE, {at.in(0)}, {{"squeeze_dims", axes}});
}

void unsqueeze(Lowering& at) {
    const Ints shape = at.out_shape();
    if (const auto axes = at.ints(1); axes && axes->size() == 1)
        return at.result(
            Code::EXPAND_DIMS,
            {at.in(0), at.constant("axis", from_ints(DType::i32, {}, Ints{static_cast<int64_t>(normal_axis((*axes)[0], shape.size()))}))});
    to_result_shape(at);
}

void transpose(Lowering& at) {
    Ints perm = at.view().integers("perm");
    if (perm.empty()) {
        perm.resize(at.rank(0));
        std::iota(perm.rbegin(), perm.rend(), 0);
    }
    Ints order = perm;
    // Where only dims of 1 change places, nothing moves.
    std::erase_if(order, [&](int64_t i) { return at.dim(0, static_cast<size_t>(i)) == 1; });
    const Ints shape = at.out_shape();
    if (std::is_sorted(order.begin(), order.end()) && !has_more_open_dims(shape)) return to_result_shape(at);
    at.result(Code::TRANSPOSE, {at.in(0), at.numbers("order", perm)});
}

void concat(Lowering& at) {
    at.result(Code::CONCATENATION, at.ins(),
              {{"axis", static_cast<int64_t>(at.axis("axis", at.rank(0)))}, {"fused_activation_function", std::string("NONE")}});
}

void split(Lowering& at) {
    const size_t axis = at.axis("axis", at.rank(0));
    Ints out, sizes;
    for (size_t i = 0; i < at.node().out.size(); ++i) {
        if (at.node().out[i] == ValueId::none) throw unsupported("an output that is not used");
        sizes.push_back(at.out_shape(i)[axis]);
        out.push_back(at.out(i));
    }
    const auto parts = static_cast<int64_t>(out.size());
    const int64_t where = at.constant("axis", from_ints(DType::i32, {}, Ints{static_cast<int64_t>(axis)}));
    if (std::all_of(sizes.begin(), sizes.end(), [&](int64_t size) { return size == sizes[0]; }))
        return at.op(Code::SPLIT, {where, at.in(0)}, out, {{"num_splits", parts}});
    if (std::count(sizes.begin(), sizes.end(), -1) > 0) throw unsupported("sizes that are not fixed");
    at.op(Code::SPLIT_V, {at.in(0), at.numbers("sizes", sizes), where}, out, {{"num_splits", parts}});
}

// A Squeeze that alone reads a Slice and leaves out dims of which that takes one element each: they are cut out in one.
std::pair<NodeId, int64_t> dropped_behind(const Lowering& at, const Ints& axes) {
    const std::pair<NodeId, int64_t> none{NodeId::none, 0};
    const ValueId made = at.node().out[0];
    const NodeId reader = at.only_reader(made);
    if (reader == NodeId::none) return none;
    const Node& squeeze = at.graph().node(reader);
    if (!squeeze.is(ops::Squeeze) || squeeze.in.size() != 2) return none;
    const auto& enc = at.value(0).enc;
    if (at.graph().value(made).enc != enc || at.graph().value(squeeze.out[0]).enc != enc) return none;
    const auto dropped = at.graph().constant(squeeze.in[1]);
    if (!dropped) return none;
    int64_t mask = 0;
    for (const int64_t given : to_ints(*dropped)) {
        const auto axis = static_cast<int64_t>(normal_axis(given, at.rank(0)));
        if (std::find(axes.begin(), axes.end(), axis) == axes.end()) return none;
        mask |= int64_t{1} << axis;
    }
    return {reader, mask};
}

void slice(Lowering& at) {
    const size_t rank = at.rank(0);
    const Ints starts = at.need_ints(1), ends = at.need_ints(2);
    const Ints axes = at.has(3) ? at.axes(3, rank) : [&] {
        Ints all(starts.size());
        std::iota(all.begin(), all.end(), 0);
        return all;
    }();
    const Ints steps = at.has(4) ? at.need_ints(4) : Ints(starts.size(), 1);
    Ints begin(rank, 0), end(rank, 0), stride(rank, 1);
    int64_t open_begin = (int64_t{1} << rank) - 1, open_end = open_begin;
    for (size_t i = 0; i < axes.size(); ++i) {
        const auto axis = static_cast<size_t>(axes[i]);
        const int64_t bit = int64_t{1} << axis;
        begin[axis] = narrow(starts[i]);
        end[axis] = narrow(ends[i]);
        stride[axis] = narrow(steps[i]);
        open_begin &= ~bit;
        open_end &= ~bit;
        // Beyond the first element in the way back means to the end of it.
        const int64_t length = at.dim(0, axis);
        if (steps[i] < 0 && ends[i] < 0 && (length < 0 ? ends[i] < std::numeric_limits<int32_t>::min() : ends[i] < -length))
            open_end |= bit;
    }
    const auto [squeeze, dropped] = dropped_behind(at, axes);
    const Attrs options{{"begin_mask", open_begin}, {"end_mask", open_end}, {"shrink_axis_mask", dropped}};
    const Ints in{at.in(0), at.numbers("begin", begin), at.numbers("end", end), at.numbers("strides", stride)};
    if (squeeze == NodeId::none) return at.result(Code::STRIDED_SLICE, in, options);
    at.done(squeeze);
    at.op(Code::STRIDED_SLICE, in, {at.exporter().tensor(at.scope(), at.graph().node(squeeze).out[0])}, options);
}

void pad(Lowering& at) {
    const size_t rank = at.rank(0);
    const Ints given = at.need_ints(1), axes = at.axes(3, rank);
    if (given.size() != 2 * axes.size()) throw unsupported("{} pads for {} dimensions", given.size(), axes.size());
    Ints pads(2 * rank, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        pads[2 * static_cast<size_t>(axes[i])] = given[i];
        pads[2 * static_cast<size_t>(axes[i]) + 1] = given[i + axes.size()];
    }
    if (std::any_of(pads.begin(), pads.end(), [](int64_t p) { return p < 0; })) throw unsupported("pads below 0");
    const int64_t amounts = at.constant("pads", from_ints(DType::i32, {static_cast<int64_t>(rank), 2}, pads));
    const std::string mode = at.view().text("mode");
    if (mode == "reflect") return at.result(Code::MIRROR_PAD, {at.in(0), amounts}, {{"mode", std::string("REFLECT")}});
    if (mode != "constant") throw unsupported("mode {}, need constant", mode);
    const auto fill = at.number(2);
    if (at.has(2) && !fill && is_float(at.type(0).dtype)) throw unsupported("its fill is not constant");
    if (fill && *fill != 0) return at.result(Code::PADV2, {at.in(0), amounts, at.number("fill", *fill, 0)});
    if (at.has(2) && !fill) return at.result(Code::PADV2, {at.in(0), amounts, at.in(2)});
    at.result(Code::PAD, {at.in(0), amounts});
}

void expand(Lowering& at) {
    const Ints shape = at.out_shape();
    if (std::count(shape.begin(), shape.end(), -1) == 0) return at.result(Code::BROADCAST_TO, {at.in(0), at.numbers("shape", shape)});
    if (at.constant(1)) throw unsupported("dimensions of its result are not fixed");
    at.result(Code::BROADCAST_TO, {at.in(0), at.in_as_i32(1)});
}

void tile(Lowering& at) { at.result(Code::TILE, {at.in(0), at.in_as_i32(1)}); }

void shape(Lowering& at) {
    if (at.view().integer("start") != 0 || at.view().has("end")) throw unsupported("a part of the shape");
    at.result(Code::SHAPE, {at.in(0)}, {{"out_type", std::string("INT64")}});
}

void identity(Lowering& at) { to_result_shape(at); }

// Blocks of space and channels of channels-first data, which is brought to channels-last and back.
template <Code code>
void regroup(Lowering& at) {
    if (code == Code::DEPTH_TO_SPACE && at.view().text("mode") != "DCR") throw unsupported("mode {}, need DCR", at.view().text("mode"));
    const Ints out = at.out_shape();
    const int64_t data = at.transposed("channels_last", at.in(0), {0, 2, 3, 1});
    const int64_t plane = at.temp_like("plane", 0, {out[0], out[2], out[3], out[1]});
    at.op(code, {data}, {plane}, {{"block_size", at.view().integer("blocksize")}});
    at.result(Code::TRANSPOSE, {plane, at.numbers("order", {0, 3, 1, 2})});
}

// ONNX counts indices below 0 from the end, TFLite takes them as outside.
int64_t indices_from_zero(Lowering& at, int64_t depth) {
    if (at.node().attrs.contains(negative_outside_key) || kind_of(at.type(0).dtype) == NumberKind::unsigned_int) return at.in(0);
    if (auto known = at.ints(0)) {
        for (int64_t& index : *known) index += index < 0 ? depth : 0;
        return at.constant("indices", from_ints(at.type(0).dtype, at.graph().constant(at.id(0))->dims, *known));
    }
    const DType dtype = at.type(0).dtype;
    Ints shape;
    for (size_t i = 0; i < at.rank(0); ++i) shape.push_back(at.dim(0, i));
    const int64_t below = at.temp("below_zero", DType::boolean, shape), moved = at.temp("from_end", dtype, shape),
                  which = at.temp("indices", dtype, shape);
    at.op(Code::LESS, {at.in(0), at.constant("zero", from_ints(dtype, {}, Ints{0}))}, {below});
    at.op(Code::ADD, {at.in(0), at.constant("length", from_ints(dtype, {}, Ints{depth}))}, {moved});
    at.op(Code::SELECT_V2, {below, moved, at.in(0)}, {which});
    return which;
}

void one_hot(Lowering& at) {
    const auto depth = at.ints(1);
    const auto values = at.has(2) ? at.graph().constant(at.id(2)) : std::nullopt;
    if (!depth || depth->size() != 1 || !values || values->count() != 2) throw unsupported("depth or values are not constant");
    const std::vector<float> both = to_floats(*values);
    const DType dtype = at.type(2).dtype;
    const auto one = [&](std::string_view what, float x) { return at.constant(what, from_floats(dtype, {}, std::array{x})); };
    at.result(Code::ONE_HOT,
              {indices_from_zero(at, (*depth)[0]), at.constant("depth", from_ints(DType::i32, {}, *depth)), one("on", both[1]),
               one("off", both[0])},
              {{"axis", at.view().integer("axis")}});
}

void range(Lowering& at) { at.result(Code::RANGE, at.ins()); }

void reverse_sequence(Lowering& at) {
    at.result(Code::REVERSE_SEQUENCE, at.ins(),
              {{"seq_dim", at.view().integer("time_axis")}, {"batch_dim", at.view().integer("batch_axis")}});
}

constexpr std::array shape_table{
    LowerRow{ops::Concat, concat},
    LowerRow{ops::DepthToSpace, regroup<Code::DEPTH_TO_SPACE>},
    LowerRow{ops::Expand, expand},
    LowerRow{ops::Flatten, to_result_shape},
    LowerRow{ops::Identity, identity},
    LowerRow{ops::OneHot, one_hot},
    LowerRow{ops::Pad, pad},
    LowerRow{ops::Range, range},
    LowerRow{ops::Reshape, reshape},
    LowerRow{ops::ReverseSequence, reverse_sequence},
    LowerRow{ops::Shape, shape},
    LowerRow{ops::Slice, slice},
    LowerRow{ops::SpaceToDepth, regroup<Code::SPACE_TO_DEPTH>},
    LowerRow{ops::Split, split},
    LowerRow{ops::Squeeze, squeeze},
    LowerRow{ops::Tile, tile},
    LowerRow{ops::Transpose, transpose},
    LowerRow{ops::Unsqueeze, unsqueeze},
};

}  // namespace

std::span<const LowerRow> lower_shape_rows() { return shape_table; }

}  // namespace quern::tflite_format
