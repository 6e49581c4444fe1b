// Movement of elements: what is known beforehand becomes nothing (the same memory), a strided copy, or a table of places; the rest is
// gathered in the run.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <numeric>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/shared/eval_node.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

// A flat list of places as nested strides: places[i] = first + sum of step * digit of i. nullopt if they are none.
struct Strides {
    int64_t first = 0;
    Dims lengths, steps;
};

std::optional<Strides> strides_in(std::vector<int32_t> places) {
    Strides out;
    out.first = places[0];
    while (places.size() > 1) {
        const int64_t step = int64_t{places[1]} - places[0];
        size_t length = 1;
        while (length < places.size() && int64_t{places[length]} - places[length - 1] == step) ++length;
        while (places.size() % length != 0) --length;
        const auto regular = [&](size_t n) {
            for (size_t i = 0; i < places.size(); ++i)
                if (int64_t{places[i]} != places[i / n * n] + static_cast<int64_t>(i % n) * step) return false;
            return true;
        };
        while (length > 1 && !regular(length)) {
            --length;
            while (places.size() % length != 0) --length;
        }
        if (length == 1 || out.lengths.size() == 8) return std::nullopt;
        out.lengths.insert(out.lengths.begin(), static_cast<int64_t>(length));
        out.steps.insert(out.steps.begin(), step);
        std::vector<int32_t> heads;
        for (size_t i = 0; i < places.size(); i += length) heads.push_back(places[i]);
        places = std::move(heads);
    }
    return out;
}

bool is_identity(const std::vector<int32_t>& places, int64_t count) {
    if (static_cast<int64_t>(places.size()) != count) return false;
    for (size_t i = 0; i < places.size(); ++i)
        if (places[i] != static_cast<int32_t>(i)) return false;
    return true;
}

// Elements that are made are zeros.
bool makes_zeros(Emit& e) { return e.node.is(ops::Trilu, ops::CenterCropPad); }

// Operators whose results are elements of their first input, at places that the shapes and constants tell.
bool places_are_known(Emit& e) {
    if ((!has(e.node.op->traits, Trait::data_movement) && !makes_zeros(e)) || !e.node.bodies.empty()) return false;
    if (e.node.is(ops::Concat) || e.node.op->name.starts_with("Scatter")) return false;  // they bring elements of their own
    if (!e.has_in(0)) return false;
    for (size_t i = 1; i < e.node.in.size(); ++i)
        if (e.has_in(i) && !e.constant(i)) return false;
    return true;
}

// Do codes move as they are, or numbers that are not codes?
bool moves_as_held(Emit& e) {
    const Encoding* x = e.in_encoding(0);
    for (size_t i = 0; i < e.node.out.size(); ++i) {
        if (!e.wants(i)) continue;
        const Encoding* y = e.f.encoding(e.out_id(i));
        if (!x != !y || (x && (!(*x == *y) || !x->per_tensor() || !x->is_fixed()))) return false;
    }
    return true;
}

// The node over the numbers of its elements' places; -1: a zero.
std::optional<std::vector<std::vector<int32_t>>> places_of(Emit& e) {
    std::vector<int32_t> numbers(static_cast<size_t>(e.in_count(0)));
    std::iota(numbers.begin(), numbers.end(), 1);  // 0: an element that the operator makes
    std::vector<Tensor> inputs(e.node.in.size());
    inputs[0] = Tensor::make<int32_t>(e.in_dims(0), numbers);
    for (size_t i = 1; i < inputs.size(); ++i)
        if (const auto tensor = e.constant(i)) inputs[i] = *tensor;
    try {
        const auto out = eval_node(e.node, inputs);
        std::vector<std::vector<int32_t>> places(out.size());
        for (size_t i = 0; i < out.size(); ++i) {
            if (!e.wants(i)) continue;
            if (out[i].dtype != DType::i32 || out[i].dims != e.out_dims(i)) return std::nullopt;
            for (const int32_t item : out[i].view<int32_t>()) {
                if (item < 1 && !makes_zeros(e)) return std::nullopt;
                places[i].push_back(item - 1);
            }
        }
        return places;
    } catch (const Error&) {
        return std::nullopt;
    }
}

// Before and behind each of all axes.
std::vector<int64_t> pads_of(Emit& e, const std::vector<int64_t>& given, size_t rank) {
    if (!e.has_in(3)) return given;
    const auto axes_tensor = e.constant(3);
    if (!axes_tensor) throw unsupported("axes that are computed in the run");
    const auto axes = to_ints(*axes_tensor);
    std::vector<int64_t> pads(2 * rank, 0);
    for (size_t i = 0; i < axes.size(); ++i) {
        const size_t axis = normal_axis(axes[i], rank);
        pads[axis] = given.at(i);
        pads[rank + axis] = given.at(axes.size() + i);
    }
    return pads;
}

