// Overrides by the names of a model: those of a quantized file are of values that its writer made, too.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "libcore/quant/quantize.h"

namespace quern {

// `names` are sorted. An entry of a value in another layout ("relu_nhwc", "relu_nchw") or of the codes of an input or output
// ("Identity_int8"), as writers of TFLite call them, is taken for the value itself ("relu"), unless that has an entry: if it is the same
// one goes, if not both stay.
Overrides named_as_in(const Overrides& overrides, std::span<const std::string> names);

std::vector<std::string> unknown_of(const Overrides& overrides, std::span<const std::string> names);  // that name nothing
// "3 overrides name no value of the model and are left out: a, b, c".
std::string unknown_text(const std::vector<std::string>& unknown);

}  // namespace quern
