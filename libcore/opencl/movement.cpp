// Operators that move elements, or change how they are stored.
#include <algorithm>

#include "libcore/opencl/lowering.h"

namespace quern::opencl {
namespace {

constexpr int64_t max_jump = 1 << 20;

// Numbers as numbers, so that their codes may change on the way; all else as it is stored.
Operand moved(Lowering& to, int32_t id) {
    const Value& value = to.value(id);
    const bool real = value.encoding || value.dtype == QUERN_FLOAT32 || value.dtype == QUERN_FLOAT16;
    return real ? to.real(id, value) : to.stored(id);
}
Operand moved_in(Lowering& to, const Node& node, size_t i) {
    to.in(node, i);
    return moved(to, node.inputs[i]);
}
Operand moved_out(Lowering& to, const Node& node, size_t i = 0) {
    if (i >= node.outputs.size() || node.outputs[i] == none) throw broken("node \"{}\" has no result {}", node.name, i);
    return moved(to, node.outputs[i]);
}

void need_same_kind(const Node& node, const Operand& x, const Operand& y) {
    const auto real = [](const Operand& operand) { return operand.coded || operand.tag == "f32" || operand.tag == "f16"; };
    if (x.tag != y.tag && !(real(x) && real(y))) throw broken("node \"{}\" makes {} of {}", node.name, y.tag, x.tag);
}

// The same elements in the same order.
void lower_view(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 2);
    to.need_one_result(node);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    if (x.count() != y.count()) throw broken("node \"{}\" makes {} elements of {}", node.name, y.count(), x.count());
    need_same_kind(node, x, y);
    if (same_storage(x, y) && !to.in(node, 0).constant) return to.alias(node.outputs[0], node.inputs[0]);
    move(to, node, y, x, {y.count()}, {0, 0}, {1}, {1});
}

// The dims are known: so is the result.
void lower_shape(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    const Dims& dims = to.in(node, 0).dims;
    const auto rank = static_cast<int64_t>(dims.size());
    const auto place = [&](int64_t at) { return std::clamp<int64_t>(at < 0 ? at + rank : at, 0, rank); };
    const int64_t start = place(node.integer("start", 0)), end = std::max(start, place(node.integer("end", rank)));
    const std::vector<int64_t> part(dims.begin() + start, dims.begin() + end);
    if (to.out(node).dtype != QUERN_INT64 || to.out(node).encoding) throw broken("\"{}\" is not int64", to.out(node).name);
    to.need_dims(node, {end - start});
    to.alias(node.outputs[0], to.constant("i64", {end - start}, part.size() * sizeof(int64_t), [part] { return bytes_of_items(part); }));
}

// Of any type to float and bool; integers of floats are the reference's.
void lower_cast(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    to.need_dims(node, x.dims);
    if (same_storage(x, y)) return lower_view(to, node);
    const Value& result = to.out(node);
    if (!result.encoding && result.dtype != QUERN_FLOAT32 && result.dtype != QUERN_FLOAT16)
        throw refused("from {} to {}", name_of(to.in(node, 0).dtype), name_of(result.dtype));
    move(to, node, y, x, {y.count()}, {0, 0}, {1}, {1});
}

void lower_transpose(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 1);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    need_same_kind(node, x, y);
    const size_t rank = x.dims.size();
    std::vector<int64_t> perm = node.integers("perm");
    if (!node.attribute("perm"))
        for (size_t i = 0; i < rank; ++i) perm.push_back(static_cast<int64_t>(rank - 1 - i));
    if (perm.size() != rank) throw broken("perm has {} items for rank {}", perm.size(), rank);
    const Dims steps = strides_of(x.dims);
    Dims dims, from;
    std::vector<bool> seen(rank);
    for (const int64_t axis : perm) {
        const size_t at = normal_axis(axis, rank);
        if (seen[at]) throw broken("perm has {} twice", axis);
        seen[at] = true;
        dims.push_back(x.dims[at]);
        from.push_back(steps[at]);
    }
    to.need_dims(node, dims);
    move(to, node, y, x, dims, {0, 0}, strides_of(dims), from);
}

