#include "libcore/base/own_library.h"

#include <dlfcn.h>

#include <filesystem>

namespace quern {

void* OwnLibrary::find(const char* symbol) const { return ::dlsym(handle, symbol); }

OwnLibrary own_library(const std::string& file) {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&own_library), &here) == 0) return {{}, nullptr, "cannot find the folder of libquern"};
    const auto path = std::filesystem::path(here.dli_fname).parent_path() / QUERN_LIBRARIES / file;
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    return {path.string(), handle, handle ? "" : ::dlerror()};
}

}  // namespace quern
