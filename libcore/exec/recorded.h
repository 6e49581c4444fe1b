// Recorded: what a program has decided and made ready beside its graph, so that another process need not do it again.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/memory/memory.h"

namespace quern {

struct Recorded {
    struct Step {
        std::vector<std::string> nodes;  // by name, as they run
        std::string row;                 // of the kernel; "lookup", or "": no kernel
        std::vector<Bytes> state;        // of the kernel or lookup
    };
    std::vector<Step> steps;  // of the main graph
    // The same of a body, at "node/body/". Kernels of bodies hold no values: the graph keeps their constants, too.
    struct Body {
        std::string path;
        std::vector<Step> steps;
    };
    std::vector<Body> bodies;
    // Values of the main graph whose data kernels hold: constants, but without bytes.
    std::vector<ValueId> held;
    std::vector<MemoryLayout> layouts;
};

// A constant without bytes: a kernel holds its data.
bool is_held(const Value& value);

}  // namespace quern