void lower_concat(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 4096);
    const Operand y = moved_out(to, node);
    const size_t axis = normal_axis(node.integer("axis", 0), y.dims.size());
    const Dims y_steps = strides_of(y.dims);
    int64_t at = 0;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
        const Operand x = moved_in(to, node, i);
        need_same_kind(node, x, y);
        Dims same = x.dims;
        if (same.size() == y.dims.size()) same[axis] = y.dims[axis];
        if (same != y.dims) throw broken("input {} of node \"{}\" is {} beside {}", i, node.name, text_of(x.dims), text_of(y.dims));
        move(to, node, y, x, x.dims, {at * y_steps[axis], 0}, y_steps, strides_of(x.dims));
        at += x.dims[axis];
    }
    if (at != y.dims[axis]) throw broken("the inputs of node \"{}\" have {} along its axis, its result {}", node.name, at, y.dims[axis]);
}

void lower_split(Lowering& to, const Node& node) {
    to.need_operands(node, 1, 2);
    const Operand x = moved_in(to, node, 0);
    const size_t axis = normal_axis(node.integer("axis", 0), x.dims.size());
    if (node.has_input(1)) constant_integers(to, node, 1);
    const Dims steps = strides_of(x.dims);
    int64_t at = 0;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
        if (node.outputs[i] == none) throw refused("its result {} is absent", i);
        const Operand y = moved_out(to, node, i);
        need_same_kind(node, x, y);
        if (y.dims.size() != x.dims.size()) throw broken("node \"{}\" splits {} into {}", node.name, text_of(x.dims), text_of(y.dims));
        move(to, node, y, x, y.dims, {0, at * steps[axis]}, strides_of(y.dims), steps);
        at += y.dims[axis];
    }
    if (at > x.dims[axis]) throw broken("node \"{}\" splits {} into {}", node.name, x.dims[axis], at);
}

struct Cut {
    int64_t first, count;
};

// Places first, first + jump ... of a dim, by Python's rules.
Cut cut_of(int64_t start, int64_t end, int64_t jump, int64_t length) {
    const auto place = [&](int64_t at, int64_t min) {
        const int64_t from_end = at < 0 ? at + length : at;
        return std::clamp<int64_t>(from_end, std::min(min, length), jump > 0 ? length : std::max<int64_t>(length - 1, min));
    };
    const int64_t first = place(start, 0), last = place(end, jump > 0 ? 0 : -1);
    const int64_t span = jump > 0 ? last - first : first - last, by = jump > 0 ? jump : -jump;
    const int64_t count = span <= 0 || length == 0 ? 0 : (span + by - 1) / by;
    return {count == 0 ? 0 : first, count};
}

void lower_slice(Lowering& to, const Node& node) {
    to.need_operands(node, 3, 5);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    need_same_kind(node, x, y);
    const std::vector<int64_t> starts = constant_integers(to, node, 1), ends = constant_integers(to, node, 2);
    std::vector<int64_t> axes, jumps(starts.size(), 1);
    for (size_t i = 0; i < starts.size(); ++i) axes.push_back(static_cast<int64_t>(i));
    if (node.has_input(3)) axes = constant_integers(to, node, 3);
    if (node.has_input(4)) jumps = constant_integers(to, node, 4);
    if (ends.size() != starts.size() || axes.size() != starts.size() || jumps.size() != starts.size())
        throw broken("node \"{}\" has {} starts, {} ends", node.name, starts.size(), ends.size());
    Dims dims = x.dims, steps = strides_of(x.dims);
    int64_t first = 0;
    for (size_t i = 0; i < starts.size(); ++i) {
        const size_t axis = normal_axis(axes[i], x.dims.size());
        const int64_t length = x.dims[axis], jump = jumps[i];
        if (jump == 0 || jump < -max_jump || jump > max_jump) throw refused("a step of {}", jump);
        const Cut cut = cut_of(starts[i], ends[i], jump, length);
        dims[axis] = cut.count;
        first += cut.first * steps[axis];
        steps[axis] *= jump;
    }
    to.need_dims(node, dims);
    move(to, node, y, x, dims, {0, first}, strides_of(dims), steps);
}

