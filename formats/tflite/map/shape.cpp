// Operators that rearrange.
#include <algorithm>
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

using decompose::term;

// int64 results are cast to what the file says.
void result_as_declared(Site& site, ValueId numbers, size_t out = 0) {
    site.bind(site.cast(numbers, type_of(site.out_tensor(out)).dtype), out);
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

bool pack(Site& site) { return bind_result(site, decompose::stacked(site, site.ins(), site.integer("axis"))); }

bool unpack(Site& site) {
    return site.out_count() > 0 && decompose::bind_result(site, decompose::unstacked(term(site), site.out_count(), site.integer("axis")));
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
    const auto given = site.ints(1), axis = site.axes(2, site.rank(0));
    if (!given || !axis || axis->size() != 1 || site.out_count() == 0) return false;
    const auto sizes = decompose::part_sizes(*given, [&] { return site.dim(0, static_cast<size_t>((*axis)[0])); });
    if (!sizes) return false;
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

bool select(Site& site) {
    return bind_result(site, decompose::select(term(site, 0), site.rank(0), term(site, 1), term(site, 2), site.rank(1)));
}

bool one_hot(Site& site) {
    return bind_result(site, decompose::one_hot(term(site, 0), term(site, 1), term(site, 2), term(site, 3), site.integer("axis")));
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

using BlocksMoved = std::optional<decompose::Term>(const decompose::Term& x, const Ints& dims, const Ints& block, const Ints& frame);

template <BlocksMoved* moved>
bool regrouped(Site& site) {
    const auto block = site.ints(1), frame = site.ints(2);
    return block && frame && bind_result(site, moved(term(site), site.dims(0), *block, *frame));
}

constexpr std::array shape_table{
    MapRow{Code::BATCH_TO_SPACE_ND, "Reshape Transpose Slice", regrouped<decompose::batch_to_space>, "shapes that are not fixed"},
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
    MapRow{Code::SPACE_TO_BATCH_ND, "Pad Reshape Transpose", regrouped<decompose::space_to_batch>, "shapes that are not fixed"},
    MapRow{Code::SPLIT, "Split", split, "an axis that is computed"},
    MapRow{Code::SPLIT_V, "Split", split_v, "sizes that are computed"},
    MapRow{Code::SQUEEZE, "Squeeze", squeeze},
    MapRow{Code::TILE, "Tile", tile},
    MapRow{Code::TRANSPOSE, "Transpose", transpose, "an order that is computed"},
    MapRow{Code::UNIQUE, "Unique", unique},
    MapRow{Code::UNPACK, "Split Squeeze", unpack},
    MapRow{Code::WHERE, "NonZero Transpose", decompose::composed<decompose::places_of>},
};

}  // namespace

std::span<const MapRow> shape_rows() { return shape_table; }

}  // namespace quern::tflite_format
