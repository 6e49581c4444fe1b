#include "libcore/base/folder.h"

#include <algorithm>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {

namespace fs = std::filesystem;

std::string path_inside(const std::string& folder, const std::string& location) {
    const auto refuse = [&](const char* why) { return bad_input("\"{}\" {}", escape(location), why); };
    const fs::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute()) throw refuse("is not a relative path");
    for (const fs::path& part : relative)
        if (part == "..") throw refuse("leaves the folder of the model");
    std::error_code error;
    const fs::path root = fs::canonical(folder.empty() ? "." : folder, error);
    if (error) throw io_error("{}: {}", folder, error.message());
    const fs::path real = fs::canonical(root / relative, error);
    if (error) throw refuse("is not there");
    const auto [end, ignored] = std::mismatch(root.begin(), root.end(), real.begin(), real.end());
    if (end != root.end()) throw refuse("leaves the folder of the model through a link");
    if (!fs::is_regular_file(real, error)) throw refuse("is not a file");
    return real.string();
}

}  // namespace quern