void lower_expand(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 2);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    need_same_kind(node, x, y);
    move(to, node, y, x, y.dims, {0, 0}, strides_of(y.dims), broadcast_steps(x.dims, y.dims));
}

void lower_tile(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 2);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    need_same_kind(node, x, y);
    if (x.dims.size() != y.dims.size() || y.count() == 0) throw refused("makes {} of {}", text_of(y.dims), text_of(x.dims));
    const Dims x_steps = strides_of(x.dims), y_steps = strides_of(y.dims);
    Dims lengths, from, into;
    for (size_t i = 0; i < x.dims.size(); ++i) {
        if (y.dims[i] % x.dims[i] != 0) throw broken("node \"{}\" makes {} of {}", node.name, text_of(y.dims), text_of(x.dims));
        lengths.insert(lengths.end(), {y.dims[i] / x.dims[i], x.dims[i]});
        from.insert(from.end(), {0, x_steps[i]});
        into.insert(into.end(), {y_steps[i] * x.dims[i], y_steps[i]});
    }
    move(to, node, y, x, lengths, {0, 0}, into, from);
}

void lower_pad(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 4);
    if (const std::string mode = node.text("mode", "constant"); mode != "constant") throw refused("mode {}", mode);
    const Operand x = to.real_in(node, 0), y = to.result(node);
    const size_t rank = x.dims.size();
    const std::vector<int64_t> pads = constant_integers(to, node, 1);
    std::vector<int64_t> axes;
    for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    if (node.has_input(3)) axes = constant_integers(to, node, 3);
    if (pads.size() != 2 * axes.size()) throw broken("node \"{}\" has {} pads for {} axes", node.name, pads.size(), axes.size());
    float with = 0;
    if (node.has_input(2)) {
        const Value& value = to.in(node, 2);
        if (!value.constant || count_of(value.dims) != 1) throw refused("what it pads with is not constant");
        with = numbers_of(value)[0];
    }
    // The part of x that lies in y.
    Dims dims = x.dims, kept = x.dims;
    const Dims x_steps = strides_of(x.dims);
    Dims before(rank, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        const size_t axis = normal_axis(axes[i], rank);
        const int64_t low = pads[i], high = pads[i + axes.size()];
        if (std::max(std::abs(low), std::abs(high)) > max_jump) throw refused("pads by {} and {}", low, high);
        before[axis] = low;
        dims[axis] += low + high;
        kept[axis] += std::min<int64_t>(low, 0) + std::min<int64_t>(high, 0);
        if (dims[axis] < 0 || kept[axis] < 0) throw refused("cuts off more than there is");
    }
    to.need_dims(node, dims);
    const Dims y_steps = strides_of(dims);
    int64_t into = 0, from = 0;
    for (size_t i = 0; i < rank; ++i) (before[i] < 0 ? from : into) += before[i] < 0 ? -before[i] * x_steps[i] : before[i] * y_steps[i];
    const auto count = static_cast<size_t>(y.count());
    to.add(node, "fill", y, {}, "", {static_cast<int32_t>(count), bits(with)}, {count, 1, 1});
    move(to, node, y, x, kept, {into, from}, y_steps, x_steps);
}

