// Operators whose result shows its operand's elements where they are: what is written into one is seen in the other.
#include <algorithm>
#include <array>
#include <limits>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/movement.h"

namespace quern::torch_format {
namespace {

constexpr int64_t end = std::numeric_limits<int64_t>::max();

bool same(Site& site) {
    site.bind(site.in("self"));
    return true;
}
ValueId same_back(Site&, ValueId, ValueId shown) { return shown; }

// ---- another shape of the same elements ----

void to_shape(Site& site, ValueId shape, bool zeros) {
    Attrs attrs;
    if (zeros) attrs["allowzero"] = int64_t{1};
    site.result(ops::Reshape, {site.in("self"), shape}, attrs);
}

bool view(Site& site) {
    const Argument& size = site.need(site.has("size") ? "size" : "shape");
    const auto known = site.ints(site.has("size") ? "size" : "shape");
    to_shape(site, site.sizes(size), known && std::ranges::count(*known, 0) > 0);
    return true;
}
bool view_as(Site& site) {
    to_shape(site, site.add(ops::Shape, {site.in("other")}), true);
    return true;
}

// A shape with the dims before `from` and behind `to` as they are, and `middle` between.
ValueId shape_around(Site& site, size_t from, size_t to, ValueId middle) {
    const ValueId shape = site.add(ops::Shape, {site.in("self")});
    Values parts;
    const auto slice = [&](int64_t first, int64_t last) {
        return site.add(ops::Slice, {shape, site.integers({first}, "starts"), site.integers({last}, "ends"), site.integers({0}, "axes")});
    };
    if (from > 0) parts.push_back(slice(0, static_cast<int64_t>(from)));
    parts.push_back(middle);
    if (to + 1 < site.rank("self")) parts.push_back(slice(static_cast<int64_t>(to) + 1, end));
    return parts.size() == 1 ? parts[0] : site.add(ops::Concat, parts, {{"axis", int64_t{0}}});
}

// Dims that are known are said as numbers; 0 stands for a dim of the operand at its place.
std::optional<Ints> known_around(const Site& site, size_t from, size_t to, const Ints& middle) {
    const Shape& shape = site.shape("self");
    Ints dims;
    for (size_t i = 0; i < from; ++i) dims.push_back(shape.dims[i].known() && shape.dims[i].value != 0 ? shape.dims[i].value : 0);
    dims.insert(dims.end(), middle.begin(), middle.end());
    for (size_t i = to + 1; i < shape.rank(); ++i) {
        if (!shape.dims[i].known() || shape.dims[i].value == 0) return std::nullopt;
        dims.push_back(shape.dims[i].value);
    }
    return dims;
}

bool flatten(Site& site) {
    const size_t rank = site.rank("self");
    if (rank == 0) {
        to_shape(site, site.integers({1}, "shape"), false);
        return true;
    }
    const auto from = static_cast<size_t>(site.axis("start_dim", rank, 0)), to = static_cast<size_t>(site.axis("end_dim", rank, -1));
    const auto dims = known_around(site, from, to, {-1});
    to_shape(site, dims ? site.integers(*dims, "shape") : shape_around(site, from, to, site.integers({-1}, "all")), false);
    return true;
}

bool unflatten(Site& site) {
    const auto axis = static_cast<size_t>(site.axis("dim", site.rank("self"), 0));
    const auto sizes = site.ints("sizes");
    const auto dims = sizes ? known_around(site, axis, axis, *sizes) : std::nullopt;
    to_shape(site, dims ? site.integers(*dims, "shape") : shape_around(site, axis, axis, site.sizes(site.need("sizes"))), false);
    return true;
}

// Dims of another length than 1 stay.
template <bool all>
bool squeeze(Site& site) {
    const size_t rank = site.rank("self");
    Ints axes;
    for (const int64_t axis : site.axes("dim", rank, all))
        if (rank > 0 && site.dim("self", axis) == 1) axes.push_back(axis);
    if (axes.empty())
        site.bind(site.in("self"));
    else
        site.result(ops::Squeeze, {site.in("self"), site.integers(axes, "axes")});
    return true;
}
bool unsqueeze(Site& site) {
    site.result(ops::Unsqueeze, {site.in("self"), site.integers({site.axis("dim", site.rank("self") + 1, 0)}, "axes")});
    return true;
}

ValueId reshape_back(Site& site, ValueId base, ValueId shown) {
    return site.add(ops::Reshape, {shown, site.add(ops::Shape, {base})}, {{"allowzero", int64_t{1}}});
}

// ---- another order of dims ----

using OrderOf = Ints(const Site& site);

Ints as_they_are(const Site& site) {
    Ints order;
    for (size_t i = 0; i < site.rank("self"); ++i) order.push_back(static_cast<int64_t>(i));
    return order;
}
Ints given_order(const Site& site) { return site.axes("dims", site.rank("self"), false); }
Ints opposite_order(const Site& site) {
    Ints order = as_they_are(site);
    std::ranges::reverse(order);
    return order;
}
// Of matrices; of a vector or a number nothing.
Ints last_two_swapped(const Site& site) { return decompose::last_two_swapped(site.rank("self")); }
Ints two_swapped(const Site& site) {
    const size_t rank = site.rank("self");
    const std::string_view first = site.has("dim0") ? "dim0" : "axis0", second = site.has("dim1") ? "dim1" : "axis1";
    Ints order = as_they_are(site);
    if (rank > 0) std::swap(order[static_cast<size_t>(site.axis(first, rank, 0))], order[static_cast<size_t>(site.axis(second, rank, 0))]);
    return order;
}

Ints moved_order(const Site& site) {
    const size_t rank = site.rank("self");
    const Ints from = site.axes("source", rank, false), to = site.axes("destination", rank, false);
    if (from.size() != to.size()) throw bad_input("moves {} dims to {} places", from.size(), to.size());
    Ints order(rank, -1), rest;
    for (size_t i = 0; i < from.size(); ++i) order[static_cast<size_t>(to[i])] = from[i];
    for (size_t i = 0; i < rank; ++i)
        if (std::ranges::find(from, static_cast<int64_t>(i)) == from.end()) rest.push_back(static_cast<int64_t>(i));
    if (std::ranges::count(order, -1) != std::ssize(rest)) throw bad_input("moves two dims from or to one place");
    size_t next = 0;
    for (int64_t& place : order)
        if (place < 0) place = rest[next++];
    return order;
}

template <OrderOf* order_of>
bool permute(Site& site) {
    const Ints perm = order_of(site);
    if (std::ranges::is_sorted(perm))
        site.bind(site.in("self"));
    else
        site.result(ops::Transpose, {site.in("self")}, {{"perm", perm}});
    return true;
}
template <OrderOf* order_of>
ValueId permute_back(Site& site, ValueId, ValueId shown) {
    const Ints perm = order_of(site);
    Ints back(perm.size());
    for (size_t i = 0; i < perm.size(); ++i) back[static_cast<size_t>(perm[i])] = static_cast<int64_t>(i);
    return site.add(ops::Transpose, {shown}, {{"perm", back}});
}

// ---- parts ----

ValueId bound(Site& site, std::string_view name, int64_t fallback) {
    return site.has(name) ? site.sizes(site.need(name)) : site.integers({fallback}, name);
}

bool slice(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    site.result(ops::Slice,
                {site.in("self"), bound(site, "start", 0), bound(site, "end", end), site.integers({axis}, "axes"), bound(site, "step", 1)});
    return true;
}

bool narrow(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    const ValueId start = bound(site, "start", 0), stop = site.add(ops::Add, {start, site.sizes(site.need("length"))});
    site.result(ops::Slice, {site.in("self"), start, stop, site.integers({axis}, "axes")});
    return true;
}

bool select(Site& site) {
    site.result(ops::Gather, {site.in("self"), site.as_value(site.number(site.need("index")))},
                {{"axis", site.axis("dim", site.rank("self"), 0)}});
    return true;
}

// `base` with what stands from `start` to `stop` along an axis in place of what it has there.
ValueId with_part(Site& site, ValueId base, ValueId part, int64_t axis, int64_t start, int64_t stop) {
    const auto slice = [&](int64_t from, int64_t to) {
        return site.add(ops::Slice, {base, site.integers({from}, "starts"), site.integers({to}, "ends"), site.integers({axis}, "axes")});
    };
    Values parts;
    if (start != 0) parts.push_back(slice(0, start));
    parts.push_back(part);
    if (stop != end) parts.push_back(slice(stop, end));
    return parts.size() == 1 ? part : site.add(ops::Concat, parts, {{"axis", axis}});
}

// Bounds that numpy lets lie outside are brought inside where the length is known; nullopt: they are computed, or of a step.
std::optional<std::pair<int64_t, int64_t>> bounds_of(const Site& site, int64_t axis) {
    const auto start = site.has("start") ? site.ints("start") : Ints{0}, stop = site.has("end") ? site.ints("end") : Ints{end};
    const auto step = site.has("step") ? site.ints("step") : Ints{1};
    if (!start || !stop || !step || (*step)[0] != 1) return std::nullopt;
    const int64_t length = site.dim("self", axis);
    int64_t from = (*start)[0], to = (*stop)[0];
    if (length >= 0) {
        from = std::clamp<int64_t>(from < 0 ? from + length : from, 0, length);
        to = std::clamp<int64_t>(to < 0 ? to + length : to, from, length);
        if (to == length) to = end;
    }
    return std::pair(from, to);
}

ValueId slice_back(Site& site, ValueId base, ValueId shown) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    const auto bounds = bounds_of(site, axis);
    return bounds ? with_part(site, base, shown, axis, bounds->first, bounds->second) : ValueId::none;
}
ValueId select_back(Site& site, ValueId base, ValueId shown) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    const Number index = site.number(site.need("index"));
    if (!index.known || *index.known == end) return ValueId::none;
    const ValueId part = site.add(ops::Unsqueeze, {shown, site.integers({axis}, "axis")});
    return with_part(site, base, part, axis, *index.known, *index.known == -1 ? end : *index.known + 1);
}

