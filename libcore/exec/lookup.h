// Lookup: an elementwise node from 8-bit codes to 8-bit codes as a table of 256, filled by the reference when the program is compiled;
// so a run gives the same codes as the reference, without its arithmetic.
#pragma once

#include <array>
#include <memory>

#include "libcore/base/threads.h"
#include "libcore/graph/op.h"
#include "libcore/memory/memory.h"

namespace quern {

class Lookup {
   public:
    // nullptr if the node is no function of one 8-bit value with fixed per-tensor encodings on both sides; other inputs may be constant
    // scalars. `state` is state() of the same lookup in another process, or empty.
    static std::shared_ptr<const Lookup> make(const Graph& graph, const Node& node, std::span<const Bytes> state = {});
    std::vector<Bytes> state() const { return {Bytes::copy(table_.data(), table_.size())}; }

    size_t input() const { return input_; }  // the input that is looked up
    Tensor run(const Tensor& codes, Memory& memory, ThreadPool& pool) const;

   private:
    size_t input_ = 0;
    DType storage_ = DType::none;  // of the result
    std::array<std::byte, 256> table_{};
};

}  // namespace quern