void lower_gather(Lowering& to, const Node& node) {
    to.need_operands(node, 2, 2);
    const Operand x = moved_in(to, node, 0), index = to.stored(node.inputs[1]), y = moved_out(to, node);
    need_same_kind(node, x, y);
    if (index.coded || (index.tag != "i32" && index.tag != "i64")) throw refused("its indices are {}", name_of(to.in(node, 1).dtype));
    const size_t axis = normal_axis(node.integer("axis", 0), x.dims.size());
    Dims dims(x.dims.begin(), x.dims.begin() + static_cast<int64_t>(axis));
    dims.insert(dims.end(), index.dims.begin(), index.dims.end());
    dims.insert(dims.end(), x.dims.begin() + static_cast<int64_t>(axis) + 1, x.dims.end());
    to.need_dims(node, dims);
    const auto count = static_cast<size_t>(y.count());
    if (count == 0) return;
    if (x.dims[axis] == 0) throw broken("node \"{}\" takes from nothing", node.name);
    if (!same_storage(x, y)) to.need_exact(y);
    const int64_t inner = count_of(std::span(x.dims).subspan(axis + 1));
    Step& step = to.add(
        node, "gather", y, {x, index}, same_storage(x, y) ? "-DRAW" : "",
        {static_cast<int32_t>(count), static_cast<int32_t>(index.count()), static_cast<int32_t>(x.dims[axis]), static_cast<int32_t>(inner)},
        {count, 1, 1});
    step.buffers.push_back(to.flag());
}

bool channels_last(const Node& node) { return node.text("layout", "NCHW") == "NHWC"; }

// Blocks of b x b places are channels: [N, (b b C), H, W] and [N, C, H b, W b], `back` the other way.
void lower_blocks(Lowering& to, const Node& node, bool back) {
    to.need_operands(node, 1, 1);
    const Operand x = moved_in(to, node, 0), y = moved_out(to, node);
    need_same_kind(node, x, y);
    const int64_t b = node.integer("blocksize", 1);
    if (channels_last(node)) throw refused("channels last");
    const Operand& deep = back ? y : x;
    if (x.dims.size() != 4 || b < 1 || b > 4096 || deep.dims.size() != 4 || deep.dims[1] % (b * b) != 0)
        throw refused("{}", text_of(x.dims));
    const int64_t n = deep.dims[0], c = deep.dims[1] / (b * b), h = deep.dims[2], w = deep.dims[3];
    const Dims flat{n, c, h * b, w * b};
    const Dims want = back ? Dims{n, c * b * b, h, w} : flat;
    if (x.dims != (back ? flat : Dims{n, c * b * b, h, w})) throw broken("node \"{}\" has {}", node.name, text_of(x.dims));
    to.need_dims(node, want);
    const bool crd = !back && node.text("mode", "DCR") == "CRD";
    // Over n, c, h, b, w, b.
    const int64_t plane = h * w, step_b = crd ? plane : c * plane;
    const Dims lengths{n, c, h, b, w, b};
    const Dims of_deep{c * b * b * plane, crd ? b * b * plane : plane, w, b * step_b, 1, step_b};
    const Dims of_flat{c * b * b * plane, b * b * plane, w * b * b, w * b, b, 1};
    move(to, node, y, x, lengths, {0, 0}, back ? of_deep : of_flat, back ? of_flat : of_deep);
}
void lower_depth_to_space(Lowering& to, const Node& node) { lower_blocks(to, node, false); }
void lower_space_to_depth(Lowering& to, const Node& node) { lower_blocks(to, node, true); }

constexpr OpRow table[] = {
    {"Reshape", lower_view},
    {"Flatten", lower_view},
    {"Squeeze", lower_view},
    {"Unsqueeze", lower_view},
    {"Identity", lower_view},
    {"Shape", lower_shape},
    {"Cast", lower_cast},
    {"Transpose", lower_transpose},
    {"Concat", lower_concat},
    {"Split", lower_split},
    {"Slice", lower_slice},
    {"Expand", lower_expand},
    {"Tile", lower_tile},
    {"Pad", lower_pad},
    {"Gather", lower_gather},
    {"DepthToSpace", lower_depth_to_space},
    {"SpaceToDepth", lower_space_to_depth},
    {"Recode", lower_view, "quern"},
};

}  // namespace

std::span<const OpRow> movement_rows() { return table; }

}  // namespace quern::opencl