// The functional forms: a copy with one part another.
bool slice_scatter(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    const auto bounds = bounds_of(site, axis);
    if (!bounds) return false;
    site.bind(with_part(site, site.in("self"), site.in("src"), axis, bounds->first, bounds->second));
    return true;
}
bool select_scatter(Site& site) {
    if (!site.number(site.need("index")).known) return false;
    site.bind(select_back(site, site.in("self"), site.in("src")));
    return true;
}

bool expand(Site& site) {
    const size_t rank = site.rank("self");
    if (site.has("other")) {
        site.result(ops::Expand, {site.in("self"), site.add(ops::Shape, {site.in("other")})});
        return true;
    }
    Argument size = site.need("size");
    for (Argument& item : size.items)
        if (item.kind == Argument::Kind::integer && item.integer == -1) item.integer = 1;  // the dim as it is
    if (size.items.size() < rank) throw bad_input("expands {} dims to {}", rank, size.items.size());
    site.result(ops::Expand, {site.in("self"), site.sizes(size)});
    return true;
}

bool parts(Site& site, const Values& in, Attrs attrs) {
    Values out;
    for (size_t i = 0; i < site.out_count(); ++i) out.push_back(site.out_value(i));
    if (out.empty()) throw bad_input("has no parts");
    site.put(ops::Split, in, out, std::move(attrs));
    return true;
}

