// Compile options as text: what the host tells a back end, and what a compiled program keeps.
#pragma once

#include <string>
#include <string_view>

#include "libcore/exec/session.h"

namespace quern {

// The host's options of compile() and supports(): {"mode": "int", "profile": "onnx", "reference": true}. "" gives the defaults. Members
// that are unknown are ignored. Throws Exit::bad_input.
CompileOptions parse_compile_options(std::string_view json);
std::string compile_options_json(const CompileOptions& options);

}  // namespace quern
