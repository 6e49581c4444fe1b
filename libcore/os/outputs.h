// Where the outputs of a writer go: to their names, or, in a dry run, nowhere.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/os/io.h"

namespace quern {

class Outputs {
   public:
    virtual ~Outputs() = default;
    virtual OutputFile open(const std::string& path) { return OutputFile(path); }
    static Outputs& files();  // to their names
};

// Nothing is written: what would be is counted.
class DryRunOutputs : public Outputs {
   public:
    OutputFile open(const std::string& path) override;

    struct Output {
        std::string path;
        uint64_t bytes = 0;
    };
    const std::vector<Output>& outputs() const { return outputs_; }  // in the order in which they were opened

   private:
    std::vector<Output> outputs_;
};

}  // namespace quern
