// The tflite profile: SVDF with int8 data, an int16 state and int16 weights over time. Both sums are brought to the next scale by one
// factor each, whose real number is computed in float32.
#include "libcore/ops/integer/tflite_svdf.h"

#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/graph/quantize.h"
#include "libcore/integer/recurrent.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/profile.h"

namespace quern {
namespace {

using namespace svdf_operands;

template <class T>
std::vector<T> items_of(const Tensor& tensor) {
    const auto items = to_ints(tensor);
    return {items.begin(), items.end()};
}

void eval_svdf_codes(EvalCtx& ctx) {
    compute_svdf(ctx, [&](int16_t* fresh, const svdf_t& t) {
        svdf_features(ctx.need(0).view<int8_t>().data(), ctx.need(filters_at).view<int8_t>().data(), fresh, &t);
    });
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

constexpr std::array tflite_svdf_table{ProfileRow{.op = ops::own::SVDF, .takes = takes_svdf, .eval = eval_svdf_codes}};

}  // namespace

FixedFactor svdf_feature_factor(const Encoding& x, const Encoding& filters, const Encoding& state) {
    return FixedFactor::of(static_cast<double>(scale_of(x) * scale_of(filters) / scale_of(state)));
}

svdf_t svdf_parameters(const SvdfSizes& s, const SvdfEncodings& e) {
    const auto feature = svdf_feature_factor(*e.x, *e.filters, *e.state);
    const auto result = FixedFactor::of(static_cast<double>(scale_of(*e.state) * scale_of(*e.times) / scale_of(*e.result)));
    return {narrow(s.batch),
            narrow(s.input),
            narrow(s.filters),
            narrow(s.memory),
            narrow(s.rank),
            narrow(e.x->zero_at()),
            feature.factor,
            feature.shift,
            result.factor,
            result.shift,
            narrow(e.result->zero_at()),
            narrow(e.result->qmin),
            narrow(e.result->qmax)};
}

void compute_svdf(EvalCtx& ctx, const std::function<void(int16_t* fresh, const svdf_t& t)>& features) {
    const SvdfSizes s = svdf_sizes(ctx);
    const Encoding& own = *ctx.in_encoding(state_at);
    const svdf_t t =
        svdf_parameters(s, {ctx.in_encoding(0), ctx.in_encoding(filters_at), ctx.in_encoding(times_at), &own, ctx.out_encoding(0)});
    const auto times = items_of<int16_t>(ctx.need(times_at));
    auto state = items_of<int16_t>(ctx.need(state_at));
    std::vector<int32_t> bias(static_cast<size_t>(s.units()), 0);
    if (ctx.in(bias_at)) bias = items_of<int32_t>(ctx.need(bias_at));
    std::vector<int16_t> fresh(static_cast<size_t>(s.batch * s.filters));
    features(fresh.data(), t);
    svdf_units(fresh.data(), times.data(), bias.data(), state.data(),
               reinterpret_cast<int8_t*>(ctx.out(0, DType::i8, {s.batch, s.units()})), &t);
    if (ctx.wants(1)) ctx.give(1, dequantize(Tensor::make<int16_t>(ctx.need(state_at).dims, state), own));
}

std::span<const ProfileRow> tflite_svdf_rows() { return tflite_svdf_table; }

}  // namespace quern
