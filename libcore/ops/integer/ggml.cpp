// The ggml profile: products of real activations with weights in blocks of a format. The activations are rounded on the way in, a block of
// a row at a time.
#include <array>

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/ggml_blocks.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/shared/shared.h"
#include "libcore/ops/shared/stacked_product.h"

namespace quern {
namespace {

void eval_matmul(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &weights = ctx.need(1);
    const BlockFormat& format = *ctx.in_encoding(1)->format;
    const int64_t row = weights.dims.back(), columns = weights.dims[weights.dims.size() - 2];
    const int64_t depth = row / static_cast<int64_t>(format.bytes) * format.elements;
    const StackedProduct stack(x.dims, weights.dims.size() > 2 ? weights.dims[0] : 0, depth, columns);
    const Numbers<float> numbers(x);
    std::vector<float> out;
    for (int64_t i = 0; i < stack.products(); ++i)
        for (int64_t r = 0; r < stack.rows; ++r) {
            const auto first = static_cast<size_t>((stack.data_of(i) * stack.rows + r) * depth);
            ggml::add_products(format, weights.data.data() + stack.matrix_of(i) * columns * row, columns, row,
                               numbers.span().subspan(first, static_cast<size_t>(depth)), out);
        }
    ctx.give(0, Tensor::make<float>(stack.dims, out));
}

bool fits_matmul(const Graph& graph, const Node& node, const Encoding&) {
    const Value &x = graph.value(node.in[0]), &weights = graph.value(node.in[1]);
    const auto dims = weights.type.shape.concrete();
    if (x.enc || x.type.dtype != DType::f32 || !weights.constant() || !weights.enc || !weights.enc->format || !dims) return false;
    const ggml::Rounding rounding = ggml::rounding_beside(*weights.enc->format);
    const bool stack = dims->size() == 3 && x.type.shape.ranked && x.type.shape.rank() >= 2;
    if ((dims->size() != 2 && !stack) || weights.enc->axis + 2 != static_cast<int>(dims->size())) return false;
    return count_of(*dims) > 0 && rounding != ggml::Rounding::none && (*dims)[dims->size() - 2] % ggml::block_of(rounding) == 0;
}
constexpr Takes takes_matmul{fits_matmul, "float32 data and a constant matrix, or a stack of them, in blocks of codes along the depth"};

constexpr std::array matmul_rows{
    ProfileRow{.op = ops::MatMul, .takes = takes_matmul, .eval = eval_matmul, .result = ProfileRow::Result::real},
};

}  // namespace

std::span<const ProfileRow> ggml_rows() { return matmul_rows; }

}  // namespace quern
