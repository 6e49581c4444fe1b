// Operators that rearrange.
#include <algorithm>
#include <array>

#include "formats/shared/blocks.h"
#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/index.h"

namespace quern::tflite_format {
namespace {

// int64 results are cast to what the file says.
void result_as_declared(Site& site, ValueId numbers, size_t out = 0) {
    const DType dtype = type_of(site.out_tensor(out)).dtype;
    site.put(ops::Cast, {numbers}, {site.out_value(out)}, {{"to", onnx_type(dtype)}});
}

bool reshape(Site& site) {
    Attrs attrs;
    const auto option = site.list("new_shape");
    const auto dims = site.has(1) ? site.ints(1) : option;
    if (!site.has(1) && !option) return false;
    // Old files write a scalar as [0].
    const bool scalar = !site.has(1) && *option == Ints{0};
    const ValueId shape = scalar ? site.integers({}, "shape") : dims ? site.integers(*dims, "shape") : site.as_i64(1);
    if (!scalar && dims && std::count(dims->begin(), dims->end(), 0) > 0) attrs["allowzero"] = int64_t{1};
    site.result(ops::Reshape, {site.in(0), shape}, attrs);
    return true;
}

bool transpose(Site& site) {
    const auto order = site.axes(1, site.rank(0));
    if (!order) return false;
    site.result(ops::Transpose, {site.in(0)}, {{"perm", *order}});
    return true;
}

bool squeeze(Site& site) {
    const auto axes = site.list("squeeze_dims");
    Values in{site.in(0)};
    if (axes && !axes->empty()) in.push_back(site.integers(*axes, "axes"));
    site.result(ops::Squeeze, in);
    return true;
}

bool expand_dims(Site& site) {
    const auto axis = site.ints(1);
    if (!axis || axis->size() != 1) return false;
    site.result(ops::Unsqueeze, {site.in(0), site.integers(*axis, "axes")});
    return true;
}

bool concatenation(Site& site) {
    site.result(ops::Concat, site.ins(), {{"axis", site.integer("axis")}});
    return true;
}

bool pack(Site& site) {
    const int64_t axis = site.integer("axis");
    const ValueId axes = site.integers({axis}, "axes");
    Values parts;
    for (size_t i = 0; i < site.in_count(); ++i) parts.push_back(site.add(ops::Unsqueeze, {site.in(i), axes}));
    site.result(ops::Concat, parts, {{"axis", axis}});
    return true;
}

bool unpack(Site& site) {
    const int64_t axis = site.integer("axis");
    const ValueId axes = site.integers({axis}, "axes");
    Values parts;
    for (size_t i = 0; i < site.out_count(); ++i) parts.push_back(site.value(ops::Split.name));
    if (parts.empty()) return false;
    site.put(ops::Split, {site.in(0)}, parts, {{"axis", axis}, {"num_outputs", static_cast<int64_t>(parts.size())}});
    for (size_t i = 0; i < parts.size(); ++i) site.put(ops::Squeeze, {parts[i], axes}, {site.out_value(i)});
    return true;
}

Values all_outputs(Site& site) {
    Values out;
    for (size_t i = 0; i < site.out_count(); ++i) out.push_back(site.out_value(i));
    return out;
}

bool split(Site& site) {
    const auto axis = site.ints(0);
    if (!axis || axis->size() != 1 || site.out_count() == 0) return false;
    const ValueId data = site.in(1);
    site.put(ops::Split, {data}, all_outputs(site), {{"axis", (*axis)[0]}, {"num_outputs", static_cast<int64_t>(site.out_count())}});
    return true;
}

// One size may be -1: what the others leave.
bool split_v(Site& site) {
    auto sizes = site.ints(1);
    const auto axis = site.axes(2, site.rank(0));
    if (!sizes || !axis || axis->size() != 1 || site.out_count() == 0) return false;
    const auto open = std::find(sizes->begin(), sizes->end(), -1);
    if (open != sizes->end()) {
        int64_t rest = site.dim(0, static_cast<size_t>((*axis)[0]));
        if (rest < 0) return false;
        for (const int64_t size : *sizes)
            if (size >= 0 && size <= rest) rest -= size;
        *open = rest;
    }
    const Values in{site.in(0), site.integers(*sizes, "sizes")};
    site.put(ops::Split, in, all_outputs(site), {{"axis", (*axis)[0]}});
    return true;
}

bool shape(Site& site) {
    result_as_declared(site, site.add(ops::Shape, {site.in(0)}));
    return true;
}

bool rank(Site& site) {
    result_as_declared(site, site.add(ops::Size, {site.add(ops::Shape, {site.in(0)})}));
    return true;
}

bool tile(Site& site) {
    site.result(ops::Tile, {site.in(0), site.as_i64(1)});
    return true;
}

bool broadcast_to(Site& site) {
    site.result(ops::Expand, {site.in(0), site.as_i64(1)});
    return true;
}

// A condition of rank 1 chooses whole rows.
bool select(Site& site) {
    const size_t rank = site.rank(1);
    Values in = site.ins();
    if (site.rank(0) == 1 && rank > 1) {
        Ints column(rank, 1);
        column[0] = -1;
        in[0] = site.add(ops::Reshape, {in[0], site.integers(column, "column")});
    }
    site.result(ops::Where, in);
    return true;
}

bool where(Site& site) {
    site.result(ops::Transpose, {site.add(ops::NonZero, {site.in(0)})}, {{"perm", Ints{1, 0}}});
    return true;
}

bool one_hot(Site& site) {
    using decompose::Term;
    const Term indices{&site, site.in(0)}, depth{&site, site.in(1)}, on{&site, site.in(2)}, off{&site, site.in(3)};
    site.bind(decompose::one_hot(indices, depth, on, off, site.integer("axis")));
    return true;
}

bool unique(Site& site) {
    const ValueId first = site.value("first"), places = site.value("places");
    site.put(ops::Unique, {site.in(0)}, {site.out_value(0), first, places}, {{"sorted", int64_t{0}}});
    result_as_declared(site, places, 1);
    return true;
}

bool identity(Site& site) {
    site.result(ops::Identity, {site.in(0)});
    return true;
}

// The dims of input 0; false if another than the first is not fixed.
bool fixed(const Site& site, Ints& dims) {
    for (size_t i = 0; i < site.rank(0); ++i) {
        dims.push_back(site.dim(0, i));
        if (i > 0 && dims.back() < 0) return false;
    }
    return true;
}

// Blocks as formats/shared/blocks.h says.
bool regroup(Site& site, Regrouping (*regrouping)(std::span<const int64_t>, std::span<const int64_t>, std::span<const int64_t>)) {
    const auto block = site.ints(1), frame = site.ints(2);
    Ints dims;
    if (!block || !frame || !fixed(site, dims)) return false;
    const Regrouping plan = regrouping(dims, *block, *frame);
    ValueId x = site.in(0);
    if (!plan.pads.empty()) x = site.add(ops::Pad, {x, site.integers(plan.pads, "pads")});
    const ValueId parts = site.add(ops::Reshape, {x, site.integers(plan.apart, "apart")});
    const Values joined{site.add(ops::Transpose, {parts}, {{"perm", plan.order}}), site.integers(plan.together, "together")};
    if (plan.axes.empty())
        site.result(ops::Reshape, joined);
    else
        site.result(ops::Slice, {site.add(ops::Reshape, joined), site.integers(plan.starts, "starts"), site.integers(plan.ends, "ends"),
                                 site.integers(plan.axes, "axes")});
    return true;
}
bool space_to_batch(Site& site) { return regroup(site, quern::space_to_batch); }
bool batch_to_space(Site& site) { return regroup(site, quern::batch_to_space); }

constexpr std::array shape_table{
    MapRow{Code::BATCH_TO_SPACE_ND, "Reshape Transpose Slice", batch_to_space, "shapes that are not fixed"},
    MapRow{Code::BROADCAST_TO, "Expand", broadcast_to},
    MapRow{Code::CONCATENATION, "Concat", concatenation},
    MapRow{Code::DENSIFY, "Identity", identity},
    MapRow{Code::EXPAND_DIMS, "Unsqueeze", expand_dims, "an axis that is computed"},
    MapRow{Code::ONE_HOT, "OneHot", one_hot},
    MapRow{Code::PACK, "Unsqueeze Concat", pack},
    as_it_is(Code::RANGE, ops::Range),
    MapRow{Code::RANK, "Shape Size", rank},
    MapRow{Code::RESHAPE, "Reshape", reshape},
    MapRow{Code::SELECT, "Where", select},
    MapRow{Code::SHAPE, "Shape", shape},
    MapRow{Code::SPACE_TO_BATCH_ND, "Pad Reshape Transpose", space_to_batch, "shapes that are not fixed"},
    MapRow{Code::SPLIT, "Split", split, "an axis that is computed"},
    MapRow{Code::SPLIT_V, "Split", split_v, "sizes that are computed"},
    MapRow{Code::SQUEEZE, "Squeeze", squeeze},
    MapRow{Code::TILE, "Tile", tile},
    MapRow{Code::TRANSPOSE, "Transpose", transpose, "an order that is computed"},
    MapRow{Code::UNIQUE, "Unique", unique},
    MapRow{Code::UNPACK, "Split Squeeze", unpack},
    MapRow{Code::WHERE, "NonZero Transpose", where},
};

}  // namespace

std::span<const MapRow> shape_rows() { return shape_table; }

}  // namespace quern::tflite_format
