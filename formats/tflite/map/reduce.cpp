// Operators along axes.
#include <algorithm>
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tflite_format {
namespace {

using decompose::Term;

Term reduced(Site& site, OpId op, const Term& x) {
    decompose::Numbers axes = decompose::numbers(site, 1);
    axes.known = site.axes(1, std::max<size_t>(site.rank(0), 1));
    return decompose::reduced(op, x, axes, site.flag("keep_dims"));
}

template <const OpId& op>
bool reduce(Site& site) {
    return bind_result(site, reduced(site, op, decompose::term(site)));
}

template <const OpId& op>
bool reduce_truth(Site& site) {
    return bind_result(site, decompose::as(reduced(site, op, decompose::as(decompose::term(site), DType::i32)), DType::boolean));
}

bool arg(Site& site, OpId op) {
    const auto axis = site.ints(1);
    if (!axis || axis->size() != 1) return false;
    const Attrs attrs{{"axis", (*axis)[0]}, {"keepdims", int64_t{0}}};
    site.bind(site.cast(site.add(op, {site.in(0)}, attrs), type_of(site.out_tensor()).dtype), 0);
    return true;
}
bool arg_max(Site& site) { return arg(site, ops::ArgMax); }
bool arg_min(Site& site) { return arg(site, ops::ArgMin); }

bool softmax(Site& site) {
    ValueId x = site.in(0);
    if (const float beta = site.real("beta"); beta != 1) x = site.add(ops::Mul, {x, site.scalar(beta, DType::f32, "beta")});
    site.result(ops::Softmax, {x}, {{"axis", int64_t{-1}}});
    return true;
}

bool log_softmax(Site& site) {
    site.result(ops::LogSoftmax, {site.in(0)}, {{"axis", int64_t{-1}}});
    return true;
}

// Over the last dimension; lengths below 1e-6 count as that.
bool l2_normalization(Site& site) {
    const ValueId x = site.in(0), axes = site.integers({-1}, "axes");
    const ValueId squares = site.add(ops::ReduceSum, {site.add(ops::Mul, {x, x}), axes});
    const ValueId length = site.add(ops::Max, {site.add(ops::Sqrt, {squares}), site.scalar(1e-6f, DType::f32, "least")});
    site.put(ops::Div, {x, length}, {site.out_value(0)});
    return true;
}

bool cumsum(Site& site) {
    const Attrs attrs{{"exclusive", int64_t{site.flag("exclusive")}}, {"reverse", int64_t{site.flag("reverse")}}};
    const auto axis = site.ints(1);
    if (!axis || axis->size() != 1) return false;
    site.result(ops::CumSum, {site.in(0), site.constant(Tensor::scalar<int64_t>((*axis)[0]), "axis")}, attrs);
    return true;
}

bool top_k(Site& site) {
    const ValueId k = site.add(ops::Reshape, {site.as_i64(1), site.integers({1}, "one")}), places = site.value("places");
    site.put(ops::TopK, {site.in(0), k}, {site.out_value(0), places}, {{"axis", int64_t{-1}}});
    site.put(ops::Cast, {places}, {site.out_value(1)}, {{"to", onnx_type(type_of(site.out_tensor(1)).dtype)}});
    return true;
}

bool rms_norm(Site& site) {
    site.result(ops::RMSNormalization, {site.in(0), site.in(1)}, {{"axis", int64_t{-1}}, {"epsilon", site.real("epsilon")}});
    return true;
}

constexpr std::array reduce_table{
    MapRow{Code::ARG_MAX, "ArgMax", arg_max, "an axis that is computed"},
    MapRow{Code::ARG_MIN, "ArgMin", arg_min, "an axis that is computed"},
    MapRow{Code::CUMSUM, "CumSum", cumsum, "an axis that is computed"},
    MapRow{Code::L2_NORMALIZATION, "Mul ReduceSum Sqrt Max Div", l2_normalization},
    MapRow{Code::LOG_SOFTMAX, "LogSoftmax", log_softmax},
    MapRow{Code::MEAN, "ReduceMean", reduce<ops::ReduceMean>},
    MapRow{Code::REDUCE_ALL, "ReduceMin Cast", reduce_truth<ops::ReduceMin>},
    MapRow{Code::REDUCE_ANY, "ReduceMax Cast", reduce_truth<ops::ReduceMax>},
    MapRow{Code::REDUCE_MAX, "ReduceMax", reduce<ops::ReduceMax>},
    MapRow{Code::REDUCE_MIN, "ReduceMin", reduce<ops::ReduceMin>},
    MapRow{Code::REDUCE_PROD, "ReduceProd", reduce<ops::ReduceProd>},
    MapRow{Code::RMS_NORM, "RMSNormalization", rms_norm},
    MapRow{Code::SOFTMAX, "Mul Softmax", softmax},
    MapRow{Code::SUM, "ReduceSum", reduce<ops::ReduceSum>},
    MapRow{Code::TOPK_V2, "TopK Cast", top_k},
};

}  // namespace

std::span<const MapRow> reduce_rows() { return reduce_table; }

}  // namespace quern::tflite_format
