// StepCtx: the EvalCtx of one step in one frame. Rows that compute on real numbers get them, whatever the values' encodings are. What runs
// bodies is the interpreter's.
#pragma once

#include <optional>
#include <vector>

#include "libcore/exec/frame.h"

namespace quern {

class StepCtx : public EvalCtx {
   public:
    StepCtx(Frame& frame, const Step& step, const Node& node);
    void run();

    size_t in_count() const override { return node().in.size(); }
    size_t out_count() const override { return node().out.size(); }
    const Tensor* in(size_t i) const override;
    bool wants(size_t i) const override { return i < node().out.size() && node().out[i] != ValueId::none; }
    std::byte* out(size_t i, DType dtype, Dims dims) override;
    void give(size_t i, Tensor tensor) override;
    const Encoding* in_encoding(size_t i) const override;
    const Encoding* out_encoding(size_t i) const override;
    uint64_t seed() const override;

   protected:
    Frame& frame() const { return frame_; }
    const Step& step() const { return step_; }

   private:
    void check_type() const;
    void check_sizes() const;
    const Encoding* encoding_of(ValueId id) const;
    const Encoding* target_of(ValueId id) const;
    void finish();

    Frame& frame_;
    const Step& step_;
    std::vector<std::optional<Tensor>> decoded_;  // what encoded inputs stand for, where the reference reads numbers
    std::vector<Tensor> results_;
};

}  // namespace quern
