// Softmax and LayerNormalization over the last axis of row-major values.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"

namespace quern::onednn {
namespace {

const Tensor& plain_input(KernelCtx& ctx) { return *ctx.in(0); }

class SoftmaxKernel : public Kernel {
   public:
    std::string name() const override { return "onednn softmax"; }
    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
        const Tensor& x = plain_input(ctx);
        const auto desc = plain_desc(x.dims);
        const auto softmax = prepared_.get(x.dims, [&] {
            return ready<dnnl::softmax_forward>(softmax_desc(desc, static_cast<int>(x.dims.size()) - 1, user_scratchpad()));
        });
        Buffer out = take(ctx, desc);
        const dnnl::memory src(desc, engine(), const_cast<std::byte*>(x.data.data())), dst(desc, engine(), out.data.get());
        execute(ctx, softmax->primitive, softmax->scratchpad, {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}});
        give(ctx, x.dims, desc, std::move(out));
    }

   private:
    Prepared<Ready<dnnl::softmax_forward>> prepared_;
};

class LayerNormKernel : public Kernel {
   public:
    explicit LayerNormKernel(const Site& site) : epsilon_(NodeView(site.first()).real("epsilon")) {
        scale_ = to_floats(*site.graph.constant(site.first().in[1]));
        const bool biased = site.first().in.size() > 2 && site.first().in[2] != ValueId::none;
        shift_ = biased ? to_floats(*site.graph.constant(site.first().in[2])) : std::vector<float>(scale_.size());
    }
    std::string name() const override { return "onednn layernorm"; }
    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
        const Tensor& x = plain_input(ctx);
        const auto desc = plain_desc(x.dims), row = plain_desc(Dims{x.dims.back()});
        const auto norm = prepared_.get(
            x.dims, [&] { return ready<dnnl::layer_normalization_forward>(layer_norm_desc(desc, epsilon_, user_scratchpad())); });
        Buffer out = take(ctx, desc);
        const dnnl::memory src(desc, engine(), const_cast<std::byte*>(x.data.data())), dst(desc, engine(), out.data.get());
        execute(ctx, norm->primitive, norm->scratchpad,
                {{DNNL_ARG_SRC, src},
                 {DNNL_ARG_DST, dst},
                 {DNNL_ARG_SCALE, dnnl::memory(row, engine(), scale_.data())},
                 {DNNL_ARG_SHIFT, dnnl::memory(row, engine(), shift_.data())}});
        give(ctx, x.dims, desc, std::move(out));
    }

   private:
    float epsilon_;
    std::vector<float> scale_, shift_;
    Prepared<Ready<dnnl::layer_normalization_forward>> prepared_;
};

bool last_axis(const Site& site, size_t& rank) {
    const Shape& shape = site.value(site.first().in[0]).type.shape;
    rank = shape.rank();
    if (!shape.ranked || rank < 1 || rank > 5) return false;
    return normal_axis(NodeView(site.first()).integer("axis"), rank) == rank - 1;
}

std::unique_ptr<Kernel> make_softmax(const Site& site, std::string& refusal) {
    size_t rank = 0;
    if (!is_f32(site, site.first().in[0])) return refusal = "is not float32", nullptr;
    if (!last_axis(site, rank)) return refusal = "is not over the last axis", nullptr;
    return std::make_unique<SoftmaxKernel>();
}

bool is_constant_vector(const Value& value, const Dim& length) {
    const Shape& shape = value.type.shape;
    return value.constant() && shape.rank() == 1 && length.known() && shape.dims[0] == length;
}

std::unique_ptr<Kernel> make_layer_norm(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    size_t rank = 0;
    if (!is_f32(site, node.in[0])) return refusal = "is not float32", nullptr;
    if (!last_axis(site, rank) || rank < 2) return refusal = "is not over the last axis", nullptr;
    const Dim length = site.value(node.in[0]).type.shape.dims.back();
    for (size_t i = 1; i < node.in.size(); ++i)
        if (node.in[i] != ValueId::none && !is_constant_vector(site.value(node.in[i]), length))
            return refusal = "scale or bias is not a constant for each element of the last axis", nullptr;
    for (size_t i = 1; i < node.out.size(); ++i)
        if (node.out[i] != ValueId::none) return refusal = "gives mean or deviation", nullptr;
    return std::make_unique<LayerNormKernel>(site);
}

constexpr std::array rows{
    KernelRow{.name = "onednn", .op = ops::Softmax, .make = make_softmax},
    KernelRow{.name = "onednn", .op = ops::LayerNormalization, .make = make_layer_norm},
};

}  // namespace

std::span<const KernelRow> norm_rows() { return rows; }

}  // namespace quern::onednn
