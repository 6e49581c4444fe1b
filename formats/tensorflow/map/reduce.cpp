// Operators along axes.
#include <algorithm>
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

using decompose::Term;

Term over_axes(Site& site, OpId op, const Term& x) {
    decompose::Numbers axes{std::nullopt, [&] { return site.as_i64(1); }};
    if (site.ranked(0)) axes.known = site.axes(1, std::max<size_t>(site.rank(0), 1));
    return decompose::reduced(op, x, axes, site.flag("keep_dims", false));
}

template <const OpId& op>
bool reduce(Site& site) {
    return give(site, over_axes(site, op, decompose::term(site)));
}

template <const OpId& op>
bool truth(Site& site) {
    return give(site, decompose::as(over_axes(site, op, decompose::as(decompose::term(site), DType::i32)), DType::boolean));
}

bool half_sum(Site& site) {
    const ValueId x = site.in(0), squares = site.add(ops::Mul, {x, x});
    const ValueId sum = site.add(ops::ReduceSum, {squares}, {{"keepdims", int64_t{0}}});
    return give(site, site.add(ops::Mul, {sum, site.scalar(0.5, site.dtype(0))}));
}

template <const OpId& op>
bool arg(Site& site) {
    const auto axis = site.inputs() > 1 ? site.integer_in(1) : std::optional<int64_t>(0);
    if (!axis) return false;
    const ValueId place = site.add(op, {site.in(0)}, {{"axis", *axis}, {"keepdims", int64_t{0}}});
    return give(site, site.cast(place, site.type("output_type", DType::i64)));
}

template <const OpId& op>
bool cumulative(Site& site) {
    const auto axis = site.integer_in(1);
    if (!axis) return false;
    return give(site, site.add(op, {site.in(0), site.scalar(*axis, DType::i64)},
                               {{"exclusive", int64_t{site.flag("exclusive", false)}}, {"reverse", int64_t{site.flag("reverse", false)}}}));
}

ValueId wanted_count(Site& site, size_t i) {
    return site.inputs() > i ? site.reshape(site.as_i64(i), {1}) : site.integers({site.integer("k", 0)});
}

bool top_k(Site& site) {
    const Values best = site.add_several(ops::TopK, {site.in(0), wanted_count(site, 1)}, 2,
                                         {{"axis", int64_t{-1}}, {"sorted", int64_t{site.flag("sorted", true)}}});
    site.out(0, best[0]);
    site.out(1, site.cast(best[1], site.type("index_type", DType::i32)));
    return true;
}

// Fewer than k are greater than what the target has, which is a number.
bool in_top_k(Site& site) {
    const ValueId x = site.in(0), places = unsqueezed(site, site.as_i64(1), {-1});
    const ValueId own = site.add(ops::GatherElements, {x, places}, {{"axis", int64_t{1}}});
    const ValueId greater = site.cast(site.add(ops::Greater, {x, own}), DType::i64);
    const ValueId few = site.add(ops::Less, {reduced(site, ops::ReduceSum, greater, {1}), wanted_count(site, 2)});
    const ValueId flat = squeezed(site, own, {1});
    const ValueId wild = site.add(ops::Or, {site.add(ops::IsNaN, {flat}), site.add(ops::IsInf, {flat})});
    return give(site, site.add(ops::And, {few, site.add(ops::Not, {wild})}));
}

constexpr std::array reduce_table{
    MapRow{"All", "ReduceMin Cast", truth<ops::ReduceMin>},
    MapRow{"Any", "ReduceMax Cast", truth<ops::ReduceMax>},
    MapRow{"ArgMax", "ArgMax", arg<ops::ArgMax>},
    MapRow{"ArgMin", "ArgMin", arg<ops::ArgMin>},
    MapRow{"Cumprod", "CumProd", cumulative<ops::CumProd>},
    MapRow{"Cumsum", "CumSum", cumulative<ops::CumSum>},
    MapRow{"EuclideanNorm", "ReduceL2", reduce<ops::ReduceL2>},
    MapRow{"InTopK InTopKV2", "GatherElements Greater ReduceSum Less", in_top_k},
    MapRow{"L2Loss", "Mul ReduceSum", half_sum},
    MapRow{"Max", "ReduceMax", reduce<ops::ReduceMax>},
    MapRow{"Mean", "ReduceMean", reduce<ops::ReduceMean>},
    MapRow{"Min", "ReduceMin", reduce<ops::ReduceMin>},
    MapRow{"Prod", "ReduceProd", reduce<ops::ReduceProd>},
    MapRow{"Sum", "ReduceSum", reduce<ops::ReduceSum>},
    MapRow{"TopK TopKV2", "TopK", top_k, "values indices"},
};

}  // namespace

std::span<const MapRow> reduce_rows() { return reduce_table; }

}  // namespace quern::tensorflow_format
