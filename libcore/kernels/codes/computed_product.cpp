// MatMul of two computed operands, matrix by matrix: the second one is packed as weights are.
//
// With codes b' = b - 128 as weights and zero points za, zb: sum (a - za) (b - zb) = sum a b' - za sum b' + K za (zb - 128), a bias for
// each column, - (zb - 128) sum a, one for each row.
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
        const PlainWeights codes{reinterpret_cast<const std::byte*>(b), false, {128}};
        const std::vector<int64_t> bias(static_cast<size_t>(shape.n), shape.k * a_zero_ * (b_zero_ - 128));
        const Weights weights(WeightLayout{1, shape.n, 1, shape.k, 1, 0, shape.n}, codes, bias, a_zero_);
        finish.bias = weights.bias();
        std::vector<int32_t> rows(b_zero_ == 128 ? 0 : static_cast<size_t>(shape.m), 0);
        for (size_t r = 0; r < rows.size(); ++r) {
            for (int64_t k = 0; k < shape.k; ++k) rows[r] += a[static_cast<int64_t>(r) * shape.k + k];
            rows[r] *= 128 - b_zero_;
        }
        Geometry geometry;
        geometry.in[2] = geometry.out[2] = shape.m;
        RowsProduct(geometry, weights, finish, 0, rows.empty() ? nullptr : rows.data()).run(a, y, pool);
    }

    SumCodes codes_;
    Encoding out_;
    int32_t a_zero_, b_zero_;
};

constexpr int64_t most_depth = 1 << 14;  // sums of one row times 128, and biases, stay below 2^31

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = computed_product_obstacle(site);
    if (!refusal.empty()) return nullptr;
    const Shape& a = site.value(site.first().in[0]).type.shape;
    if (!a.ranked || a.rank() == 0 || !a.dims.back().known() || a.dims.back().value > most_depth || a.dims.back().value < 1)
        refusal = "its depth is unknown or large";
    return refusal.empty() ? std::make_unique<ComputedProductKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::MatMul, .make = make}};

}  // namespace

std::span<const KernelRow> computed_product_rows() { return rows; }

}  // namespace quern::codes
