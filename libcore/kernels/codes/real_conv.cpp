// Convolutions of codes with constant weights, whose result is real.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/channels_last.h"
#include "libcore/kernels/codes/depth_product.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/real_product.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"

namespace quern::codes {
namespace {

class RealConvKernel : public Kernel {
   public:
    explicit RealConvKernel(const Site& site) : conv_(conv_alone(site)), constants_(site, conv_layout(conv_)) {}

    std::string name() const override {
        return fmt::format("codes {}{}", constants_.is_dynamic() ? "dynamic " : "", is_depthwise(conv_) ? "depthwise conv" : "conv");
    }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, !conv_.last);
        if (x.dims.size() != conv_.filter.size() || x.dims[conv_.last ? x.dims.size() - 1 : 1] != conv_.filter[1] * conv_.group)
            throw bad_input("input 0 is {}, need {} channels", to_string(x.dims), conv_.filter[1] * conv_.group);
        const ConvSite::Place at = conv_.place(x.dims);
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(at.out)) * sizeof(float));
        if (count_of(at.out) > 0) compute(ctx, geometry_of(at.x, at.out, at.window), x.data, reinterpret_cast<float*>(out.data.get()));
        give_channels_last(ctx, conv_.as_graph(at.out), conv_.last, out);
    }

    std::vector<Bytes> state() const override { return constants_.weights().state(); }
    std::vector<ValueId> held() const override { return constants_.held(); }

   private:
    void compute(KernelCtx& ctx, const Geometry& geometry, const uint8_t* x, float* out) const {
        const Weights& weights = constants_.weights();
        const Slice slice = constants_.slice(ctx);
        const uint8_t zero = constants_.padding(ctx);
        const RealsParameters reals = constants_.reals(ctx);
        const RealsSink sink(reals, std::span(&slice, 1), out, conv_.filter[0]);
        if (is_depthwise(conv_))
            DepthProduct(geometry, {weights, zero}).run({x}, sink, ctx.pool());
        else
            RowsProduct(geometry, {weights, zero}).run({x}, sink, ctx.pool());
    }

    ConvSite conv_;
    RealConstants constants_;
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
