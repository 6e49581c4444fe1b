// Runs of a session whose ranges are recorded.
#pragma once

#include "formats/format.h"
#include "libcore/quant/collect/collect.h"

namespace quern {

class Recording {
   public:
    bool on = false;       // are runs recorded that do not ask for it?
    uint64_t enough = 10;  // runs before automatic compilation begins

    uint64_t runs() const { return recorder_ ? recorder_->samples() : 0; }
    std::optional<Ranges> ranges(bool all_runs) const { return runs() > 0 ? std::optional(recorder_->ranges(all_runs)) : std::nullopt; }
    std::vector<Tensor> run(const Model& model, const std::vector<Tensor>& inputs) {
        if (!recorder_) recorder_ = make_recorder(model.graph, model.lineage.text(), {.all_runs = true});
        return recorder_->run(inputs);
    }
    void forget() {
        recorder_.reset();
        on = false;
    }

   private:
    std::unique_ptr<Recorder> recorder_;
};

}  // namespace quern
