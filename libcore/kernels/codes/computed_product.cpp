// MatMul and Gemm of two computed operands, matrix by matrix: the second one is packed as weights are.
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

class ComputedProductKernel : public Kernel {
   public:
    explicit ComputedProductKernel(const Site& site)
        : codes_(sum_codes_of(site, 1, false)),
          out_(*site.result),
          a_zero_(zero_parts(site, 0)),
          b_zero_(zero_parts(site, 1)),
          joined_(is_joined(site)),
          gemm_(site.first().is(ops::Gemm)),
          transposed_(gemm_ && NodeView(site.first()).integer("transB") != 0) {}

    std::string name() const override { return gemm_ ? "codes gemm of two" : "codes matmul of two"; }

    void run(KernelCtx& ctx) override {
        const CodesIn a = codes_in(ctx, 0, false), b = codes_in(ctx, 1, false);
        const ProductShape shape = product_shape(a.dims, transposed_ ? turned(b.dims) : b.dims);
        const Buffer out = take_codes(ctx, shape.out, out_.storage);
        auto* y = reinterpret_cast<uint8_t*>(out.data.get());
        const FinishParameters finish = finish_of(shape.n);
        Geometry rows;
        rows.in[2] = rows.out[2] = shape.m;
        const BroadcastIndex at_a(shape.a_batch, shape.batch), at_b(shape.b_batch, shape.batch);
        const auto product = [&](size_t i) {
            const DataParts x{a.data + static_cast<int64_t>(at_a(i)) * shape.m * shape.k, count_of(a.dims)};
            const DataParts w{b.data + static_cast<int64_t>(at_b(i)) * shape.k * shape.n, count_of(b.dims)};
            const WeightParts weights = weights_of(shape, w);
            FinishParameters own = finish;
            weights.give_biases(own);
            const CodesSink sink(own, y + static_cast<int64_t>(i) * shape.m * shape.n, shape.n, count_of(shape.out));
            RowsProduct(rows, {weights.weights(), a_zero_}).run(x, sink, ctx.pool());
        };
        const auto count = static_cast<size_t>(count_of(shape.batch));
        if (count_of(shape.out) > 0) count == 1 ? product(0) : ctx.pool().run(count, product);
        give_codes(ctx, shape.out, out_.storage, false, out);
    }

   private:
    static Dims turned(Dims dims) {
        if (dims.size() > 1) std::swap(dims[dims.size() - 1], dims[dims.size() - 2]);
        return dims;
    }

    FinishParameters finish_of(int64_t columns) const {
        SumCodes all = codes_;
        const auto count = static_cast<size_t>(columns);
        if (!all.floats.empty()) all.floats.resize(count, all.floats[0]);
        if (!all.fixed.empty()) all.fixed.resize(count, all.fixed[0]);
        if (!all.doubles.empty()) all.doubles.resize(count, all.doubles[0]);
        FinishParameters finish(all, out_, count);
        finish.data_parts = static_cast<int>(a_zero_.size());
        return finish;
    }

    WeightParts weights_of(const ProductShape& shape, const DataParts& b) const {
        std::vector<PlainWeights> codes;
        const uint8_t* data = b.first;
        for (const uint8_t zero : b_zero_) {
            codes.push_back({reinterpret_cast<const std::byte*>(data), false, {zero}});
            data += b.next;
        }
        int64_t a_zero = 0;
        for (size_t i = 0; i < a_zero_.size(); ++i) a_zero += int64_t{a_zero_[i]} << 8 * i;
        const WeightLayout layout{1, shape.n, 1, shape.k, transposed_ ? shape.k : 1, 0, transposed_ ? 1 : shape.n};
        return {layout, codes, {}, a_zero, joined_};
    }

    SumCodes codes_;
    Encoding out_;
    std::vector<uint8_t> a_zero_, b_zero_;
    bool joined_, gemm_, transposed_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = computed_product_obstacle(site);
    if (refusal.empty()) {
        const Shape& a = site.value(site.first().in[0]).type.shape;
        const bool known = a.ranked && a.rank() > 0 && a.dims.back().known();
        refusal = depth_obstacle(site, known ? a.dims.back().value : INT64_MAX);
    }
    if (refusal.empty() && site.first().is(ops::Gemm) && NodeView(site.first()).integer("transA") != 0)
        refusal = "the first operand is transposed";
    return refusal.empty() ? std::make_unique<ComputedProductKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Gemm, .make = make},
                          KernelRow{.name = "codes", .op = ops::MatMul, .make = make}};

}  // namespace

std::span<const KernelRow> computed_product_rows() { return rows; }

}  // namespace quern::codes
