// Operators that count, and those that compare all elements of a dim with each other.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

constexpr int64_t pair_limit = 1024;  // elements of a dim that are compared with each other

// How often each number occurs: rows of a table that are summed.
ValueId occurrences(Site& site, ValueId numbers, ValueId depth) {
    const ValueId table = site.node(ops::OneHot, {numbers, depth, site.numbers("values", {0, 1})}, {{"axis", int64_t{-1}}});
    return site.node(ops::ReduceSum, {table, site.numbers("axis", {0})}, {{"keepdims", int64_t{0}}});
}

bool bincount(Site& site) {
    if (site.has("weights")) return false;
    const ValueId x = site.in_as("self", DType::i64);
    const ValueId greatest = site.reshaped(site.node(ops::ReduceMax, {x}, {{"keepdims", int64_t{0}}}), {1});
    const ValueId depth = site.node(
        ops::Max, {site.node(ops::Add, {greatest, site.numbers("one", {1})}), site.numbers("least", {site.integer("minlength", 0)})});
    site.bind(occurrences(site, x, depth));
    return true;
}

// Numbers outside the range are not counted, the greatest belongs to the last bin.
bool histc(Site& site) {
    const DType dtype = site.dtype("self");
    const int64_t bins = site.integer("bins", 100);
    const double low = site.real("min", 0), high = site.real("max", 0);
    if (bins < 1 || bins > 65536 || low >= high) return false;
    const ValueId x = site.reshaped(site.in("self"), {-1}), least = site.scalar("min", low, dtype), most = site.scalar("max", high, dtype);
    const ValueId place =
        site.node(ops::Mul, {site.node(ops::Sub, {x, least}), site.scalar("bins", static_cast<double>(bins) / (high - low), dtype)});
    const ValueId bin = site.node(ops::Min, {site.node(ops::Floor, {place}), site.scalar("last", bins - 1, dtype)});
    const ValueId inside = site.node(ops::And, {site.node(ops::GreaterOrEqual, {x, least}), site.node(ops::LessOrEqual, {x, most})});
    const ValueId counted = site.node(ops::Compress, {site.cast(bin, dtype, DType::i64), inside});
    site.result_as(occurrences(site, counted, site.numbers("depth", {bins})), DType::i64);
    return true;
}

// A dim of fixed length as the last, and back.
struct LastDim {
    ValueId x;
    int64_t length;
    Ints order;  // {}: it is the last
};
std::optional<LastDim> last_dim(Site& site, int64_t axis) {
    const int64_t length = site.dim("self", axis), last = static_cast<int64_t>(site.rank("self")) - 1;
    if (length < 1 || length > pair_limit) return std::nullopt;
    if (axis == last) return LastDim{site.in("self"), length, {}};
    Ints order;
    for (int64_t i = 0; i <= last; ++i) order.push_back(i);
    std::swap(order[static_cast<size_t>(axis)], order[static_cast<size_t>(last)]);
    return LastDim{site.node(ops::Transpose, {site.in("self")}, {{"perm", order}}), length, order};
}
ValueId put_back(Site& site, ValueId x, const LastDim& dim) {
    return dim.order.empty() ? x : site.node(ops::Transpose, {x}, {{"perm", dim.order}});
}

ValueId least_of(Site& site, DType dtype, bool most) {
    if (is_real(dtype)) return site.scalar("bound", (most ? 1 : -1) * std::numeric_limits<double>::infinity(), dtype);
    return site.scalar("bound", most ? int64_t{INT32_MAX} : int64_t{INT32_MIN}, dtype);
}

// (the greatest so far, the last place of it)
bool running_extreme(Site& site) {
    const DType dtype = site.dtype("self");
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    const bool most = site.of().target.find("cummax") != std::string::npos;
    if (!is_real(dtype)) return false;
    const auto dim = last_dim(site, axis);
    if (!dim) return false;
    std::vector<int64_t> before(static_cast<size_t>(dim->length * dim->length), 0);
    for (int64_t i = 0; i < dim->length; ++i)
        for (int64_t j = 0; j <= i; ++j) before[static_cast<size_t>(i * dim->length + j)] = 1;
    const ValueId mask = site.constant("before", from_ints(DType::boolean, {dim->length, dim->length}, before));
    const ValueId seen =
        site.node(ops::Where, {mask, site.node(ops::Unsqueeze, {dim->x, site.numbers("axis", {-2})}), least_of(site, dtype, !most)});
    const ValueId values =
        site.node(most ? ops::ReduceMax : ops::ReduceMin, {seen, site.numbers("axis", {-1})}, {{"keepdims", int64_t{0}}});
    const ValueId places = site.node(most ? ops::ArgMax : ops::ArgMin, {seen},
                                     {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}, {"select_last_index", int64_t{1}}});
    site.bind(put_back(site, values, *dim));
    site.bind(put_back(site, places, *dim), 1);
    return true;
}

