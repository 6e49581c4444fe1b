// The assignment problem of a model: from the measurements of its probes, one for each type.
#pragma once

#include "libcore/check/assignment.h"
#include "libcore/check/sensitivity.h"

namespace quern {

struct MeasuredType {
    const Scheme* scheme = nullptr;
    Probe probe;
    Measurement measured;
};

// `types`: those of AssignedType, float ones without a probe. Units and values are those of the probe number `start`.
AssignmentProblem assignment_problem(const std::vector<MeasuredType>& types, size_t start);

}  // namespace quern
