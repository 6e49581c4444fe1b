// Gemm and MatMul of codes with a constant second matrix, whose result is real.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rounded_product.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"

namespace quern::codes {
namespace {

class RealMatrixKernel : public Kernel {
   public:
    explicit RealMatrixKernel(const Site& site) : gemm_(site.first().is(ops::Gemm)), product_(site, matrix_layout(site)) {}

    std::string name() const override { return fmt::format("codes {}{}", product_.kind(), gemm_ ? "gemm" : "matmul"); }

    void run(KernelCtx& ctx) override {
        const WeightLayout& layout = product_.weights().layout();
        Dims dims = dims_of(ctx, 0);
        if (dims.empty() || dims.back() != layout.channels || (gemm_ && dims.size() != 2))
            throw bad_input("input 0 is {}, need rows of {}", to_string(dims), layout.channels);
        dims.back() = layout.columns;
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(dims)) * sizeof(float));
        Geometry rows;
        rows.in[2] = rows.out[2] = count_of(dims) / layout.columns;
        const RoundedData x = product_.data(ctx, rows.places(), false);
        const RealsParameters reals = product_.reals(ctx);
        const RealsSink sink(reals, x.slices, reinterpret_cast<float*>(out.data.get()), layout.columns);
        RowsProduct(rows, {product_.weights(), 0}).run({x.data}, sink, ctx.pool());
        ctx.give(Tensor{DType::f32, dims, out.freeze()});
    }

    std::vector<Bytes> state() const override { return product_.state(); }
    std::vector<ValueId> held() const override { return product_.held(); }

   private:
    bool gemm_;
    RoundedProduct product_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = real_product_obstacle(site);
    if (refusal.empty()) refusal = matrix_obstacle(site);
    return refusal.empty() ? std::make_unique<RealMatrixKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Gemm, .make = make},
                          KernelRow{.name = "codes", .op = ops::MatMul, .make = make}};

}  // namespace

std::span<const KernelRow> real_matrix_rows() { return rows; }

}  // namespace quern::codes
