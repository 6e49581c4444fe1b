#include "libcore/kernels/loader.h"

#include <dlfcn.h>

#include <cstdlib>
#include <filesystem>

namespace quern {
namespace {

struct Library {
    std::span<const KernelRow> rows;
    std::string problem;
};

Library load() {
    // oneDNN brings libgomp, whose threads spin at barriers for milliseconds unless it is told otherwise before it is loaded. Some
    // tens of microseconds cover the time between two layers; longer waits are passive, which a busy machine needs.
    if (!::getenv("OMP_WAIT_POLICY")) ::setenv("GOMP_SPINCOUNT", "4000", 0);
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&load), &here) == 0) return {{}, "cannot find the folder of libquern"};
    const auto path = std::filesystem::path(here.dli_fname).parent_path() / "libquern_dnnl.so";
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!handle) return {{}, ::dlerror()};
    using Rows = std::span<const KernelRow> (*)();
    const auto rows = reinterpret_cast<Rows>(::dlsym(handle, "quern_onednn_rows"));
    if (!rows) return {{}, "has no table of kernels"};
    return {rows(), {}};
}

const Library& library() {
    static const Library loaded = load();
    return loaded;
}

}  // namespace

std::span<const KernelRow> onednn_rows() { return library().rows; }
const std::string& onednn_problem() { return library().problem; }

}  // namespace quern