// Padding: the value everywhere, then the elements that stay, as a box.
void emit_pad(Emit& e) {
    const std::string mode = e.view.text("mode");
    if (mode != "constant") throw unsupported("padding that is computed in the run (mode {})", mode);
    const auto pads_tensor = e.constant(1);
    if (!pads_tensor) throw unsupported("padding that is computed in the run");
    const size_t rank = e.in_dims(0).size();
    const std::vector<int64_t> pads = pads_of(e, to_ints(*pads_tensor), rank);
    const bool codes = moves_as_held(e) && e.in_encoding(0);
    const auto real = e.has_in(2) ? e.real_constant(2) : std::optional(Tensor::scalar(0.0f));
    if (!real && codes) throw unsupported("padding of codes with a number that is computed in the run");
    const std::string type(codes ? e.in_type(0) : e.real_in_type(0));
    std::string fill = real ? c_number(*real, type) : e.real_in(2) + "[0]";
    if (codes) {
        const Encoding& grid = *e.in_encoding(0);
        fill = text_of(to_ints(quantize(Tensor::scalar(to_floats(*real)[0]), grid))[0]);
    }
    const std::string x = codes ? e.in(0) : e.real_in(0), y = codes ? e.out() : e.real_out();
    e.call(e.source.kernel("fill", {{"A", type}}), {y, text_of(e.out_count()), fill});
    const Dims &in = e.in_dims(0), &out = e.out_dims();
    const auto from = strides_of(in), to = strides_of(out);
    Dims box(rank);
    int64_t x_first = 0, y_first = 0;
    for (size_t d = 0; d < rank; ++d) {
        const int64_t cut = std::max<int64_t>(-pads[d], 0), cut_end = std::max<int64_t>(-pads[rank + d], 0);
        box[d] = in[d] - cut - cut_end;
        if (box[d] <= 0) return;
        x_first += cut * from[d];
        y_first += std::max<int64_t>(pads[d], 0) * to[d];
    }
    e.call(e.source.kernel("copy", {{"A", type}}),
           {fmt::format("{} + {}", x, x_first), fmt::format("{} + {}", y, y_first), walk(e, box, {from, to}, "box")});
}

// Each operand as a strided copy into its part of the result.
void concatenate(Emit& e, const std::vector<std::string>& operands, const std::string& type, const std::string& y) {
    const Dims& out = e.out_dims();
    const size_t axis = normal_axis(e.view.integer("axis"), out.size());
    const int64_t row = strides_of(out)[axis] * out[axis], outer = e.out_count() / row;
    const std::string fn = e.source.kernel("copy", {{"A", type}});
    int64_t offset = 0;
    for (size_t i = 0; i < operands.size(); ++i) {
        const int64_t width = e.in_count(i) / outer;
        if (width == 0) continue;
        e.call(fn,
               {operands[i], offset == 0 ? y : fmt::format("{} + {}", y, offset), walk(e, {outer, width}, {{width, 1}, {row, 1}}, "part")});
        offset += width;
    }
}

void emit_concat(Emit& e) {
    const Encoding* to = e.out_encoding();
    bool held = !to || to->per_tensor();
    for (size_t i = 0; i < e.node.in.size(); ++i) {
        const Encoding* from = e.in_encoding(i);
        held &= !from == !to && (!from || *from == *to);
    }
    std::vector<std::string> operands;
    for (size_t i = 0; i < e.node.in.size(); ++i) operands.push_back(held ? e.in(i) : e.real_in(i));
    concatenate(e, operands, std::string(held ? e.out_type() : "float"), held ? e.out() : e.real_out());
}

// By the profile tflite: a table for each operand of another grid (libcore/ops/integer/tflite_elementwise.cpp).
void emit_concat_codes(Emit& e) {
    const CodeGrid y(*e.out_encoding());
    const std::string type(e.out_type());
    std::vector<std::string> operands;
    for (size_t i = 0; i < e.node.in.size(); ++i) {
        const CodeGrid x(*e.in_encoding(i));
        operands.push_back(e.in(i));
        if (y.storage != DType::u8 || (x.scale == y.scale && x.zero == y.zero)) continue;
        std::vector<int64_t> codes(256);
        for (size_t code = 0; code < codes.size(); ++code) codes[code] = concatenated(static_cast<int64_t>(code), x, y);
        const std::string made = e.f.scratch(y.storage, e.in_count(i));
        e.call(e.source.kernel("look_up", {{"A", type}, {"Y", type}, {"LEAST", "0"}}),
               {operands[i], made, text_of(e.in_count(i)), e.source.constant(from_ints(DType::u8, {256}, codes), e.label("table"))});
        operands[i] = made;
    }
    concatenate(e, operands, type, e.out());
}

