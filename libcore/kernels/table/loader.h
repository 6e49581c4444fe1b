// Kernel libraries that are loaded at run time, so that the tools start fast and do not link what they may not need.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "libcore/kernels/kernel.h"

namespace quern {

// The rows of a library beside libquern.so; empty if it cannot be loaded, and then `problem` says why.
struct KernelLibrary {
    std::span<const KernelRow> rows;
    std::string problem;
    std::string version;  // of the library that it is built on, if any
};
const KernelLibrary& direct_library();  // libquern_direct.so
const KernelLibrary& onednn_library();  // libquern_dnnl.so
const KernelLibrary& codes_library();   // libquern_codes.so

// The same by family; nullptr: the family is not a library.
const KernelLibrary* kernel_library(std::string_view family);

}  // namespace quern
