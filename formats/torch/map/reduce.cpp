// Operators along dims.
#include <algorithm>
#include <array>
#include <cmath>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

Attrs keeping(const Site& site) { return {{"keepdims", int64_t{site.flag("keepdim")}}, {"noop_with_empty_axes", int64_t{1}}}; }
ValueId axes_of(Site& site) { return site.integers(site.axes("dim", site.rank("self")), "axes"); }

template <const OpId& op>
bool reduce(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(op, {site.in_as("self", dtype), axes_of(site)}, keeping(site));
    return true;
}

template <const OpId& op>
bool extreme(Site& site) {
    const DType dtype = site.dtype("self");
    const bool truth = dtype == DType::boolean;
    const ValueId x = truth ? site.in_as("self", DType::i32) : site.in("self");
    site.result_as(site.add(op, {x, axes_of(site)}, keeping(site)), truth ? DType::i32 : dtype);
    return true;
}

template <const OpId& op>
bool truth(Site& site) {
    const ValueId flags = site.cast(site.in_as("self", DType::boolean), DType::i32);
    site.result_as(site.add(op, {flags, axes_of(site)}, keeping(site)), DType::i32);
    return true;
}

// The mean of squares of differences, with n - correction in place of n.
ValueId variance(Site& site, ValueId& mean_out, size_t out) {
    const DType dtype = site.out_meta(out).dtype;
    const ValueId x = site.in_as("self", dtype), axes = axes_of(site);
    const double correction = site.has("correction") ? site.real("correction", 1) : site.flag("unbiased", true) ? 1 : 0;
    mean_out = site.add(ops::ReduceMean, {x, axes}, {{"keepdims", int64_t{1}}, {"noop_with_empty_axes", int64_t{1}}});
    const ValueId apart = site.add(ops::Sub, {x, mean_out});
    const ValueId squares = site.add(ops::ReduceMean, {site.add(ops::Mul, {apart, apart}), axes}, keeping(site));
    if (correction == 0) return squares;
    ValueId count = ValueId::none;
    double known = 1;
    for (const int64_t axis : site.axes("dim", site.rank("self"))) {
        const int64_t length = site.dim("self", axis);
        known = length < 0 || known < 0 ? -1 : known * static_cast<double>(length);
    }
    if (known >= 0) return site.add(ops::Mul, {squares, site.scalar(known / (known - correction), dtype, "correction")});
    const ValueId lengths = site.add(ops::Gather, {site.add(ops::Shape, {x}), axes});
    count = site.cast(site.add(ops::ReduceProd, {lengths, site.integers({0}, "axis")}, {{"keepdims", int64_t{0}}}), dtype);
    return site.add(ops::Mul,
                    {squares, site.add(ops::Div, {count, site.add(ops::Sub, {count, site.scalar(correction, dtype, "correction")})})});
}

bool var(Site& site) {
    ValueId mean_out = ValueId::none;
    site.bind(variance(site, mean_out, 0));
    return true;
}
bool std_dev(Site& site) {
    ValueId mean_out = ValueId::none;
    site.result(ops::Sqrt, {variance(site, mean_out, 0)});
    return true;
}
// (variance, mean)
template <bool root>
bool var_mean(Site& site) {
    ValueId mean_out = ValueId::none;
    ValueId spread = variance(site, mean_out, 0);
    if (root) spread = site.add(ops::Sqrt, {spread});
    site.bind(spread);
    site.bind(site.flag("keepdim") ? mean_out : site.add(ops::Squeeze, {mean_out, axes_of(site)}), 1);
    return true;
}

bool norm(Site& site) {
    const std::string_view name = site.has("ord") ? "ord" : "p";
    const double order = site.real(name, 2);
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype), axes = axes_of(site);
    const Attrs attrs = keeping(site);
    if (order == 2 || order == 1) {
        site.result(order == 2 ? ops::ReduceL2 : ops::ReduceL1, {x, axes}, attrs);
        return true;
    }
    const ValueId size = site.add(ops::Abs, {x});
    if (std::isinf(order)) {
        site.result(order > 0 ? ops::ReduceMax : ops::ReduceMin, {size, axes}, attrs);
    } else if (order == 0) {
        const ValueId there = site.cast(site.add(ops::Greater, {size, site.scalar(0.0, dtype, "zero")}), dtype);
        site.result(ops::ReduceSum, {there, axes}, attrs);
    } else {
        const ValueId sums = site.add(ops::ReduceSum, {site.add(ops::Pow, {size, site.scalar(order, dtype, "order")}), axes}, attrs);
        site.result(ops::Pow, {sums, site.scalar(1 / order, dtype, "root")});
    }
    return true;
}

