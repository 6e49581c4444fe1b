// Operators that count, that search in sorted numbers, and that put rows together by their numbers.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/passes/decompose/index.h"

namespace quern::tensorflow_format {
namespace {

using decompose::Term;

// ---- segments ----

constexpr std::string_view sums = "add", products = "mul", greatest = "max", least = "min";

// Rows of `data` by the operator's ids.
Term by_id(Site& site, ValueId data, const Term& count, const Term& empty, std::string_view reduction) {
    const Term ids{&site, site.as_i64(1)};
    return decompose::segments({&site, data}, ids, count, empty, reduction);
}

template <const std::string_view& reduction>
bool unsorted_segments(Site& site) {
    const auto empty = decompose::nothing({&site, site.in(0)}, reduction);
    if (!empty) return false;
    const Term count{&site, site.reshape(site.as_i64(2), {1})};
    return give(site, by_id(site, site.in(0), count, *empty, reduction));
}

// Numbers rise: there are as many rows as the last one says.
Term rows_of(Site& site) { return decompose::rows_of({&site, site.as_i64(1)}); }
// How many rows each is put together of.
Term counts(Site& site, const Term& count, const Term& zero) {
    const ValueId ones = filled(site, site.scalar(1, site.dtype(0)), shape_of(site, site.in(0)));
    return by_id(site, ones, count, zero, sums);
}

template <const std::string_view& reduction>
bool segments(Site& site) {
    const Term count = rows_of(site), empty = *decompose::nothing({&site, site.in(0)}, reduction);
    return give(site, by_id(site, site.in(0), count, empty, reduction));
}
bool segment_means(Site& site) {
    const Term count = rows_of(site), zero{&site, site.scalar(0, site.dtype(0))};
    const Term sum = by_id(site, site.in(0), count, zero, sums);
    return give(site, sum / decompose::of(ops::Max, counts(site, count, zero), 1));
}
// The extremes of a row of nothing are 0.
template <const std::string_view& reduction>
bool segment_extremes(Site& site) {
    if (site.dtype(0) != DType::f32) return false;
    const Term count = rows_of(site), empty = *decompose::nothing({&site, site.in(0)}, reduction),
               made = by_id(site, site.in(0), count, empty, reduction);
    const Term zero{&site, site.scalar(0, site.dtype(0))};
    return give(site, decompose::where(counts(site, count, zero) == zero, zero, made));
}

// ---- counts ----

// A row of a table for each number: 1 in its column; outside of it nothing.
ValueId table_of(Site& site, ValueId numbers, ValueId depth, DType dtype) {
    const ValueId values = site.constant(from_ints(dtype, {2}, std::array<int64_t, 2>{0, 1}));
    return site.add(ops::OneHot, {numbers, depth, values}, {{"axis", int64_t{-1}}, {negative_outside_key, int64_t{1}}});
}

template <bool flat>
bool bincount(Site& site) {
    const bool binary = site.flag("binary_output", false);
    const int64_t weights = site.dim(2, 0);
    if (weights < 0 && !(site.ranked(2) && site.rank(2) > 1)) return false;
    const DType dtype = site.dtype(2);
    ValueId x = site.as_i64(0);
    if (flat) x = site.reshape(x, {-1});
    ValueId table = table_of(site, x, site.reshape(site.as_i64(1), {1}), dtype);
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
    const Term x{&site, site.cast(site.in(0), wide)},
        limits{&site, site.constant(from_floats(wide, {static_cast<int64_t>(bounds->size())}, *bounds))};
    return give(site, decompose::bucket(x, limits, ops::GreaterOrEqual, DType::i32));
}

// Rows of sorted numbers and rows of values: how many are below each value, or not above it.
template <const OpId& below>
bool bound(Site& site) {
    const ValueId sorted = unsqueezed(site, site.in(0), {1}), values = unsqueezed(site, site.in(1), {2});
    const ValueId before = site.add(below, {sorted, values});
    return give(site, reduced(site, ops::ReduceSum, site.cast(before, site.type("out_type", DType::i32)), {2}));
}

constexpr std::array counting_table{
    MapRow{"Bincount", "OneHot ReduceSum", bincount<true>},
    MapRow{"Bucketize", "GreaterOrEqual ReduceSum", bucketize},
    MapRow{"DenseBincount", "OneHot ReduceSum", bincount<false>},
    MapRow{"HistogramFixedWidth", "Sub Div Clip OneHot ReduceSum", histogram},
    MapRow{"LowerBound", "Less ReduceSum", bound<ops::Less>},
    MapRow{"UpperBound", "LessOrEqual ReduceSum", bound<ops::LessOrEqual>},
    MapRow{"SegmentMax", "ScatterND Equal Where", segment_extremes<greatest>},
    MapRow{"SegmentMean", "ScatterND Max Div", segment_means},
    MapRow{"SegmentMin", "ScatterND Equal Where", segment_extremes<least>},
    MapRow{"SegmentProd", "ScatterND", segments<products>},
    MapRow{"SegmentSum", "ScatterND", segments<sums>},
    MapRow{"UnsortedSegmentMax", "ScatterND", unsorted_segments<greatest>},
    MapRow{"UnsortedSegmentMin", "ScatterND", unsorted_segments<least>},
    MapRow{"UnsortedSegmentProd", "ScatterND", unsorted_segments<products>},
    MapRow{"UnsortedSegmentSum", "ScatterND", unsorted_segments<sums>},
};

}  // namespace

std::span<const MapRow> counting_rows() { return counting_table; }

}  // namespace quern::tensorflow_format
