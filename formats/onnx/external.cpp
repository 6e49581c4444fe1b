// External data: files beside the model, never outside of its folder.
#include <filesystem>

#include "formats/onnx/tensors.h"
#include "libcore/base/io.h"
#include "libcore/base/text.h"

namespace quern::onnx_format {

namespace fs = std::filesystem;

Bytes TensorSource::mapped(const std::string& location) {
    for (const auto& [name, bytes] : files_)
        if (name == location) return bytes;
    const auto refuse = [&](const char* why) { return bad_input("external data \"{}\" {}", escape(location), why); };
    if (folder_.empty()) throw refuse("cannot be found: the model did not come from a file");
    const fs::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute()) throw refuse("is no relative path");
    for (const fs::path& part : relative)
        if (part == "..") throw refuse("leaves the folder of the model");
    std::error_code error;
    const fs::path root = fs::canonical(folder_, error);
    if (error) throw io_error("{}: {}", folder_, error.message());
    const fs::path real = fs::canonical(root / relative, error);
    if (error) throw refuse("is not there");
    const auto [end, ignored] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
    if (end != root.end()) throw refuse("leaves the folder of the model through a link");
    if (!fs::is_regular_file(real, error)) throw refuse("is no file");
    files_.emplace_back(location, map_input(real.string()));
    return files_.back().second;
}

}  // namespace quern::onnx_format
