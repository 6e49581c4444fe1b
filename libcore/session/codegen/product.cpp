#include "libcore/session/codegen/product.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "libcore/base/error.h"
#include "libcore/base/io.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

std::string parent_of(const std::string& path) {
    const std::string parent = fs::path(path).parent_path();
    return path == "-" ? fs::temp_directory_path().string() : parent.empty() ? "." : parent;
}

// Files take the place of files, folders are merged.
void move_to(const fs::path& from, const fs::path& to) {
    std::error_code error;
    if (fs::is_directory(from) && fs::is_directory(to)) {
        for (const auto& entry : fs::directory_iterator(from)) move_to(entry.path(), to / entry.path().filename());
        return;
    }
    fs::rename(from, to, error);
    if (error) throw io_error("{}: {}", to.string(), error.message());
}

}  // namespace

StagedProduct::StagedProduct(std::string path, const std::string& name) : path_(std::move(path)), folder_(parent_of(path_)) {
    const std::string file = fs::path(path_).filename();
    if (path_ != "-" && (file.empty() || file == "." || file == "..")) throw usage_error("{}: need the name of a file", path_);
    output_ = fs::absolute(folder_.path()) / (path_ == "-" ? name : file);
}

std::vector<std::string> StagedProduct::deliver() {
    if (!fs::exists(output_) || (fs::is_regular_file(output_) && fs::is_empty(output_)))
        throw unsupported("said that it is done, but wrote nothing");
    if (path_ == "-") {
        if (fs::is_directory(output_)) throw unsupported("makes a folder, which cannot go to standard output");
        OutputFile file("-");
        file.write(map_input(output_));
        file.commit();
        return {};
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
        const fs::path to = fs::path(path_).parent_path() / entry.path().filename();
        move_to(entry.path(), to);
        files.push_back(to);
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace quern
