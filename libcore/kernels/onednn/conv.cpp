// Convolution (direct_conv.h, else oneDNN's) with what follows it: BatchNormalization into the weights, residual Add as a sum, activations
// as post-ops. Data with channels last is read and written as it lies.
#include <cmath>

#include "libcore/kernels/onednn/direct_conv.h"
#include "libcore/kernels/onednn/post_ops.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"
#include "libcore/kernels/onednn/weights.h"
#include "libcore/ops/spatial.h"
#include "libcore/ops/window.h"

namespace quern::onednn {
namespace {

bool is_foldable_norm(const Site& site, const Node& node) {
    if (node.op->name != "BatchNormalization" || site.nodes.size() != 1 || node.in[0] != site.out() || node.out.size() != 1) return false;
    if (NodeView(node).integer("training_mode") != 0 || channels_last(NodeView(node)) != channels_last(NodeView(site.first())))
        return false;
    for (size_t i = 1; i < 5; ++i)
        if (!site.value(node.in.at(i)).constant() || !is_f32(site, node.in[i])) return false;
    return true;
}

bool absorbs(const Site& site, const Node& next) {
    return is_foldable_norm(site, next) || is_residual_add(site, next) || is_chained_eltwise(site, next);
}

using Desc = dnnl::memory::desc;
using Primitive = dnnl::convolution_forward::primitive_desc;

struct Parameters {
    std::vector<float> filter, bias;
};

void fold_norm(const Graph& graph, const Node& norm, Parameters& parameters) {
    const auto part = [&](size_t i) { return to_floats(*graph.constant(norm.in[i])); };
    const auto scale = part(1), shift = part(2), mean = part(3), variance = part(4);
    const float epsilon = NodeView(norm).real("epsilon");
    const size_t channels = parameters.bias.size(), each = parameters.filter.size() / channels;
    for (size_t m = 0; m < channels; ++m) {
        const float factor = scale[m] / std::sqrt(variance[m] + epsilon);
        for (size_t i = 0; i < each; ++i) parameters.filter[m * each + i] *= factor;
        parameters.bias[m] = (parameters.bias[m] - mean[m]) * factor + shift[m];
    }
}

// A filter [M, kernel..., C/group] as [M, C/group, kernel...], the dims of which are given.
std::vector<float> filter_channels_first(const std::vector<float>& filter, const Dims& dims) {
    std::vector<float> moved(filter.size());
    swap_axes(filter.data(), moved.data(), dims[0], count_of(space_of(dims)), dims[1]);
    return moved;
}

// Code made for the layout, not the slow loops that take any.
bool is_fast(const Primitive& primitive) {
    const std::string_view name = primitive.impl_info_str();
    return name.starts_with("jit") || name.starts_with("brg");
}

Bytes bytes_of(const std::vector<float>& items) { return Bytes::copy_of(std::span(items)); }

struct Convolution {
    std::optional<DirectConv> direct;
    dnnl::convolution_forward primitive;  // if it is not direct
    Desc src, dst;                        // as the primitive has them, channels first
    Desc src_value, dst_value;            // of the same memory, as the graph has its dims
    Desc scratchpad;
    Laid filter;
    Dims out;
};

class ConvKernel : public Kernel {
   public:
    explicit ConvKernel(const Site& site) : view_(site.first()), last_(channels_last(view_)), group_(view_.integer("group")) {
        const Node& node = site.first();
        dims_ = *site.value(node.in[1]).type.shape.concrete();
        if (last_) dims_ = to_channels_first(dims_);
        const bool normed = site.nodes.size() > 1 && is_foldable_norm({site.graph, {&node}, {}}, *site.nodes[1]);
        held_.push_back(node.in[1]);
        if (node.in.size() > 2 && node.in[2] != ValueId::none) held_.push_back(node.in[2]);
        if (normed) {
            held_.insert(held_.end(), site.nodes[1]->in.begin() + 1, site.nodes[1]->in.begin() + 5);
            name_ += "+BatchNormalization";
        }
        site.state.empty() ? take_constants(site, normed) : take_state(site);
        attr_ = user_scratchpad();
        attr_.set_post_ops(post_ops_of(site, normed ? 2 : 1, residual_, name_));
    }

    std::string name() const override { return name_; }

    void run(KernelCtx& ctx) override {
        use_threads(ctx.pool());
        const Source x = source(ctx, 0);
        const auto conv = prepared_.get(x.dims, [&] { return prepare(x.dims); });
        const Source in = source_as(ctx, 0, conv->src_value);
        Buffer out = residual_ ? residual_buffer(ctx, *residual_, conv->dst_value) : take(ctx, conv->dst);
        if (conv->direct) {
            const auto floats = [](const void* data) { return static_cast<const float*>(data); };
            conv->direct->run(floats(in.memory.get_data_handle()), floats(conv->filter.bytes.data()), floats(bias_.data()),
                              reinterpret_cast<float*>(out.data.get()), ctx.memory());
        } else {
            Args args{{DNNL_ARG_SRC, dnnl::memory(conv->src, engine(), in.memory.get_data_handle())},
                      {DNNL_ARG_WEIGHTS, conv->filter.memory},
                      {DNNL_ARG_DST, dnnl::memory(conv->dst, engine(), out.data.get())}};
            args.emplace(DNNL_ARG_BIAS, dnnl::memory(plain_desc(Dims{dims_[0]}), engine(), const_cast<std::byte*>(bias_.data())));
            execute(ctx, conv->primitive, conv->scratchpad, std::move(args));
        }
        give(ctx, conv->out, conv->dst_value, std::move(out));
    }

