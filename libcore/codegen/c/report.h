// Report: what the generated C of a model takes - flash, memory, stack - and each of its layers; as a table, or as the document
// {"kind": "codegen-report", "version": 1, ...}.
#pragma once

#include <string>
#include <vector>

#include "libcore/codegen/c/declared.h"
#include "libcore/codegen/c/emit.h"

namespace quern::cgen {

struct CodeReport {
    std::string name, needs;  // of the files; what they need beside C
    bool integer = false;     // computes on codes
    size_t constants = 0;     // bytes, as all sizes here
    size_t arena = 0, inputs = 0, outputs = 0;
    std::vector<StackFrame> stack;  // the deepest calls
    std::vector<Layer> layers;
};

std::string report_text(const CodeReport& report);
std::string report_json(const CodeReport& report);

}  // namespace quern::cgen
