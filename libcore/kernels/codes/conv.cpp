// Convolutions of codes, of any number of groups.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/depth_product.h"
#include "libcore/kernels/codes/layouts.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/product_site.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"

namespace quern::codes {
namespace {

class ConvKernel : public Kernel {
   public:
    explicit ConvKernel(const Site& site) : conv_(conv_alone(site)), constants_(site, conv_layout(conv_)) {}

    std::string name() const override { return is_depthwise(conv_) ? "codes depthwise conv" : "codes conv"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, !conv_.last);
        if (x.dims.size() != conv_.filter.size() || x.dims[conv_.last ? x.dims.size() - 1 : 1] != conv_.filter[1] * conv_.group)
            throw bad_input("input 0 is {}, need {} channels", to_string(x.dims), conv_.filter[1] * conv_.group);
        const ConvSite::Place at = conv_.place(x.dims);
        const Buffer out = ctx.memory().take(static_cast<size_t>(count_of(at.out)));
        if (count_of(at.out) > 0)
            compute(geometry_of(at.x, at.out, at.window), x.data, reinterpret_cast<uint8_t*>(out.data.get()), ctx.pool());
        give_codes(ctx, conv_.as_graph(at.out), constants_.storage(), !conv_.last, out);
    }

    std::vector<Bytes> state() const override { return constants_.weights().state(); }
    std::vector<ValueId> held() const override { return constants_.held(); }

   private:
    void compute(const Geometry& geometry, const uint8_t* x, uint8_t* out, ThreadPool& pool) const {
        const ProductConstants& c = constants_;
        const CodesSink sink(c.finish(), out, conv_.filter[0]);
        if (is_depthwise(conv_))
            DepthProduct(geometry, c.weights(), c.padding()).run(x, sink, pool);
        else
            RowsProduct(geometry, c.weights(), c.padding()).run(x, sink, pool);
    }

    ConvSite conv_;
    ProductConstants constants_;
};

std::string_view obstacle(const Site& site) {
    const auto common = product_obstacle(site);
    return common.empty() ? filter_obstacle(site) : common;
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ConvKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Conv, .make = make}};

}  // namespace

std::span<const KernelRow> conv_rows() { return rows; }

}  // namespace quern::codes