// Of vectors; of matrices the root of the sum of squares.
template <bool matrices>
bool vector_or_matrix_norm(Site& site) {
    const Argument* order = site.arg("ord");
    const bool flat = !site.has("dim") && !matrices;
    Ints axes = flat || site.has("dim") ? site.axes("dim", site.rank("self")) : Ints{-2, -1};
    if (axes.size() == 1 || (flat && !order)) return norm(site);
    if (order && (order->kind != Argument::Kind::text || order->text != "fro")) return false;
    site.result(ops::ReduceL2, {site.in_as("self", site.out_meta().dtype), site.integers(axes, "axes")}, keeping(site));
    return true;
}

bool count_nonzero(Site& site) {
    const ValueId flags = site.cast(site.in_as("self", DType::boolean), DType::i64);
    site.result(ops::ReduceSum, {flags, axes_of(site)}, keeping(site));
    return true;
}
bool nansum(Site& site) {
    const DType dtype = site.out_meta().dtype;
    const ValueId x = site.in_as("self", dtype);
    site.result(ops::ReduceSum, {site.add(ops::Where, {site.add(ops::IsNaN, {x}), site.scalar(0.0, dtype, "zero"), x}), axes_of(site)},
                keeping(site));
    return true;
}

// ---- places ----

// Without a dim, the place among all elements.
template <const OpId& op>
bool arg(Site& site) {
    const bool all = !site.has("dim");
    const ValueId x = all ? site.reshape(site.in("self"), {-1}) : site.in("self");
    const int64_t axis = all ? 0 : site.axis("dim", site.rank("self"), 0);
    if (all && site.flag("keepdim")) {
        site.result(ops::Reshape,
                    {site.add(op, {x}, {{"axis", axis}, {"keepdims", int64_t{1}}}), site.integers(Ints(site.rank("self"), 1), "shape")});
        return true;
    }
    site.result(op, {x}, {{"axis", axis}, {"keepdims", int64_t{site.flag("keepdim")}}});
    return true;
}

// (values, their first places)
template <const OpId& op, const OpId& place>
bool extreme_with_place(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), 0), keep = site.flag("keepdim");
    const ValueId x = site.in("self");
    site.result(op, {x, site.integers({axis}, "axes")}, {{"keepdims", keep}});
    site.result(place, {x}, {{"axis", axis}, {"keepdims", keep}}, 1);
    return true;
}

bool top_k(Site& site) {
    const ValueId values = site.out_value(0), places = site.out_value(1);
    site.put(ops::TopK, {site.in("self"), site.sizes(site.need("k"))}, {values, places},
             {{"axis", site.axis("dim", site.rank("self"), -1)}, {"largest", int64_t{site.flag("largest", true)}}, {"sorted", int64_t{1}}});
    return true;
}

ValueId length_of(Site& site, int64_t axis) {
    if (const int64_t length = site.dim("self", axis); length >= 0) return site.integers({length}, "length");
    return site.add(ops::Gather, {site.add(ops::Shape, {site.in("self")}), site.integers({axis}, "axis")});
}

template <bool only_places>
bool sort(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), -1);
    const Attrs attrs{{"axis", axis}, {"largest", int64_t{site.flag("descending")}}, {"sorted", int64_t{1}}};
    const ValueId values = only_places ? site.value("sorted") : site.out_value(0), places = site.out_value(only_places ? 0 : 1);
    site.put(ops::TopK, {site.in("self"), length_of(site, axis)}, {values, places}, attrs);
    return true;
}

