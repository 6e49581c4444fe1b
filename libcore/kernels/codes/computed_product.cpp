// MatMul of two computed operands, matrix by matrix: the second one is packed as weights are.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/product_site.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"
#include "libcore/kernels/codes/site.h"
#include "libcore/ops/shared/integer_product.h"
#include "libcore/ops/shared/shared.h"

namespace quern::codes {
namespace {

int32_t zero_of(const Encoding& encoding) { return static_cast<int32_t>(encoding.zero_at()) + bias_of(encoding.storage); }

class ComputedProductKernel : public Kernel {
   public:
    explicit ComputedProductKernel(const Site& site)
        : codes_(sum_codes_of(site, 1, false)),
          out_(*site.result),
          a_zero_(zero_of(encoding_at(site, 0))),
          b_zero_(zero_of(encoding_at(site, 1))) {}

    std::string name() const override { return "codes matmul of two"; }

    void run(KernelCtx& ctx) override {
        const CodesIn a = codes_in(ctx, 0, false), b = codes_in(ctx, 1, false);
        const ProductShape shape = product_shape(a.dims, b.dims);
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(shape.out)));
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        const FinishParameters finish = finish_of(shape.n);
        const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
        const auto product = [&](size_t i) {
            multiply(shape, a.data + at_a(i) * static_cast<size_t>(shape.m * shape.k),
                     b.data + at_b(i) * static_cast<size_t>(shape.k * shape.n), finish, y + i * static_cast<size_t>(shape.m * shape.n),
                     ctx.pool());
        };
        const auto count = static_cast<size_t>(count_of(shape.batch));
        if (count_of(shape.out) > 0) count == 1 ? product(0) : ctx.pool().run(count, product);
        give_codes(ctx, shape.out, out_.storage, false, out);
    }

   private:
    FinishParameters finish_of(int64_t columns) const {
        SumCodes all = codes_;
        const auto count = static_cast<size_t>(columns);
        if (!all.floats.empty()) all.floats.resize(count, all.floats[0]);
        if (!all.fixed.empty()) all.fixed.resize(count, all.fixed[0]);
        if (!all.doubles.empty()) all.doubles.resize(count, all.doubles[0]);
        return {all, out_, count};
    }

    void multiply(const ProductShape& shape, const uint8_t* a, const uint8_t* b, FinishParameters finish, uint8_t* y,
                  ThreadPool& pool) const {
        const PlainWeights codes{reinterpret_cast<const std::byte*>(b), false, {b_zero_}};
        const Weights weights(WeightLayout{1, shape.n, 1, shape.k, 1, 0, shape.n}, codes, {}, a_zero_);
        finish.bias = weights.bias();
        Geometry geometry;
        geometry.in[2] = geometry.out[2] = shape.m;
        RowsProduct(geometry, weights, 0).run(a, CodesSink(finish, y, shape.n), pool);
    }

    SumCodes codes_;
    Encoding out_;
    int32_t a_zero_, b_zero_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = computed_product_obstacle(site);
    return refusal.empty() ? std::make_unique<ComputedProductKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::MatMul, .make = make}};

}  // namespace

std::span<const KernelRow> computed_product_rows() { return rows; }

}  // namespace quern::codes
