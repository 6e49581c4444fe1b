#include "formats/tensors/sample_folder.h"

#include <algorithm>
#include <filesystem>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

bool hidden(const fs::path& path) { return path.filename().string().starts_with('.'); }

std::vector<std::string> all_files(const std::string& path) {
    std::vector<std::string> files;
    std::error_code error;
    fs::recursive_directory_iterator entry(path, error), end;
    for (; !error && entry != end; entry.increment(error)) {
        if (hidden(entry->path())) entry.disable_recursion_pending();
        std::error_code other;  // a broken link is no file
        if (!hidden(entry->path()) && entry->is_regular_file(other)) files.push_back(entry->path().string());
    }
    if (error) throw io_error("{}: {}", path, error.message());
    std::ranges::sort(files);
    return files;
}

bool is_taken(const std::string& file, bool (*takes)(const Bytes& bytes)) { return fs::file_size(file) > 0 && takes(map_input(file)); }

std::string left_out(const std::string& path, const std::string& what, const std::vector<std::string>& others) {
    if (others.empty()) return "";
    constexpr size_t shown = 3;
    std::vector<std::string> names;
    for (size_t i = 0; i < std::min(shown, others.size()); ++i) names.push_back(fs::path(others[i]).lexically_relative(path).string());
    if (others.size() > shown) names.emplace_back("...");
    return fmt::format("{}: left out, not {} ({}): {}", path, what, others.size(), printable(join(names, ", ")));
}

}  // namespace

bool is_folder(const std::string& path) {
    std::error_code error;
    return fs::is_directory(path, error);
}

bool holds(const std::string& path, bool (*takes)(const Bytes& bytes)) {
    return std::ranges::any_of(all_files(path), [&](const std::string& file) { return is_taken(file, takes); });
}

SampleFolder sample_folder(const std::string& path, const std::string& what, bool (*takes)(const Bytes& bytes)) {
    SampleFolder folder;
    std::vector<std::string> others;
    for (std::string& file : all_files(path)) {
        (is_taken(file, takes) ? folder.files : others).push_back(std::move(file));
    }
    if (folder.files.empty()) throw bad_input("{}: is a folder without {}", path, what);
    folder.notice = left_out(path, what, others);
    return folder;
}

}  // namespace quern
