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
        const auto at = conv_.place(x.dims);
        const int64_t count = count_of(at->out);
        const Buffer out = take_codes(ctx, at->out, constants_.storage());
        const CodesSink sink(constants_.finish(), reinterpret_cast<uint8_t*>(out.data.get()), conv_.filter[0], count);
        if (count > 0) compute(geometry_of(at->x, at->out, at->window), {x.data, count_of(x.dims)}, sink, ctx.pool());
        give_codes(ctx, at->result, constants_.storage(), !conv_.last, out);
    }

    std::vector<Bytes> state() const override { return constants_.state(); }
    std::vector<ValueId> held() const override { return constants_.held(); }

   private:
    void compute(const Geometry& geometry, const DataParts& x, const TileSink& sink, ThreadPool& pool) const {
        if (is_depthwise(conv_))
            DepthProduct(geometry, constants_.parts()).run(x, sink, pool);
        else
            RowsProduct(geometry, constants_.parts()).run(x, sink, pool);
    }

    ConvSite conv_;
    ProductConstants constants_;
};

std::string_view obstacle(const Site& site) {
    if (const auto common = product_obstacle(site); !common.empty()) return common;
    const auto filter = filter_obstacle(site);
    return filter.empty() ? depth_obstacle(site, conv_layout(conv_alone(site)).depth()) : filter;
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ConvKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Conv, .make = make}};

}  // namespace

std::span<const KernelRow> conv_rows() { return rows; }

}  // namespace quern::codes
