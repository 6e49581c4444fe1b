#include "libcore/os/own_library.h"

#include <dlfcn.h>
#include <unistd.h>

#include <filesystem>

#include "libcore/base/error.h"

namespace quern {

std::string libquern_folder() {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&libquern_folder), &here) == 0 || !here.dli_fname) return {};
    std::error_code error;
    const std::filesystem::path path = std::filesystem::canonical(here.dli_fname, error);
    return error ? std::string() : path.parent_path().string();
}

void* OwnLibrary::find(const char* symbol) const { return ::dlsym(handle, symbol); }

OwnLibrary own_library(const std::string& file) {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&own_library), &here) == 0) return {{}, nullptr, "cannot find the folder of libquern"};
    const auto path = std::filesystem::path(here.dli_fname).parent_path() / QUERN_LIBRARIES / file;
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return {path.string(), handle, handle ? "" : ::dlerror()};
}

void* own_function(const std::string& file, const char* name) {
    const OwnLibrary library = own_library(file);
    if (!library.handle) throw io_error("{}", library.error);
    void* function = library.find(name);
    if (!function) throw io_error("{}: has no {}", library.path, name);
    return function;
}

std::string own_program(const std::string& file, std::string_view what) {
    const std::string home = libquern_folder();
    for (const char* folder : {QUERN_LIBEXEC, "../libexec/quern"})
        if (std::string path = fmt::format("{}/{}/{}", home, folder, file); ::access(path.c_str(), X_OK) == 0) return path;
    throw io_error("{}, {}, is not in {}/{}", file, what, home, QUERN_LIBEXEC);
}

}  // namespace quern
