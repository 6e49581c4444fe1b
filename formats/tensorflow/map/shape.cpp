// Shapes, and operators that rearrange.
#include <algorithm>
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/weights_in_codes.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

// A size of 0 is 0, where ONNX copies the dim.
bool reshape(Site& site) {
    const auto dims = site.ints(1);
    const bool plain = dims && std::ranges::all_of(*dims, [](int64_t dim) { return dim > 0; });
    if (plain && (site.constant(0) || is_dequantized(site, site.in(0)))) return give(site, with_shape(site, site.in(0), *dims));
    const bool zero = !dims || std::ranges::count(*dims, 0) > 0;
    Attrs attrs;
    if (zero) attrs["allowzero"] = int64_t{1};
    return give(site, site.add(ops::Reshape, {site.in(0), site.as_i64(1)}, attrs));
}

bool squeeze(Site& site) {
    const Ints axes = site.ints_of(site.has("squeeze_dims") ? "squeeze_dims" : "axis");
    return give(site, axes.empty() ? site.add(ops::Squeeze, {site.in(0)}) : squeezed(site, site.in(0), axes));
}

bool expand_dims(Site& site) {
    const auto axis = site.integer_in(1);
    return axis && give(site, unsqueezed(site, site.in(0), {*axis}));
}

bool transpose(Site& site) {
    const auto order = site.ints(1);
    return order && give(site, with_order(site, site.in(0), *order));
}

bool pack(Site& site) {
    const int64_t axis = site.integer("axis", 0);
    const Values parts = site.ins();
    if (parts.empty()) return false;
    return give(site, parts.size() == 1 ? unsqueezed(site, parts[0], {axis}) : decompose::stacked(site, parts, axis).id);
}

template <bool first>  // the axis is
bool concat(Site& site) {
    const size_t count = site.inputs();
    if (count < 2) throw bad_input("has {} inputs", count);
    const auto axis = site.integer_in(first ? 0 : count - 1);
    return axis && give(site, joined(site, first ? site.ins(1) : site.ins(0, count - 1), *axis));
}

size_t parts_of(Site& site, std::string_view name) {
    const int64_t count = site.integer(name, 0);
    if (count < 1 || count > 1 << 16) throw bad_input("{} is {}", name, count);
    return static_cast<size_t>(count);
}

bool unpack(Site& site) {
    return decompose::bind_result(site, decompose::unstacked(decompose::term(site), parts_of(site, "num"), site.integer("axis", 0)));
}

bool split(Site& site) {
    const auto axis = site.integer_in(0);
    const size_t count = parts_of(site, "num_split");
    if (!axis) return false;
    const Attrs attrs{{"axis", *axis}, {"num_outputs", static_cast<int64_t>(count)}};
    return decompose::bind_result(site, site.add_several(ops::Split, {site.in(1)}, count, attrs));
}

// One size may be -1: what the others leave.
bool split_v(Site& site) {
    const auto given = site.ints(1);
    const auto axis = site.integer_in(2);
    if (!given || !axis || given->empty()) return false;
    const auto sizes = decompose::part_sizes(*given, [&] { return site.dim(0, *axis); });
    if (!sizes) return false;
    const Values in{site.in(0), site.integers(*sizes)};
    return decompose::bind_result(site, site.add_several(ops::Split, in, sizes->size(), {{"axis", *axis}}));
}

bool tile(Site& site) { return give(site, site.add(ops::Tile, {site.in(0), site.as_i64(1)})); }
bool broadcast_to(Site& site) { return give(site, filled(site, site.in(0), site.as_i64(1))); }

// ---- numbers about shapes, int32 unless out_type says otherwise ----

DType counts_as(Site& site) { return site.type("out_type", DType::i32); }

bool shape(Site& site) {
    for (size_t i = 0; i < site.inputs(); ++i) site.out(i, site.cast(shape_of(site, site.in(i)), counts_as(site)));
    return site.inputs() > 0;
}
bool size(Site& site) { return give(site, site.cast(site.add(ops::Size, {site.in(0)}), counts_as(site))); }
bool rank(Site& site) {
    if (site.ranked(0)) return give(site, site.scalar(static_cast<double>(site.rank(0)), DType::i32));
    return give(site, site.cast(site.add(ops::Size, {shape_of(site, site.in(0))}), DType::i32));
}

bool broadcast_args(Site& site) {
    const int64_t a = site.dim(0, 0), b = site.dim(1, 0);
    if (a < 0 || b < 0) return false;
    return give(site, decompose::broadcast_shapes(decompose::term(site, 0), a, decompose::term(site, 1), b));
}

// What passes its operands on, each as it is.
bool pass(Site& site) {
    for (size_t i = 0; i < site.inputs(); ++i) site.out(i, site.in(i));
    return site.inputs() > 0;
}

constexpr std::array shape_table{
    MapRow{"CheckNumerics EnsureShape PlaceholderWithDefault PreventGradient Snapshot StopGradient", "nothing", pass},
    MapRow{"BroadcastArgs", "Where", broadcast_args},
    MapRow{"BroadcastTo", "Expand", broadcast_to},
    MapRow{"Concat", "Concat", concat<true>},
    MapRow{"ConcatV2", "Concat", concat<false>},
    MapRow{"ExpandDims", "Unsqueeze", expand_dims},
    MapRow{"Pack", "Unsqueeze Concat", pack},
    MapRow{"Rank", "Shape Size", rank},
    MapRow{"Reshape", "Reshape", reshape},
    MapRow{"Shape", "Shape", shape},
    MapRow{"ShapeN", "Shape", shape, "output*"},
    MapRow{"Size", "Size", size},
    MapRow{"Split", "Split", split, "output*"},
    MapRow{"SplitV", "Split", split_v, "output*"},
    MapRow{"Squeeze", "Squeeze", squeeze},
    MapRow{"Tile", "Tile", tile},
    MapRow{"ConjugateTranspose Transpose", "Transpose", transpose},
    MapRow{"Unpack", "Split Squeeze", unpack, "output*"},
};

}  // namespace

std::span<const MapRow> shape_rows() { return shape_table; }

}  // namespace quern::tensorflow_format
