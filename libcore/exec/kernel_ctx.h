// KernelStepCtx: what a kernel sees of the frame it runs in.
#pragma once

#include <algorithm>

#include "libcore/exec/frame.h"

namespace quern {

class KernelStepCtx : public KernelCtx {
   public:
    KernelStepCtx(Frame& frame, const Step& step) : frame_(frame), step_(step) {}

    const Tensor* in(size_t i) override {
        if (i >= step_.in.size() || step_.in[i] == ValueId::none) return nullptr;
        const Tensor& tensor = frame_.held(step_.in[i]);
        return tensor.defined() ? &tensor : nullptr;
    }
    std::shared_ptr<const Packed> packed(size_t i) override {
        return i < step_.in.size() && step_.in[i] != ValueId::none ? frame_.packed(step_.in[i]) : nullptr;
    }
    bool dies(size_t i) const override { return std::find(step_.dies.begin(), step_.dies.end(), step_.in[i]) != step_.dies.end(); }
    Buffer own(size_t i) override {
        const Tensor& tensor = *in(i);
        CarriedStates& carried = frame_.state().carried;
        if (carried.handed_out(tensor)) return carried.own(tensor, dies(i));
        Buffer copy = memory().take(tensor.data.size());
        std::copy_n(tensor.data.data(), copy.size, copy.data.get());
        return copy;
    }
    void give(Tensor tensor) override { frame_.store(out(), std::move(tensor)); }
    void give(std::shared_ptr<const Packed> packed) override {
        const Value& value = frame_.graph().graph().value(out());
        if (value.enc && frame_.graph().options().mode != Mode::floating && !packed->holds_codes())
            frame_.store(out(), packed->plain(memory(), pool()));
        else
            frame_.put(out(), std::move(packed));
    }
    void give_codes(Tensor tensor) override { frame_.put(out(), std::move(tensor)); }
    bool wants(size_t i) const override { return i < step_.last().out.size() && step_.last().out[i] != ValueId::none; }
    void give_beside(size_t i, Tensor tensor) override { frame_.store(step_.last().out[i], std::move(tensor)); }
    const Encoding* encoding(size_t i) const override {
        return i < step_.in.size() && step_.in[i] != ValueId::none ? frame_.encoding(step_.in[i]) : nullptr;
    }
    void set_encoding(Encoding grid) override { frame_.set_encoding(out(), std::move(grid)); }
    Memory& memory() override { return *frame_.state().memory; }
    ThreadPool& pool() override { return frame_.state().pool; }

   private:
    ValueId out() const { return step_.last().out[0]; }
    Frame& frame_;
    const Step& step_;
};

}  // namespace quern