    void warm(std::span<const Dims> inputs, const ThreadPool& pool) override {
        use_threads(pool);
        prepared_.get(inputs[0], [&] { return prepare(inputs[0]); });
    }

    std::vector<Bytes> state() const override {
        const auto last = prepared_.last();
        std::vector<Bytes> state = weights_.state(last ? &last->filter : nullptr);
        state.push_back(bias_);
        return state;
    }
    std::vector<ValueId> held() const override { return held_; }

   private:
    // Of the filter as oneDNN has it: the groups are a dimension of their own.
    Dims filter_dims() const {
        Dims filter = dims_;
        if (group_ > 1) {
            filter[0] /= group_;
            filter.insert(filter.begin(), group_);
        }
        return filter;
    }

    void take_constants(const Site& site, bool normed) {
        const Node& node = site.first();
        Parameters all{to_floats(*site.graph.constant(node.in[1])), std::vector<float>(static_cast<size_t>(dims_[0]))};
        if (last_) all.filter = filter_channels_first(all.filter, dims_);
        if (node.in.size() > 2 && node.in[2] != ValueId::none) all.bias = to_floats(*site.graph.constant(node.in[2]));
        if (normed) fold_norm(site.graph, *site.nodes[1], all);
        weights_ = Weights(filter_dims(), bytes_of(all.filter));
        bias_ = bytes_of(all.bias);
    }

    void take_state(const Site& site) {
        if (site.state.size() != 3 || site.state[2].size() != static_cast<size_t>(dims_[0]) * sizeof(float))
            throw bad_input("its state does not fit");
        weights_ = Weights(filter_dims(), site.state);
        bias_ = site.state[2];
    }

    Convolution prepare(const Dims& given) const {
        const Dims x = last_ ? to_channels_first(given) : given;
        const std::vector<int64_t> kernel(dims_.begin() + 2, dims_.end());
        std::vector<Dim> spatial;
        for (const int64_t length : space_of(x)) spatial.push_back(Dim::of(length));
        const Window window = window_of(view_, spatial, kernel);
        Dims out{x[0], dims_[0]};
        for (size_t i = 0; i < window.rank(); ++i) out.push_back(window_count(window, i, spatial[i]).value);
        if (auto direct = group_ == 1 ? DirectConv::make(x, dims_, out, window, last_, attr_) : std::nullopt) {
            const Desc src = direct->src(), dst = direct->dst();
            return {std::move(direct),
                    {},
                    src,
                    dst,
                    last_ ? channels_last_desc(src) : src,
                    last_ ? channels_last_desc(dst) : dst,
                    {},
                    weights_.laid(DirectConv::filter(dims_)),
                    last_ ? to_channels_last(out) : out};
        }
        const Primitive prim = last_ ? primitive_last(x, out, window) : primitive_first(x, out, window);
        const Desc src = prim.src_desc(), dst = prim.dst_desc();
        return {std::nullopt,
                dnnl::convolution_forward(prim),
                src,
                dst,
                last_ ? channels_last_desc(src) : src,
                last_ ? channels_last_desc(dst) : dst,
                prim.scratchpad_desc(),
                weights_.laid(prim.weights_desc()),
                last_ ? to_channels_last(out) : out};
    }

    Primitive primitive_first(const Dims& x, const Dims& out, const Window& window) const {
        // A first layer of few channels reads its input as it lies.
        return primitive(x[1] < 8 ? plain_desc(x) : any_desc(x), any_desc(out), window);
    }

    // Data as it lies, unless oneDNN has its slow loops only for that.
    Primitive primitive_last(const Dims& x, const Dims& out, const Window& window) const {
        const auto as_it_lies = [](const Dims& dims) { return channels_first_desc(plain_desc(to_channels_last(dims))); };
        Primitive prim = primitive(as_it_lies(x), as_it_lies(out), window);
        return is_fast(prim) ? prim : primitive(any_desc(x), any_desc(out), window);
    }

    Primitive primitive(const Desc& src, const Desc& dst, const Window& window) const {
        dnnl::memory::dims dilation = to_dnnl(window.dilation);
        for (auto& step : dilation) --step;
        return weights_.primitive([&](const Desc& filter) {
            const dnnl::convolution_forward::desc desc(dnnl::prop_kind::forward_inference, dnnl::algorithm::convolution_auto, src, filter,
                                                       plain_desc(Dims{dims_[0]}), dst, to_dnnl(window.stride), dilation,
                                                       to_dnnl(window.before), to_dnnl(window.after));
            return Primitive(desc, attr_, engine());
        });
    }

    NodeView view_;
    bool last_;  // data and filter have their channels last
    int64_t group_;
    Dims dims_;  // of the filter: [M, C/group, kernel...]
    Weights weights_;
    Bytes bias_;
    std::vector<ValueId> held_;
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
    const size_t rank = site.value(node.in[1]).type.shape.rank();
    if (rank < 3 || rank > 5) return refuse("is not 1-, 2- or 3-dimensional");
    return std::make_unique<ConvKernel>(site);
}

}  // namespace

constexpr KernelRow conv_row_value{.name = "onednn", .op = "Conv", .absorbs = absorbs, .make = make};
const KernelRow& conv_row() { return conv_row_value; }

}  // namespace quern::onednn
