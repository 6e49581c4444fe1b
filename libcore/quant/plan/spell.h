// Operators that a runtime has no integer kernels for, spelled out in those that it has, before anything is rounded.
#pragma once

#include "libcore/quant/ranges/ranges.h"
#include "libcore/quant/types/work.h"

namespace quern {

// For files of TFLite: HardSigmoid, Swish, Neg, squares, quotients by constants, BatchNormalization that no convolution has taken in, means
// of padding that counts, on 16 bits HardSwish. The parts are called "<result>/raised" and the like; what they hold follows from the range
// of the operand, which is added to `ranges`. An operator that a rule keeps float, or whose operand was not observed, stays.
void spell_out(Graph& graph, Ranges& ranges, const QuantWork& work);

// Are operators spelled out for the type's files?
bool needs_spelling(const QuantWork& work);
// All of it: what the model spells out is joined first, normalizations and operators are spelled out then.
void spell_for_runtime(Graph& graph, Ranges& ranges, QuantWork& work);

}  // namespace quern
