// Gathering and scattering.
#include <algorithm>
#include <array>
#include <limits>

#include "formats/torch/map/map.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/passes/decompose/index.h"

namespace quern::torch_format {
namespace {

bool embedding(Site& site) {
    site.result(ops::Gather, {site.in("weight"), site.in("indices")}, {{"axis", int64_t{0}}, {negative_outside_key, int64_t{1}}});
    return true;
}
bool index_select(Site& site) {
    site.result(ops::Gather, {site.in("self"), site.in("index")},
                {{"axis", site.axis("dim", site.rank("self"), 0)}, {negative_outside_key, int64_t{1}}});
    return true;
}

// The index may be shorter along other dims: those are cut first.
bool gather(Site& site) {
    const size_t rank = site.rank("self");
    const int64_t axis = site.axis("dim", rank, 0);
    ValueId x = site.in("self");
    const ValueId index = site.in("index");
    for (size_t i = 0; i < rank; ++i) {
        const auto own = static_cast<int64_t>(i);
        if (own == axis || same(site.shape("self").dims[i], site.shape("index").dims[i])) continue;
        const ValueId length = site.add(ops::Gather, {site.add(ops::Shape, {index}), site.integers({own}, "dim")});
        x = site.add(ops::Slice, {x, site.integers({0}, "starts"), length, site.integers({own}, "axes")});
    }
    site.result(ops::GatherElements, {x, index}, {{"axis", axis}});
    return true;
}
bool take(Site& site) {
    site.result(ops::Gather, {site.reshape(site.in("self"), {-1}), site.in("index")}, {{"axis", int64_t{0}}});
    return true;
}
bool take_along(Site& site) {
    if (!site.has("dim")) return false;
    site.result(ops::GatherElements, {site.in("self"), site.in("indices")}, {{"axis", site.axis("dim", site.rank("self"), 0)}});
    return true;
}

bool nonzero(Site& site) {
    site.made(decompose::places_of({&site, site.in("self")}));
    return true;
}
bool masked_select(Site& site) {
    const ValueId x = site.in("self"), mask = site.in("mask");
    const ValueId shape = site.add(ops::Shape, {site.add(ops::And, {site.add(ops::Expand, {mask, site.add(ops::Shape, {x})}), mask})});
    const ValueId flat = site.reshape(site.add(ops::Expand, {x, shape}), {-1}),
                  chosen = site.reshape(site.add(ops::Expand, {mask, shape}), {-1});
    site.result(ops::Compress, {flat, chosen});
    return true;
}

// ---- x[i, :, j] ----

struct Places {
    Values index;  // int64, broadcast against each other
    Ints dims;     // of self, one for each
};

// Indices by place; a mask stands for the places where it holds, of as many dims as it has.
std::optional<Places> places_of(Site& site) {
    Places places;
    int64_t dim = 0;
    for (const Argument& item : site.need("indices").items) {
        if (item.kind == Argument::Kind::none) {
            ++dim;
            continue;
        }
        const TensorMeta& meta = site.meta(item);
        if (meta.dtype != DType::boolean && meta.dtype != DType::u8) {
            places.index.push_back(site.in_as(item, DType::i64));
            places.dims.push_back(dim++);
            continue;
        }
        const ValueId found = site.add(ops::NonZero, {site.in_as(item, DType::boolean)});
        for (size_t i = 0; i < meta.shape.rank(); ++i) {
            places.index.push_back(
                site.add(ops::Gather, {found, site.scalar(static_cast<int64_t>(i), DType::i64, "row")}, {{"axis", int64_t{0}}}));
            places.dims.push_back(dim++);
        }
    }
    if (places.index.empty()) return std::nullopt;
    return places;
}

// All indices of one shape, side by side: [..., n].
ValueId side_by_side(Site& site, const Values& index) {
    ValueId shaped = index[0];
    const ValueId last = site.integers({-1}, "last");
    for (size_t i = 1; i < index.size(); ++i) shaped = site.add(ops::Add, {shaped, index[i]});
    const ValueId shape = site.add(ops::Shape, {shaped});
    Values columns;
    for (const ValueId item : index)
        columns.push_back(site.add(ops::Unsqueeze, {index.size() == 1 ? item : site.add(ops::Expand, {item, shape}), last}));
    return columns.size() == 1 ? columns[0] : site.add(ops::Concat, columns, {{"axis", int64_t{-1}}});
}

bool adjacent(const Ints& dims) {
    for (size_t i = 1; i < dims.size(); ++i)
        if (dims[i] != dims[i - 1] + 1) return false;
    return true;
}

// The dims that are indexed, in front of the others.
Ints indexed_first(const Ints& dims, size_t rank) {
    Ints order = dims;
    for (size_t i = 0; i < rank; ++i)
        if (std::ranges::find(dims, static_cast<int64_t>(i)) == dims.end()) order.push_back(static_cast<int64_t>(i));
    return order;
}

// How many dims the indices have together.
size_t index_rank(const Site& site) {
    size_t rank = 0;
    for (const Argument& item : site.need("indices").items) {
        if (item.kind == Argument::Kind::none) continue;
        const TensorMeta& meta = site.meta(item);
        rank = std::max(rank, meta.dtype == DType::boolean || meta.dtype == DType::u8 ? 1 : meta.shape.rank());
    }
    return rank;
}

bool index(Site& site) {
    const size_t rank = site.rank("self");
    const auto places = places_of(site);
    if (!places) return false;
    if (places->index.size() == 1) {
        site.result(ops::Gather, {site.in("self"), places->index[0]}, {{"axis", places->dims[0]}});
        return true;
    }
    const Ints order = indexed_first(places->dims, rank);
    ValueId x = site.in("self");
    if (!std::ranges::is_sorted(order)) x = site.add(ops::Transpose, {x}, {{"perm", order}});
    ValueId found = site.add(ops::GatherND, {x, side_by_side(site, places->index)});
    // dims of adjacent indices come where they were, others first
    const size_t wide = index_rank(site), before = adjacent(places->dims) ? static_cast<size_t>(places->dims[0]) : 0;
    if (before > 0) {
        Ints back;
        const size_t whole = wide + rank - places->dims.size();
        for (size_t i = 0; i < before; ++i) back.push_back(static_cast<int64_t>(wide + i));
        for (size_t i = 0; i < wide; ++i) back.push_back(static_cast<int64_t>(i));
        for (size_t i = wide + before; i < whole; ++i) back.push_back(static_cast<int64_t>(i));
        found = site.add(ops::Transpose, {found}, {{"perm", back}});
    }
    site.bind(found);
    return true;
}

bool index_put(Site& site) {
    const DType dtype = site.dtype("self");
    const size_t rank = site.rank("self");
    const auto& items = site.need("indices").items;
    const bool add = site.flag("accumulate");
    const bool mask = items.size() == 1 && items[0].kind == Argument::Kind::tensor && site.meta(items[0]).dtype == DType::boolean;
    if (mask && site.shape("values").rank() == 0 && !add) {
        ValueId chosen = site.in(items[0]);
        Ints axes;
        for (size_t i = site.meta(items[0]).shape.rank(); i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
        if (!axes.empty()) chosen = site.add(ops::Unsqueeze, {chosen, site.integers(axes, "axes")});
        site.result(ops::Where, {chosen, site.in("values"), site.in("self")});
        return true;
    }
    const auto places = places_of(site);
    if (!places) return false;
    const Ints order = indexed_first(places->dims, rank);
    const bool moved = !std::ranges::is_sorted(order);
    if (moved && site.rank("values") != 0 && adjacent(places->dims)) return false;  // values lie in another order, too
    ValueId x = site.in("self");
    if (moved) x = site.add(ops::Transpose, {x}, {{"perm", order}});
    const ValueId where = side_by_side(site, places->index);
    // values are broadcast to what the indices name: their dims, then those that are not indexed
    const ValueId named = site.add(ops::Shape, {site.add(ops::GatherND, {x, where})});
    const ValueId values = site.add(ops::Expand, {site.in_as("values", dtype), named});
    Attrs attrs;
    if (add) attrs["reduction"] = std::string("add");
    const ValueId written = site.add(ops::ScatterND, {x, where, values}, attrs);
    if (!moved) {
        site.bind(written);
        return true;
    }
    Ints back(rank);
    for (size_t i = 0; i < rank; ++i) back[static_cast<size_t>(order[i])] = static_cast<int64_t>(i);
    site.result(ops::Transpose, {written}, {{"perm", back}});
    return true;
}

// ---- scatter ----

// The source may be larger than the index.
ValueId source_of(Site& site, ValueId index) {
    const DType dtype = site.dtype("self");
    if (!site.is_tensor("src"))
        return site.add(ops::Expand, {site.in_as(site.has("value") ? "value" : "src", dtype), site.add(ops::Shape, {index})});
    if (site.shape("src") == site.shape("index")) return site.in_as("src", dtype);
    Ints axes;
    for (size_t i = 0; i < site.rank("index"); ++i) axes.push_back(static_cast<int64_t>(i));
    return site.add(ops::Slice, {site.in_as("src", dtype), site.integers(Ints(axes.size(), 0), "starts"), site.add(ops::Shape, {index}),
                                 site.integers(axes, "axes")});
}

bool scatter_by(Site& site, const std::string& reduce) {
    std::string reduction;
    if (reduce == "sum" || reduce == "add") reduction = "add";
    if (reduce == "prod" || reduce == "multiply") reduction = "mul";
    if (reduce == "amax") reduction = "max";
    if (reduce == "amin") reduction = "min";
    if (reduction.empty() != reduce.empty() || !site.flag("include_self", true)) return false;
    const ValueId index = site.in("index");
    Attrs attrs{{"axis", site.axis("dim", site.rank("self"), 0)}};
    if (!reduction.empty()) attrs["reduction"] = reduction;
    site.result(ops::ScatterElements, {site.in("self"), index, source_of(site, index)}, attrs);
    return true;
}

bool scatter(Site& site) { return scatter_by(site, site.word("reduce", "")); }
bool scatter_add(Site& site) { return scatter_by(site, "sum"); }

// Whole slices along a dim, which an index of rank 1 names.
enum class Slices : uint8_t { copied, added, filled };
template <Slices kind>
bool index_slices(Site& site) {
    const DType dtype = site.dtype("self");
    const size_t rank = site.rank("self");
    const int64_t axis = site.axis("dim", rank, 0);
    const bool fill = kind == Slices::filled;
    Ints column(rank, 1);
    if (rank == 0) return false;
    column[static_cast<size_t>(axis)] = -1;
    const ValueId index = site.reshape(site.in_as("index", DType::i64), column);
    const ValueId shape = site.add(ops::Shape, {site.add(ops::Gather, {site.in("self"), site.in("index")}, {{"axis", axis}})});
    const ValueId wide = site.add(ops::Expand, {index, shape});
    ValueId source = site.in_as(fill ? "value" : "source", dtype);
    if (fill) source = site.add(ops::Expand, {source, shape});
    if (const double alpha = site.real("alpha", 1); alpha != 1) source = site.add(ops::Mul, {source, site.scalar(alpha, dtype, "alpha")});
    Attrs attrs{{"axis", axis}};
    if (kind == Slices::added) attrs["reduction"] = std::string("add");
    site.result(ops::ScatterElements, {site.in("self"), wide, source}, attrs);
    return true;
}

// ---- sets ----

// (values, where each element is among them, how often each occurs)
template <bool dim>
bool unique(Site& site) {
    const ValueId x = dim ? site.in("self") : site.reshape(site.in("self"), {-1});
    const ValueId values = site.out_value(0), first = site.value("first"), places = site.value("places"), counts = site.value("counts");
    Attrs attrs{{"sorted", int64_t{1}}};
    if (dim) attrs["axis"] = site.axis("dim", site.rank("self"), 0);
    site.put(ops::Unique, {x}, {values, first, places, counts}, attrs);
    if (site.flag("return_inverse")) site.bind(dim ? places : site.add(ops::Reshape, {places, site.add(ops::Shape, {site.in("self")})}), 1);
    if (site.flag("return_counts")) site.bind(counts, 2);
    return true;
}

bool one_hot(Site& site) {
    const auto classes = site.ints("num_classes");
    const ValueId index = site.in("self");
    ValueId depth = ValueId::none;
    if (classes && (*classes)[0] >= 0)
        depth = site.integers(*classes, "depth");
    else
        depth = site.add(ops::Add,
                         {site.reshape(site.add(ops::ReduceMax, {index}, {{"keepdims", int64_t{0}}}), {1}), site.integers({1}, "one")});
    site.result(ops::OneHot, {index, depth, site.integers({0, 1}, "values")}, {{"axis", int64_t{-1}}});
    return true;
}

bool nms(Site& site) {
    const ValueId axes = site.integers({0}, "batch");
    const ValueId boxes = site.add(ops::Unsqueeze, {site.in("dets"), axes}),
                  scores = site.add(ops::Unsqueeze, {site.in("scores"), site.integers({0, 1}, "class")});
    const ValueId all = site.integers({std::numeric_limits<int32_t>::max()}, "all");
    const ValueId overlap =
        site.constant(from_floats(DType::f32, {1}, std::array{static_cast<float>(site.real("iou_threshold", 0.5))}), "overlap");
    const ValueId chosen = site.add(ops::NonMaxSuppression, {boxes, scores, all, overlap});
    site.result(ops::Gather, {chosen, site.scalar(int64_t{2}, DType::i64, "box")}, {{"axis", int64_t{1}}});
    return true;
}

constexpr std::array index_table{
    MapRow{"aten.embedding", "Gather", embedding},
    MapRow{"aten.index_select", "Gather", index_select},
    MapRow{"aten.gather", "GatherElements Slice", gather},
    MapRow{"aten.take", "Reshape Gather", take},
    MapRow{.names = "aten.take_along_dim", .ops = "GatherElements", .rewrite = take_along, .limits = "without a dim"},
    MapRow{"aten.nonzero aten.argwhere", "NonZero Transpose", nonzero},
    MapRow{"aten.masked_select", "Expand Compress", masked_select},
    MapRow{"aten.index aten._unsafe_index", "Gather GatherND NonZero Transpose", index},
    MapRow{.names = "aten.index_put aten._unsafe_index_put aten._index_put_impl",
           .ops = "ScatterND GatherND Where Transpose",
           .rewrite = index_put,
           .limits = "values of ranks above 0 for adjacent indices behind other dims"},
    MapRow{
        .names = "aten.scatter aten.scatter_reduce", .ops = "ScatterElements", .rewrite = scatter, .limits = "means, include_self=False"},
    MapRow{"aten.scatter_add", "ScatterElements", scatter_add},
    MapRow{"aten.index_add", "ScatterElements", index_slices<Slices::added>},
    MapRow{"aten.index_copy", "ScatterElements", index_slices<Slices::copied>},
    MapRow{"aten.index_fill", "ScatterElements", index_slices<Slices::filled>},
    MapRow{"aten._unique2 aten._unique", "Unique", unique<false>},
    MapRow{"aten.unique_dim", "Unique", unique<true>},
    MapRow{"aten.one_hot", "OneHot", one_hot},
    MapRow{"torchvision.nms", "NonMaxSuppression Gather", nms},
};

}  // namespace

std::span<const MapRow> index_rows() { return index_table; }

}  // namespace quern::torch_format
