// Choice of kernels: which nodes run together in which kernel, and why the faster ones refused.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "libcore/exec/lookup.h"
#include "libcore/exec/recorded.h"
#include "libcore/exec/session.h"
#include "libcore/kernels/kernel.h"

namespace quern {

// How a node without a kernel computes, decided once when the program is made.
enum class StepArithmetic : uint8_t {
    real,     // on real numbers: encoded operands are decoded, results encoded
    onnx,     // on codes, by a row of profile onnx or the function of an operator package
    profile,  // on codes, by a row of the model's own profile
    qlinear,  // on codes, by onnxruntime's QLinear operator of its name
    moves,    // moves codes as they are
    table,    // one code at a time by a table, `Group::lookup`
};

// What one step runs: a kernel over `nodes`, or their reference one after the other.
struct Group {
    std::vector<const Node*> nodes;
    std::vector<ValueId> in;  // as Site has them
    std::unique_ptr<Kernel> kernel;
    std::string_view row;                  // of the kernel
    std::shared_ptr<const Lookup> lookup;  // integer runs: one node as a table over codes
    // Of an integer unit (a product and the Relu or Clip behind it): the encoding of the last node's output, its codes narrowed to
    // what the activation lets pass. The first node requantizes straight to it.
    std::optional<Encoding> unit_out;
    StepArithmetic how = StepArithmetic::real;
    void (*eval)(EvalCtx& ctx) = nullptr;  // onnx, profile, qlinear: computes the first node, on codes
    std::string refusals;
    std::string real;  // integer runs: why the node computes on real numbers, though it reads and makes codes
};

// The graph's nodes in groups, in an order in which they can run. With `recorded`, the rows that it names, with the states that it has:
// Exit::bad_input if it does not fit the graph, Exit::unsupported if a row is not here or refuses.
std::vector<Group> choose_kernels(const Graph& graph, const CompileOptions& options, const Recorded* recorded = nullptr);

// Would the node compute on codes by profile onnx, whatever the model's own?
bool computes_on_codes(const Graph& graph, const Node& node);

}  // namespace quern
