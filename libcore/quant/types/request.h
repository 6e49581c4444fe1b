// What the user asks of the quantizer.
#pragma once

#include <string>
#include <string_view>

#include "libcore/quant/search/search.h"
#include "libcore/quant/types/overrides.h"
#include "libcore/quant/types/rules.h"
#include "libcore/quant/types/scheme.h"

namespace quern {

// Where the quantized model goes: it decides whose rules encodings follow. A TFLite file follows TensorFlow Lite's, whatever the type; a
// Circle file, and a model that stays in this family, follow them unless the type has rules of its own.
struct Destination {
    std::string format = "onnx";  // a name of all_formats()
    std::string runtime = {};     // a name of a recipe, which all types follow; "": the format's
};
// Throws Exit::unsupported for a runtime beside a format that follows its own.
Destination destination_of(std::string_view format, std::string_view runtime = "");

struct QuantRequest {
    const Scheme* scheme = nullptr;  // of everything that no rule speaks of
    Destination destination = {};
    SearchOptions search = {};
    bool per_tensor = false;    // weights have one scale
    bool full_integer = false;  // also operators that would lose much in eight bits
    int64_t block = 32;         // of wo-i4; 0: a scale for each output channel
    double min_sqnr_db = 0;     // elementwise operators stay float when their SQNR would fall below this (0: no limit)
    const Rules* rules = nullptr;
    bool allow_unmatched = false;  // a rule that matches nothing is no error
    const Overrides* overrides = nullptr;
    bool measured = false;  // the report gets what passes over weights and graph tell: SQNR of weights, depths, names
};

}  // namespace quern
