// Operators along axes and by index: extremes, running sums, scattering, normalization of groups.
#include <fmt/format.h>

#include <array>

#include "libcore/codegen/c/emit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/shared/image.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::cgen {
namespace {

Lines lines_of(Emit& e) { return {e.in_dims(0), normal_axis(e.view.integer("axis"), e.in_dims(0).size())}; }

// Codes are in the order of their numbers, and no two have one number, whatever float makes of them.
bool has_ordered_codes(Emit& e) {
    const Encoding* encoding = e.in_encoding(0);
    if (!encoding || encoding->is_dynamic() || !encoding->per_tensor() || encoding->min.defined() || bits_of(encoding->storage) > 16)
        return false;
    const float scale = Grid(*encoding).scale;
    return scale > 1e-30f && scale < 1e30f;
}

// The kernel that finds the greatest or least item of a line.
std::string place_kernel(Emit& e, const std::string& type, bool max) {
    const std::string better = fmt::format("item {} held", max ? '>' : '<');
    return e.source.kernel("extreme_place",
                           {{"A", type}, {"BETTER", is_real(type) ? "(item != item ? held == held : " + better + ")" : better}},
                           max ? "greatest" : "least");
}

void emit_arg(Emit& e) {
    const bool max = e.node.is(ops::ArgMax);
    const Lines lines = lines_of(e);
    const bool codes = has_ordered_codes(e);
    const std::string type(codes ? e.in_type(0) : e.real_in_type(0)), x = codes ? e.in(0) : e.real_in(0);
    const std::string fn = e.source.kernel("arg", {{"A", type}, {"PLACE", place_kernel(e, type, max)}}, max ? "greatest" : "least");
    e.call(fn, {x, e.out(), text_of(lines.outer), text_of(lines.length), text_of(lines.inner),
                e.view.integer("select_last_index") != 0 ? "1" : "0"});
}

void emit_hardmax(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    const Lines lines = lines_of(e);
    const std::string x = e.real_in(0), fn = e.source.kernel("hardmax", {{"PLACE", place_kernel(e, "float", true)}});
    e.call(fn, {x, e.real_out(), text_of(lines.outer), text_of(lines.length), text_of(lines.inner)});
}

void emit_top_k(Emit& e) {
    if (!e.constant(1)) throw unsupported("a number of results that is computed in the run");
    const bool largest = e.view.integer("largest") != 0;
    const Lines lines = lines_of(e);
    const int64_t count = to_ints(*e.constant(1))[0];
    const bool codes = has_ordered_codes(e) && (!e.wants(0) || (e.out_encoding() && *e.out_encoding() == *e.in_encoding(0)));
    const std::string type(codes ? e.in_type(0) : e.real_in_type(0)), before = fmt::format("u {} v", largest ? '>' : '<');
    const std::string x = codes ? e.in(0) : e.real_in(0);
    const DType held = type == "float" ? DType::f32 : e.f.held(e.in_id(0));
    const std::string y = !e.wants(0) ? e.f.scratch(held, lines.outer * count * lines.inner) : codes ? e.out(0) : e.real_out(0);
    const std::string places = e.wants(1) ? e.out(1) : e.f.scratch(DType::i64, lines.outer * count * lines.inner);
    const std::string order =
        !is_real(type) ? before : fmt::format("(u != u) != (v != v) ? {} : {}", largest ? "u != u" : "v != v", before);
    const std::string fn = e.source.kernel("top_k", {{"A", type}, {"BEFORE", order}}, largest ? "largest" : "smallest");
    e.call(fn, {x, y, places, text_of(lines.outer), text_of(lines.length), text_of(lines.inner), text_of(count)});
}

// Whole tensors of two values; the second where the index of the axis is that of the first input.
void emit_one_hot(Emit& e) {
    const Lines lines(e.out_dims(), normal_axis(e.view.integer("axis"), e.out_dims().size()));
    const bool from_end = !e.node.attrs.contains(negative_outside_key);
    const std::string fn = e.source.kernel(
        "one_hot", {{"I", std::string(e.real_in_type(0))}, {"A", std::string(e.real_in_type(2))}, {"BELOW", from_end ? "depth" : "0"}},
        from_end ? "" : "outside");
    const std::string which = e.real_in(0), values = e.real_in(2);
    e.call(fn, {which, values, e.real_out(), text_of(lines.outer), text_of(lines.length), text_of(lines.inner)});
}

void emit_cumulate(Emit& e) {
    if (!e.constant(1)) throw unsupported("an axis that is computed in the run");
    const bool sum = e.node.is(ops::CumSum);
    const Dims& dims = e.in_dims(0);
    const Lines lines(dims, normal_axis(to_ints(*e.constant(1))[0], dims.size()));
    const std::string type(e.real_in_type(0)), sign = sum ? "+" : "*", x = e.real_in(0);
    const std::string value = is_real(type) ? "u " + sign + " v" : "(uint64_t)u " + sign + " (uint64_t)v";
    const std::string fn =
        e.source.kernel("cumulate", {{"A", type}, {"START", sum ? "0" : "1"}, {"VALUE", value}}, sum ? "sum" : "product");
    e.call(fn, {x, e.real_out(), text_of(lines.outer), text_of(lines.length), text_of(lines.inner),
                e.view.integer("reverse") != 0 ? "1" : "0", e.view.integer("exclusive") != 0 ? "1" : "0"});
}

// ---- scattering ----------------------------------------------------------------------------------------------------------------

// What becomes of the held item u and the update v.
std::string combined(const std::string& reduction, bool real) {
    if (reduction == "none") return "v";
    if (reduction == "add") return real ? "u + v" : "(uint64_t)u + (uint64_t)v";
    if (reduction == "mul") return real ? "u * v" : "(uint64_t)u * (uint64_t)v";
    const std::string_view sign = reduction == "max" ? ">" : "<";
    return real ? fmt::format("v {} u || v != v ? v : u", sign) : fmt::format("v {} u ? v : u", sign);
}

void emit_scatter(Emit& e) {
    const std::string reduction = e.view.text("reduction");
    const Dims &dims = e.in_dims(0), &which = e.in_dims(1);
    const Encoding *x_codes = e.in_encoding(0), *updates_codes = e.in_encoding(2), *out = e.out_encoding();
    const bool held =
        out && x_codes && updates_codes && *x_codes == *out && *updates_codes == *out && out->per_tensor() && reduction == "none";
    const std::string type(held ? e.in_type(0) : e.real_in_type(0));
    const std::string x = held ? e.in(0) : e.real_in(0), updates = held ? e.in(2) : e.real_in(2), y = held ? e.out() : e.real_out();
    e.source.need_memory();
    e.f.statement(fmt::format("memcpy({}, {}, {} * sizeof({}));", y, x, e.out_count(), type));
    const Words words{{"A", type}, {"I", std::string(e.in_type(1))}, {"VALUE", combined(reduction, is_real(type))}};
    auto strides = strides_of(dims);
    if (e.node.is(ops::ScatterElements)) {
        const size_t axis = normal_axis(e.view.integer("axis"), dims.size());
        const int64_t step = strides[axis];
        strides[axis] = 0;
        const std::string fn = e.source.kernel("scatter_elements", words, reduction);
        return e.call(fn, {y, e.in(1), updates, text_of(dims[axis]), text_of(step), walk(e, which, {strides}, "places")});
    }
    const auto depth = static_cast<size_t>(which.back());
    if (depth > 8) throw unsupported("tuples of {} indices", depth);
    const int64_t tuples = count_of(which) / which.back(), run = count_of(std::span(dims).subspan(depth));
    const std::string fn = e.source.kernel("scatter_slices", words, reduction);
    const std::string shape = walk_as_given(e, Dims(dims.begin(), dims.begin() + static_cast<std::ptrdiff_t>(depth)),
                                            Dims(strides.begin(), strides.begin() + static_cast<std::ptrdiff_t>(depth)), "places");
    e.call(fn, {y, e.in(1), updates, text_of(tuples), text_of(run), shape});
}

// ---- normalization of groups -----------------------------------------------------------------------------------------------------

void emit_group_norm(Emit& e) {
    if (e.real_in_type(0) != "float") throw unsupported("elements of type {}", e.real_in_type(0));
    if (channels_last(e.view)) throw unsupported("channels last");
    const Dims& dims = e.in_dims(0);
    const int64_t groups = e.node.is(ops::GroupNormalization) ? e.view.integer("num_groups") : dims[1];
    const std::string x = e.real_in(0), scale = e.real_in(1), bias = e.real_in(2);
    const std::string fn = e.source.kernel("group_norm", {{"sqrt", e.math("sqrt")}});
    e.call(fn, {x, scale, bias, e.real_out(), text_of(dims[0]), text_of(dims[1]), text_of(e.in_count(0) / (dims[0] * dims[1])),
                text_of(groups), c_double(static_cast<double>(e.view.real("epsilon")))});
}

constexpr std::array select_table{
    EmitRow{Kind::real, "ArgMax", emit_arg},
    EmitRow{Kind::real, "ArgMin", emit_arg},
    EmitRow{Kind::real, "Hardmax", emit_hardmax},
    EmitRow{Kind::real, "TopK", emit_top_k},
    EmitRow{Kind::real, "OneHot", emit_one_hot},
    EmitRow{Kind::real, "CumSum", emit_cumulate},
    EmitRow{Kind::real, "CumProd", emit_cumulate},
    EmitRow{Kind::real, "ScatterElements", emit_scatter},
    EmitRow{Kind::real, "ScatterND", emit_scatter},
    EmitRow{Kind::real, "InstanceNormalization", emit_group_norm},
    EmitRow{Kind::real, "GroupNormalization", emit_group_norm},
};

}  // namespace

std::span<const EmitRow> select_rows() { return select_table; }

}  // namespace quern::cgen
