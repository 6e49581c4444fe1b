// Check: C that runs a generated model on inputs which it makes itself, and knows the outputs: those of the reference.
#pragma once

#include <memory>
#include <string>

#include "libcore/exec/program.h"

namespace quern::cgen {

struct CheckTexts {
    std::string source, header;  // a .c and a .h file
};

// Runs the program once.
CheckTexts check_texts(const std::shared_ptr<const CompiledGraph>& program, const std::string& name);

}  // namespace quern::cgen
