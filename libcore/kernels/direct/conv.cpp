// Convolutions in tiles: of one group, and depthwise ones.
#include <algorithm>
#include <array>
#include <cstring>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/channels_last.h"
#include "libcore/kernels/direct/depth_conv.h"
#include "libcore/kernels/direct/direct_conv.h"
#include "libcore/kernels/direct/factors.h"
#include "libcore/kernels/direct/rows.h"
#include "libcore/ops/shared/spatial.h"

namespace quern::direct {
namespace {

// [M, C, kernel...] as [blocks][kernel...][C][columns].
FilterLayout layout_of(const Dims& filter) {
    const int64_t taps = count_of(space_of(filter));
    return {filter[0], taps, filter[1], filter[1] * taps, 1, taps};
}

// `Algorithm`: DirectConv or DepthConv.
template <typename Algorithm>
class ConvKernel : public Kernel {
   public:
    explicit ConvKernel(const Site& site) : conv_(site), tail_(*sum_and_clamp(conv_.tail)) {
        const FilterLayout layout = layout_of(conv_.filter);
        if (!site.state.empty()) {
            factors_ = std::make_unique<Factors>(layout, site.state);
            return;
        }
        factors_ = std::make_unique<Factors>(layout, conv_.filter_source(site), conv_.bias(site));
    }

    std::string name() const override { return "direct " + conv_.name; }

    void run(KernelCtx& ctx) override {
        const Dims& given = ctx.packed(0) ? ctx.packed(0)->dims() : ctx.in(0)->dims;
        if (given.size() != 4 || given[conv_.last ? 3 : 1] != conv_.filter[1] * conv_.group)
            throw bad_input("input 0 is {}, need {} channels", to_string(given), conv_.filter[1] * conv_.group);
        const auto at = conv_.place(given);
        if (count_of(at->out) == 0) return ctx.give(Tensor{DType::f32, at->result, Buffer().freeze()});
        const Algorithm direct(conv_, tail_, *at);
        const LastSource x = source(ctx, direct.reads_in_place());
        const Buffer out = destination(ctx, at->result);
        direct.run(x.data, factors_->filter(), factors_->bias(), reinterpret_cast<float*>(out.data.get()), ctx.memory(), ctx.pool());
        give_channels_last(ctx, at->result, conv_.last, out);
    }

    bool needs_warming() const override { return factors_->needs_packing(); }
    void warm(std::span<const Dims>, ThreadPool& pool) override { factors_->pack(&pool); }

    std::vector<Bytes> state() const override { return factors_->state(); }
    std::vector<ValueId> held() const override { return conv_.held; }

   private:
    LastSource source(KernelCtx& ctx, bool in_place) const {
        if (!in_place) return channels_last_source(ctx, 0, conv_.last);
        const auto owner = std::make_shared<const Tensor>(*ctx.in(0));
        return {owner->dims, owner, reinterpret_cast<const float*>(owner->data.data())};
    }

    // Holds the residual, if there is one.
    Buffer destination(KernelCtx& ctx, const Dims& dims) const {
        const auto& residual = conv_.tail.residual;
        const size_t bytes = static_cast<size_t>(count_of(dims)) * sizeof(float);
        if (!residual) return ctx.memory().take(bytes);
        const Dims& other = ctx.packed(*residual) ? ctx.packed(*residual)->dims() : ctx.in(*residual)->dims;
        if (other != dims) throw bad_input("cannot add {} and {}", to_string(dims), to_string(other));
        if (const auto own = conv_.last ? std::nullopt : dying_channels_last(ctx, *residual)) return *own;
        Buffer out = ctx.memory().take(bytes);
        std::memcpy(out.data.get(), channels_last_source(ctx, *residual, conv_.last).data, bytes);
        return out;
    }

    ConvSite conv_;
    SumAndClamp tail_;
    std::unique_ptr<Factors> factors_;
};

bool is_depthwise(const ConvSite& conv) { return conv.group > 1 && conv.group == conv.filter[0] && conv.filter[1] == 1; }

std::string_view obstacle(const Site& site) {
    if (const auto common = conv_obstacle(site); !common.empty()) return common;
    const ConvSite conv(site);
    const Shape& x = site.value(site.in[0]).type.shape;
    if (is_depthwise(conv)) return DepthConv::obstacle(conv, x);
    return DirectConv::obstacle(conv, conv.last ? to_channels_first(x) : x);
}

std::unique_ptr<Kernel> make(const Site& site, std::string& refusal) {
    refusal = obstacle(site);
    if (!refusal.empty()) return nullptr;
    if (is_depthwise(ConvSite(site))) return std::make_unique<ConvKernel<DepthConv>>(site);
    return std::make_unique<ConvKernel<DirectConv>>(site);
}

constexpr std::array rows{KernelRow{.name = "direct", .op = ops::Conv, .absorbs = absorbs_into_conv, .make = make}};

}  // namespace

std::span<const KernelRow> conv_rows() { return rows; }

bool made_channels_last(const Graph& graph, ValueId id) {
    constexpr std::array keepers{"Relu", "Clip", "Add", "BatchNormalization", "MaxPool", "AveragePool"};
    for (int max = 8; max > 0; --max) {
        const NodeId producer = graph.value(id).producer;
        if (producer == NodeId::none) return false;
        const Node& node = graph.node(producer);
        if (node.is(ops::Conv)) return obstacle({graph, {&node}, node.in}).empty();
        if (std::ranges::find(keepers, node.op->name) == keepers.end() || node.in[0] == ValueId::none) return false;
        id = node.in[0];
    }
    return false;
}

}  // namespace quern::direct
