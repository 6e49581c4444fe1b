// The tflite profile: means and sums along axes, the greatest and least code, and Relu and Clip that stand alone.
#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <limits>

#include "libcore/ops/dims.h"
#include "libcore/ops/fixed_point.h"
#include "libcore/ops/profile.h"
#include "libcore/ops/shared.h"

namespace quern {
namespace {

float scale_of(const Encoding& e) { return to_floats(e.scale)[0]; }
int64_t zero_of(const Encoding& e) { return e.zero.defined() ? to_ints(e.zero)[0] : 0; }
int32_t narrow(int64_t x) { return static_cast<int32_t>(static_cast<uint32_t>(static_cast<uint64_t>(x))); }

void give(EvalCtx& ctx, const Dims& dims, std::span<const int64_t> codes) {
    ctx.give(0, from_ints(ctx.out_encoding(0)->storage, dims, codes));
}

// ---- reductions ---------------------------------------------------------------------------------------------------------------

// Where each element goes, and how many meet in one.
struct Groups {
    Dims kept, out;
    int64_t count = 0;

    explicit Groups(EvalCtx& ctx) : kept(ctx.need(0).dims) {
        const size_t rank = kept.size();
        Dims axes = ctx.in(1) ? to_ints(*ctx.in(1)) : Dims{};
        if (axes.empty() && ctx.integer("noop_with_empty_axes") == 0)
            for (size_t i = 0; i < rank; ++i) axes.push_back(static_cast<int64_t>(i));
        const auto reduced = axis_flags(axes, rank);
        for (size_t i = 0; i < rank; ++i) {
            if (reduced[i]) kept[i] = 1;
            if (!reduced[i] || ctx.integer("keepdims") != 0) out.push_back(kept[i]);
        }
        const int64_t made = count_of(kept);
        count = made == 0 ? 0 : ctx.need(0).count() / made;
    }
};

template <class Fn>
std::vector<int64_t> grouped(EvalCtx& ctx, const Groups& groups, int64_t start, const Fn& fn) {
    const auto codes = to_ints(ctx.need(0));
    const BroadcastIndex at(groups.kept, ctx.need(0).dims);
    std::vector<int64_t> sums(static_cast<size_t>(count_of(groups.kept)), start);
    for (size_t i = 0; i < codes.size(); ++i) sums[at(i)] = fn(sums[at(i)], codes[i]);
    return sums;
}

// The division by the count of a mean is part of the factor, which is shifted left first to keep its bits.
template <bool mean>
void eval_reduced_sum(EvalCtx& ctx) {
    const Encoding &x = *ctx.in_encoding(0), &y = *ctx.out_encoding(0);
    const Groups groups(ctx);
    auto sums = grouped(ctx, groups, 0, [](int64_t sum, int64_t code) { return sum + code; });
    FixedFactor factor = FixedFactor::of(static_cast<double>(scale_of(x)) / static_cast<double>(scale_of(y)));
    if (mean && groups.count > 0) {
        const int shift = std::min({63 - std::countl_zero(static_cast<uint64_t>(groups.count)), 32, 31 + factor.shift});
        factor.factor = static_cast<int32_t>((int64_t{factor.factor} << shift) / groups.count);
        factor.shift -= shift;
    }
    const auto [least, greatest] = int_range(y.storage);
    for (int64_t& sum : sums) sum = std::clamp(factor.times(narrow(sum - zero_of(x) * groups.count)) + zero_of(y), least, greatest);
    give(ctx, groups.out, sums);
}

template <bool greatest>
void eval_extreme(EvalCtx& ctx) {
    const Groups groups(ctx);
    constexpr int64_t start = greatest ? std::numeric_limits<int64_t>::min() : std::numeric_limits<int64_t>::max();
    give(ctx, groups.out, grouped(ctx, groups, start, [](int64_t a, int64_t b) { return greatest ? std::max(a, b) : std::min(a, b); }));
}

// ---- activations that stand alone ---------------------------------------------------------------------------------------------

void eval_bounded(EvalCtx& ctx) {
    const Encoding &x = *ctx.in_encoding(0), &y = *ctx.out_encoding(0);
    const bool relu = ctx.node().op->name == "Relu";
    auto [low, high] = int_range(y.storage);
    const auto code_of = [&](size_t i) { return static_cast<int64_t>(std::round(to_floats(ctx.need(i))[0] / scale_of(y))) + zero_of(y); };
    if (relu) low = std::max(low, zero_of(y));
    if (!relu && ctx.in(1)) low = std::max(low, code_of(1));
    if (!relu && ctx.in(2)) high = std::min(high, code_of(2));
    const FixedFactor factor = FixedFactor::of(static_cast<double>(scale_of(x) / scale_of(y)));
    auto codes = to_ints(ctx.need(0));
    for (int64_t& code : codes) code = std::min(std::max(factor.times(narrow(code - zero_of(x))) + zero_of(y), low), high);
    give(ctx, ctx.need(0).dims, codes);
}

// ---- what is taken -----------------------------------------------------------------------------------------------------------

bool takes_one(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& x = graph.value(node.in[0]).enc;
    return integer_grid(out) && integer_grid(x) && bits_of(out.storage) <= 16 && x->storage == out.storage;
}

// LiteRT's sums of signed codes are not those of their numbers.
bool takes_sum(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_one(graph, node, out) && out.storage == DType::u8;
}

bool takes_same(const Graph& graph, const Node& node, const Encoding& out) {
    const auto& x = graph.value(node.in[0]).enc;
    return takes_one(graph, node, out) && scale_of(*x) == scale_of(out) && zero_of(*x) == zero_of(out);
}

bool takes_bounded(const Graph& graph, const Node& node, const Encoding& out) {
    if (!takes_one(graph, node, out)) return false;
    return std::all_of(node.in.begin() + 1, node.in.end(), [&](ValueId id) {
        if (id == ValueId::none) return true;
        const auto bound = graph.constant(id);
        return bound && !graph.value(id).enc && bound->count() == 1 && is_float(bound->dtype) &&
               std::abs(to_floats(*bound)[0] / scale_of(out)) < 1e9f;
    });
}

constexpr std::array rows{
    ProfileRow{"ReduceMean", "", takes_one, eval_reduced_sum<true>},
    ProfileRow{"ReduceSum", "", takes_sum, eval_reduced_sum<false>},
    ProfileRow{"ReduceMax", "", takes_same, eval_extreme<true>},
    ProfileRow{"ReduceMin", "", takes_same, eval_extreme<false>},
    ProfileRow{"Relu", "", takes_bounded, eval_bounded},
    ProfileRow{"Clip", "", takes_bounded, eval_bounded},
};
}  // namespace

std::span<const ProfileRow> tflite_reduce_rows() { return rows; }

}  // namespace quern
