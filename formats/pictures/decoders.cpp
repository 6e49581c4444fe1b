#include <dlfcn.h>

#include <filesystem>

#include "formats/media/media.h"
#include "libcore/base/error.h"

namespace quern {
namespace {

const MediaDecoders& load() {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&load), &here) == 0) throw io_error("cannot find the folder of libquern");
    const auto path = std::filesystem::path(here.dli_fname).parent_path() / "libquern_media.so";
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle == nullptr) throw io_error("{}", ::dlerror());
    const auto table = reinterpret_cast<const MediaDecoders* (*)()>(::dlsym(handle, "quern_media_decoders"));
    if (table == nullptr) throw io_error("{}: has no table of decoders", path.string());
    return *table();
}

}  // namespace

const MediaDecoders& media_decoders() {
    static const MediaDecoders& loaded = load();
    return loaded;
}

}  // namespace quern
