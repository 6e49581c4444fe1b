// What torch.export.save writes (.pt2): a ZIP of a program's JSON and its weights, in three layouts (torch 2.5 to 2.7, 2.8, and since 2.9).
#pragma once

#include <map>
#include <string>
#include <vector>

#include "formats/archive/zip.h"
#include "formats/torch/file/stored.h"
#include "libcore/base/json_fwd.h"

namespace quern::torch_format {

using StoredTensors = std::map<std::string, StoredTensor>;  // by the name that the module gives it

struct Package {
    std::string name;                            // of the program: what --signature takes
    Bytes program;                               // JSON
    StoredTensors weights;                       // parameters and persistent buffers
    StoredTensors constants;                     // other buffers, tensor constants
    std::map<std::string, std::string> refused;  // names whose contents are not plain tensors, with the reason
};

// `name`: of a package with several programs; "": the first. Throws Exit::bad_input, Exit::unsupported; Exit::usage for an unknown name.
Package read_package(const ZipArchive& zip, const std::string& name);

}  // namespace quern::torch_format
