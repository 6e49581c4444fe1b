// A partition run on ref beside its back end, on the same inputs: the first value that differs is an error.
#pragma once

#include <memory>
#include <string>

#include "libcore/backend/client.h"

namespace quern {

struct Verification {
    double tolerance = 1e-3;  // of float values, times the largest of the output; NaN and infinities must be those of ref
    int64_t steps = 0;        // that quantized values may differ by
};

// Runs both, gives the results of `own`, whose memory is guarded (LaneOptions). `place` begins messages: back end and partition.
// Runs throw Exit::no where the results differ.
std::shared_ptr<Executable> verified(std::shared_ptr<Executable> own, std::shared_ptr<Executable> reference, const Verification& how,
                                     std::string place);

// The first difference of `got` from `want`, an output of ref: `"y"[0,3]: got 1.5, want 1.25, tolerance 0.001`; "" if there is none.
std::string difference(const Stored& got, const Stored& want, const Port& port, const Verification& how);

}  // namespace quern
