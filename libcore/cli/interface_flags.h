// The options that say how inputs and outputs of a product are stored: the same for every tool that writes models.
#pragma once

#include "formats/shared/interface.h"
#include "libcore/cli/options.h"

namespace quern {

class InterfaceFlags {
   public:
    void add(Options& add);
    // WriteOptions::io. Throws Exit::usage if they contradict each other.
    std::string io() const { return request_.io("--"); }

   private:
    InterfaceRequest request_;
};

}  // namespace quern
