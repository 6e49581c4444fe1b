// quern's own: State, a variable that a model carries from run to run, and SVDF, TensorFlow Lite's rank-decomposed layer over time.
#include <algorithm>
#include <array>

#include "libcore/ops/dense.h"
#include "libcore/ops/families.h"
#include "libcore/ops/shared.h"
#include "libcore/ops/svdf.h"

namespace quern {

SvdfSizes svdf_sizes(EvalCtx& ctx) {
    const Dims &x = ctx.need(0).dims, &filters = ctx.need(1).dims, &times = ctx.need(2).dims, &state = ctx.need(3).dims;
    const int64_t rank = ctx.integer("rank");
    if (x.size() != 2 || filters.size() != 2 || times.size() != 2 || x[1] != filters[1] || filters[0] != times[0] || rank < 1 ||
        filters[0] % rank != 0)
        throw bad_input("data {}, filters {}, time filters {} and rank {} do not belong together", to_string(x), to_string(filters),
                        to_string(times), rank);
    const SvdfSizes s{x[0], x[1], filters[0], times[1], rank};
    if (count_of(state) != count_of(Dims{s.batch, s.filters, s.memory}))
        throw bad_input("a state {}, need {} numbers", to_string(state), count_of(Dims{s.batch, s.filters, s.memory}));
    if (ctx.in(4) && ctx.in(4)->dims != Dims{s.units()})
        throw bad_input("a bias {}, need {}", to_string(ctx.in(4)->dims), to_string(Dims{s.units()}));
    return s;
}

void give_svdf(EvalCtx& ctx, const SvdfSizes& s, std::span<const float> fresh, std::span<const float> times) {
    const Numbers<float> before(ctx.need(3));
    std::vector<float> state(before.span().begin(), before.span().end()), y(static_cast<size_t>(s.batch * s.units()), 0.0f);
    for (int64_t row = 0; row < s.batch * s.filters; ++row) {
        float* own = state.data() + row * s.memory;
        if (s.memory > 0) {
            std::copy(own + 1, own + s.memory, own);
            own[s.memory - 1] = fresh[static_cast<size_t>(row)];
        }
        const float* weights = times.data() + row % s.filters * s.memory;
        float sum = 0;
        for (int64_t i = 0; i < s.memory; ++i) sum += own[i] * weights[i];
        y[static_cast<size_t>(row / s.rank)] += sum;
    }
    if (ctx.in(4)) {
        const Numbers<float> bias(*ctx.in(4));
        for (size_t i = 0; i < y.size(); ++i) y[i] += bias[i % bias.size()];
    }
    NumbersOut<float> out(ctx, 0, ctx.need(0).dtype, {s.batch, s.units()});
    std::copy(y.begin(), y.end(), out.span().begin());
    if (!ctx.wants(1)) return;
    NumbersOut<float> after(ctx, 1, ctx.need(3).dtype, ctx.need(3).dims);
    std::copy(state.begin(), state.end(), after.span().begin());
}

namespace {

void infer_state(InferCtx& ctx) { infer_same(ctx); }
void eval_state(EvalCtx& ctx) { ctx.give(0, ctx.need(0)); }

void infer_svdf(InferCtx& ctx) {
    const Shape &x = ctx.shape(0), &filters = ctx.shape(1);
    const int64_t rank = ctx.integer("rank");
    if ((x.ranked && x.rank() != 2) || (filters.ranked && filters.rank() != 2) || rank < 1)
        throw bad_input("data {}, filters {} and rank {} do not belong together", to_string(x), to_string(filters), rank);
    Shape out = Shape::of_rank(2);
    if (x.ranked) out.dims[0] = x.dims[0];
    if (filters.ranked && filters.dims[0].known()) out.dims[1] = Dim::of(filters.dims[0].value / rank);
    ctx.set(0, Type::tensor(ctx.dtype(0), out));
    ctx.set(1, ctx.in(3));
}

void eval_svdf(EvalCtx& ctx) {
    const SvdfSizes s = svdf_sizes(ctx);
    const Numbers<float> x(ctx.need(0)), filters(ctx.need(1)), times(ctx.need(2));
    std::vector<float> fresh(static_cast<size_t>(s.batch * s.filters), 0.0f);
    add_dots<float>(fresh.data(), x.span().data(), s.input, filters.span().data(), s.batch, s.input, s.filters);
    give_svdf(ctx, s, fresh, times.span());
}

Cost cost_svdf(const CostCtx& ctx) {
    if (ctx.in.size() < 3 || ctx.in[0].empty() || ctx.in[1].empty() || ctx.in[2].empty()) return {};
    return {static_cast<double>(ctx.in[0][0]) * static_cast<double>(count_of(ctx.in[1]) + count_of(ctx.in[2])), 0};
}

constexpr std::array state_attrs{AttrDef{"next", AttrKind::text, {}, true}};
constexpr std::array svdf_attrs{AttrDef{"rank", AttrKind::integer, "1"}};

constexpr std::array rows{
    Op{.name = "State",
       .domain = "quern",
       .attrs = state_attrs,
       .traits = Trait::data_movement | Trait::random,
       .types = dtypes::all,
       .infer = infer_state,
       .eval = eval_state,
       .quant = {.kind = QuantRule::Kind::same_as_input},
       .cost = cost_movement,
       .doc = "a variable: at first input 0, in later runs the value that \"next\" names"},
    Op{.name = "SVDF",
       .domain = "quern",
       .in_min = 4,
       .in_max = 5,
       .out_max = 2,
       .attrs = svdf_attrs,
       .types = dtypes::floats,
       .infer = infer_svdf,
       .eval = eval_svdf,
       .cost = cost_svdf,
       .doc = "filters over features, then over the last steps in time (TFLite)"},
};

}  // namespace

std::span<const Op> stateful_ops() { return rows; }

}  // namespace quern
