// Products of few rows with constant weights, which they read once: what a classifier ends with, and one step of a text model.
#include <array>
#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/direct/factors.h"
#include "libcore/kernels/direct/rows.h"
#include "libcore/kernels/direct/split.h"
#include "libcore/kernels/direct/tile.h"
#include "libcore/kernels/product_site.h"

namespace quern::direct {
namespace {

constexpr int rows_per_load = 8;  // fewer rows wait for the weights
constexpr int64_t min_columns = 16;

FilterLayout layout_of(const ProductSite& product) {
    const int64_t depth = product.weights[0], columns = product.weights[1];
    const bool transposed = product.stored_transposed;
    return {columns, 1, depth, transposed ? depth : 1, 0, transposed ? 1 : columns};
}

class ProductKernel : public Kernel {
   public:
    explicit ProductKernel(const Site& site) : product_(site), tail_(*sum_and_clamp(product_.tail)) {
        if (!site.state.empty()) {
            factors_ = std::make_unique<Factors>(layout_of(product_), site.state);
            return;
        }
        std::vector<float> bias(static_cast<size_t>(product_.weights[1]));
        if (product_.bias != ValueId::none) bias = to_floats(*site.graph.constant(product_.bias));
        factors_ = std::make_unique<Factors>(layout_of(product_), floats_of(site, site.in[1]), bias);
    }

    std::string name() const override { return "direct " + product_.name; }

    void run(KernelCtx& ctx) override {
        const Tensor x = *ctx.in(0);
        const int64_t depth = product_.weights[0], columns = product_.weights[1];
        if (x.dims.back() != depth) throw bad_input("cannot multiply {} and {}", to_string(x.dims), to_string(product_.weights));
        Dims dims = x.dims;
        dims.back() = columns;
        const int64_t rows = count_of(dims) / columns;
        if (rows > tile_rows) throw bad_input("input 0 is {}, more than {} rows", to_string(x.dims), tile_rows);
        const Buffer out = ctx.memory().take(static_cast<size_t>(rows * columns) * sizeof(float));
        if (product_.tail.residual) {
            const Tensor& other = *ctx.in(*product_.tail.residual);
            if (other.dims != dims) throw bad_input("cannot add {} and {}", to_string(dims), to_string(other.dims));
            std::memcpy(out.data.get(), other.data.data(), other.data.size());
        }
        multiply(reinterpret_cast<const float*>(x.data.data()), static_cast<int>(rows), reinterpret_cast<float*>(out.data.get()),
                 ctx.pool());
        ctx.give(Tensor{DType::f32, std::move(dims), out.freeze()});
    }

    bool needs_warming() const override { return factors_->needs_packing(); }
    void warm(std::span<const Dims>, ThreadPool& pool) override { factors_->pack(&pool); }

    std::vector<Bytes> state() const override { return factors_->state(); }
    std::vector<ValueId> held() const override { return product_.held; }

   private:
    void multiply(const float* x, int rows, float* out, ThreadPool& pool) const {
        const int64_t depth = product_.weights[0], columns = product_.weights[1];
        const float *filter = factors_->filter(), *bias = factors_->bias();
        std::array<const float*, tile_rows> starts{};
        for (int row = 0; row < rows; ++row) starts[static_cast<size_t>(row)] = x + row * depth;
        const int64_t blocks = (columns + tile_columns - 1) / tile_columns;
        for_each(pool, blocks, depth * std::max(rows, rows_per_load) * tile_columns, min_work, [&](int64_t block) {
            const int64_t begin = block * tile_columns;
            run_tile(
                {starts.data(), 1, static_cast<int>(depth), filter + begin * depth, bias + begin, out + begin, static_cast<size_t>(columns),
                 static_cast<int>(std::min<int64_t>(tile_columns, columns - begin)), tail_.sum, tail_.low, tail_.high},
                rows);
        });
    }

    ProductSite product_;
    SumAndClamp tail_;
    std::unique_ptr<Factors> factors_;
};

std::string_view obstacle(const Site& site) {
    if (const auto common = product_obstacle(site); !common.empty()) return common;
    const ProductSite product(site);
    if (!has_tiles()) return "needs AVX-512";
    if (product.weights.size() != 2 || product.weights[0] <= 0) return "its weights are not a constant matrix";
    if (product.weights[1] < min_columns) return "has few columns";
    if (!sum_and_clamp(product.tail)) return "more follows than a sum and a clamp";
    const auto x = site.value(site.in[0]).type.shape.concrete();
    if (!x || x->back() <= 0) return "its rows are not known";
    const int64_t rows = count_of(*x) / x->back();
    return rows < 1 || rows > tile_rows ? "has many rows" : "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ProductKernel>(site) : nullptr;
}

constexpr std::array rows{
    KernelRow{.name = "direct", .op = ops::MatMul, .absorbs = absorbs_into_product, .make = make},
    KernelRow{.name = "direct", .op = ops::Gemm, .absorbs = absorbs_into_product, .make = make},
};

}  // namespace

std::span<const KernelRow> product_rows() { return rows; }

}  // namespace quern::direct
