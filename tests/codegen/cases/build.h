// Many cases compiled by few calls of the compiler, and run.
#pragma once

#include "tests/codegen/cases/made.h"

namespace codegen_cases {

// One shared object of all cases, in the folder of their C files. False: something does not compile.
bool build(const std::filesystem::path& folder, const std::vector<Made>& made);
void* load(const std::filesystem::path& folder, const std::vector<Made>& made);
// What differs, in a process of its own; empty if nothing does.
std::string run(const Made& made, void* library);

}  // namespace codegen_cases
