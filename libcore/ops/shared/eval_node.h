// One node on concrete tensors, without a Program: what constant folding and the tests of rows need.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// The outputs of `node` for `inputs` (undefined tensors: absent). Nodes with bodies and operators without eval throw
// Exit::unsupported, and so does one whose outputs need more than `limit` bytes; other errors are those of the row.
std::vector<Tensor> eval_node(const Node& node, std::span<const Tensor> inputs, uint64_t limit = UINT64_MAX);
// The same where nobody asked for a run: throws Exit::unsupported if it takes more work than is_small() (work.h) allows.
std::vector<Tensor> eval_small(const Node& node, std::span<const Tensor> inputs, uint64_t limit = UINT64_MAX);

// The same by a function on codes (a row of a profile): the encodings of the inputs (nullptr: none) and of result 0.
struct OnCodes {
    std::span<const Encoding* const> in;
    const Encoding* out;
    void (*eval)(EvalCtx& ctx);
};
std::vector<Tensor> eval_node_on_codes(const Node& node, std::span<const Tensor> inputs, const OnCodes& codes);

}  // namespace quern
