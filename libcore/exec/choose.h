// Choice of kernels: which nodes run together in which kernel, and why the faster ones refused.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/exec/arithmetic.h"
#include "libcore/exec/lookup.h"
#include "libcore/exec/recorded.h"
#include "libcore/exec/types.h"
#include "libcore/kernels/kernel.h"

namespace quern {

// What one step runs: a kernel over the nodes, or their reference one after the other.
struct Group : StepDecision {
    std::vector<ValueId> in;  // as Site has them
    std::unique_ptr<Kernel> kernel;
    std::string_view kernel_row;
    std::shared_ptr<const Lookup> lookup;  // StepArithmetic::table
    std::string refusals;
    std::string real;  // integer runs: why the node computes on real numbers, though it reads and makes codes

    void refuse(std::string_view row, std::string_view why) { refusals += fmt::format("{}{}: {}", refusals.empty() ? "" : "; ", row, why); }
};

// The graph's nodes in groups, in an order in which they can run. With `recorded`, the rows that it names, with the states that it has:
// Exit::bad_input if it does not fit the graph, Exit::unsupported if a row is not here or refuses.
std::vector<Group> choose_kernels(const Graph& graph, const CompileOptions& options, const Recorded* recorded = nullptr);

}  // namespace quern
