// The options that say where samples come from: the same for every tool that runs a model.
#pragma once

#include "formats/tensors/samples.h"
#include "libcore/cli/tool.h"

namespace quern {

class SampleFlags {
   public:
    void add(Options& add);
    SampleOptions options() const;
    bool random() const { return options_.random.has_value(); }

   private:
    SampleOptions options_;
    std::optional<int64_t> rows_;
    int64_t skip_ = 0;
};

}  // namespace quern
