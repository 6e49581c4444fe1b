// AIMET's configuration of a quantization simulation (quantsim) as rules.
//
// JSON of six sections, of which later ones are more particular: "defaults", "params", "op_type", "supergroups", "model_input",
// "model_output"; truths are "True" and "False". AIMET adds sections with its releases: others are passed over. It names no bits: those are
// of the type that it is applied to.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "libcore/quant/types/rules.h"

namespace quern {

struct Quantsim {
    Rules rules;                         // rules for operators that a model does not have are no error
    std::vector<std::string> unapplied;  // "op_type.Mean: REASON": what has no counterpart
};

// An object with "defaults", and without the "kind" of our own rules?
bool is_quantsim(std::string_view json);

// Throws Exit::bad_input naming the place, Exit::usage if `base` cannot be changed so.
Quantsim parse_quantsim(std::string_view json, const Scheme& base);

}  // namespace quern
