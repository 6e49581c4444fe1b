#include "libcore/backend/library_place.h"

#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "libcore/base/text.h"
#include "libcore/graph/device.h"
#include "libcore/os/own_library.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

}  // namespace

std::vector<std::string> library_folders(const LibraryPlace& place) {
    std::vector<std::string> folders;
    if (const char* path = std::getenv(place.variable))
        for (const std::string& folder : split(path, ':'))
            if (!folder.empty()) folders.push_back(folder);
    if (const std::string own = libquern_folder(); !own.empty()) folders.push_back(fmt::format("{}/{}", own, place.folder));
    return folders;
}

std::vector<LibraryFile> installed_libraries(const LibraryPlace& place) {
    std::map<std::string, std::string> found;
    const size_t around = place.prefix.size() + place.suffix.size();
    for (const std::string& folder : library_folders(place)) {
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
            const std::string file = entry.path().filename();
            if (file.size() <= around || !file.starts_with(place.prefix) || !file.ends_with(place.suffix)) continue;
            found.emplace(file.substr(place.prefix.size(), file.size() - around), entry.path());
        }
    }
    std::vector<LibraryFile> out;
    out.reserve(found.size());
    for (auto& [name, path] : found) out.push_back({name, path});
    return out;
}

std::string library_path(const LibraryPlace& place, const std::string& name) {
    if (name.find('/') != name.npos) return fs::exists(name) ? name : std::string();
    return installed_library(place, name);
}

std::string installed_library(const LibraryPlace& place, const std::string& name) {
    if (!is_device_name(name)) return {};
    for (const std::string& folder : library_folders(place)) {
        std::error_code error;
        const fs::path path = fs::path(folder) / fmt::format("{}{}{}", place.prefix, name, place.suffix);
        if (fs::is_regular_file(path, error)) return path;
    }
    return {};
}

}  // namespace quern
