// How nodes compute in integer runs: decided here, for the interpreter, `run --explain`, placement's costs and generated code.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "libcore/ops/integer/profile.h"

namespace quern {

enum class StepArithmetic : uint8_t {
    real,     // on real numbers: encoded operands are decoded, results encoded
    onnx,     // on codes, by a row of profile onnx or the function of an operator package
    profile,  // on codes, by a row of the model's own profile
    moves,    // moves codes as they are
    table,    // one code at a time by a table
};

struct StepDecision {
    std::vector<const Node*> nodes;  // the node, and those behind it that its unit joins: they are requantized once, at the end
    // Of a unit: the encoding of the last node's output, its codes narrowed to what an activation lets pass.
    std::optional<Encoding> unit_out = {};
    StepArithmetic how = StepArithmetic::real;
    const ProfileRow* row = nullptr;       // onnx, profile; nullptr: an operator package
    void (*eval)(EvalCtx& ctx) = nullptr;  // computes the first node on codes
};

// By the rows of `profile` (nullptr: none), then those of onnx. Never `table`, which needs one (exec/lookup.h).
StepDecision decide_arithmetic(const Graph& graph, const Node& node, const Profile* profile);

// Why a node that was decided to be `real` is, though it reads and makes codes or `profile` would have it round its activations beside its
// weights; "" if neither holds. If, Loop and Scan compute nothing themselves.
std::string why_real(const Graph& graph, const Node& node, const Profile* profile);

}  // namespace quern
