// The tflite profile: means, sums and products along axes, the greatest and least code.
#include <algorithm>
#include <array>
#include <bit>
#include <limits>

#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/shared/dims.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// ---- reductions ---------------------------------------------------------------------------------------------------------------

// The division by the count of a mean is part of the factor, which is shifted left first to keep its bits. Of nothing, the code is 0.
template <bool mean>
void eval_reduced_sum(EvalCtx& ctx) {
    const Encoding &x = *ctx.in_encoding(0), &y = *ctx.out_encoding(0);
    const Reduction groups(ctx);
    auto sums = reduced(ctx, groups, 0, [](int64_t sum, int64_t code) { return sum + code; });
    FixedFactor factor = FixedFactor::of(static_cast<double>(scale_of(x)) / static_cast<double>(scale_of(y)));
    if (mean && groups.count > 0) {
        const int shift = std::min({63 - std::countl_zero(static_cast<uint64_t>(groups.count)), 32, 31 + factor.shift});
        factor.factor = static_cast<int32_t>((int64_t{factor.factor} << shift) / groups.count);
        factor.shift -= shift;
    }
    const auto [least, greatest] = int_range(y.storage);
    if (groups.count > 0)
        for (int64_t& sum : sums) sum = std::clamp(factor.times(narrow(sum - x.zero_at() * groups.count)) + y.zero_at(), least, greatest);
    give_codes(ctx, groups.out, sums);
}

template <bool greatest>
void eval_extreme(EvalCtx& ctx) {
    const Reduction groups(ctx);
    const auto [lowest, highest] = int_range(ctx.out_encoding(0)->storage);
    give_codes(ctx, groups.out, reduced(ctx, groups, greatest ? lowest : highest, [](int64_t a, int64_t b) {
                   return greatest ? std::max(a, b) : std::min(a, b);
               }));
}

// Every product is scaled, by x_scale / y_scale^(1/n), so that none overflows.
void eval_product_along(EvalCtx& ctx) {
    const Encoding &x = *ctx.in_encoding(0), &y = *ctx.out_encoding(0);
    const Reduction groups(ctx);
    const double scale = static_cast<double>(scale_of(x)) /
                         portable::pow(static_cast<double>(scale_of(y)), 1.0 / static_cast<double>(std::max<int64_t>(groups.count, 1)));
    const FixedFactor factor = FixedFactor::of(scale);
    constexpr int64_t none = std::numeric_limits<int64_t>::min();
    Codes products = reduced(ctx, groups, none, [&](int64_t product, int64_t code) {
        return product == none ? code - x.zero_at() : factor.times_wide(product * (code - x.zero_at()));
    });
    const auto [least, greatest] = int_range(y.storage);
    for (int64_t& product : products) product = std::clamp(factor.times_wide(product == none ? 1 : product) + y.zero_at(), least, greatest);
    give_codes(ctx, groups.out, products);
}

// ---- what is taken -----------------------------------------------------------------------------------------------------------

bool fits_same(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& x = graph.value(node.in[0]).enc;
    return takes_one(graph, node, out) && same_grid(*x, out);
}
constexpr Takes takes_same{fits_same, "operand and result in the same codes of up to 16 bits"};

bool fits_product(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && out.storage != DType::u8;
}
constexpr Takes takes_product{fits_product, "codes of one signed type, one scale each"};

constexpr std::array rows{
    ProfileRow{ops::ReduceMean, takes_one, eval_reduced_sum<true>}, ProfileRow{ops::GlobalAveragePool, takes_one, eval_reduced_sum<true>},
    ProfileRow{ops::ReduceSum, takes_one, eval_reduced_sum<false>}, ProfileRow{ops::ReduceMax, takes_same, eval_extreme<true>},
    ProfileRow{ops::ReduceMin, takes_same, eval_extreme<false>},    ProfileRow{ops::ReduceProd, takes_product, eval_product_along},
};

}  // namespace

std::span<const ProfileRow> tflite_reduce_rows() { return rows; }

}  // namespace quern
