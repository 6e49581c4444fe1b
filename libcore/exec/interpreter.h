// Interpreter: runs the steps of a compiled graph over a frame of tensors.
#pragma once

#include "libcore/exec/frame.h"

namespace quern {

// All steps of the frame's graph, whose inputs are set.
void run(Frame& frame);

}  // namespace quern