bool split_sizes(Site& site) {
    const auto sizes = site.ints("split_sizes");
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    if (sizes && sizes->size() == 1) {
        site.bind(site.in("self"));
        return true;
    }
    return parts(site, {site.in("self"), site.sizes(site.need("split_sizes"))}, {{"axis", axis}});
}

// Parts of one size, the last of what is left: as long as the file says they are.
bool split_along(Site& site, int64_t axis) {
    if (site.out_count() == 1) {
        site.bind(site.in("self"));
        return true;
    }
    Ints sizes;
    for (size_t i = 0; i < site.out_count(); ++i) {
        const Dim& dim = site.out_meta(i).shape.dims[static_cast<size_t>(axis)];
        if (!dim.known()) return parts(site, {site.in("self")}, {{"axis", axis}, {"num_outputs", static_cast<int64_t>(site.out_count())}});
        sizes.push_back(dim.value);
    }
    return parts(site, {site.in("self"), site.integers(sizes, "sizes")}, {{"axis", axis}});
}

bool split(Site& site) { return split_along(site, site.axis("dim", site.rank("self"), 0)); }
template <int64_t axis>
bool split_across(Site& site) {
    return split_along(site, axis);
}
bool split_columns(Site& site) { return split_along(site, site.rank("self") > 1 ? 1 : 0); }

