// Comparing the tensors of two GGUF files by name, without running them: what another type of blocks did to the weights.
#pragma once

#include "libcore/runs/compare.h"

namespace quern {

// Values are tensors in the order of the first file, in parts of bounded size. Throws Exit::usage if a file is not GGUF.
Comparison compare_weights(const std::string& first, const std::string& second);

// Beside the ratio, the difference in percent: 100 times the RMS of the differences over that of the first file's numbers.
std::string weights_text(const Comparison& comparison, double threshold);
std::string weights_json(const Comparison& comparison, double threshold);

}  // namespace quern
