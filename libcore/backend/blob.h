// The blob of the built-in back ends: a partition in the native format, with the options that it was compiled for as a fact.
#pragma once

#include <string_view>

#include "libcore/base/io.h"
#include "libcore/exec/session.h"

namespace quern {

// The host's options of compile() and supports(): {"mode": "int", "profile": "onnx", "reference": true}. "" gives the defaults. Members
// that are unknown are ignored. Throws Exit::bad_input.
CompileOptions parse_compile_options(std::string_view json);
std::string compile_options_json(const CompileOptions& options);

// At the beginning of `file`; it is not committed.
void write_blob(const Graph& graph, const CompileOptions& options, OutputFile& file);

struct Blob {
    Graph graph;
    CompileOptions options;
};
// Weights are slices of `bytes`. The blob is checked like any file. Throws Exit::bad_input, Exit::unsupported.
Blob read_blob(const Bytes& bytes);

}  // namespace quern
