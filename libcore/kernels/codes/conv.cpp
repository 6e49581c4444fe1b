// Convolutions of codes, of any number of groups.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/codes/depth_product.h"
#include "libcore/kernels/codes/packed_codes.h"
#include "libcore/kernels/codes/product_site.h"
#include "libcore/kernels/codes/rows.h"
#include "libcore/kernels/codes/rows_product.h"
#include "libcore/kernels/conv_site.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::codes {
namespace {

Site first_of(const Site& site) { return {site.graph, {&site.first()}, site.first().in}; }

bool is_depthwise(const ConvSite& conv) { return conv.group > 1 && conv.group == conv.filter[0] && conv.filter[1] == 1; }

// The filter is [M, C, kernel...], or [M, kernel..., C] with its channels last.
WeightLayout layout_of(const ConvSite& conv) {
    const int64_t taps = count_of(space_of(conv.filter)), channels = conv.filter[1];
    if (is_depthwise(conv)) return {1, conv.filter[0], taps, 1, taps, 1, 0};
    return {conv.group, conv.filter[0] / conv.group, taps, channels, taps * channels, conv.last ? channels : 1, conv.last ? 1 : taps};
}

class ConvKernel : public Kernel {
   public:
    explicit ConvKernel(const Site& site) : conv_(first_of(site)), constants_(site, layout_of(conv_)) {}

    std::string name() const override { return is_depthwise(conv_) ? "codes depthwise conv" : "codes conv"; }

    void run(KernelCtx& ctx) override {
        const CodesIn x = codes_in(ctx, 0, !conv_.last);
        if (x.dims.size() != conv_.filter.size() || x.dims[conv_.last ? x.dims.size() - 1 : 1] != conv_.filter[1] * conv_.group)
            throw bad_input("input 0 is {}, need {} channels", to_string(x.dims), conv_.filter[1] * conv_.group);
        const ConvSite::Place at = conv_.place(x.dims);
        const Buffer out = take_codes(ctx, at.out, constants_.storage());
        const ProductData data{x.data, count_of(x.dims), reinterpret_cast<uint8_t*>(out.data.get()), count_of(at.out)};
        if (count_of(at.out) > 0) compute(geometry_of(at.x, at.out, at.window), data, ctx.pool());
        give_codes(ctx, conv_.as_graph(at.out), constants_.storage(), !conv_.last, out);
    }

    std::vector<Bytes> state() const override { return constants_.state(); }
    std::vector<ValueId> held() const override { return constants_.held(); }

   private:
    void compute(const Geometry& geometry, const ProductData& data, ThreadPool& pool) const {
        if (is_depthwise(conv_))
            DepthProduct(geometry, constants_.parts(), constants_.finish()).run(data, pool);
        else
            RowsProduct(geometry, constants_.parts(), constants_.finish()).run(data, pool);
    }

    ConvSite conv_;
    ProductConstants constants_;
};

std::string_view obstacle(const Site& site) {
    if (const auto common = product_obstacle(site); !common.empty()) return common;
    const auto filter = site.value(site.first().in[1]).type.shape.concrete();
    if (!filter || filter->size() < 3 || filter->size() > 5) return "is not 1-, 2- or 3-dimensional";
    if (count_of(*filter) <= 0) return "has no weights";
    const ConvSite conv(first_of(site));
    if (const auto depth = depth_obstacle(site, count_of(std::span(conv.filter).subspan(1))); !depth.empty()) return depth;
    return conv.group < 1 || conv.filter[0] % conv.group != 0 ? "its channels are not those of its groups" : "";
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    return refusal.empty() ? std::make_unique<ConvKernel>(site) : nullptr;
}

constexpr std::array rows{KernelRow{.name = "codes", .op = ops::Conv, .make = make}};

}  // namespace

std::span<const KernelRow> conv_rows() { return rows; }

}  // namespace quern::codes
