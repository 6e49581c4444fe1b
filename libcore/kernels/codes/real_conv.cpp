// Convolutions of codes with constant weights, whose result is real.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/channels_last.h"
#include "libcore/kernels/codes/depth_product.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/rounded_product.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"

namespace quern::codes {
namespace {

class RealConvKernel : public Kernel {
   public:
    explicit RealConvKernel(const Site& site) : conv_(conv_alone(site)), product_(site, conv_layout(conv_)) {}

    std::string name() const override {
        return fmt::format("codes {}{}", product_.kind(), is_depthwise(conv_) ? "depthwise conv" : "conv");
    }

    void run(KernelCtx& ctx) override {
        const Dims dims = dims_of(ctx, 0);
        if (dims.size() != conv_.filter.size() || dims[conv_.last ? dims.size() - 1 : 1] != conv_.filter[1] * conv_.group)
            throw bad_input("input 0 is {}, need {} channels", to_string(dims), conv_.filter[1] * conv_.group);
        const auto at = conv_.place(dims);
        const int64_t count = count_of(at->out);
        const Buffer out = ctx.memory().take(static_cast<size_t>(count) * sizeof(float));
        if (count > 0) compute(ctx, geometry_of(at->x, at->out, at->window), reinterpret_cast<float*>(out.data.get()));
        give_channels_last(ctx, at->result, conv_.last, out);
    }

    std::vector<Bytes> state() const override { return product_.state(); }
    std::vector<ValueId> held() const override { return product_.held(); }

   private:
    // The images of each slice together: what lies beside them is the slice's zero.
    void compute(KernelCtx& ctx, Geometry geometry, float* out) const {
        const RoundedData x = product_.data(ctx, geometry.batches, !conv_.last);
        const RealsParameters reals = product_.reals(ctx);
        geometry.batches /= static_cast<int64_t>(x.slices.size());
        const int64_t in = geometry.in_places() * conv_.filter[1] * conv_.group, made = geometry.places() * conv_.filter[0];
        for (size_t i = 0; i < x.slices.size(); ++i) {
            const RealsSink sink(reals, std::span(&x.slices[i], 1), out + static_cast<int64_t>(i) * made, conv_.filter[0]);
            multiply(geometry, x.data + static_cast<int64_t>(i) * in, x.padding(i), sink, ctx.pool());
        }
    }

    void multiply(const Geometry& geometry, const uint8_t* x, uint8_t zero, const RealsSink& sink, ThreadPool& pool) const {
        if (is_depthwise(conv_))
            DepthProduct(geometry, {product_.weights(), zero}).run({x}, sink, pool);
        else
            RowsProduct(geometry, {product_.weights(), zero}).run({x}, sink, pool);
    }

    ConvSite conv_;
    RoundedProduct product_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = real_product_obstacle(site);
    if (refusal.empty()) refusal = filter_obstacle(site);
    return refusal.empty() ? std::make_unique<RealConvKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Conv, .make = make}};

}  // namespace

std::span<const KernelRow> real_conv_rows() { return rows; }

}  // namespace quern::codes
