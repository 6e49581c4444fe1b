#include "libcore/ops/integer/one_blocks.h"

#include "libcore/graph/block_encoding.h"
#include "libcore/ops/integer/ggml_blocks.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/ops/shared/shared.h"

namespace quern::one {

const BlockFormat* format_of(const Encoding& e) {
    if (!e.is_fixed() || e.format || e.block != 32 || e.scale.dtype != DType::f16 || e.min.defined() || !e.symmetric()) return nullptr;
    return e.storage == DType::i8 ? block_format_named("q8_0") : e.storage == DType::i4 ? block_format_named("q4_0") : nullptr;
}

Tensor rows_of_blocks(const Tensor& codes, const Encoding& encoding) {
    const Tensor scale = Tensor::make<float>(encoding.scale.dims, to_floats(encoding.scale));
    return packed(codes, scale, {}, block_encoding(*format_of(encoding), 1));
}

bool is_product_of_blocks(const Graph& graph, const Node& node) {
    const NodeView view(node);
    if (view.integer("transA") != 0 || view.integer("transB") == 0 || view.real("alpha") != 1 || view.has(weight_only_key)) return false;
    if (node.in.size() > 2 && node.in[2] != ValueId::none) return false;
    const Value &x = graph.value(node.in[0]), &weights = graph.value(node.in[1]);
    const auto dims = weights.type.shape.concrete();
    return !x.enc && x.type.dtype == DType::f32 && weights.constant() && weights.enc && format_of(*weights.enc) && weights.enc->axis == 1 &&
           dims && dims->size() == 2 && count_of(*dims) > 0 && dims->back() % weights.enc->block == 0;
}

void eval_product_of_blocks(EvalCtx& ctx) {
    const Tensor &x = ctx.need(0), &codes = ctx.need(1);
    const BlockFormat& format = *format_of(*ctx.in_encoding(1));
    const Tensor weights = rows_of_blocks(codes, *ctx.in_encoding(1));
    const int64_t columns = weights.dims[0], row_bytes = weights.dims[1], depth = codes.dims[1];
    if (x.dims.size() != 2 || x.dims[1] != depth) throw bad_input("data are {}, need [rows, {}]", to_string(x.dims), depth);
    const Numbers<float> numbers(x);
    std::vector<float> out;
    for (int64_t r = 0; r < x.dims[0]; ++r)
        ggml::add_products(format, weights.data.data(), columns, row_bytes,
                           numbers.span().subspan(static_cast<size_t>(r * depth), static_cast<size_t>(depth)), out);
    ctx.give(0, Tensor::make<float>({x.dims[0], columns}, out));
}

}  // namespace quern::one
