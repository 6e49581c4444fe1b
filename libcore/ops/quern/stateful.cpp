// quern's own: State, a variable that a model carries from run to run, SVDF, TensorFlow Lite's rank-decomposed layer over time, and the
// numbers of TensorFlow's random generator, whose position is a state.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <numbers>

#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/elements.h"
#include "libcore/ops/shared/families.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/ops/shared/quant_rules.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/svdf.h"

namespace quern {

SvdfSizes svdf_sizes(const SvdfDims& dims, int64_t rank) {
    const auto& [x, filters, times, state] = dims;
    if (x.size() != 2 || filters.size() != 2 || times.size() != 2 || x[1] != filters[1] || filters[0] != times[0] || rank < 1 ||
        filters[0] % rank != 0)
        throw bad_input("data {}, filters {}, time filters {} and rank {} do not belong together", to_string(x), to_string(filters),
                        to_string(times), rank);
    const SvdfSizes s{x[0], x[1], filters[0], times[1], rank};
    if (count_of(state) != count_of(Dims{s.batch, s.filters, s.memory}))
        throw bad_input("a state {}, need {} numbers", to_string(state), count_of(Dims{s.batch, s.filters, s.memory}));
    return s;
}

SvdfSizes svdf_sizes(EvalCtx& ctx) {
    const SvdfSizes s = svdf_sizes({ctx.need(0).dims, ctx.need(1).dims, ctx.need(2).dims, ctx.need(3).dims}, ctx.integer("rank"));
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
    if (filters.ranked && filters.dims[0].known() && filters.dims[0].value % rank != 0)
        throw bad_input("{} filters do not divide into rank {}", filters.dims[0].value, rank);
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

// ---- random numbers --------------------------------------------------------------------------------------------------------

// Philox4x32-10 (Salmon, Moraes, Dror, Shaw 2011): four words a block, by its number and two seeds, as TensorFlow places them.
class Philox {
   public:
    Philox(int64_t seed, int64_t seed2, uint64_t block)
        : key_{low(static_cast<uint64_t>(seed)), high(static_cast<uint64_t>(seed))},
          counter_{low(block), high(block), low(static_cast<uint64_t>(seed2)), high(static_cast<uint64_t>(seed2))} {}

    std::array<uint32_t, 4> next() {
        std::array<uint32_t, 4> x = counter_;
        std::array<uint32_t, 2> key = key_;
        for (int round = 0; round < 10; ++round) {
            const uint64_t a = uint64_t{0xD2511F53} * x[0], b = uint64_t{0xCD9E8D57} * x[2];
            x = {high(b) ^ x[1] ^ key[0], low(b), high(a) ^ x[3] ^ key[1], low(a)};
            key[0] += 0x9E3779B9;
            key[1] += 0xBB67AE85;
        }
        for (size_t i = 0; i < counter_.size() && ++counter_[i] == 0; ++i) {
        }
        return x;
    }

   private:
    static uint32_t low(uint64_t x) { return static_cast<uint32_t>(x); }
    static uint32_t high(uint64_t x) { return static_cast<uint32_t>(x >> 32); }
    std::array<uint32_t, 2> key_;
    std::array<uint32_t, 4> counter_;
};

// In [0, 1): the lower 23 bits after the point.
float unit_of(uint32_t word) { return std::bit_cast<float>((word & 0x7fffffu) | 0x3f800000u) - 1.0f; }

std::array<float, 4> uniform_of(const std::array<uint32_t, 4>& words) {
    return {unit_of(words[0]), unit_of(words[1]), unit_of(words[2]), unit_of(words[3])};
}

// Box and Muller 1958, a pair of words to a pair of numbers.
std::array<float, 4> normal_of(const std::array<uint32_t, 4>& words) {
    std::array<float, 4> out{};
    for (size_t i = 0; i < out.size(); i += 2) {
        constexpr float min = 1.0e-7f, circle = 2 * std::numbers::pi_v<float>;
        const float radius = std::sqrt(-2.0f * portable::log(std::max(unit_of(words[i]), min))), angle = circle * unit_of(words[i + 1]);
        out[i] = portable::sin(angle) * radius;
        out[i + 1] = portable::cos(angle) * radius;
    }
    return out;
}

void infer_philox(InferCtx& ctx) {
    Shape out;
    if (const auto* dims = ctx.dims_value(0))
        out = Shape::of_dims(*dims);
    else if (ctx.shape(0).ranked && ctx.shape(0).rank() == 1 && ctx.shape(0).dims[0].known() && ctx.shape(0).dims[0].value <= 64)
        out = Shape::of_rank(static_cast<size_t>(ctx.shape(0).dims[0].value));
    ctx.set(0, Type::tensor(DType::f32, std::move(out)));
    ctx.set(1, Type::tensor(DType::i64, Shape::of_dims({})));
}

// Inputs: the shape, the number of the first block. Outputs: the numbers, that of the block behind them.
template <std::array<float, 4> (*numbers)(const std::array<uint32_t, 4>&)>
void eval_philox(EvalCtx& ctx) {
    const Dims dims = to_ints(ctx.need(0));
    if (ctx.need(1).count() != 1) throw bad_input("input 1 has {} numbers, need 1", ctx.need(1).count());
    check_size(DType::f32, dims);
    const auto block = static_cast<uint64_t>(to_ints(ctx.need(1))[0]);
    Philox generator(ctx.integer("seed"), ctx.integer("seed2"), block);
    std::vector<float> out(static_cast<size_t>(count_of(dims)));
    for (size_t i = 0; i < out.size(); i += 4) {
        const auto four = numbers(generator.next());
        std::copy_n(four.begin(), std::min<size_t>(4, out.size() - i), out.begin() + static_cast<std::ptrdiff_t>(i));
    }
    ctx.give(0, Tensor::make<float>(dims, out));
    if (ctx.wants(1)) ctx.give(1, Tensor::scalar(static_cast<int64_t>(block + (out.size() + 3) / 4)));
}

constexpr std::array philox_attrs{AttrDef{"seed", AttrKind::integer, "0"}, AttrDef{"seed2", AttrKind::integer, "0"}};
constexpr Op philox_row(std::string_view name, void (*eval)(EvalCtx&), std::string_view doc) {
    return {.name = name,
            .domain = "quern",
            .in = {2, 2},
            .out = {1, 2},
            .attrs = philox_attrs,
            .traits = Trait::random,
            .types = DType::i32 | DType::i64,
            .infer = infer_philox,
            .eval = eval,
            .doc = doc};
}

constexpr std::array state_attrs{AttrDef{"next", AttrKind::text, {}, true}};
constexpr std::array svdf_attrs{AttrDef{"rank", AttrKind::integer, "1"}};

constexpr std::array stateful_table{
    Op{.name = "State",
       .domain = "quern",
       .attrs = state_attrs,
       .traits = Trait::data_movement | Trait::random,
       .types = dtypes::all,
       .infer = infer_state,
       .eval = eval_state,
       .quant = rules::same,
       .cost = cost_movement,
       .doc = "a variable: at first input 0, in later runs the value that \"next\" names"},
    Op{.name = "SVDF",
       .domain = "quern",
       .in = {4, 5},
       .out = {1, 2},
       .attrs = svdf_attrs,
       .types = dtypes::floats,
       .infer = infer_svdf,
       .eval = eval_svdf,
       .cost = cost_svdf,
       .doc = "filters over features, then over the last steps in time (TFLite)"},
    philox_row("PhiloxUniform", eval_philox<uniform_of>, "numbers in [0, 1) of TensorFlow's generator"),
    philox_row("PhiloxNormal", eval_philox<normal_of>, "standard normal numbers of TensorFlow's generator"),
};

}  // namespace

std::span<const Op> stateful_ops() { return stateful_table; }

}  // namespace quern
