#include "libcore/os/outputs.h"

#include "libcore/os/output_target.h"

namespace quern {

Outputs& Outputs::files() {
    static Outputs own;
    return own;
}

OutputFile DryRunOutputs::open(const std::string& path) {
    const size_t at = outputs_.size();
    outputs_.push_back({output_target(path).shown});
    return OutputFile([this, at](const void*, size_t size) { outputs_[at].bytes += size; });
}

}  // namespace quern
