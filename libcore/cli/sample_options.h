// The options that say where samples come from: the same for every tool that runs a model.
#pragma once

#include "formats/samples/samples.h"
#include "libcore/cli/tool.h"

namespace quern {

class SampleFlags {
   public:
    void add(Options& add);
    SampleOptions options() const;
    // open_samples(); of random samples it says which dims were open, but for a batch, of which each sample is one.
    std::unique_ptr<SampleSource> open(const std::vector<InputSpec>& specs, const SampleOptions& options) const;
    std::unique_ptr<SampleSource> open(const std::vector<InputSpec>& specs) const { return open(specs, options()); }
    bool random() const { return options_.random.has_value(); }

   private:
    SampleOptions options_;
    std::optional<int64_t> rows_;
    int64_t skip_ = 0;
};

}  // namespace quern
