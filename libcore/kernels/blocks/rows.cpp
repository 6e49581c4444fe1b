#include "libcore/kernels/blocks/rows.h"

#include <algorithm>

#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/block_weights.h"
#include "libcore/kernels/blocks/code_loops.h"
#include "libcore/kernels/blocks/real_loops.h"
#include "libcore/ops/integer/one_blocks.h"
#include "libcore/ops/shared/stacked_product.h"

namespace quern::block_kernels {
namespace {

// Constants are asked for in each run: nothing of them is held or packed. The first of a stack.
BlockMatrix matrix_of(const Tensor& bytes, const BlockFormat& format) {
    const int64_t row = bytes.dims.back();
    return {&format, bytes.data.data(), bytes.dims[bytes.dims.size() - 2], row / static_cast<int64_t>(format.bytes) * format.elements,
            static_cast<size_t>(row)};
}

// Which rows hold a number that is not 0.
std::vector<int64_t> busy_rows(const float* x, int64_t rows, int64_t depth) {
    std::vector<int64_t> busy;
    for (int64_t r = 0; r < rows; ++r)
        if (std::any_of(x + r * depth, x + (r + 1) * depth, [](float number) { return number != 0; })) busy.push_back(r);
    return busy;
}

// ---- products ----------------------------------------------------------------------------------------------------------------

class ProductKernel : public Kernel {
   public:
    ProductKernel(const BlockFormat& format, bool rounds) : format_(format), rounds_(rounds) {}
    // `weights`: the blocks themselves, where the graph has their codes and scales apart.
    ProductKernel(const BlockFormat& format, Tensor weights) : format_(format), rounds_(true), weights_(std::move(weights)) {}

    std::string name() const override { return fmt::format("blocks {} {}", rounds_ ? "ggml" : "matmul", format_.name); }

    void run(KernelCtx& ctx) override {
        const Tensor& x = *ctx.in(0);
        const Tensor& blocks = weights_.defined() ? weights_ : *ctx.in(1);
        BlockMatrix weights = matrix_of(blocks, format_);
        const StackedProduct stack(x.dims, blocks.dims.size() > 2 ? blocks.dims[0] : 0, weights.depth, weights.columns);
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(stack.dims)) * sizeof(float));
        const float* numbers = x.view<float>().data();
        auto* to = reinterpret_cast<float*>(out.data.get());
        const std::byte* first = weights.rows;
        for (int64_t i = 0; i < stack.products(); ++i) {
            weights.rows = first + static_cast<size_t>(stack.matrix_of(i) * weights.columns) * weights.row_bytes;
            const float* data = numbers + stack.data_of(i) * stack.rows * weights.depth;
            float* result = to + i * stack.rows * weights.columns;
            if (stack.shared)
                multiply(weights, data, stack.rows, result, ctx.pool());
            else
                multiply_busy(weights, data, stack.rows, result, ctx);
        }
        ctx.give(Tensor{DType::f32, stack.dims, out.freeze()});
    }

   private:
    // Rows of zeros give zeros: of the experts of a mixture most see nothing else, and their weights are not read.
    void multiply_busy(const BlockMatrix& weights, const float* x, int64_t rows, float* to, KernelCtx& ctx) const {
        const std::vector<int64_t> busy = busy_rows(x, rows, weights.depth);
        const auto count = static_cast<int64_t>(busy.size());
        if (count == rows) return multiply(weights, x, rows, to, ctx.pool());
        std::fill_n(to, rows * weights.columns, 0.0f);
        if (busy.empty()) return;
        const Buffer scratch = ctx.memory().take(static_cast<size_t>(count * (weights.depth + weights.columns)) * sizeof(float));
        auto* own = reinterpret_cast<float*>(scratch.data.get());
        float* results = own + count * weights.depth;
        for (int64_t i = 0; i < count; ++i)
            std::copy_n(x + busy[static_cast<size_t>(i)] * weights.depth, weights.depth, own + i * weights.depth);
        multiply(weights, own, count, results, ctx.pool());
        for (int64_t i = 0; i < count; ++i)
            std::copy_n(results + i * weights.columns, weights.columns, to + busy[static_cast<size_t>(i)] * weights.columns);
    }

