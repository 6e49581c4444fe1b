// Pooling. Keeps the layout its input has, so that it sits between convolutions for free.
#include <array>

#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/ops/spatial.h"
#include "libcore/ops/window.h"

namespace quern::onednn {
namespace {

struct Pooling {
    dnnl::pooling_forward primitive;
    dnnl::memory::desc src, dst;   // channels first
    dnnl::memory::desc dst_value;  // of the same memory as dst, as the graph has its dims
    dnnl::memory::desc scratchpad;
    Dims out;
};

struct Geometry {
    Dims kernel, stride, before, after, out;
};

class PoolKernel : public Kernel {
   public:
    explicit PoolKernel(const Site& site)
        : view_(site.first()), last_(channels_last(view_)), global_(site.first().op->name.substr(0, 6) == "Global") {
        const bool max = site.first().op->name.find("Max") != std::string_view::npos;
        const bool padded = !global_ && !max && view_.integer("count_include_pad") != 0;
        algorithm_ = max      ? dnnl::algorithm::pooling_max
                     : padded ? dnnl::algorithm::pooling_avg_include_padding
                              : dnnl::algorithm::pooling_avg_exclude_padding;
    }

    std::string name() const override { return "onednn pool"; }

    void run(KernelCtx& ctx) override {
        use_threads(ctx.pool());
        const Source x = source(ctx, 0);
        const auto desc = x.memory.get_desc();
        // Layouts of one shape differ only by the kernel that made them: part of the key is whether it is row-major.
        Dims key = x.dims;
        key.push_back(is_plain(desc, x.dims) ? 0 : 1);
        const auto pool = prepared_.get(key, [&] { return prepare(x.dims, desc); });
        Buffer out = take(ctx, pool->dst);
        execute(ctx, pool->primitive, pool->scratchpad,
                {{DNNL_ARG_SRC, dnnl::memory(pool->src, engine(), x.memory.get_data_handle())},
                 {DNNL_ARG_DST, dnnl::memory(pool->dst, engine(), out.data.get())}});
        give(ctx, pool->out, pool->dst_value, std::move(out));
    }

   private:
    Geometry geometry(const Dims& x) const {
        Geometry g;
        g.out = {x[0], x[1]};
        if (global_) {
            g.kernel.assign(x.begin() + 2, x.end());
            g.stride.assign(x.size() - 2, 1);
            g.before = g.after = Dims(x.size() - 2, 0);
            g.out.resize(x.size(), 1);
            return g;
        }
        std::vector<Dim> spatial;
        for (size_t i = 2; i < x.size(); ++i) spatial.push_back(Dim::of(x[i]));
        const Window window = window_of(view_, spatial, view_.integers("kernel_shape"));
        g.kernel = window.kernel;
        g.stride = window.stride;
        g.before = window.before;
        g.after = window.after;
        for (size_t i = 0; i < spatial.size(); ++i) g.out.push_back(window_count(window, i, spatial[i]).value);
        return g;
    }

    Pooling prepare(const Dims& dims, const dnnl::memory::desc& given) const {
        const Geometry g = geometry(last_ ? to_channels_first(dims) : dims);
        const dnnl::memory::desc src = last_ ? channels_first_desc(given) : given;
        const dnnl::pooling_forward::desc desc(dnnl::prop_kind::forward_inference, algorithm_, src, any_desc(g.out), to_dnnl(g.stride),
                                               to_dnnl(g.kernel), to_dnnl(g.before), to_dnnl(g.after));
        const dnnl::pooling_forward::primitive_desc prim(desc, user_scratchpad(), engine());
        const auto dst = prim.dst_desc();
        return {dnnl::pooling_forward(prim),
                src,
                dst,
                last_ ? channels_last_desc(dst) : dst,
                prim.scratchpad_desc(),
                last_ ? to_channels_last(g.out) : g.out};
    }

    NodeView view_;
    bool last_;  // the data has its channels last
    bool global_;
    dnnl::algorithm algorithm_;
    Prepared<Pooling> prepared_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    const NodeView view(node);
    const auto refuse = [&](const char* why) {
        refusal = why;
        return nullptr;
    };
    const Shape& shape = site.value(node.in[0]).type.shape;
    if (!is_f32(site, node.in[0])) return refuse("is not float32");
    if (!shape.ranked || shape.rank() < 3 || shape.rank() > 5) return refuse("is not 1-, 2- or 3-dimensional");
    if (node.out.size() > 1 && node.out[1] != ValueId::none) return refuse("gives indices");
    if (node.op->name.substr(0, 6) == "Global") return std::make_unique<PoolKernel>(site);
    for (const int64_t dilation : view.integers("dilations"))
        if (dilation != 1) return refuse("is dilated");
    if (view.integer("ceil_mode") != 0) return refuse("rounds its size up");
    return std::make_unique<PoolKernel>(site);
}

constexpr std::array rows{
    KernelRow{.name = "onednn", .op = "MaxPool", .make = make},
    KernelRow{.name = "onednn", .op = "AveragePool", .make = make},
    KernelRow{.name = "onednn", .op = "GlobalAveragePool", .make = make},
    KernelRow{.name = "onednn", .op = "GlobalMaxPool", .make = make},
};

}  // namespace

std::span<const KernelRow> pool_rows() { return rows; }

}  // namespace quern::onednn
