// Lookup: elementwise nodes from codes to codes as a table of 256 or 65,536, filled by their reference when the program is compiled; so a
// run gives the same codes as the reference, without its arithmetic.
#pragma once

#include <memory>
#include <vector>

#include "libcore/exec/arithmetic.h"
#include "libcore/kernels/code_table.h"

namespace quern {

class Lookup {
   public:
    // Tables of 65,536 are made for values of at least this many elements: filling them is paid back by the second run.
    static constexpr int64_t min_for_words = 1 << 15;

    // What is computed on codes, as it was decided, or on real numbers: the node, and those behind it that together are a function of one
    // value with codes and constant scalars, the last one's result having codes, too, and those before it being read by nobody else (Div,
    // Erf, Add, Mul and Mul of a GELU). Empty: there is no such function.
    static std::vector<const Node*> nodes_of(const Graph& graph, const StepDecision& decided);
    // nullptr if the reference refuses one of the nodes. `state` is state() of the same lookup in another process, or empty.
    static std::shared_ptr<const Lookup> make(const Graph& graph, const StepDecision& decided, std::span<const Node* const> nodes,
                                              std::span<const Bytes> state = {});
    std::vector<Bytes> state() const { return {entries_}; }

    ValueId input() const { return input_; }  // what is looked up
    CodeTable table() const { return {from_, to_, entries_.data()}; }
    Tensor run(const Tensor& codes, Memory& memory, ThreadPool& pool) const;

   private:
    ValueId input_ = ValueId::none;
    DType from_ = DType::none, to_ = DType::none;
    Bytes entries_;
};

}  // namespace quern
