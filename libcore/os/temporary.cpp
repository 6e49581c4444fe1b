#include "libcore/os/temporary.h"

#include <cstdlib>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/os/descriptors.h"

namespace quern {

std::string temporary_place() {
    const char* folder = std::getenv("TMPDIR");
    return folder && *folder ? folder : "/tmp";
}

TemporaryFolder::TemporaryFolder() : path_(temporary_place() + "/.quern-XXXXXX") {
    if (!::mkdtemp(path_.data())) throw io_error("{}: cannot create a temporary folder: {}", temporary_place(), errno_text());
    leftover_.emplace(path_);
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace quern
