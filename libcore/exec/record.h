// The record of a program, with the memory plan of a run.
#pragma once

#include "libcore/exec/program.h"

namespace quern {

// After a run over inputs of the declared shapes, dims that are not fixed being 1; where that is not possible, without memory plan and
// with weights as the graph has them.
Recorded record(const std::shared_ptr<const CompiledGraph>& program);

}  // namespace quern
