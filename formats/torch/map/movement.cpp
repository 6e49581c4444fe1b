// Operators that copy elements to other places, and casts.
#include <algorithm>
#include <array>

#include "formats/torch/map/map.h"
#include "libcore/passes/decompose/movement.h"

namespace quern::torch_format {
namespace {

bool copy(Site& site) {
    site.bind(site.in("self"));
    return true;
}

// What is written into a tensor takes its type and shape.
bool copy_into(Site& site) {
    const ValueId source = site.in_as("src", site.dtype("self"));
    site.result(ops::Expand, {source, site.add(ops::Shape, {site.in("self")})});
    return true;
}
template <bool zero>
bool fill(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId item = zero ? site.scalar(int64_t{0}, dtype, "zero") : site.in_as("value", dtype);
    site.result(ops::Expand, {item, site.add(ops::Shape, {site.in("self")})});
    return true;
}

// To bool: whatever is not 0.
bool cast(Site& site) {
    site.result_as(site.in("self"), site.dtype("self"));
    return true;
}

bool view_dtype(Site& site) {
    site.result(ops::BitCast, {site.in("self")}, {{"to", onnx_type(site.out_meta().dtype)}});
    return true;
}

// Operands become what the result is. `pass_over`: but empty ones of rank 1, as PyTorch does beside others of another rank.
Values same_dtype(Site& site, bool pass_over = false) {
    const DType dtype = site.out_meta().dtype;
    const size_t rank = site.out_meta().shape.rank();
    Values in;
    for (const Argument& item : site.need("tensors").items) {
        const Shape& shape = site.meta(item).shape;
        if (pass_over && shape.rank() == 1 && rank != 1 && shape.dims[0] == Dim::of(0)) continue;
        in.push_back(site.in_as(item, dtype));
    }
    return in;
}

bool cat(Site& site) {
    site.result(ops::Concat, same_dtype(site, true), {{"axis", site.axis("dim", site.out_meta().shape.rank(), 0)}});
    return true;
}
bool stack(Site& site) {
    const int64_t axis = site.axis("dim", site.out_meta().shape.rank(), 0);
    site.made(decompose::stacked(site, same_dtype(site), axis));
    return true;
}
bool hstack(Site& site) {
    const size_t rank = site.out_meta().shape.rank();
    site.result(ops::Concat, same_dtype(site), {{"axis", int64_t{rank > 1}}});
    return true;
}

// There may be more repeats than dims.
bool repeat(Site& site) {
    const std::string_view name = site.has("repeats") ? "repeats" : "dims";
    const Argument& repeats = site.need(name);
    const size_t rank = site.rank("self");
    ValueId x = site.in("self");
    Argument padded = repeats;
    if (repeats.items.size() > rank) {
        Ints axes;
        for (size_t i = rank; i < repeats.items.size(); ++i) axes.push_back(static_cast<int64_t>(i - rank));
        x = site.add(ops::Unsqueeze, {x, site.integers(axes, "axes")});
    }
    while (padded.items.size() < rank) {
        Argument one;
        one.kind = Argument::Kind::integer;
        one.integer = 1;
        padded.items.insert(padded.items.begin(), one);
    }
    site.result(ops::Tile, {x, site.sizes(padded)});
    return true;
}

// Each element several times beside itself.
bool repeat_interleave(Site& site) {
    if (site.is_tensor("repeats")) return false;
    const auto times = site.ints("repeats");
    if (!times) return false;
    const size_t rank = site.rank("self");
    ValueId x = site.in("self");
    int64_t axis = 0;
    if (site.has("dim") && rank > 0)
        axis = site.axis("dim", rank, 0);
    else
        x = site.reshape(x, {-1});
    const size_t own = site.has("dim") ? rank : 1;
    const ValueId apart = site.add(ops::Unsqueeze, {x, site.integers({axis + 1}, "axis")});
    Ints repeats(own + 1, 1);
    repeats[static_cast<size_t>(axis) + 1] = (*times)[0];
    const ValueId tiled = site.add(ops::Tile, {apart, site.integers(repeats, "repeats")});
    Ints dims(own, 0);
    dims[static_cast<size_t>(axis)] = -1;
    // dims behind the axis have moved by one, which 0 would not find
    if (static_cast<size_t>(axis) + 1 == own) {
        site.result(ops::Reshape, {tiled, site.integers(dims, "shape")});
        return true;
    }
    for (size_t i = 0; i < own; ++i) {
        if (i == static_cast<size_t>(axis)) continue;
        dims[i] = site.dim("self", static_cast<int64_t>(i));
        if (dims[i] < 0 && i > static_cast<size_t>(axis)) return false;
        if (dims[i] < 0) dims[i] = 0;
    }
    site.result(ops::Reshape, {tiled, site.integers(dims, "shape")});
    return true;
}

bool reverse(Site& site, const Ints& axes) {
    site.made(decompose::reversed({&site, site.in("self")}, axes));
    return true;
}
bool flip(Site& site) { return reverse(site, site.axes("dims", site.rank("self"), false)); }
template <int64_t axis>
bool flip_along(Site& site) {
    return reverse(site, {axis});
}

bool roll(Site& site) {
    const auto shifts = site.ints("shifts");
    if (!shifts) return false;
    const Ints axes = site.axes("dims", site.rank("self"), false);
    const bool flat = axes.empty();
    if (!flat && axes.size() != shifts->size()) throw bad_input("has {} shifts for {} dims", shifts->size(), axes.size());
    ValueId x = flat ? site.reshape(site.in("self"), {-1}) : site.in("self");
    for (size_t i = 0; i < shifts->size(); ++i) {
        const int64_t axis = flat ? 0 : axes[i];
        int64_t length = flat ? 1 : site.dim("self", axis);
        for (size_t d = 0; flat && d < site.rank("self"); ++d) {
            const int64_t own = site.dim("self", static_cast<int64_t>(d));
            length = own < 0 || own > INT32_MAX || length < 0 || length > INT32_MAX ? -1 : length * own;
        }
        if (length < 0) return false;
        x = decompose::rolled({&site, x}, (*shifts)[i], axis, length);
    }
    if (flat)
        site.result(ops::Reshape, {x, site.add(ops::Shape, {site.in("self")})});
    else
        site.bind(x);
    return true;
}

template <bool upper>
bool triangle(Site& site) {
    site.result(ops::Trilu, {site.in("self"), site.scalar(site.integer("diagonal", 0), DType::i64, "k")}, {{"upper", int64_t{upper}}});
    return true;
}

// Pads are said from the last dim on: [left, right, top, bottom, ...].
bool pad(Site& site, const std::string& mode) {
    const Argument& list = site.need(site.has("pad") ? "pad" : "padding");
    const size_t rank = site.rank("self"), padded = list.items.size() / 2;
    if (padded > rank) throw bad_input("pads {} of {} dims", padded, rank);
    const std::string ours = mode == "replicate" ? "edge" : mode == "circular" ? "wrap" : mode;
    Argument ordered;
    ordered.kind = Argument::Kind::list;
    for (const size_t side : {size_t{0}, size_t{1}})
        for (size_t i = padded; i-- > 0;) ordered.items.push_back(list.items[2 * i + side]);
    Ints axes;
    for (size_t i = rank - padded; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
    const DType dtype = site.dtype("self");
    const ValueId value = ours != "constant"  ? ValueId::none
                          : site.has("value") ? site.in_as("value", dtype)
                                              : site.scalar(int64_t{0}, dtype, "value");
    site.result(ops::Pad, {site.in("self"), site.sizes(ordered), value, site.integers(axes, "axes")}, {{"mode", ours}});
    return true;
}

bool pad_as_said(Site& site) { return pad(site, site.word("mode", "constant")); }

constexpr std::string_view reflect = "reflect", replicate = "replicate", circular = "circular";
template <const std::string_view& mode>
bool pad_by(Site& site) {
    return pad(site, std::string(mode));
}

bool pixel_shuffle(Site& site) {
    site.result(ops::DepthToSpace, {site.in("self")}, {{"blocksize", site.integer("upscale_factor")}, {"mode", std::string("CRD")}});
    return true;
}

// Channels of one place of all blocks come one after the other.
bool pixel_unshuffle(Site& site) {
    const int64_t block = site.integer("downscale_factor");
    Ints dims;
    for (int64_t i = 0; i < 4; ++i) dims.push_back(site.rank("self") == 4 ? site.dim("self", i) : -1);
    if (std::ranges::any_of(std::span(dims).subspan(1), [](int64_t dim) { return dim < 0; }) || block < 1 || block > 4096 ||
        dims[2] % block || dims[3] % block)
        return false;
    const Ints apart{-1, dims[1], dims[2] / block, block, dims[3] / block, block},
        together{-1, dims[1] * block * block, dims[2] / block, dims[3] / block};
    site.made(decompose::regrouped({&site, site.in("self")}, apart, {0, 1, 3, 5, 2, 4}, together));
    return true;
}

bool channel_shuffle(Site& site) {
    const int64_t groups = site.integer("groups"), channels = site.dim("self", 1);
    Ints dims;
    for (size_t i = 2; i < site.rank("self"); ++i) dims.push_back(site.dim("self", static_cast<int64_t>(i)));
    if (channels < 0 || groups < 1 || channels % groups || std::ranges::any_of(dims, [](int64_t dim) { return dim < 0; })) return false;
    Ints apart{-1, groups, channels / groups}, together{-1, channels}, order{0, 2, 1};
    for (size_t i = 0; i < dims.size(); ++i) {
        apart.push_back(dims[i]);
        together.push_back(dims[i]);
        order.push_back(static_cast<int64_t>(i) + 3);
    }
    site.made(decompose::regrouped({&site, site.in("self")}, apart, order, together));
    return true;
}

constexpr std::array movement_table{
    MapRow{"aten.clone aten.contiguous aten.lift_fresh_copy aten.detach_copy aten.alias_copy aten._conj aten.resolve_conj aten.resolve_neg",
           "nothing", copy},
    MapRow{"aten.copy", "Cast Expand", copy_into},
    MapRow{"aten.fill", "Expand", fill<false>},
    MapRow{"aten.zero", "Expand", fill<true>},
    MapRow{"aten.to aten.type_as aten._to_copy dim_order_ops._to_dim_order_copy aten._autocast_to_full_precision "
           "aten._autocast_to_reduced_precision",
           "Cast", cast},
    MapRow{"aten.view.dtype", "BitCast", view_dtype},
    MapRow{"aten.cat aten.concat aten.concatenate", "Concat", cat},
    MapRow{"aten.stack", "Unsqueeze Concat", stack},
    MapRow{"aten.hstack", "Concat", hstack},
    MapRow{"aten.repeat aten.tile", "Unsqueeze Tile", repeat},
    MapRow{.names = "aten.repeat_interleave",
           .ops = "Unsqueeze Tile Reshape",
           .rewrite = repeat_interleave,
           .limits = "counts for each element, dims behind the repeated one that are not fixed"},
    MapRow{"aten.flip", "Slice", flip},
    MapRow{"aten.flipud", "Slice", flip_along<0>},
    MapRow{"aten.fliplr", "Slice", flip_along<1>},
    MapRow{.names = "aten.roll", .ops = "Slice Concat", .rewrite = roll, .limits = "dims that are not fixed, shifts that are computed"},
    MapRow{"aten.tril", "Trilu", triangle<false>},
    MapRow{"aten.triu", "Trilu", triangle<true>},
    MapRow{"aten.pad aten.constant_pad_nd", "Pad", pad_as_said},
    MapRow{"aten.reflection_pad1d aten.reflection_pad2d aten.reflection_pad3d", "Pad", pad_by<reflect>},
    MapRow{"aten.replication_pad1d aten.replication_pad2d aten.replication_pad3d", "Pad", pad_by<replicate>},
    MapRow{"aten._pad_circular", "Pad", pad_by<circular>},
    MapRow{"aten.pixel_shuffle", "DepthToSpace", pixel_shuffle},
    MapRow{.names = "aten.pixel_unshuffle",
           .ops = "Reshape Transpose",
           .rewrite = pixel_unshuffle,
           .limits = "ranks other than 4, dims that are not fixed"},
    MapRow{.names = "aten.channel_shuffle aten.native_channel_shuffle",
           .ops = "Reshape Transpose",
           .rewrite = channel_shuffle,
           .limits = "dims that are not fixed"},
};

}  // namespace

std::span<const MapRow> movement_rows() { return movement_table; }

}  // namespace quern::torch_format
