#include "libcore/kernels/codes/real_product.h"

#include <algorithm>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/integer/profile.h"

namespace quern::codes {
namespace {

// One item for each filled column.
template <class T>
std::vector<T> filled(const std::vector<T>& items, const WeightLayout& layout) {
    std::vector<T> all(static_cast<size_t>(layout.filled_columns()), T{});
    for (int64_t i = 0; i < layout.groups * layout.columns; ++i)
        all[static_cast<size_t>(layout.place_of(i))] = items[items.size() == 1 ? 0 : static_cast<size_t>(i)];
    return all;
}

Weights packed_weights(const Site& site, const WeightLayout& layout) {
    if (!site.state.empty()) return {layout, site.state};
    const Encoding& own = encoding_at(site, 1);
    const Tensor codes = *site.graph.constant(site.first().in[1]);
    return {layout, PlainWeights{codes.data.data(), own.storage == DType::i8, own.zeros()}};
}

RealsParameters reals_of(const Encoding& own, const WeightLayout& layout) {
    RealsParameters reals;
    reals.scales = filled(to_floats(own.scale), layout);
    return reals;
}

}  // namespace

std::string_view real_product_obstacle(const Site& site) {
    const Node& node = site.first();
    const auto &x = site.value(node.in[0]).enc, &w = site.value(node.in[1]).enc;
    const auto is_byte = [](const Encoding& e) { return e.storage == DType::i8 || e.storage == DType::u8; };
    if (!site.arithmetic || !site.arithmetic->sums) return "has other arithmetic than products";
    if (!x || !x->is_dynamic() || x->block > 0 || !is_byte(*x) || site.result) return "is not dynamic 8-bit codes with a real result";
    if (!site.value(node.in[1]).constant() || !w || !w->is_fixed() || w->block > 0 || !is_byte(*w))
        return "the weights are not constant 8-bit codes";
    return "";
}

RealConstants::RealConstants(const Site& site, const WeightLayout& layout)
    : weights_(packed_weights(site, layout)), reals_(reals_of(encoding_at(site, 1), layout)), weights_id_(site.first().in[1]) {
    reals_.column_sums = weights_.bias();
}

RealsParameters RealConstants::reals(KernelCtx& ctx, size_t i) const {
    RealsParameters all = reals_;
    const Tensor* bias = ctx.in(i);
    if (!bias) return all;
    const WeightLayout& layout = weights_.layout();
    if (bias->count() != 1 && bias->count() != layout.groups * layout.columns)
        throw bad_input("bias is {}, need {} numbers", to_string(bias->dims), layout.groups * layout.columns);
    const Encoding* encoding = ctx.encoding(i);
    all.bias = filled(to_floats(encoding ? dequantize(*bias, *encoding) : *bias), layout);
    return all;
}

Slice dynamic_slice(KernelCtx& ctx) {
    const Encoding& grid = *ctx.encoding(0);
    return {to_floats(grid.scale)[0], static_cast<int32_t>(grid.zero_at()) + bias_of(grid.storage)};
}

}  // namespace quern::codes
