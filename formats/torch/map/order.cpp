// What the order of elements decides: medians and quantiles.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

ValueId nan_of(Site& site, DType dtype) { return site.scalar(std::numeric_limits<double>::quiet_NaN(), dtype, "nan"); }

ValueId counted(Site& site, ValueId truths, bool keep) {
    return site.add(ops::ReduceSum, {site.cast(truths, DType::i64), site.integers({0}, "axes")}, {{"keepdims", int64_t{keep}}});
}

// With the dim in front; without a dim all elements are one.
ValueId first_dim(Site& site) {
    if (!site.has("dim") || site.rank("self") == 0) return site.reshape(site.in("self"), {-1});
    const auto axis = static_cast<size_t>(site.axis("dim", site.rank("self"), 0));
    if (axis == 0) return site.in("self");
    Ints order{static_cast<int64_t>(axis)};
    for (size_t i = 0; i < site.rank("self"); ++i)
        if (i != axis) order.push_back(static_cast<int64_t>(i));
    return site.add(ops::Transpose, {site.in("self")}, {{"perm", order}});
}

std::pair<ValueId, ValueId> ascending(Site& site, ValueId x, ValueId length) {
    const ValueId values = site.value("sorted"), places = site.value("places");
    site.put(ops::TopK, {x, length}, {values, places}, {{"axis", int64_t{0}}, {"largest", int64_t{0}}, {"sorted", int64_t{1}}});
    return {values, places};
}

ValueId length_of_first(Site& site, ValueId x) {
    return site.add(ops::Gather, {site.add(ops::Shape, {x}), site.integers({0}, "first")}, {{"axis", int64_t{0}}});
}

// The result without the dim, or with one of length 1 in its place; `in_front`: dims that are not the operand's.
void give(Site& site, ValueId x, size_t out = 0, int64_t in_front = 0) {
    if (!site.flag("keepdim") || site.rank("self") == 0) return site.bind(x, out);
    Ints axes;
    if (site.has("dim"))
        axes.push_back(site.axis("dim", site.rank("self"), 0) + in_front);
    else
        for (size_t i = 0; i < site.rank("self"); ++i) axes.push_back(static_cast<int64_t>(i) + in_front);
    site.result(ops::Unsqueeze, {x, site.integers(axes, "axes")}, {}, out);
}

// The lower middle one of all elements; NaN where one is.
bool median(Site& site) {
    const DType dtype = site.dtype("self");
    const ValueId x = first_dim(site), one = site.integers({1}, "one"), length = length_of_first(site, x);
    const ValueId place = site.add(ops::Div, {site.add(ops::Sub, {length, one}), site.integers({2}, "two")});
    const ValueId found = site.add(ops::Gather, {ascending(site, x, length).first, place}, {{"axis", int64_t{0}}});
    const ValueId middle = site.add(ops::Squeeze, {found, site.integers({0}, "axes")});
    if (!is_real(dtype)) {
        site.bind(middle);
        return true;
    }
    const ValueId broken = site.cast(counted(site, site.add(ops::IsNaN, {x}), false), DType::boolean);
    site.result(ops::Where, {broken, nan_of(site, dtype), middle});
    return true;
}

// The lower middle one of those that are numbers, and its place: NaN is sorted as infinite.
bool nanmedian(Site& site) {
    const DType dtype = site.dtype("self");
    if (!is_real(dtype)) return false;
    const ValueId x = first_dim(site), broken = site.add(ops::IsNaN, {x});
    const ValueId numbers = site.add(ops::Where, {broken, site.scalar(std::numeric_limits<double>::infinity(), dtype, "last"), x});
    const auto [values, places] = ascending(site, numbers, length_of_first(site, x));
    const ValueId count = counted(site, site.add(ops::Not, {broken}), true), none = site.integers({0}, "none");
    const ValueId before = site.add(ops::Max, {site.add(ops::Sub, {count, site.integers({1}, "one")}), none});
    const ValueId middle = site.add(ops::Div, {before, site.integers({2}, "two")});
    const auto taken = [&](ValueId from) { return site.add(ops::GatherElements, {from, middle}, {{"axis", int64_t{0}}}); };
    const auto without = [&](ValueId from) { return site.add(ops::Squeeze, {from, site.integers({0}, "axes")}); };
    give(site, without(site.add(ops::Where, {site.add(ops::Equal, {count, none}), nan_of(site, dtype), taken(values)})));
    if (site.out_count() > 1) give(site, without(taken(places)), 1);
    return true;
}

// Between the two that lie around the place q * (length - 1); for each q, whose dim comes first.
bool quantile(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const std::string how = site.word("interpolation", "linear");
    const bool many = site.is_tensor("q") && site.rank("q") == 1;
    const ValueId x = first_dim(site), length = length_of_first(site, x);
    const ValueId sorted = ascending(site, x, length).first;
    const ValueId steps = site.reshape(site.cast(site.add(ops::Sub, {length, site.integers({1}, "one")}), dtype), {});
    const ValueId place = site.add(ops::Mul, {site.in_as("q", dtype), steps});
    const auto at = [&](ValueId where) { return site.add(ops::Gather, {sorted, site.cast(where, DType::i64)}, {{"axis", int64_t{0}}}); };
    ValueId found = ValueId::none;
    if (how == "linear" || how == "midpoint") {
        const ValueId floor = site.add(ops::Floor, {place}), low = at(floor), high = at(site.add(ops::Ceil, {place}));
        ValueId share = how == "midpoint" ? site.scalar(0.5, dtype, "half") : site.add(ops::Sub, {place, floor});
        if (many && how == "linear") {
            Ints dims(site.has("dim") ? site.rank("self") : 1, 1);
            dims[0] = -1;
            share = site.reshape(share, dims);
        }
        found = site.add(ops::Add, {low, site.add(ops::Mul, {share, site.add(ops::Sub, {high, low})})});
    } else {
        found = at(site.add(how == "lower" ? ops::Floor : how == "higher" ? ops::Ceil : ops::Round, {place}));
    }
    const ValueId broken = site.cast(counted(site, site.add(ops::IsNaN, {x}), false), DType::boolean);
    give(site, site.add(ops::Where, {broken, nan_of(site, dtype), found}), 0, many);
    return true;
}

bool msort(Site& site) {
    const ValueId x = site.in("self");
    site.bind(site.rank("self") == 0 ? x : ascending(site, x, length_of_first(site, x)).first);
    return true;
}

constexpr std::array order_table{
    MapRow{"aten.median", "TopK Gather", median},
    MapRow{.names = "aten.nanmedian", .ops = "IsNaN TopK GatherElements Where", .rewrite = nanmedian, .limits = "integers"},
    MapRow{"aten.quantile", "TopK Gather Sub Mul Add", quantile},
    MapRow{"aten.msort", "TopK", msort},
};

}  // namespace

std::span<const MapRow> order_rows() { return order_table; }

}  // namespace quern::torch_format
