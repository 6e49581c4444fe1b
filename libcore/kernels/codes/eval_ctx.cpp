#include "libcore/kernels/codes/eval_ctx.h"

#include <algorithm>

namespace quern::codes {

EvalSite::EvalSite(const Site& site, std::initializer_list<size_t> operands) : node(site.first()), result(site.result) {
    for (const size_t i : operands) {
        if (i >= node.in.size() || node.in[i] == ValueId::none) continue;
        const Value& value = site.value(node.in[i]);
        held.emplace(i, Tensor{value.storage(), *value.type.shape.concrete(), {}});
    }
}

std::vector<ValueId> EvalSite::held_ids() const {
    std::vector<ValueId> ids;
    for (const auto& [i, tensor] : held) ids.push_back(node.in[i]);
    return ids;
}

const Tensor* KernelEval::in(size_t i) const {
    const auto held = site_.held.find(i);
    return held != site_.held.end() ? &held->second : ctx_.in(i);
}

std::byte* KernelEval::out(size_t i, DType dtype, Dims dims) {
    const Buffer buffer = ctx_.memory().take(storage_size(dtype, static_cast<uint64_t>(count_of(dims))));
    results_.at(i) = {dtype, std::move(dims), buffer.freeze()};
    return buffer.data.get();
}

void KernelEval::finish() {
    for (size_t i = 0; i < results_.size(); ++i) {
        if (!results_[i].defined() || !wants(i)) continue;
        if (i > 0)
            ctx_.give_beside(i, std::move(results_[i]));
        else
            site_.result ? ctx_.give_codes(std::move(results_[i])) : ctx_.give(std::move(results_[i]));
    }
}

}  // namespace quern::codes
