// The tflite profile: means, sums and products along axes, the greatest and least code.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/reduce.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/parameters.h"

namespace quern {
namespace {

// ---- reductions ---------------------------------------------------------------------------------------------------------------

// kernel(codes, results, from, over) of a reduction; of nothing, the code is `none`.
template <class Kernel>
void eval_along(EvalCtx& ctx, int64_t none, const Kernel& kernel) {
    const Reduction groups(ctx);
    const Codes x = to_ints(ctx.need(0));
    Codes y(static_cast<size_t>(count_of(groups.kept)), none);
    if (!y.empty() && groups.count > 0) {
        const ReductionSteps steps(ctx.need(0).dims, groups.reduced);
        const walk_t from = walk_of(steps.lengths[0], steps.steps[0]), over = walk_of(steps.lengths[1], steps.steps[1]);
        kernel(x.data(), y.data(), &from, &over, groups.count);
    }
    give_codes(ctx, groups.out, y);
}

template <bool mean>
void eval_reduced_sum(EvalCtx& ctx) {
    eval_along(ctx, 0, [&](const int64_t* x, int64_t* y, const walk_t* from, const walk_t* over, int64_t count) {
        const rescale_t t = mean_parameters(*ctx.in_encoding(0), *ctx.out_encoding(0), mean ? count : 1);
        mean_codes(x, y, from, over, &t);
    });
}

template <bool max>
void eval_extreme(EvalCtx& ctx) {
    const Reduction groups(ctx);
    const auto [lowest, highest] = int_range(ctx.out_encoding(0)->storage);
    give_codes(ctx, groups.out,
               reduced(ctx, groups, max ? lowest : highest, [](int64_t a, int64_t b) { return max ? std::max(a, b) : std::min(a, b); }));
}

void eval_product_along(EvalCtx& ctx) {
    const Encoding &x = *ctx.in_encoding(0), &y = *ctx.out_encoding(0);
    const rescale_t one = product_along_parameters(x, y, 1);
    const int64_t none = clip(int64_t{scaled_wide(1, one.factor, one.shift)} + one.zero, one.low, one.high);
    eval_along(ctx, none, [&](const int64_t* from_x, int64_t* to, const walk_t* from, const walk_t* over, int64_t count) {
        const rescale_t t = product_along_parameters(x, y, count);
        product_codes(from_x, to, from, over, &t);
    });
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

constexpr std::array tflite_reduce_table{
    ProfileRow{ops::ReduceMean, takes_one, eval_reduced_sum<true>}, ProfileRow{ops::GlobalAveragePool, takes_one, eval_reduced_sum<true>},
    ProfileRow{ops::ReduceSum, takes_one, eval_reduced_sum<false>}, ProfileRow{ops::ReduceMax, takes_same, eval_extreme<true>},
    ProfileRow{ops::ReduceMin, takes_same, eval_extreme<false>},    ProfileRow{ops::ReduceProd, takes_product, eval_product_along},
};

}  // namespace

std::span<const ProfileRow> tflite_reduce_rows() { return tflite_reduce_table; }

}  // namespace quern
