#include "libcore/codegen/product.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "libcore/base/error.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

// Files take the place of files, folders are merged.
void deliver_to(const fs::path& from, const fs::path& to) {
    std::error_code error;
    if (fs::is_symlink(from)) {
        fs::remove(to, error);
        fs::copy_symlink(from, to, error);
        if (error) throw io_error("{}: {}", to.string(), error.message());
    } else if (fs::is_directory(from)) {
        make_folder(to);
        for (const auto& entry : fs::directory_iterator(from)) deliver_to(entry.path(), to / entry.path().filename());
    } else {
        deliver_file(from, to);
    }
}

}  // namespace

void deliver_file(const std::string& from, const std::string& to) {
    OutputFile file(to);
    if ((fs::status(from).permissions() & fs::perms::owner_exec) != fs::perms::none) file.make_executable();
    file.write(map_input(from));
    file.commit();
}

StagedProduct::StagedProduct(std::string path, const std::string& name) : path_(std::move(path)) {
    const std::string file = fs::path(path_).filename();
    if (path_ != "-" && (file.empty() || file == "." || file == "..")) throw usage_error("{}: need the name of a file", path_);
    output_ = fs::absolute(folder_.path()) / (path_ == "-" ? name : file);
}

std::vector<std::string> StagedProduct::deliver() {
    if (!fs::exists(output_) || (fs::is_regular_file(output_) && fs::is_empty(output_)))
        throw unsupported("said that it is done, but wrote nothing");
    if (is_stream(path_)) {
        if (fs::is_directory(output_)) throw unsupported("makes a folder, which cannot go to standard output");
        deliver_file(output_, path_);
        return {};
    }
    std::vector<std::string> files;
    for (const auto& entry : fs::directory_iterator(folder_.path())) {
        const fs::path to = fs::path(path_).parent_path() / entry.path().filename();
        deliver_to(entry.path(), to);
        files.push_back(to);
    }
    std::sort(files.begin(), files.end());
    return files;
}

}  // namespace quern
