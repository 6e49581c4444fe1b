// Shapes, and operators that rearrange.
#include <algorithm>
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "formats/tensorflow/map/weights_in_codes.h"

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
    return give(site, site.add(ops::Reshape, {site.in(0), as_i64(site, 1)}, attrs));
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
    Values parts;
    for (const ValueId part : site.ins()) parts.push_back(unsqueezed(site, part, {axis}));
    return !parts.empty() && give(site, joined(site, parts, axis));
}

template <bool first>  // the axis is
bool concat(Site& site) {
    const size_t count = site.inputs();
    if (count < 2) throw bad_input("has {} inputs", count);
    const auto axis = site.integer_in(first ? 0 : count - 1);
    return axis && give(site, joined(site, first ? site.ins(1) : site.ins(0, count - 1), *axis));
}

bool give_all(Site& site, const Values& values) {
    for (size_t i = 0; i < values.size(); ++i) site.out(i, values[i]);
    return true;
}

size_t parts_of(Site& site, std::string_view name) {
    const int64_t count = site.integer(name, 0);
    if (count < 1 || count > 1 << 16) throw bad_input("{} is {}", name, count);
    return static_cast<size_t>(count);
}

bool unpack(Site& site) {
    const int64_t axis = site.integer("axis", 0);
    const size_t count = parts_of(site, "num");
    Values parts = site.add_several(ops::Split, {site.in(0)}, count, {{"axis", axis}, {"num_outputs", static_cast<int64_t>(count)}});
    for (ValueId& part : parts) part = squeezed(site, part, {axis});
    return give_all(site, parts);
}

bool split(Site& site) {
    const auto axis = site.integer_in(0);
    const size_t count = parts_of(site, "num_split");
    if (!axis) return false;
    return give_all(site,
                    site.add_several(ops::Split, {site.in(1)}, count, {{"axis", *axis}, {"num_outputs", static_cast<int64_t>(count)}}));
}

// One size may be -1: what the others leave.
bool split_v(Site& site) {
    auto sizes = site.ints(1);
    const auto axis = site.integer_in(2);
    if (!sizes || !axis || sizes->empty()) return false;
    if (const auto open = std::ranges::find(*sizes, -1); open != sizes->end()) {
        const int64_t all = site.dim(0, *axis);
        if (all < 0) return false;
        int64_t rest = all;
        for (const int64_t size : *sizes) {
            if (size > rest || size < -1) throw bad_input("splits {} into {}", all, to_string(*sizes));
            rest -= std::max<int64_t>(size, 0);
        }
        *open = rest;
    }
    return give_all(site, site.add_several(ops::Split, {site.in(0), site.integers(*sizes)}, sizes->size(), {{"axis", *axis}}));
}

bool tile(Site& site) { return give(site, site.add(ops::Tile, {site.in(0), as_i64(site, 1)})); }
bool broadcast_to(Site& site) { return give(site, filled(site, site.in(0), as_i64(site, 1))); }

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

// Two shapes, broadcast together.
bool broadcast_args(Site& site) {
    const int64_t a = site.dim(0, 0), b = site.dim(1, 0), longer = std::max(a, b);
    if (a < 0 || b < 0) return false;
    const ValueId one = site.scalar(1, site.dtype(0));
    const auto widened = [&](size_t i, int64_t length) {
        return length == longer ? site.in(i) : site.add(ops::Pad, {site.in(i), site.integers({longer - length, 0}), one});
    };
    const ValueId left = widened(0, a), right = widened(1, b);
    return give(site, site.add(ops::Where, {site.add(ops::Equal, {left, one}), right, left}));
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
