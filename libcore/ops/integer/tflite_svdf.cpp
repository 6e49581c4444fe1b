// The tflite profile: SVDF with int8 data, an int16 state and int16 weights over time. Both sums are brought to the next scale by one
// factor each, whose real number is computed in float32.
#include <algorithm>
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/scaled.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/fixed_point.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/svdf.h"

namespace quern {
namespace {

constexpr size_t filters_at = 1, times_at = 2, state_at = 3, bias_at = 4;

void eval_svdf_codes(EvalCtx& ctx) {
    const SvdfSizes s = svdf_sizes(ctx);
    const Encoding &own = *ctx.in_encoding(state_at), &made = *ctx.out_encoding(0);
    const auto x = to_ints(ctx.need(0)), filters = to_ints(ctx.need(filters_at)), times = to_ints(ctx.need(times_at));
    auto state = to_ints(ctx.need(state_at));
    const auto feature =
        FixedFactor::of(static_cast<double>(scale_of(*ctx.in_encoding(0)) * scale_of(*ctx.in_encoding(filters_at)) / scale_of(own)));
    const auto result = FixedFactor::of(static_cast<double>(scale_of(own) * scale_of(*ctx.in_encoding(times_at)) / scale_of(made)));
    const int64_t zero = ctx.in_encoding(0)->zero_at();
    std::vector<int64_t> y(static_cast<size_t>(s.batch * s.units()), 0);
    if (ctx.in(bias_at)) {
        const auto bias = to_ints(ctx.need(bias_at));
        for (size_t i = 0; i < y.size(); ++i) y[i] = bias[i % bias.size()];
    }
    for (int64_t row = 0; row < s.batch * s.filters && s.memory > 0; ++row) {
        const int64_t *data = x.data() + row / s.filters * s.input, *filter = filters.data() + row % s.filters * s.input;
        int64_t sum = 0;
        for (int64_t i = 0; i < s.input; ++i) sum += filter[i] * (data[i] - zero);
        int64_t* row_state = state.data() + row * s.memory;
        std::copy(row_state + 1, row_state + s.memory, row_state);
        row_state[s.memory - 1] = std::clamp<int64_t>(scaled(narrow(sum), feature.factor, feature.shift), INT16_MIN, INT16_MAX);
        const int64_t* weights = times.data() + row % s.filters * s.memory;
        for (int64_t i = 0; i < s.memory; ++i) y[static_cast<size_t>(row / s.rank)] += row_state[i] * weights[i];
    }
    for (int64_t& item : y)
        item = std::clamp(int64_t{scaled(narrow(item), result.factor, result.shift)} + made.zero_at(), made.qmin, made.qmax);
    ctx.give(0, from_ints(made.storage, {s.batch, s.units()}, y));
    if (ctx.wants(1)) ctx.give(1, dequantize(from_ints(own.storage, ctx.need(state_at).dims, state), own));
}

bool fits_svdf(const Graph& graph, const Node& node, const Encoding& out) {
    const auto coded = [&](size_t i, DType storage) {
        const auto& e = graph.value(node.in[i]).enc;
        return integer_grid(e) && e->storage == storage;
    };
    const bool bias = node.in.size() > bias_at && node.in[bias_at] != ValueId::none;
    return integer_grid(out) && out.storage == DType::i8 && coded(0, DType::i8) && coded(filters_at, DType::i8) &&
           coded(times_at, DType::i16) && coded(state_at, DType::i16) && graph.value(node.in[filters_at]).enc->symmetric() &&
           graph.value(node.in[times_at]).enc->symmetric() && graph.value(node.in[state_at]).enc->symmetric() &&
           (!bias || coded(bias_at, DType::i32));
}
constexpr Takes takes_svdf{fits_svdf, "int8 data, filters and result, int16 weights over time and state"};

constexpr std::array rows{ProfileRow{.op = ops::own::SVDF, .takes = takes_svdf, .eval = eval_svdf_codes}};

}  // namespace

std::span<const ProfileRow> tflite_svdf_rows() { return rows; }

}  // namespace quern
