#include "libcore/kernels/table/loader.h"

#include "libcore/os/own_library.h"

namespace quern {
namespace {

KernelLibrary load(const std::string& file, const char* table) {
    const OwnLibrary library = own_library(file);
    if (!library.handle) return {{}, library.error, {}};
    using Rows = std::span<const KernelRow> (*)();
    const auto rows = reinterpret_cast<Rows>(library.find(table));
    if (!rows) return {{}, "has no table of kernels", {}};
    using Version = const char* (*)();
    const auto version = reinterpret_cast<Version>(library.find("quern_library_version"));
    return {rows(), {}, version ? version() : ""};
}

}  // namespace

const KernelLibrary& direct_library() {
    static const KernelLibrary loaded = load("libquern_direct.so", "quern_direct_rows");
    return loaded;
}

const KernelLibrary& onednn_library() {
    static const KernelLibrary loaded = load("libquern_dnnl.so", "quern_onednn_rows");
    return loaded;
}

const KernelLibrary& codes_library() {
    static const KernelLibrary loaded = load("libquern_codes.so", "quern_codes_rows");
    return loaded;
}

const KernelLibrary* kernel_library(std::string_view family) {
    return family == "direct"                        ? &direct_library()
           : family == "onednn"                      ? &onednn_library()
           : family == "codes" || family == "blocks" ? &codes_library()
                                                     : nullptr;
}

}  // namespace quern
