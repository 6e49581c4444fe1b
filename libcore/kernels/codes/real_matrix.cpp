// Gemm and MatMul of codes with a constant second matrix, whose result is real.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/real_product.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"

namespace quern::codes {
namespace {

class RealMatrixKernel : public Kernel {
   public:
    explicit RealMatrixKernel(const Site& site) : gemm_(site.first().is(ops::Gemm)), constants_(site, matrix_layout(site)) {}

    std::string name() const override {
        return fmt::format("codes {}{}", constants_.is_dynamic() ? "dynamic " : "", gemm_ ? "gemm" : "matmul");
    }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, false);
        const WeightLayout& layout = constants_.weights().layout();
        if (x.dims.empty() || x.dims.back() != layout.channels || (gemm_ && x.dims.size() != 2))
            throw bad_input("input 0 is {}, need rows of {}", to_string(x.dims), layout.channels);
        Dims out_dims = x.dims;
        out_dims.back() = layout.columns;
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(out_dims)) * sizeof(float));
        Geometry rows;
        rows.in[2] = rows.out[2] = count_of(out_dims) / layout.columns;
        const Slice slice = constants_.slice(ctx);
        const RealsParameters reals = constants_.reals(ctx);
        const RealsSink sink(reals, std::span(&slice, 1), reinterpret_cast<float*>(out.data.get()), layout.columns);
        RowsProduct(rows, {constants_.weights(), constants_.padding(ctx)}).run({x.data}, sink, ctx.pool());
        ctx.give(Tensor{DType::f32, out_dims, out.freeze()});
    }

    std::vector<Bytes> state() const override { return constants_.weights().state(); }
    std::vector<ValueId> held() const override { return constants_.held(); }

   private:
    bool gemm_;
    RealConstants constants_;
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