    void multiply(const BlockMatrix& weights, const float* x, int64_t rows, float* to, ThreadPool& pool) const {
        if (rounds_)
            multiply_codes(weights, RoundedRows(x, rows, weights.depth, ggml::rounding_beside(format_), pool), to, pool);
        else
            multiply_real(weights, x, rows, to, pool);
    }

    const BlockFormat& format_;
    bool rounds_;
    Tensor weights_;
};

std::string why_not(const Site& site) { return std::string(blocks_obstacle(site.graph, site.first())); }

std::unique_ptr<Kernel> make_product(const Site& site, std::string& refusal) {
    if (!reads_blocks(site.graph, site.first())) return nullptr;  // other rows' business
    refusal = why_not(site);
    if (!refusal.empty()) return nullptr;
    return std::make_unique<ProductKernel>(*site.value(site.first().in[1]).enc->format, site.arithmetic != nullptr);
}

// onert's, of codes and scales that stand apart.
std::unique_ptr<Kernel> make_product_of_codes(const Site& site, std::string& refusal) {
    if (!site.arithmetic || !one::is_product_of_blocks(site.graph, site.first())) return nullptr;  // other rows' business
    const Value& weights = site.value(site.first().in[1]);
    const auto codes = site.graph.constant(site.first().in[1]);
    if (!codes) return refusal = "its weights are held elsewhere", nullptr;
    return std::make_unique<ProductKernel>(*one::format_of(*weights.enc), one::rows_of_blocks(*codes, *weights.enc));
}

// ---- Gather ----------------------------------------------------------------------------------------------------------------

// Decodes the rows that are asked for.
class RowsKernel : public Kernel {
   public:
    explicit RowsKernel(const BlockFormat& format) : format_(format) {}

    std::string name() const override { return fmt::format("blocks rows {}", format_.name); }

    void run(KernelCtx& ctx) override {
        const BlockMatrix table = matrix_of(*ctx.in(0), format_);
        const std::vector<int64_t> ids = to_ints(*ctx.in(1));
        Dims dims = ctx.in(1)->dims;
        dims.push_back(table.depth);
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(dims)) * sizeof(float));
        auto* to = reinterpret_cast<float*>(out.data.get());
        for (const int64_t id : ids)
            if (id < -table.columns || id >= table.columns) throw bad_input("index {} is outside of a dimension of {}", id, table.columns);
        ctx.pool().run_ranges(ids.size(), static_cast<size_t>(20'000 / table.depth + 1), [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i)
                quick_decode(format_)(table.row(ids[i] < 0 ? ids[i] + table.columns : ids[i]),
                                      static_cast<size_t>(table.depth / format_.elements), to + static_cast<int64_t>(i) * table.depth);
        });
        ctx.give(Tensor{DType::f32, dims, out.freeze()});
    }

   private:
    const BlockFormat& format_;
};

std::unique_ptr<Kernel> make_rows(const Site& site, std::string& refusal) {
    if (!reads_blocks(site.graph, site.first())) return nullptr;  // other rows' business
    refusal = why_not(site);
    if (!refusal.empty()) return nullptr;
    return std::make_unique<RowsKernel>(*site.value(site.first().in[0]).enc->format);
}

constexpr std::array all{KernelRow{.name = "blocks", .op = ops::MatMul, .make = make_product},
                         KernelRow{.name = "blocks", .op = ops::Gemm, .make = make_product_of_codes},
                         KernelRow{.name = "blocks", .op = ops::Gather, .make = make_rows}};

}  // namespace

std::span<const KernelRow> rows() { return all; }

}  // namespace quern::block_kernels
