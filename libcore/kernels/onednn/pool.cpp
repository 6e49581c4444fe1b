// Pooling. Keeps the layout its input has, so that it sits between convolutions for free.
#include <algorithm>
#include <array>
#include <span>
#include <vector>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/onednn/dnnl_value.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/kernels/pool_site.h"

namespace quern::onednn {
namespace {

struct Pooling {
    dnnl::pooling_forward primitive;
    dnnl::memory::desc src, dst;   // channels first
    dnnl::memory::desc dst_value;  // of the same memory as dst, as the graph has its dims
    dnnl::memory::desc scratchpad;
    Window window;
    Dims out;
};

bool any_nan(std::span<const float> x) {
    int found = 0;
    for (const float item : x) found |= item != item;
    return found != 0;
}

class PoolKernel : public Kernel {
   public:
    explicit PoolKernel(const Site& site) : pool_(site) {
        algorithm_ = pool_.max              ? dnnl::algorithm::pooling_max
                     : pool_.counts_padding ? dnnl::algorithm::pooling_avg_include_padding
                                            : dnnl::algorithm::pooling_avg_exclude_padding;
    }

    std::string name() const override { return "onednn pool"; }

    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
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
        if (pool_.max) {
            const std::span from(static_cast<const float*>(x.memory.get_data_handle()), pool->src.get_size() / sizeof(float));
            if (any_nan(from)) pass_nan(*pool, from, {reinterpret_cast<float*>(out.data.get()), pool->dst.get_size() / sizeof(float)});
        }
        give(ctx, pool->out, pool->dst_value, std::move(out));
    }

   private:
    // oneDNN's greatest element is never a NaN. A mean is one where an element is: of zeros with the NaN among them.
    void pass_nan(const Pooling& pool, std::span<const float> x, std::span<float> y) const {
        std::vector<float> marks(x.size()), means(y.size());
        std::ranges::transform(x, marks.begin(), [](float item) { return item != item ? item : 0.0f; });
        const auto prim =
            pooling_desc(dnnl::algorithm::pooling_avg_include_padding, pool.src, pool.dst, pool.window, dnnl::primitive_attr());
        execute(dnnl::pooling_forward(prim), {{DNNL_ARG_SRC, dnnl::memory(pool.src, engine(), marks.data())},
                                              {DNNL_ARG_DST, dnnl::memory(pool.dst, engine(), means.data())}});
        for (size_t i = 0; i < y.size(); ++i)
            if (means[i] != means[i]) y[i] = means[i];
    }

    Pooling prepare(const Dims& dims, const dnnl::memory::desc& given) const {
        const auto at = pool_.place(dims);
        const dnnl::memory::desc src = pool_.last ? channels_first_desc(given) : given;
        const auto prim = pooling_desc(algorithm_, src, any_desc(at->out), at->window, user_scratchpad());
        const auto dst = prim.dst_desc();
        return {dnnl::pooling_forward(prim), src,        dst,       pool_.last ? channels_last_desc(dst) : dst,
                prim.scratchpad_desc(),      at->window, at->result};
    }

    PoolSite pool_;
    dnnl::algorithm algorithm_;
    Prepared<Pooling> prepared_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    if ((refusal = pool_obstacle(site)); !refusal.empty()) return nullptr;
    return std::make_unique<PoolKernel>(site);
}

constexpr std::array rows{
    KernelRow{.name = "onednn", .op = ops::MaxPool, .make = make},
    KernelRow{.name = "onednn", .op = ops::AveragePool, .make = make},
    KernelRow{.name = "onednn", .op = ops::GlobalAveragePool, .make = make},
    KernelRow{.name = "onednn", .op = ops::GlobalMaxPool, .make = make},
};

}  // namespace

std::span<const KernelRow> pool_rows() { return rows; }

}  // namespace quern::onednn
