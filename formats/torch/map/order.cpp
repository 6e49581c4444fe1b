// What the order of elements decides: medians and quantiles.
#include <array>
#include <limits>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

ValueId nan_of(Site& site, DType dtype) { return site.scalar("nan", std::numeric_limits<double>::quiet_NaN(), dtype); }

ValueId counted(Site& site, ValueId truths, bool keep) {
    return site.node(ops::ReduceSum, {site.cast(truths, DType::boolean, DType::i64), site.numbers("axes", {0})},
                     {{"keepdims", int64_t{keep}}});
}

// With the dim in front; without a dim all elements are one.
ValueId first_dim(Site& site) {
    if (!site.has("dim") || site.rank("self") == 0) return site.reshaped(site.in("self"), {-1});
    const auto axis = static_cast<size_t>(site.axis("dim", site.rank("self"), 0));
    if (axis == 0) return site.in("self");
    Ints order{static_cast<int64_t>(axis)};
    for (size_t i = 0; i < site.rank("self"); ++i)
        if (i != axis) order.push_back(static_cast<int64_t>(i));
    return site.node(ops::Transpose, {site.in("self")}, {{"perm", order}});
}

std::pair<ValueId, ValueId> ascending(Site& site, ValueId x, ValueId length) {
    const ValueId values = site.value("sorted"), places = site.value("places");
    site.add(ops::TopK, {x, length}, {values, places}, {{"axis", int64_t{0}}, {"largest", int64_t{0}}, {"sorted", int64_t{1}}});
    return {values, places};
}

ValueId length_of_first(Site& site, ValueId x) {
    return site.node(ops::Gather, {site.node(ops::Shape, {x}), site.numbers("first", {0})}, {{"axis", int64_t{0}}});
}

// The result without the dim, or with one of length 1 in its place; `in_front`: dims that are not the operand's.
void give(Site& site, ValueId x, size_t out = 0, int64_t in_front = 0) {
    if (!site.flag("keepdim") || site.rank("self") == 0) return site.bind(x, out);
    Ints axes;
    if (site.has("dim"))
        axes.push_back(site.axis("dim", site.rank("self"), 0) + in_front);
    else
        for (size_t i = 0; i < site.rank("self"); ++i) axes.push_back(static_cast<int64_t>(i) + in_front);
    site.result(ops::Unsqueeze, {x, site.numbers("axes", axes)}, {}, out);
}

// The lower middle one of all elements; NaN where one is.
bool median(Site& site) {
    const DType dtype = site.dtype("self");
    const ValueId x = first_dim(site), one = site.numbers("one", {1}), length = length_of_first(site, x);
    const ValueId place = site.node(ops::Div, {site.node(ops::Sub, {length, one}), site.numbers("two", {2})});
    const ValueId found = site.node(ops::Gather, {ascending(site, x, length).first, place}, {{"axis", int64_t{0}}});
    const ValueId middle = site.node(ops::Squeeze, {found, site.numbers("axes", {0})});
    if (!is_real(dtype)) {
        site.bind(middle);
        return true;
    }
    const ValueId broken = site.cast(counted(site, site.node(ops::IsNaN, {x}), false), DType::i64, DType::boolean);
    site.result(ops::Where, {broken, nan_of(site, dtype), middle});
    return true;
}

// The lower middle one of those that are numbers, and its place: NaN is sorted as infinite.
bool nanmedian(Site& site) {
    const DType dtype = site.dtype("self");
    if (!is_real(dtype)) return false;
    const ValueId x = first_dim(site), broken = site.node(ops::IsNaN, {x});
    const ValueId numbers = site.node(ops::Where, {broken, site.scalar("last", std::numeric_limits<double>::infinity(), dtype), x});
    const auto [values, places] = ascending(site, numbers, length_of_first(site, x));
    const ValueId count = counted(site, site.node(ops::Not, {broken}), true), none = site.numbers("none", {0});
    const ValueId before = site.node(ops::Max, {site.node(ops::Sub, {count, site.numbers("one", {1})}), none});
    const ValueId middle = site.node(ops::Div, {before, site.numbers("two", {2})});
    const auto taken = [&](ValueId from) { return site.node(ops::GatherElements, {from, middle}, {{"axis", int64_t{0}}}); };
    const auto without = [&](ValueId from) { return site.node(ops::Squeeze, {from, site.numbers("axes", {0})}); };
    give(site, without(site.node(ops::Where, {site.node(ops::Equal, {count, none}), nan_of(site, dtype), taken(values)})));
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
    const ValueId steps = site.reshaped(site.cast(site.node(ops::Sub, {length, site.numbers("one", {1})}), DType::i64, dtype), {});
    const ValueId place = site.node(ops::Mul, {site.in_as("q", dtype), steps});
    const auto at = [&](ValueId where) {
        return site.node(ops::Gather, {sorted, site.cast(where, dtype, DType::i64)}, {{"axis", int64_t{0}}});
    };
    ValueId found = ValueId::none;
    if (how == "linear" || how == "midpoint") {
        const ValueId floor = site.node(ops::Floor, {place}), low = at(floor), high = at(site.node(ops::Ceil, {place}));
        ValueId share = how == "midpoint" ? site.scalar("half", 0.5, dtype) : site.node(ops::Sub, {place, floor});
        if (many && how == "linear") {
            Ints dims(site.has("dim") ? site.rank("self") : 1, 1);
            dims[0] = -1;
            share = site.reshaped(share, dims);
        }
        found = site.node(ops::Add, {low, site.node(ops::Mul, {share, site.node(ops::Sub, {high, low})})});
    } else {
        found = at(site.node(how == "lower" ? ops::Floor : how == "higher" ? ops::Ceil : ops::Round, {place}));
    }
    const ValueId broken = site.cast(counted(site, site.node(ops::IsNaN, {x}), false), DType::i64, DType::boolean);
    give(site, site.node(ops::Where, {broken, nan_of(site, dtype), found}), 0, many);
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
