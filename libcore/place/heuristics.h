// The greedy placement heuristics of onnx-mlir's NNPA support, by their names there, for any number of accelerators: each item's candidate
// is the allowed accelerator on which it is fastest.
//
//     QualifyingOps      all that can go to an accelerator goes
//     FasterOps          what is faster there goes; transfers do not count
//     FasterOpsWSU       with transfers ("with stick and unstick"), in at most 5 sweeps: the first decides what is 3 times faster on the
//                        accelerator, transfers included, or 2 times faster on the CPU; the next move what, given its decided
//                        neighbours, is 1.1 times faster with the transfers it causes and saves; what remains goes to the CPU
//     MuchFasterOpsWSU   the same with factors 8, 2 and 3
//
// Undecided and neutral neighbours (graph inputs and outputs, Transpose, Reshape) cost nothing, as in the original.
#pragma once

#include <optional>
#include <span>
#include <string_view>

#include "libcore/place/problem.h"

namespace quern::place {

enum class Heuristic : uint8_t { qualifying_ops, faster_ops, faster_ops_wsu, much_faster_ops_wsu, min_cut };

std::span<const std::string_view> heuristic_names();             // as in --heuristic, in the order of the enumeration
std::optional<Heuristic> find_heuristic(std::string_view name);  // in any case
std::string_view name_of(Heuristic heuristic);

// Not for min_cut (see min_cut.h). Items in program order.
Labels place_greedily(const Problem& problem, Heuristic heuristic);

}  // namespace quern::place