bool unbind(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    for (size_t i = 0; i < site.out_count(); ++i)
        site.result(ops::Gather, {site.in("self"), site.scalar(static_cast<int64_t>(i), DType::i64, "index")}, {{"axis", axis}}, i);
    return true;
}

template <OrderOf* order_of>
constexpr MapRow order_row(std::string_view names) {
    return {.names = names, .ops = "Transpose", .rewrite = permute<order_of>, .write_back = permute_back<order_of>, .view = true};
}
constexpr std::array views_table{
    MapRow{.names = "aten.alias aten.detach aten.lift_fresh aten.positive aten.real aten.conj_physical",
           .ops = "nothing",
           .rewrite = same,
           .write_back = same_back,
           .view = true},
    MapRow{.names = "aten.view aten.reshape aten._unsafe_view aten._reshape_alias",
           .ops = "Reshape",
           .rewrite = view,
           .write_back = reshape_back,
           .view = true},
    MapRow{.names = "aten.view_as aten.reshape_as", .ops = "Shape Reshape", .rewrite = view_as, .write_back = reshape_back, .view = true},
    MapRow{.names = "aten.flatten aten.ravel", .ops = "Reshape", .rewrite = flatten, .write_back = reshape_back, .view = true},
    MapRow{.names = "aten.unflatten", .ops = "Reshape", .rewrite = unflatten, .write_back = reshape_back, .view = true},
    MapRow{.names = "aten.squeeze.default", .ops = "Squeeze", .rewrite = squeeze<true>, .write_back = reshape_back, .view = true},
    MapRow{.names = "aten.squeeze", .ops = "Squeeze", .rewrite = squeeze<false>, .write_back = reshape_back, .view = true},
    MapRow{.names = "aten.unsqueeze", .ops = "Unsqueeze", .rewrite = unsqueeze, .write_back = reshape_back, .view = true},
    order_row<given_order>("aten.permute"),
    order_row<two_swapped>("aten.transpose aten.swapaxes aten.swapdims"),
    order_row<moved_order>("aten.movedim aten.moveaxis"),
    order_row<last_two_swapped>("aten.mT aten.mH aten.matrix_H aten.adjoint"),
    order_row<opposite_order>("aten.t aten.numpy_T"),
    MapRow{.names = "aten.slice", .ops = "Slice", .rewrite = slice, .write_back = slice_back, .view = true},
    MapRow{.names = "aten.narrow", .ops = "Slice", .rewrite = narrow, .view = true},
    MapRow{.names = "aten.select", .ops = "Gather", .rewrite = select, .write_back = select_back, .view = true},
    MapRow{.names = "aten.slice_scatter",
           .ops = "Slice Concat",
           .rewrite = slice_scatter,
           .limits = "steps other than 1, bounds that are computed"},
    MapRow{
        .names = "aten.select_scatter", .ops = "Slice Unsqueeze Concat", .rewrite = select_scatter, .limits = "an index that is computed"},
    MapRow{.names = "aten.expand aten.expand_as aten.broadcast_to", .ops = "Expand", .rewrite = expand, .view = true},
    MapRow{.names = "aten.split_with_sizes aten.unsafe_split_with_sizes aten.split.sizes",
           .ops = "Split",
           .rewrite = split_sizes,
           .view = true},
    MapRow{.names = "aten.split aten.chunk aten.tensor_split aten.unsafe_split aten.unsafe_chunk",
           .ops = "Split",
           .rewrite = split,
           .view = true},
    MapRow{.names = "aten.vsplit", .ops = "Split", .rewrite = split_across<0>, .view = true},
    MapRow{.names = "aten.hsplit", .ops = "Split", .rewrite = split_columns, .view = true},
    MapRow{.names = "aten.dsplit", .ops = "Split", .rewrite = split_across<2>, .view = true},
    MapRow{.names = "aten.unbind", .ops = "Gather", .rewrite = unbind, .view = true},
};

}  // namespace

std::span<const MapRow> view_rows() { return views_table; }

}  // namespace quern::torch_format
