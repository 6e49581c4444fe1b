// Encodings that are wanted for values, and the names by which they are found: those of a quantized file are of values that its writer
// made, too.
#pragma once

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "libcore/graph/encoding.h"

namespace quern {

// An encoding that is wanted for a value by name, from an overrides file. Scales of a per-channel entry lie along `axis` (-1: the
// weight's own channel axis).
struct Override {
    DType storage = DType::none;  // float32: the value stays float
    bool symmetric = false;       // zero point in the middle, and the least code of signed types is not used
    bool any_sign = false;        // codes may as well be signed, zero points moved with them: the file does not say
    std::vector<float> scale;     // empty: only the type is wanted, the range is measured
    std::vector<int64_t> zero;
    int axis = -1;
    int64_t block = 0;
    std::vector<float> channels;  // not empty: scales of blocks are integers, to be multiplied by that of their channel (two_level.h)
};
using Overrides = std::map<std::string, Override>;

// `names` are sorted. An entry of a value in another layout ("relu_nhwc", "relu_nchw") or of the codes of an input or output
// ("Identity_int8"), as writers of TFLite call them, is taken for the value itself ("relu"), unless that has an entry: if it is the same
// one goes, if not both stay.
Overrides named_as_in(const Overrides& overrides, std::span<const std::string> names);

std::vector<std::string> unknown_of(const Overrides& overrides, std::span<const std::string> names);  // that name nothing
// "3 overrides name no value of the model and are left out: a, b, c".
std::string unknown_text(const std::vector<std::string>& unknown);

// Throws Exit::bad_input naming an override for a value of none of these names, with a suggestion.
void check_overrides(const Overrides& overrides, std::vector<std::string> names);

// What is wanted for a value that would else be stored as `usual`; nullopt if there is none of its name. `overrides`: nullptr for none.
std::optional<Override> override_of(const Overrides* overrides, const std::string& key, DType usual);
Encoding override_encoding(const Override& wanted, const Dims& dims, int weight_axis, std::string_view key);

}  // namespace quern
