// KernelEval: a kernel's operands and results as an operator's function has them, for kernels that share all but their products with it.
#pragma once

#include <map>
#include <optional>

#include "libcore/graph/graph.h"
#include "libcore/kernels/kernel.h"

namespace quern::codes {

// What a kernel keeps of its site for it.
struct EvalSite {
    const Node& node;
    std::optional<Encoding> result;
    std::map<size_t, Tensor> held;  // constants that the kernel has packed: nothing but their type and dims

    // `held`: operands.
    EvalSite(const Site& site, std::initializer_list<size_t> held);
    std::vector<ValueId> held_ids() const;
};

class KernelEval : public EvalCtx {
   public:
    KernelEval(const EvalSite& site, KernelCtx& ctx) : EvalCtx(site.node), site_(site), ctx_(ctx), results_(site.node.out.size()) {}
    // Hands over the results.
    void finish();

    size_t in_count() const override { return node().in.size(); }
    size_t out_count() const override { return node().out.size(); }
    const Tensor* in(size_t i) const override;
    bool wants(size_t i) const override { return ctx_.wants(i); }
    std::byte* out(size_t i, DType dtype, Dims dims) override;
    void give(size_t i, Tensor tensor) override { results_.at(i) = std::move(tensor); }
    const Encoding* in_encoding(size_t i) const override { return ctx_.encoding(i); }
    const Encoding* out_encoding(size_t i) const override { return i == 0 && site_.result ? &*site_.result : nullptr; }
    std::vector<Tensor> run_body(size_t, std::span<const Tensor>) override { throw bug("kernels have no bodies"); }
    uint64_t seed() const override { throw bug("kernels have no seeds"); }

   private:
    const EvalSite& site_;
    KernelCtx& ctx_;
    std::vector<Tensor> results_;
};

}  // namespace quern::codes
