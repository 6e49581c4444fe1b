// Gemm and MatMul of codes with a constant second matrix.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/product_site.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"

namespace quern::codes {
namespace {

class ProductKernel : public Kernel {
   public:
    explicit ProductKernel(const Site& site) : gemm_(site.first().is(ops::Gemm)), constants_(site, matrix_layout(site)) {}

    std::string name() const override { return gemm_ ? "codes gemm" : "codes matmul"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, false);
        const WeightLayout& layout = constants_.layout();
        if (x.dims.empty() || x.dims.back() != layout.channels || (gemm_ && x.dims.size() != 2))
            throw bad_input("input 0 is {}, need rows of {}", to_string(x.dims), layout.channels);
        Dims out_dims = x.dims;
        out_dims.back() = layout.columns;
        const Buffer out = take_codes(ctx, out_dims, constants_.storage());
        const CodesSink sink(constants_.finish(), reinterpret_cast<uint8_t*>(out.data.get()), layout.columns, count_of(out_dims));
        Geometry rows;
        rows.in[2] = rows.out[2] = count_of(out_dims) / layout.columns;
        if (rows.out[2] > 0) RowsProduct(rows, constants_.parts()).run({x.data, count_of(x.dims)}, sink, ctx.pool());
        give_codes(ctx, out_dims, constants_.storage(), false, out);
    }

    std::vector<Bytes> state() const override { return constants_.state(); }
    std::vector<ValueId> held() const override { return constants_.held(); }

   private:
    bool gemm_;
    ProductConstants constants_;
};

std::string_view obstacle(const Site& site) {
    if (const auto common = product_obstacle(site); !common.empty()) return common;
    const auto matrix = matrix_obstacle(site);
    return matrix.empty() ? depth_obstacle(site, matrix_layout(site).depth()) : matrix;
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ProductKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Gemm, .make = make},
                          KernelRow{.name = "codes", .op = ops::MatMul, .make = make}};

}  // namespace

std::span<const KernelRow> product_rows() { return rows; }

}  // namespace quern::codes
