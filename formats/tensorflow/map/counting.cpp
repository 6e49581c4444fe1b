// Operators that count, that search in sorted numbers, and that put rows together by their numbers.
#include <array>
#include <limits>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/ops/shared/indices.h"

namespace quern::tensorflow_format {
namespace {

// ---- segments ----

struct Reduction {
    std::string_view name;  // in the operator's
    std::string_view ours;
};
constexpr std::array reductions{Reduction{"Sum", "add"}, Reduction{"Mean", "add"}, Reduction{"Prod", "mul"}, Reduction{"Max", "max"},
                                Reduction{"Min", "min"}};

std::string reduction_of(const Site& site) {
    for (const Reduction& row : reductions)
        if (site.of().op.find(row.name) != std::string::npos) return std::string(row.ours);
    throw bug("no reduction in {}", site.of().op);
}

// What a row holds that nothing was put into; nullopt: no number of ours says it.
std::optional<ValueId> nothing(Site& site, const std::string& reduction, bool sorted) {
    const DType dtype = site.dtype(0);
    if (reduction == "mul") return site.scalar(1, dtype);
    if (reduction == "add") return site.scalar(0, dtype);
    if (dtype != DType::f32 || sorted) return std::nullopt;
    constexpr double far = std::numeric_limits<float>::max();
    return site.scalar(reduction == "min" ? far : -far, dtype);
}

// Rows of `data` put together by their numbers into `count` rows; those with negative numbers go to one more row, which is cut off.
ValueId by_number(Site& site, ValueId data, ValueId empty, ValueId count, const std::string& reduction) {
    const ValueId ids = as_i64(site, 1), one = site.integers({1});
    const ValueId places = site.add(ops::Where, {site.add(ops::Less, {ids, site.scalar(int64_t{0}, DType::i64)}), count, ids});
    const ValueId inner = cut(site, shape_of(site, data), static_cast<int64_t>(site.rank(1)), std::numeric_limits<int64_t>::max(), 0);
    const ValueId start = filled(site, empty, joined(site, {site.add(ops::Add, {count, one}), inner}));
    const ValueId all = site.add(ops::ScatterND, {start, unsqueezed(site, places, {-1}), data}, {{"reduction", reduction}});
    return site.add(ops::Slice, {all, site.integers({0}), count, site.integers({0})});
}

bool unsorted_segments(Site& site) {
    const std::string reduction = reduction_of(site);
    const auto empty = nothing(site, reduction, false);
    if (!empty) return false;
    return give(site, by_number(site, site.in(0), *empty, site.reshape(as_i64(site, 2), {1}), reduction));
}

// Numbers rise: there are as many rows as the last one says. The extremes of a row of nothing are 0.
bool segments(Site& site) {
    const std::string reduction = reduction_of(site);
    const ValueId data = site.in(0), last = reduced(site, ops::ReduceMax, as_i64(site, 1), {0}, true);
    const ValueId count = site.add(ops::Add, {last, site.integers({1})});
    const DType dtype = site.dtype(0);
    const auto counts = [&] {
        const ValueId ones = filled(site, site.scalar(1, dtype), shape_of(site, data));
        return by_number(site, ones, site.scalar(0, dtype), count, "add");
    };
    if (site.of().op == "SegmentMean") {
        const ValueId sum = by_number(site, data, site.scalar(0, dtype), count, reduction);
        return give(site, site.add(ops::Div, {sum, site.add(ops::Max, {counts(), site.scalar(1, dtype)})}));
    }
    if (reduction != "max" && reduction != "min")
        return give(site, by_number(site, data, *nothing(site, reduction, true), count, reduction));
    const auto empty = nothing(site, reduction, false);
    if (!empty) return false;
    const ValueId made = by_number(site, data, *empty, count, reduction), zero = site.scalar(0, dtype);
    return give(site, site.add(ops::Where, {site.add(ops::Equal, {counts(), zero}), zero, made}));
}

// ---- counts ----

// A row of a table for each number: 1 in its column; outside of it nothing.
ValueId table_of(Site& site, ValueId numbers, ValueId depth, DType dtype) {
    const ValueId values = site.constant(from_ints(dtype, {2}, std::array<int64_t, 2>{0, 1}));
    return site.add(ops::OneHot, {numbers, depth, values}, {{"axis", int64_t{-1}}, {negative_outside_key, int64_t{1}}});
}

bool bincount(Site& site) {
    const bool binary = site.flag("binary_output", false);
    const int64_t weights = site.dim(2, 0);
    if (weights < 0 && !(site.ranked(2) && site.rank(2) > 1)) return false;
    const DType dtype = site.dtype(2);
    ValueId x = as_i64(site, 0);
    if (site.of().op == "Bincount") x = site.reshape(x, {-1});
    ValueId table = table_of(site, x, site.reshape(as_i64(site, 1), {1}), dtype);
    if (weights != 0 && !binary) table = site.add(ops::Mul, {table, unsqueezed(site, site.in(2), {-1})});
    return give(site, reduced(site, binary ? ops::ReduceMax : ops::ReduceSum, table, {-2}));
}

// Numbers below and above belong to the first and the last bin.
bool histogram(Site& site) {
    const DType dtype = site.dtype(0);
    const auto range = site.known(1);
    const auto bins = site.integer_in(2);
    if (!range || !bins || *bins < 1 || *bins > 65536 || !is_float(dtype)) return false;
    const std::vector<double> ends = to_doubles(*range);
    if (ends.size() != 2 || !(ends[0] < ends[1])) throw bad_input("a range of {} numbers", ends.size());
    const ValueId above = site.add(ops::Sub, {site.reshape(site.in(0), {-1}), site.scalar(ends[0], dtype)});
    const ValueId place = site.add(ops::Div, {above, site.scalar((ends[1] - ends[0]) / static_cast<double>(*bins), dtype)});
    const ValueId inside = site.add(ops::Clip, {place, site.scalar(0, dtype), site.scalar(static_cast<double>(*bins - 1), dtype)});
    const ValueId table = table_of(site, site.cast(inside, DType::i64), site.integers({*bins}), site.type("dtype", DType::i32));
    return give(site, reduced(site, ops::ReduceSum, table, {0}));
}

// ---- sorted numbers ----

// How many of the boundaries are at or below each number.
bool bucketize(Site& site) {
    const auto* bounds = site.of().attr<std::vector<float>>("boundaries");
    const DType dtype = site.dtype(0);
    if (!bounds || bits_of(dtype) > 32) return false;
    const DType wide = is_float(dtype) ? dtype : DType::f64;
    const ValueId x = unsqueezed(site, site.cast(site.in(0), wide), {-1});
    const ValueId limits = site.constant(from_floats(wide, {static_cast<int64_t>(bounds->size())}, *bounds));
    return give(site, reduced(site, ops::ReduceSum, site.cast(site.add(ops::GreaterOrEqual, {x, limits}), DType::i32), {-1}));
}

// Rows of sorted numbers and rows of values: how many are below each value, or not above it.
bool bound(Site& site) {
    const ValueId sorted = unsqueezed(site, site.in(0), {1}), values = unsqueezed(site, site.in(1), {2});
    const ValueId before = site.add(site.of().op == "LowerBound" ? ops::Less : ops::LessOrEqual, {sorted, values});
    return give(site, reduced(site, ops::ReduceSum, site.cast(before, site.type("out_type", DType::i32)), {2}));
}

constexpr std::array counting_table{
    MapRow{"Bincount DenseBincount", "OneHot ReduceSum", bincount},
    MapRow{"Bucketize", "GreaterOrEqual ReduceSum", bucketize},
    MapRow{"HistogramFixedWidth", "Sub Div Clip OneHot ReduceSum", histogram},
    MapRow{"LowerBound UpperBound", "Less LessOrEqual ReduceSum", bound},
    MapRow{"SegmentMax SegmentMean SegmentMin SegmentProd SegmentSum", "ScatterND", segments},
    MapRow{"UnsortedSegmentMax UnsortedSegmentMin UnsortedSegmentProd UnsortedSegmentSum", "ScatterND", unsorted_segments},
};

}  // namespace

std::span<const MapRow> counting_rows() { return counting_table; }

}  // namespace quern::tensorflow_format