// The k-th smallest and its place; the median is the lower middle one.
template <bool median>
bool kth(Site& site) {
    const int64_t axis = site.axis("dim", site.rank("self"), -1), length = site.dim("self", axis);
    if (median && length < 1) return false;
    const int64_t k = median ? (length + 1) / 2 : site.integer("k");
    if (k < 1) throw bad_input("the {}th smallest number", k);
    const ValueId values = site.value("sorted"), places = site.value("places");
    site.put(ops::TopK, {site.in("self"), site.integers({k}, "k")}, {values, places},
             {{"axis", axis}, {"largest", int64_t{0}}, {"sorted", int64_t{1}}});
    const ValueId which = site.flag("keepdim") ? site.integers({k - 1}, "last") : site.scalar(k - 1, DType::i64, "last");
    site.result(ops::Gather, {values, which}, {{"axis", axis}});
    site.result(ops::Gather, {places, which}, {{"axis", axis}}, 1);
    return true;
}

template <const OpId& op>
bool cumulate(Site& site) {
    const DType dtype = site.out_meta().dtype;
    site.result(op, {site.in_as("self", dtype), site.scalar(site.axis("dim", site.rank("self"), 0), DType::i64, "axis")});
    return true;
}

constexpr std::array reduce_table{
    MapRow{"aten.sum", "ReduceSum", reduce<ops::ReduceSum>},
    MapRow{"aten.mean", "ReduceMean", reduce<ops::ReduceMean>},
    MapRow{"aten.prod", "ReduceProd", reduce<ops::ReduceProd>},
    MapRow{"aten.logsumexp", "ReduceLogSumExp", reduce<ops::ReduceLogSumExp>},
    MapRow{"aten.amax aten.max.default", "ReduceMax", extreme<ops::ReduceMax>},
    MapRow{"aten.amin aten.min.default", "ReduceMin", extreme<ops::ReduceMin>},
    MapRow{"aten.any", "ReduceMax Cast", truth<ops::ReduceMax>},
    MapRow{"aten.all", "ReduceMin Cast", truth<ops::ReduceMin>},
    MapRow{"aten.var", "ReduceMean Sub Mul", var},
    MapRow{"aten.std", "ReduceMean Sub Mul Sqrt", std_dev},
    MapRow{"aten.var_mean", "ReduceMean Sub Mul", var_mean<false>},
    MapRow{"aten.std_mean", "ReduceMean Sub Mul Sqrt", var_mean<true>},
    MapRow{"aten.linalg_vector_norm aten.norm", "ReduceL1 ReduceL2 ReduceMax ReduceSum Abs Pow", norm},
    MapRow{.names = "aten.linalg_norm aten.frobenius_norm",
           .ops = "ReduceL1 ReduceL2 ReduceMax ReduceSum Abs Pow",
           .rewrite = vector_or_matrix_norm<false>,
           .limits = "matrices by orders other than Frobenius'"},
    MapRow{.names = "aten.linalg_matrix_norm",
           .ops = "ReduceL1 ReduceL2 ReduceMax ReduceSum Abs Pow",
           .rewrite = vector_or_matrix_norm<true>,
           .limits = "matrices by orders other than Frobenius'"},
    MapRow{"aten.count_nonzero", "Cast ReduceSum", count_nonzero},
    MapRow{"aten.nansum", "IsNaN Where ReduceSum", nansum},
    MapRow{"aten.argmax", "ArgMax", arg<ops::ArgMax>},
    MapRow{"aten.argmin", "ArgMin", arg<ops::ArgMin>},
    MapRow{"aten.max.dim", "ReduceMax ArgMax", extreme_with_place<ops::ReduceMax, ops::ArgMax>},
    MapRow{"aten.min.dim", "ReduceMin ArgMin", extreme_with_place<ops::ReduceMin, ops::ArgMin>},
    MapRow{"aten.topk", "TopK", top_k},
    MapRow{"aten.sort", "TopK", sort<false>},
    MapRow{"aten.argsort", "TopK", sort<true>},
    MapRow{"aten.kthvalue", "TopK Gather", kth<false>},
    MapRow{.names = "aten.median.dim", .ops = "TopK Gather", .rewrite = kth<true>, .limits = "dims that are not fixed"},
    MapRow{"aten.cumsum", "CumSum", cumulate<ops::CumSum>},
    MapRow{"aten.cumprod", "CumProd", cumulate<ops::CumProd>},
};

}  // namespace

std::span<const MapRow> reduce_rows() { return reduce_table; }

}  // namespace quern::torch_format
