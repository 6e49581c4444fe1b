#include "libcore/kernels/loader.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace quern {
namespace {

// oneDNN brings libgomp, whose threads spin at barriers for milliseconds unless it is told otherwise while it is loaded. Some tens of
// microseconds cover the time between two layers; longer waits are passive, which a busy machine needs. The environment stays as it was.
class ShortSpins {
   public:
    ShortSpins() : mine_(!::getenv("OMP_WAIT_POLICY") && !::getenv(variable)) {
        if (mine_) ::setenv(variable, "4000", 0);
    }
    ~ShortSpins() {
        if (mine_) ::unsetenv(variable);
    }
    ShortSpins(const ShortSpins&) = delete;
    ShortSpins& operator=(const ShortSpins&) = delete;

   private:
    static constexpr const char* variable = "GOMP_SPINCOUNT";
    bool mine_;
};

KernelLibrary load(const std::string& file, const char* table) {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&load), &here) == 0) return {{}, "cannot find the folder of libquern"};
    const auto path = std::filesystem::path(here.dli_fname).parent_path() / file;
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return {{}, ::dlerror()};
    using Rows = std::span<const KernelRow> (*)();
    const auto rows = reinterpret_cast<Rows>(::dlsym(handle, table));
    if (!rows) return {{}, "has no table of kernels"};
    return {rows(), {}};
}

}  // namespace

const KernelLibrary& direct_library() {
    static const KernelLibrary loaded = load("libquern_direct.so", "quern_direct_rows");
    return loaded;
}

const KernelLibrary& onednn_library() {
    static const KernelLibrary loaded = [] {
        const ShortSpins spins;
        return load("libquern_dnnl.so", "quern_onednn_rows");
    }();
    return loaded;
}

const KernelLibrary* kernel_library(std::string_view family) {
    return family == "direct" ? &direct_library() : family == "onednn" ? &onednn_library() : nullptr;
}

}  // namespace quern
