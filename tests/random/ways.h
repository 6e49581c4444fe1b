// The ways in which a drawn graph is run and read back, beside the reference.
#pragma once

#include <functional>
#include <string>

#include "libcore/conformance/grow.h"
#include "libcore/exec/session.h"

namespace quern::random_graphs {

// What the reference makes of a graph.
struct Wanted {
    Mode mode = Mode::floating;
    std::vector<Stored> outputs;
};
Wanted reference_of(const RandomGraph& drawn);

struct Way {
    std::string_view name;
    // What differs from the reference; empty if nothing does.
    std::function<std::string(const RandomGraph& drawn, const Wanted& wanted)> difference;
};
std::span<const Way> ways();

// The first way that differs, with what differs; empty if none does. What is thrown is a difference, too.
struct Trouble {
    std::string way, what;
    bool any() const { return !way.empty(); }
};
Trouble trouble_of(const RandomGraph& drawn, const Way& way, const Wanted& wanted);
Trouble trouble_of(const RandomGraph& drawn);

// How many steps run on fast kernels, by their row; of convolutions those on the reference, too ("reference Conv").
void count_kernels(const RandomGraph& drawn, std::map<std::string, size_t>& counts);

}  // namespace quern::random_graphs
