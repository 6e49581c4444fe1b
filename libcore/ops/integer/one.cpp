// The one profile: where onert's cpu kernels differ from TensorFlow Lite's reference kernels. Softmax and means of codes go through
// float32, bilinear resizing cuts off, and products with ggml's blocks are ggml's.
#include <array>
#include <cmath>

#include "libcore/graph/op_ids.h"
#include "libcore/integer/resize.h"
#include "libcore/ops/integer/codes.h"
#include "libcore/ops/integer/one_blocks.h"
#include "libcore/ops/integer/tflite_resize.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

// Exponentials by a table of differences; results in any scale. Unsigned codes have the zero point 0, whatever the file says.
void eval_softmax(EvalCtx& ctx) {
    const CodeGrid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    const float step = -x.scale * beta_of(ctx);
    std::array<float, 256> table{};
    for (size_t i = 0; i < table.size(); ++i) table[i] = portable::exp(step * static_cast<float>(i));
    Codes codes = to_ints(ctx.need(0));
    const auto depth = static_cast<size_t>(ctx.need(0).dims.back());
    const auto [min, max] = int_range(y.storage);
    for (size_t row = 0; depth > 0 && row < codes.size(); row += depth) {
        const std::span items(codes.data() + row, depth);
        const int64_t top = *std::ranges::max_element(items);
        float sum = 0;
        for (const int64_t item : items) sum += table[static_cast<size_t>(top - item)];
        const float inverse = 1.0f / (sum * y.scale);
        for (int64_t& item : items) {
            const float steps = table[static_cast<size_t>(top - item)] * inverse;
            item = y.storage == DType::u8 ? static_cast<int64_t>(steps + 0.5f) : static_cast<int64_t>(std::round(steps)) + y.zero;
            item = std::clamp(item, min, max);
        }
    }
    give_codes(ctx, ctx.need(0).dims, codes);
}

// The mean of the codes, its scale and its zero point in float32, rounded with ties away from zero.
void eval_mean(EvalCtx& ctx) {
    const CodeGrid x(*ctx.in_encoding(0)), y(*ctx.out_encoding(0));
    const Reduction groups(ctx);
    Codes sums = reduced(ctx, groups, 0, [](int64_t sum, int64_t code) { return sum + code; });
    const float scale = x.scale / y.scale, bias = static_cast<float>(-x.zero) * scale;
    for (int64_t& sum : sums) {
        const float mean = static_cast<float>(sum) / static_cast<float>(std::max<int64_t>(groups.count, 1));
        const float steps = mean * scale + bias + static_cast<float>(y.zero);
        sum = y.clipped(static_cast<int64_t>(std::clamp(steps < 0 ? steps - 0.5f : steps + 0.5f, -1e9f, 1e9f)));
    }
    give_codes(ctx, groups.out, sums);
}

// The upper neighbour is the next one, wherever the position lies.
void eval_resize(EvalCtx& ctx) { eval_resized_codes(ctx, resize_unsigned_cut, true); }

bool fits_softmax(const Graph& graph, const Node& node, const Encoding& out) {
    return takes_8_bits(graph, node, out) && over_last(graph, node, NodeView(node).integer("axis"));
}
constexpr Takes takes_softmax{fits_softmax, "8-bit codes of one type, along the last axis"};

bool fits_blocks(const Graph& graph, const Node& node, const Encoding&) { return one::is_product_of_blocks(graph, node); }
constexpr Takes takes_blocks{fits_blocks, "float32 rows and a constant matrix in blocks of 32 codes along the depth, no bias"};

constexpr std::array softmax{ProfileLink{ops::Softmax}};

constexpr std::array one_table{
    ProfileRow{ops::Softmax, takes_softmax, eval_softmax},
    ProfileRow{.op = ops::Mul, .takes = takes_8_bits, .eval = eval_softmax, .links = softmax, .joins = scales_softmax},
    ProfileRow{ops::ReduceMean, takes_8_bits, eval_mean},
    ProfileRow{ops::GlobalAveragePool, takes_8_bits, eval_mean},
    ProfileRow{ops::Resize, takes_resize, eval_resize},
    ProfileRow{.op = ops::Gemm, .takes = takes_blocks, .eval = one::eval_product_of_blocks, .result = ProfileRow::Result::real},
};

}  // namespace

std::span<const ProfileRow> one_rows() { return one_table; }

}  // namespace quern
