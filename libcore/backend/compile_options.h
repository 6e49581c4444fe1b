// Compile options as text: what the host tells a back end, and what a compiled program keeps.
#pragma once

#include <string>
#include <string_view>
#include <utility>

#include "libcore/exec/session.h"

namespace quern {

// How a blob is compiled, and for which machine.
struct BlobOptions : CompileOptions {
    BlobOptions(const CompileOptions& options = {}, std::string for_isa = {}) : CompileOptions(options), isa(std::move(for_isa)) {}
    std::string isa;  // one of context_isas; "": this machine
};

// The host's options of compile() and supports(): {"mode": "int", "profile": "onnx", "reference": true}, for another machine with "isa":
// "aarch64". "" gives the defaults. Members that are unknown are ignored. Throws Exit::bad_input.
BlobOptions parse_compile_options(std::string_view json);
std::string compile_options_json(const BlobOptions& options);

}  // namespace quern
