// Convolution by oneDNN. Data with channels last is read and written as it lies.
#include "libcore/graph/op_ids.h"
#include "libcore/kernels/conv_site.h"
#include "libcore/kernels/onednn/post_ops.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/regions.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/kernels/onednn/weights.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::onednn {
namespace {

using Desc = dnnl::memory::desc;
using Primitive = dnnl::convolution_forward::primitive_desc;

// Code made for the layout, not the slow loops that take any.
bool is_fast(const Primitive& primitive) {
    const std::string_view name = primitive.impl_info_str();
    return name.starts_with("jit") || name.starts_with("brg");
}

struct Convolution {
    dnnl::convolution_forward primitive;
    Desc src, dst;              // as the primitive has them, channels first
    Desc src_value, dst_value;  // of the same memory, as the graph has its dims
    Desc scratchpad;
    Laid filter;
    Dims out;
    bool alone = false;  // one thread computes it
};

class ConvKernel : public Kernel {
   public:
    explicit ConvKernel(const Site& site) : conv_(site), attr_(user_scratchpad()) {
        attr_.set_post_ops(post_ops_of(conv_.tail));
        site.state.empty() ? take_constants(site) : take_state(site);
    }

    std::string name() const override { return "onednn " + conv_.name; }

    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
        const Source x = source(ctx, 0);
        const auto conv = prepared_.get(x.dims, [&] { return prepare(x.dims); });
        const Source in = source_as(ctx, 0, conv->src_value);
        const auto& residual = conv_.tail.residual;
        Buffer out = residual ? residual_buffer(ctx, *residual, conv->dst_value) : take(ctx, conv->dst);
        execute(ctx, conv->primitive, conv->scratchpad,
                {{DNNL_ARG_SRC, dnnl::memory(conv->src, engine(), in.memory.get_data_handle())},
                 {DNNL_ARG_WEIGHTS, conv->filter.memory},
                 {DNNL_ARG_BIAS, dnnl::memory(bias_desc(), engine(), const_cast<std::byte*>(bias_.data()))},
                 {DNNL_ARG_DST, dnnl::memory(conv->dst, engine(), out.data.get())}},
                conv->alone);
        give(ctx, conv->out, conv->dst_value, std::move(out));
    }

    bool needs_warming() const override { return true; }
    void warm(std::span<const Dims> inputs, ThreadPool& pool) override {
        const Threads threads(pool);
        prepared_.get(inputs[0], [&] { return prepare(inputs[0]); });
    }

    std::vector<Bytes> state() const override {
        std::vector<Bytes> state = weights_.state();
        state.push_back(bias_);
        return state;
    }
    std::vector<ValueId> held() const override { return conv_.held; }

   private:
    // Of the filter as oneDNN has it: the groups are a dimension of their own.
    Dims filter_dims() const {
        Dims filter = conv_.filter;
        if (conv_.group > 1) {
            filter[0] /= conv_.group;
            filter.insert(filter.begin(), conv_.group);
        }
        return filter;
    }
    Desc bias_desc() const { return plain_desc(Dims{conv_.filter[0]}); }

    void take_constants(const Site& site) {
        weights_ = Weights(filter_dims(), conv_.filter_source(site));
        const std::vector<float> bias = conv_.bias(site);
        bias_ = Bytes::copy_of(std::span(bias));
    }

    void take_state(const Site& site) {
        if (site.state.size() != 3 || site.state[2].size() != static_cast<size_t>(conv_.filter[0]) * sizeof(float))
            throw bad_input("its state does not fit");
        weights_ = Weights(filter_dims(), site.state);
        bias_ = site.state[2];
    }

    Convolution prepare(const Dims& given) {
        const auto place = conv_.place(given);
        const ConvSite::Place& at = *place;
        const auto make = [&] { return conv_.last ? primitive_last(at) : primitive_first(at); };
        Primitive prim = make();
        const bool alone = sums_by_threads(prim, at.window);
        if (alone) {
            const Threads one;
            prim = make();
        }
        const Desc src = prim.src_desc(), dst = prim.dst_desc();
        return {dnnl::convolution_forward(prim),
                src,
                dst,
                conv_.last ? channels_last_desc(src) : src,
                conv_.last ? channels_last_desc(dst) : dst,
                prim.scratchpad_desc(),
                weights_.laid(prim.weights_desc()),
                at.result,
                alone};
    }

    // Whether the order of its sums depends on how many threads it is made for: by the general product; by blocks (brgconv), where a piece
    // of the last dim of the result may see padding only, whose length follows the threads.
    static bool sums_by_threads(const Primitive& prim, const Window& window) {
        const std::string_view how = prim.impl_info_str();
        if (how.find("gemm") != how.npos) return true;
        const size_t last = window.rank() - 1;
        const int64_t reach = window.dilation[last] * (window.kernel[last] - 1);
        return how.starts_with("brg") && std::max(window.before[last], window.after[last]) >= std::max<int64_t>(reach, 1);
    }

    Primitive primitive_first(const ConvSite::Place& at) const {
        // A first layer of few channels reads its input as it lies.
        return primitive(at.x[1] < 8 ? plain_desc(at.x) : any_desc(at.x), any_desc(at.out), at.window);
    }

    // Data as it lies, unless oneDNN has its slow loops only for that.
    Primitive primitive_last(const ConvSite::Place& at) const {
        Primitive prim = primitive(last_desc(at.x), last_desc(at.out), at.window);
        return is_fast(prim) ? prim : primitive(any_desc(at.x), any_desc(at.out), at.window);
    }

    Primitive primitive(const Desc& src, const Desc& dst, const Window& window) const {
        return weights_.primitive([&](const Desc& filter) { return convolution_desc(src, filter, bias_desc(), dst, window, attr_); });
    }

    ConvSite conv_;
    Weights weights_;
    Bytes bias_;
    dnnl::primitive_attr attr_;
    Prepared<Convolution> prepared_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    if ((refusal = conv_obstacle(site)); !refusal.empty()) return nullptr;
    return std::make_unique<ConvKernel>(site);
}

}  // namespace

constexpr KernelRow conv_row_value{.name = "onednn", .op = ops::Conv, .absorbs = absorbs_into_conv, .make = make};
const KernelRow& conv_row() { return conv_row_value; }

}  // namespace quern::onednn
