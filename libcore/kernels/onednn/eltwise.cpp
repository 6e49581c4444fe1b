// Elementwise nodes on whatever layout their input has: activations, and Add/Mul of two values of one shape.
#include <array>

#include "libcore/graph/op_ids.h"
#include "libcore/kernels/onednn/post_ops.h"
#include "libcore/kernels/onednn/prepared.h"
#include "libcore/kernels/onednn/rows.h"

namespace quern::onednn {
namespace {

class EltwiseKernel : public Kernel {
   public:
    explicit EltwiseKernel(Eltwise eltwise) : eltwise_(eltwise) {}
    std::string name() const override { return "onednn eltwise"; }

    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
        const auto desc = source(ctx, 0).memory.get_desc();
        const auto own = dying_buffer(ctx, 0, desc);
        const Source x = source(ctx, 0);
        const auto eltwise =
            prepared_.get(desc, [&] { return ready<dnnl::eltwise_forward>(eltwise_desc(eltwise_, desc, user_scratchpad())); });
        Buffer out = own ? *own : take(ctx, desc);
        execute(ctx, eltwise->primitive, eltwise->scratchpad,
                {{DNNL_ARG_SRC, x.memory}, {DNNL_ARG_DST, dnnl::memory(desc, engine(), out.data.get())}});
        give(ctx, x.dims, desc, std::move(out));
    }

   private:
    Eltwise eltwise_;
    Prepared<Ready<dnnl::eltwise_forward>, dnnl::memory::desc> prepared_;
};

// Rows of other files have closer bounds of their own. A rank that only the run knows is not an obstacle: see plain_desc().
bool has_too_many_dims(const Site& site, ValueId id) {
    const Shape& shape = site.value(id).type.shape;
    return shape.ranked && shape.rank() > DNNL_MAX_NDIMS;
}

constexpr const char* too_many_dims = "has more dimensions than oneDNN takes";

std::unique_ptr<Kernel> make_unary(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    if (!is_f32(site, node.in[0])) return refusal = "is not float32", nullptr;
    if (has_too_many_dims(site, node.in[0])) return refusal = too_many_dims, nullptr;
    const auto eltwise = eltwise_of(site.graph, node, node.in[0]);
    if (!eltwise) return refusal = "its bounds are not constant", nullptr;
    return std::make_unique<EltwiseKernel>(*eltwise);
}

class BinaryKernel : public Kernel {
   public:
    BinaryKernel(const Site& site, dnnl::algorithm algorithm) : algorithm_(algorithm), tail_(tail_of(site, 1)) {}
    std::string name() const override { return "onednn binary" + tail_.name; }

    void run(KernelCtx& ctx) override {
        const Threads threads(ctx.pool());
        // The layout of a packed operand wins: the other one follows.
        const bool second = !ctx.packed(0) && ctx.packed(1);
        const Source first = source(ctx, second ? 1 : 0);
        const auto desc = first.memory.get_desc();
        const Source other = source_as(ctx, second ? 0 : 1, desc);
        const auto binary = prepared_.get(desc, [&] {
            auto attr = user_scratchpad();
            attr.set_post_ops(post_ops_of(tail_));
            return ready<dnnl::binary>(binary_desc(algorithm_, desc, attr));
        });
        Buffer out = take(ctx, desc);
        execute(
            ctx, binary->primitive, binary->scratchpad,
            {{DNNL_ARG_SRC_0, first.memory}, {DNNL_ARG_SRC_1, other.memory}, {DNNL_ARG_DST, dnnl::memory(desc, engine(), out.data.get())}});
        give(ctx, first.dims, desc, std::move(out));
    }

   private:
    dnnl::algorithm algorithm_;
    Tail tail_;
    Prepared<Ready<dnnl::binary>, dnnl::memory::desc> prepared_;
};

std::unique_ptr<Kernel> make_binary(const Site& site, std::string& refusal) {
    const Node& node = site.first();
    if (!is_f32(site, node.in[0]) || !is_f32(site, node.in[1])) return refusal = "is not float32", nullptr;
    const Shape &a = site.value(node.in[0]).type.shape, &b = site.value(node.in[1]).type.shape;
    if (!same_shape(a, b) || a.rank() == 0) return refusal = "broadcasts, or its shapes are not known to be equal", nullptr;
    if (has_too_many_dims(site, node.in[0])) return refusal = too_many_dims, nullptr;
    return std::make_unique<BinaryKernel>(site, node.is(ops::Add) ? dnnl::algorithm::binary_add : dnnl::algorithm::binary_mul);
}

// One only: with several, oneDNN 2.6's binary primitive gives wrong numbers.
bool absorbs_activation(const Site& site, const Node& next) { return site.nodes.size() == 1 && is_chained_eltwise(site, next); }

constexpr std::array rows{
    KernelRow{.name = "onednn", .op = ops::Relu, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::LeakyRelu, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Sigmoid, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Tanh, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Elu, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::HardSwish, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Swish, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Clip, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Gelu, .make = make_unary},
    KernelRow{.name = "onednn", .op = ops::Add, .absorbs = absorbs_activation, .make = make_binary},
    KernelRow{.name = "onednn", .op = ops::Mul, .absorbs = absorbs_activation, .make = make_binary},
};

}  // namespace

std::span<const KernelRow> eltwise_rows() { return rows; }

}  // namespace quern::onednn
