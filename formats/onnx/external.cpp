// External data: files beside the model, never outside of its folder.
#include "formats/onnx/tensors.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"

namespace quern::onnx_format {

Bytes TensorSource::mapped(const std::string& location) {
    for (const auto& [name, bytes] : files_)
        if (name == location) return bytes;
    if (model_.empty()) throw bad_input("external data: \"{}\" cannot be found: the model did not come from a file", escape(location));
    files_.emplace_back(location, at_place("external data", [&] { return map_beside(model_, location); }));
    return files_.back().second;
}

}  // namespace quern::onnx_format
