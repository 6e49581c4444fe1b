// Reproducible random samples: any sample of any seed without those before it.
#pragma once

#include "formats/samples/source.h"
#include "formats/tensors/fit.h"

namespace quern {

// Floats are uniform in [-1, 1), booleans and integers are 0 or 1 (valid as masks, token ids and indices). Dims without a number
// are 1. Throws Exit::unsupported for inputs without a rank or of strings.
std::unique_ptr<SampleSource> random_samples(const std::vector<InputSpec>& specs, uint64_t seed, uint64_t count);

}  // namespace quern
