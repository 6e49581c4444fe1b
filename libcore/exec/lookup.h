// Lookup: elementwise nodes from 8-bit codes to 8-bit codes as a table of 256, filled by the reference when the program is compiled; so a
// run gives the same codes as the reference, without its arithmetic.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "libcore/base/threads.h"
#include "libcore/graph/op.h"
#include "libcore/memory/memory.h"

namespace quern {

class Lookup {
   public:
    // The node, and those behind it that together are a function of one value with 8-bit codes and constant scalars, the last one's result
    // having 8-bit codes, too, and those before it being read by nobody else: Div, Erf, Add, Mul and Mul of a GELU. Empty: there is no such
    // function.
    static std::vector<const Node*> nodes_from(const Graph& graph, const Node& first);
    // nullptr if the reference refuses one of the nodes. `state` is state() of the same lookup in another process, or empty.
    static std::shared_ptr<const Lookup> make(const Graph& graph, std::span<const Node* const> nodes, std::span<const Bytes> state = {});
    std::vector<Bytes> state() const { return {Bytes::copy(table_.data(), table_.size())}; }

    ValueId input() const { return input_; }  // what is looked up
    Tensor run(const Tensor& codes, Memory& memory, ThreadPool& pool) const;

   private:
    ValueId input_ = ValueId::none;
    DType storage_ = DType::none;  // of the result
    std::array<std::byte, 256> table_{};
};

}  // namespace quern
