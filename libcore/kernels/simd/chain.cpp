// Chains of elementwise nodes in one pass: a block of the result is computed through every node while it is in the cache. The other
// operands may broadcast. Blocks are independent, so results do not depend on how threads share them.
#include <algorithm>
#include <array>

#include "libcore/kernels/isa.h"
#include "libcore/kernels/simd/loops.h"
#include "libcore/kernels/simd/operand.h"
#include "libcore/kernels/simd/rows.h"

namespace quern::simd {
namespace {

constexpr size_t block_size = 2048;  // elements: result and two operands stay in the first-level cache
constexpr size_t blocks_a_task = 8;

// One node of a chain. Unary: `binary` is nullptr. Binary: the operand is input `operand` of the site.
struct Link {
    Unary unary{};
    BinaryLoop binary = nullptr;
    size_t operand = 0;
    bool chained_first = true;
};

class ChainKernel : public Kernel {
   public:
    ChainKernel(std::vector<Link> links, std::string name) : links_(std::move(links)), name_(std::move(name)) {}
    std::string name() const override { return name_; }

    void run(KernelCtx& ctx) override {
        const Tensor& x = *ctx.in(0);
        const Dims dims = links_[0].binary ? broadcast(x.dims, ctx.in(1)->dims) : x.dims;
        const auto count = static_cast<size_t>(count_of(dims));
        const Operand start(x, dims);
        std::vector<Operand> others;
        for (const Link& link : links_)
            if (link.binary) others.emplace_back(*ctx.in(link.operand), dims);
        const Buffer out = ctx.memory().take(count * sizeof(float));
        auto* to = reinterpret_cast<float*>(out.data.get());
        ctx.pool().run_ranges((count + block_size - 1) / block_size, blocks_a_task, [&](size_t first, size_t last) {
            for (size_t b = first; b < last; ++b)
                run_block(start, others, b * block_size, std::min(block_size, count - b * block_size), to + b * block_size);
        });
        ctx.give({DType::f32, dims, out.freeze()});
    }

   private:
    void run_block(const Operand& start, std::span<const Operand> others, size_t begin, size_t count, float* to) const {
        alignas(64) std::array<float, block_size> other;
        const float* at = start.block(begin, count, to);
        size_t next = 0;
        for (const Link& link : links_) {
            if (!link.binary) {
                link.unary.loop(at, to, count, link.unary.a, link.unary.b);
            } else {
                const float* operand = others[next++].block(begin, count, other.data());
                link.chained_first ? link.binary(at, operand, to, count) : link.binary(operand, at, to, count);
            }
            at = to;
        }
    }

    std::vector<Link> links_;
    std::string name_;
};

bool all_f32(const Site& site, const Node& node) {
    return std::ranges::all_of(node.in, [&](ValueId id) { return id == ValueId::none || is_f32(site, id); }) && is_f32(site, node.out[0]);
}

}  // namespace

// Nodes whose result has the shape of what came before.
bool absorbs_chain(const Site& site, const Node& next) {
    if (!all_f32(site, next) || !same_shape(site.value(site.out()).type.shape, site.value(next.out[0]).type.shape)) return false;
    if (binary_of(next)) return true;
    return next.in[0] == site.out() && unary_of(site.graph, next);
}

std::unique_ptr<Kernel> make_chain(const Site& site, std::string& refusal) {
    if (!all_f32(site, site.first())) return refusal = "is not float32", nullptr;
    std::vector<Link> links;
    std::string name = fmt::format("{} ", isa_names[static_cast<size_t>(isa())]);
    size_t operands = 0;  // inputs of the site that nodes so far have taken
    for (size_t i = 0; i < site.nodes.size(); ++i) {
        const Node& node = *site.nodes[i];
        Link link;
        if ((link.binary = binary_of(node))) {
            link.operand = i == 0 ? 1 : operands;
            link.chained_first = i == 0 || node.in[0] == site.nodes[i - 1]->out[0];
        } else if (const auto unary = unary_of(site.graph, node)) {
            link.unary = *unary;
        } else {
            return refusal = "its parameters are not constant", nullptr;
        }
        operands += i == 0 ? node.in.size() : node.in.size() - 1;
        name += (i == 0 ? "" : "+") + std::string(node.op->name);
        links.push_back(link);
    }
    return std::make_unique<ChainKernel>(std::move(links), std::move(name));
}

}  // namespace quern::simd
