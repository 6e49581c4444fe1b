#include "libcore/kernels/codes/gate_product.h"

#include "libcore/kernels/codes/finish.h"
#include "libcore/kernels/codes/site.h"

namespace quern::codes {
namespace {

Weights packed_rows(const Site& site, size_t i, std::span<const int64_t> bias, int32_t x_zero, std::span<const Bytes> state) {
    const Value& value = site.value(site.first().in[i]);
    const WeightLayout layout = row_layout(*value.type.shape.concrete());
    if (!state.empty()) return {layout, state};
    const Tensor codes = *site.graph.constant(site.first().in[i]);
    return {layout, PlainWeights{codes.data.data(), true, {0}}, bias, x_zero};
}

}  // namespace

WeightLayout row_layout(const Dims& weights) {
    const int64_t depth = weights.back();
    return {1, weights[weights.size() - 2], 1, depth, depth, 0, 1};
}

std::string_view row_weights_obstacle(const Site& site, size_t i) {
    const Value& value = site.value(site.first().in[i]);
    if (!value.constant()) return "the weights are not constant";
    const auto dims = value.type.shape.concrete();
    if (!dims || dims->size() < 2 || count_of(*dims) <= 0) return "the weights are not a matrix";
    return count_of(*dims) == dims->back() * (*dims)[dims->size() - 2] ? "" : "has weights of more than one direction";
}

Geometry rows_geometry(int64_t count) {
    Geometry rows;
    rows.in[2] = rows.out[2] = count;
    return rows;
}

GateProduct::GateProduct(const Site& site, size_t i, std::span<const int64_t> bias, int64_t x_zero, std::span<const FixedFactor> factors,
                         std::span<const Bytes> state)
    : zero_(static_cast<uint8_t>(x_zero + bias_of(DType::i8))),
      weights_(packed_rows(site, i, bias, zero_, state)),
      parameters_{weights_.bias(), {}, {}} {
    std::vector<int32_t> factor, shift;
    for (const FixedFactor& fixed : factors) factor.push_back(fixed.factor), shift.push_back(fixed.shift);
    parameters_.factors = weights_.layout().filled(std::span<const int32_t>(factor));
    parameters_.shifts = weights_.layout().filled(std::span<const int32_t>(shift));
}

void GateProduct::run(const uint8_t* x, int64_t rows, int16_t* gates, int64_t stride, bool adds, ThreadPool& pool) const {
    if (rows > 0) RowsProduct(rows_geometry(rows), {weights_, zero_}).run({x}, GateSink(parameters_, gates, stride, adds), pool);
}

}  // namespace quern::codes
