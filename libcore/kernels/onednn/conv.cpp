// Convolution with what follows it: BatchNormalization into the weights, residual Add as a sum, activations as post-ops.
#include <cmath>

#include "libcore/kernels/onednn/post_ops.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/ops/window.h"

namespace quern::onednn {
namespace {

bool is_foldable_norm(const Site& site, const Node& node) {
    if (node.op->name != "BatchNormalization" || site.nodes.size() != 1 || node.in[0] != site.out() || node.out.size() != 1) return false;
    if (NodeView(node).integer("training_mode") != 0) return false;
    for (size_t i = 1; i < 5; ++i)
        if (!site.value(node.in.at(i)).constant() || !is_f32(site, node.in[i])) return false;
    return true;
}

bool absorbs(const Site& site, const Node& next) {
    return is_foldable_norm(site, next) || is_residual_add(site, next) || is_chained_eltwise(site, next);
}

struct Weights {
    Dims dims;  // [M, C/group, kernel...]
    std::vector<float> filter, bias;
};

void fold_norm(const Graph& graph, const Node& norm, Weights& weights) {
    const auto part = [&](size_t i) { return to_floats(*graph.constant(norm.in[i])); };
    const auto scale = part(1), shift = part(2), mean = part(3), variance = part(4);
    const float epsilon = NodeView(norm).real("epsilon");
    const size_t channels = weights.bias.size(), each = weights.filter.size() / channels;
    for (size_t m = 0; m < channels; ++m) {
        const float factor = scale[m] / std::sqrt(variance[m] + epsilon);
        for (size_t i = 0; i < each; ++i) weights.filter[m * each + i] *= factor;
        weights.bias[m] = (weights.bias[m] - mean[m]) * factor + shift[m];
    }
}

struct Convolution {
    dnnl::convolution_forward primitive;
    dnnl::memory::desc src, dst, scratchpad;
    dnnl::memory filter;
    Buffer filter_buffer;
    Dims out;
};

class ConvKernel : public Kernel {
   public:
    explicit ConvKernel(const Site& site) : view_(site.first()) {
        const Tensor filter = *site.graph.constant(site.first().in[1]);
        weights_.dims = filter.dims;
        weights_.filter = to_floats(filter);
        const bool biased = site.first().in.size() > 2 && site.first().in[2] != ValueId::none;
        weights_.bias =
            biased ? to_floats(*site.graph.constant(site.first().in[2])) : std::vector<float>(static_cast<size_t>(filter.dims[0]));
        size_t tail = 1;
        if (site.nodes.size() > 1 && site.nodes[1]->op->name == "BatchNormalization") {
            fold_norm(site.graph, *site.nodes[1], weights_);
            name_ += "+BatchNormalization";
            tail = 2;
        }
        attr_ = user_scratchpad();
        attr_.set_post_ops(post_ops_of(site, tail, residual_, name_));
        group_ = view_.integer("group");
    }

    std::string name() const override { return name_; }

    void run(KernelCtx& ctx) override {
        use_threads(ctx.pool());
        const Source x = source(ctx, 0);
        const auto conv = prepared_.get(x.dims, [&] { return prepare(x.dims); });
        const Source in = source_as(ctx, 0, conv->src);
        Buffer out = residual_ ? residual_buffer(ctx, *residual_, conv->dst) : take(ctx, conv->dst);
        Args args{
            {DNNL_ARG_SRC, in.memory}, {DNNL_ARG_WEIGHTS, conv->filter}, {DNNL_ARG_DST, dnnl::memory(conv->dst, engine(), out.data.get())}};
        const auto bias_desc = plain_desc(Dims{static_cast<int64_t>(weights_.bias.size())});
        args.emplace(DNNL_ARG_BIAS, dnnl::memory(bias_desc, engine(), const_cast<float*>(weights_.bias.data())));
        execute(ctx, conv->primitive, conv->scratchpad, std::move(args));
        give(ctx, conv->out, conv->dst, std::move(out));
    }

   private:
    Convolution prepare(const Dims& x) const {
        using Desc = dnnl::memory::desc;
        const auto f32 = dnnl::memory::data_type::f32;
        const auto any = dnnl::memory::format_tag::any;
        const std::vector<int64_t> kernel(weights_.dims.begin() + 2, weights_.dims.end());
        std::vector<Dim> spatial;
        for (size_t i = 2; i < x.size(); ++i) spatial.push_back(Dim::of(x[i]));
        const Window window = window_of(view_, spatial, kernel);
        Dims out{x[0], weights_.dims[0]};
        dnnl::memory::dims dilation;
        for (size_t i = 0; i < window.rank(); ++i) {
            out.push_back(window_count(window, i, spatial[i]).value);
            dilation.push_back(window.dilation[i] - 1);
        }
        Dims filter = weights_.dims;
        if (group_ > 1) {
            filter[0] /= group_;
            filter.insert(filter.begin(), group_);
        }
        // A first layer of few channels reads its input as it lies.
        const Desc src = x[1] < 8 ? plain_desc(x) : Desc(to_dnnl(x), f32, any);
        const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, src,
                                                   Desc(to_dnnl(filter), f32, any), plain_desc(Dims{weights_.dims[0]}),
                                                   Desc(to_dnnl(out), f32, any), to_dnnl(window.stride), dilation, to_dnnl(window.before),
                                                   to_dnnl(window.after));
        const dnnl::convolution_forward::primitive_desc prim(desc, attr_, engine());
        Convolution conv{.primitive = dnnl::convolution_forward(prim),
                         .src = prim.src_desc(),
                         .dst = prim.dst_desc(),
                         .scratchpad = prim.scratchpad_desc(),
                         .filter = {},
                         .filter_buffer = new_buffer(prim.weights_desc().get_size()),
                         .out = out};
        dnnl::memory plain(plain_desc(filter), engine(), const_cast<float*>(weights_.filter.data()));
        conv.filter = dnnl::memory(prim.weights_desc(), engine(), conv.filter_buffer.data.get());
        dnnl::reorder(plain, conv.filter).execute(stream(), plain, conv.filter);
        stream().wait();
        return conv;
    }

    NodeView view_;
    Weights weights_;
    int64_t group_ = 1;
    std::string name_ = "onednn conv";
    dnnl::primitive_attr attr_;
    std::optional<size_t> residual_;
    Prepared<Convolution> prepared_;
};

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    const auto refuse = [&](const char* why) {
        refusal = why;
        return nullptr;
    };
    if (!is_f32(site, node.in[0])) return refuse("is not float32");
    if (!site.value(node.in[1]).constant() || !is_f32(site, node.in[1])) return refuse("the filter is no constant");
    if (node.in.size() > 2 && node.in[2] != ValueId::none && !site.value(node.in[2]).constant()) return refuse("the bias is no constant");
    if (NodeView(node).text("layout") == "NHWC") return refuse("layout is NHWC");
    const size_t rank = site.value(node.in[1]).type.shape.rank();
    if (rank < 3 || rank > 5) return refuse("is not 1-, 2- or 3-dimensional");
    return std::make_unique<ConvKernel>(site);
}

}  // namespace

constexpr KernelRow conv_row_value{.name = "onednn", .op = "Conv", .absorbs = absorbs, .make = make};
const KernelRow& conv_row() { return conv_row_value; }

}  // namespace quern::onednn