void emit_gather(Emit& e) {
    const Dims& dims = e.in_dims(0);
    const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
    const int64_t inner = strides_of(dims)[axis], outer = e.in_count(0) / std::max<int64_t>(inner * dims[axis], 1);
    const bool codes = moves_as_held(e);
    const std::string x = codes ? e.in(0) : e.real_in(0);
    const std::string fn =
        e.source.kernel("gather", {{"A", std::string(codes ? e.in_type(0) : e.real_in_type(0))}, {"I", std::string(e.in_type(1))}});
    e.call(fn, {x, e.in(1), codes ? e.out() : e.real_out(), text_of(outer), text_of(dims[axis]), text_of(inner), text_of(e.in_count(1))});
}

// The shape is computed in the run, but known before it.
void emit_same_elements(Emit& e) {
    const bool held = moves_as_held(e), expands = e.node.is(ops::Expand);
    const Dims& dims = expands ? e.out_dims() : e.in_dims(0);
    const std::string type(held ? e.in_type(0) : e.real_in_type(0)), x = held ? e.in(0) : e.real_in(0);
    e.call(e.source.kernel("copy", {{"A", type}}),
           {x, held ? e.out() : e.real_out(), walk(e, dims, {broadcast_steps(e.in_dims(0), dims), strides_of(dims)}, "elements")});
}

constexpr std::array movement_table{
    EmitRow{Kind::movement, "Reshape", emit_same_elements},
    EmitRow{Kind::movement, "Squeeze", emit_same_elements},
    EmitRow{Kind::movement, "Unsqueeze", emit_same_elements},
    EmitRow{Kind::movement, "Expand", emit_same_elements},
    EmitRow{Kind::movement, "Pad", emit_pad},
    EmitRow{Kind::movement, "Concat", emit_concat},
    EmitRow{Kind::profile, "Concat", emit_concat_codes},
    EmitRow{Kind::movement, "Gather", emit_gather},
};

}  // namespace

void emit_places(Emit& e, const std::string& type, const std::string& x, const std::string& y, const std::vector<int32_t>& places,
                 std::string_view label) {
    const bool zeros = std::ranges::any_of(places, [](int32_t place) { return place < 0; });
    if (const auto strides = zeros ? std::nullopt : strides_in(places)) {
        const auto straight = strides_of(strides->lengths);
        const std::string fn = e.source.kernel("copy", {{"A", type}});
        const std::string from = strides->first == 0 ? x : fmt::format("{} + {}", x, strides->first);
        return e.call(fn, {from, y, walk(e, strides->lengths, {strides->steps, Dims(straight.begin(), straight.end())}, label)});
    }
    std::vector<int64_t> wide(places.begin(), places.end());
    const bool small = !zeros && std::ranges::all_of(places, [](int32_t place) { return place <= UINT16_MAX; });
    const Tensor table = from_ints(small ? DType::u16 : DType::i32, {static_cast<int64_t>(wide.size())}, wide);
    const std::string fn = e.source.kernel(zeros ? "pick_or_zero" : "pick", {{"A", type}, {"I", small ? "uint16_t" : "int32_t"}});
    e.call(fn, {x, y, text_of(static_cast<int64_t>(places.size())), e.source.constant(table, e.label(label))});
}

bool emit_movement(Emit& e) {
    if (e.step.how == StepArithmetic::profile || e.step.unit_out || !places_are_known(e)) return false;
    if (e.node.is(ops::Pad) && e.view.text("mode") == "constant") return false;
    const auto places = places_of(e);
    if (!places) return false;
    const bool held = moves_as_held(e) && !(makes_zeros(e) && e.in_encoding(0));
    for (size_t i = 0; i < places->size(); ++i) {
        if (!e.wants(i)) continue;
        const std::vector<int32_t>& numbers = (*places)[i];
        if (numbers.empty()) continue;
        if (held && is_identity(numbers, e.in_count(0)) && e.f.may_alias(e.out_id(i))) {
            e.f.alias(e.out_id(i), e.in_id(0));
            continue;
        }
        const std::string type(held ? e.in_type(0) : e.real_in_type(0));
        const std::string x = held ? e.in(0) : e.real_in(0);
        emit_places(e, type, x, held ? e.out(i) : e.real_out(i), numbers, "places");
    }
    e.finish();
    return true;
}

std::span<const EmitRow> movement_rows() { return movement_table; }

}  // namespace quern::cgen