// (the smallest of the most frequent, its last place)
bool mode(Site& site) {
    const DType dtype = site.dtype("self");
    const int64_t axis = site.axis("dim", site.rank("self"), -1);
    const auto dim = last_dim(site, axis);
    if (!dim || site.flag("keepdim") || !dim->order.empty()) return false;
    const ValueId last = site.numbers("axis", {-1});
    const Attrs one{{"keepdims", int64_t{1}}};
    const ValueId same =
        site.node(ops::Equal, {site.node(ops::Unsqueeze, {dim->x, last}), site.node(ops::Unsqueeze, {dim->x, site.numbers("row", {-2})})});
    const ValueId counts = site.node(ops::ReduceSum, {site.cast(same, DType::boolean, DType::i32), last}, {{"keepdims", int64_t{0}}});
    const ValueId often = site.node(ops::Equal, {counts, site.node(ops::ReduceMax, {counts, last}, one)});
    const ValueId value = site.node(ops::ReduceMin, {site.node(ops::Where, {often, dim->x, least_of(site, dtype, true)}), last}, one);
    const ValueId there = site.cast(site.node(ops::Equal, {dim->x, value}), DType::boolean, DType::i32);
    site.result(ops::Squeeze, {value, last});
    site.result(ops::ArgMax, {there}, {{"axis", int64_t{-1}}, {"keepdims", int64_t{0}}, {"select_last_index", int64_t{1}}}, 1);
    return true;
}

// Rows of a table, added up or averaged for each bag: a product with a matrix that says which row is in which bag.
bool embedding_bag(Site& site) {
    const int64_t kind = site.integer("mode", 0);
    if (kind > 1 || site.has("per_sample_weights") || site.flag("include_last_offset") || site.rank("indices") != 1) return false;
    if (site.has("padding_idx") && site.integer("padding_idx") >= 0) return false;
    const DType dtype = site.dtype("weight");
    const ValueId index = site.in("indices"), zero = site.scalar("zero", int64_t{0}, DType::i64),
                  one = site.scalar("one", int64_t{1}, DType::i64);
    const ValueId rows = site.node(ops::Gather, {site.in("weight"), index}, {{"axis", int64_t{0}}});
    const ValueId offsets = site.node(ops::Unsqueeze, {site.in_as("offsets", DType::i64), site.numbers("axis", {1})});
    const ValueId place = site.node(ops::Range, {zero, site.node(ops::Size, {index}), one});
    const ValueId begun = site.cast(site.node(ops::LessOrEqual, {offsets, place}), DType::boolean, dtype);  // [bags, rows]
    // what the next bag has begun with, too, is not in this one
    const ValueId next = site.node(ops::Pad, {begun, site.numbers("pads", {0, 0, 1, 0}), site.scalar("none", 0.0, dtype)});
    const ValueId later =
        site.node(ops::Slice, {next, site.numbers("from", {1}), site.numbers("to", {INT64_MAX}), site.numbers("axes", {0})});
    ValueId members = site.node(ops::Sub, {begun, later});
    if (kind == 1) {
        const ValueId counts = site.node(ops::ReduceSum, {members, site.numbers("axis", {1})}, {{"keepdims", int64_t{1}}});
        members = site.node(ops::Div, {members, site.node(ops::Max, {counts, site.scalar("least", 1.0, dtype)})});
    }
    site.result(ops::MatMul, {members, rows});
    return true;
}

// Blocks along the diagonal.
bool block_diag(Site& site) {
    const auto& items = site.need("tensors").items;
    const DType dtype = site.out_meta().dtype;
    int64_t all = 0, before = 0;
    for (const Argument& item : items) {
        const Shape& shape = site.meta(item).shape;
        if (shape.rank() != 2 || !shape.dims[1].known()) return false;
        all += shape.dims[1].value;
    }
    Values rows;
    for (const Argument& item : items) {
        const int64_t width = site.meta(item).shape.dims[1].value;
        rows.push_back(site.node(ops::Pad, {site.in_as(item, dtype), site.numbers("pads", {0, before, 0, all - before - width}),
                                            site.scalar("zero", int64_t{0}, dtype)}));
        before += width;
    }
    site.result(ops::Concat, rows, {{"axis", int64_t{0}}});
    return true;
}

constexpr std::array counting_table{
    MapRow{.names = "aten.bincount", .ops = "OneHot ReduceSum", .rewrite = bincount, .limits = "weights"},
    MapRow{.names = "aten.histc", .ops = "Compress OneHot ReduceSum", .rewrite = histc, .limits = "bounds that the data give"},
    MapRow{.names = "aten.cummax aten.cummin",
           .ops = "Where ReduceMax ArgMax",
           .rewrite = running_extreme,
           .limits = "integers, dims that are not fixed or above 1024"},
    MapRow{.names = "aten.mode",
           .ops = "Equal ReduceSum Where ReduceMin ArgMax",
           .rewrite = mode,
           .limits = "keepdim, dims other than the last, not fixed or above 1024"},
    MapRow{.names = "aten.embedding_bag aten._embedding_bag aten._embedding_bag_forward_only",
           .ops = "Gather MatMul",
           .rewrite = embedding_bag,
           .limits = "the greatest of a bag, weights of samples, a last offset, padding, indices of ranks other than 1"},
    MapRow{
        .names = "aten.block_diag", .ops = "Pad Concat", .rewrite = block_diag, .limits = "ranks other than 2, widths that are not fixed"},
};

}  // namespace

std::span<const MapRow> counting_rows() { return counting_table; }

}  // namespace quern::torch_format
