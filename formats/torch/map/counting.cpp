// Operators that count, and those that compare all elements of a dim with each other.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

constexpr int64_t pair_limit = 1024;  // elements of a dim that are compared with each other

// How often each number occurs: rows of a table that are summed.
ValueId occurrences(Site& site, ValueId numbers, ValueId depth) {
    const ValueId table = site.add(ops::OneHot, {numbers, depth, site.integers({0, 1}, "values")}, {{"axis", int64_t{-1}}});
    return site.add(ops::ReduceSum, {table, site.integers({0}, "axis")}, {{"keepdims", int64_t{0}}});
}

bool bincount(Site& site) {
    if (site.has("weights")) return false;
    const ValueId x = site.in_as("self", DType::i64);
    const ValueId greatest = site.reshape(site.add(ops::ReduceMax, {x}, {{"keepdims", int64_t{0}}}), {1});
    const ValueId depth = site.add(
        ops::Max, {site.add(ops::Add, {greatest, site.integers({1}, "one")}), site.integers({site.integer("minlength", 0)}, "least")});
    site.bind(occurrences(site, x, depth));
    return true;
}

// Numbers outside the range are not counted, the greatest belongs to the last bin.
bool histc(Site& site) {
    const DType dtype = site.dtype("self");
    const int64_t bins = site.integer("bins", 100);
    const double low = site.real("min", 0), high = site.real("max", 0);
    if (bins < 1 || bins > 65536 || low >= high) return false;
    const ValueId x = site.reshape(site.in("self"), {-1}), least = site.scalar(low, dtype, "min"), most = site.scalar(high, dtype, "max");
    const ValueId place =
        site.add(ops::Mul, {site.add(ops::Sub, {x, least}), site.scalar(static_cast<double>(bins) / (high - low), dtype, "bins")});
    const ValueId bin = site.add(ops::Min, {site.add(ops::Floor, {place}), site.scalar(bins - 1, dtype, "last")});
    const ValueId inside = site.add(ops::And, {site.add(ops::GreaterOrEqual, {x, least}), site.add(ops::LessOrEqual, {x, most})});
    const ValueId counted = site.add(ops::Compress, {site.cast(bin, DType::i64), inside});
    site.result_as(occurrences(site, counted, site.integers({bins}, "depth")), DType::i64);
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
    return LastDim{site.add(ops::Transpose, {site.in("self")}, {{"perm", order}}), length, order};
}
ValueId put_back(Site& site, ValueId x, const LastDim& dim) {
    return dim.order.empty() ? x : site.add(ops::Transpose, {x}, {{"perm", dim.order}});
}

ValueId least_of(Site& site, DType dtype, bool most) {
    if (is_real(dtype)) return site.scalar((most ? 1 : -1) * std::numeric_limits<double>::infinity(), dtype, "bound");
    return site.scalar(most ? int64_t{INT32_MAX} : int64_t{INT32_MIN}, dtype, "bound");
}

// (the greatest so far, the last place of it)
template <bool most>
bool running_extreme(Site& site) {
    const DType dtype = site.dtype("self");
    const int64_t axis = site.axis("dim", site.rank("self"), 0);
    if (!is_real(dtype)) return false;
    const auto dim = last_dim(site, axis);
    if (!dim) return false;
    std::vector<int64_t> before(static_cast<size_t>(dim->length * dim->length), 0);
    for (int64_t i = 0; i < dim->length; ++i)
        for (int64_t j = 0; j <= i; ++j) before[static_cast<size_t>(i * dim->length + j)] = 1;
    const ValueId mask = site.constant(from_ints(DType::boolean, {dim->length, dim->length}, before), "before");
    const ValueId seen =
        site.add(ops::Where, {mask, site.add(ops::Unsqueeze, {dim->x, site.integers({-2}, "axis")}), least_of(site, dtype, !most)});
    const ValueId values =
        site.add(most ? ops::ReduceMax : ops::ReduceMin, {seen, site.integers({-1}, "axis")}, {{"keepdims", int64_t{0}}});
    const ValueId places = site.add(most ? ops::ArgMax : ops::ArgMin, {seen},
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
    const ValueId last = site.integers({-1}, "axis");
    const Attrs one{{"keepdims", int64_t{1}}};
    const ValueId same =
        site.add(ops::Equal, {site.add(ops::Unsqueeze, {dim->x, last}), site.add(ops::Unsqueeze, {dim->x, site.integers({-2}, "row")})});
    const ValueId counts = site.add(ops::ReduceSum, {site.cast(same, DType::i32), last}, {{"keepdims", int64_t{0}}});
    const ValueId often = site.add(ops::Equal, {counts, site.add(ops::ReduceMax, {counts, last}, one)});
    const ValueId value = site.add(ops::ReduceMin, {site.add(ops::Where, {often, dim->x, least_of(site, dtype, true)}), last}, one);
    const ValueId there = site.cast(site.add(ops::Equal, {dim->x, value}), DType::i32);
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
    const ValueId index = site.in("indices"), zero = site.scalar(int64_t{0}, DType::i64, "zero"),
                  one = site.scalar(int64_t{1}, DType::i64, "one");
    const ValueId rows = site.add(ops::Gather, {site.in("weight"), index}, {{"axis", int64_t{0}}});
    const ValueId offsets = site.add(ops::Unsqueeze, {site.in_as("offsets", DType::i64), site.integers({1}, "axis")});
    const ValueId place = site.add(ops::Range, {zero, site.add(ops::Size, {index}), one});
    const ValueId begun = site.cast(site.add(ops::LessOrEqual, {offsets, place}), dtype);  // [bags, rows]
    // what the next bag has begun with, too, is not in this one
    const ValueId next = site.add(ops::Pad, {begun, site.integers({0, 0, 1, 0}, "pads"), site.scalar(0.0, dtype, "none")});
    const ValueId later =
        site.add(ops::Slice, {next, site.integers({1}, "from"), site.integers({INT64_MAX}, "to"), site.integers({0}, "axes")});
    ValueId members = site.add(ops::Sub, {begun, later});
    if (kind == 1) {
        const ValueId counts = site.add(ops::ReduceSum, {members, site.integers({1}, "axis")}, {{"keepdims", int64_t{1}}});
        members = site.add(ops::Div, {members, site.add(ops::Max, {counts, site.scalar(1.0, dtype, "least")})});
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
        rows.push_back(site.add(ops::Pad, {site.in_as(item, dtype), site.integers({0, before, 0, all - before - width}, "pads"),
                                           site.scalar(int64_t{0}, dtype, "zero")}));
        before += width;
    }
    site.result(ops::Concat, rows, {{"axis", int64_t{0}}});
    return true;
}

constexpr std::array counting_table{
    MapRow{.names = "aten.bincount", .ops = "OneHot ReduceSum", .rewrite = bincount, .limits = "weights"},
    MapRow{.names = "aten.histc", .ops = "Compress OneHot ReduceSum", .rewrite = histc, .limits = "bounds that the data give"},
    MapRow{.names = "aten.cummax",
           .ops = "Where ReduceMax ArgMax",
           .rewrite = running_extreme<true>,
           .limits = "integers, dims that are not fixed or above 1024"},
    MapRow{.names = "aten.cummin",
           .ops = "Where ReduceMin ArgMin",
           .rewrite = running_extreme<false>,
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
