#include "libcore/backend/library.h"

#include <dlfcn.h>

#include "libcore/base/error.h"
#include "libcore/os/foreign_code.h"

namespace quern {
namespace {

constexpr LibraryPlace backends{"QUERN_BACKEND_PATH", "quern/backends", "libquern_", ".so"};
constexpr std::string_view interface = "back-end";

void* open_library(const std::string& path) {
    need_foreign_code();
    void* handle = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle) return handle;
    const char* why = ::dlerror();
    throw unsupported("cannot be loaded: {}", why ? why : "no reason given");
}

template <class Entry>
Entry find_entry(const std::string& path, const char* symbol) {
    const auto entry = reinterpret_cast<Entry>(::dlsym(open_library(path), symbol));
    if (!entry) throw unsupported("has no function {}", symbol);
    return entry;
}

#define NEED(field) need_field(QUERN_HAS(&table, field) && table.field, #field)

void check_backend(const quern_backend_api& table) {
    NEED(name), NEED(version), NEED(doc), NEED(create), NEED(destroy), NEED(last_error), NEED(devices), NEED(supports), NEED(compile);
    NEED(load), NEED(unload), NEED(describe), NEED(open), NEED(close), NEED(set_input), NEED(execute), NEED(get_output);
}

}  // namespace

std::vector<std::string> backend_folders() { return library_folders(backends); }

std::vector<BackendFile> installed_backends() { return installed_libraries(backends); }

BackendName split_backend_name(const std::string& name) {
    const size_t slash = name.rfind('/');
    const size_t colon = name.find(':', slash == name.npos ? 0 : slash);
    if (colon == name.npos || !library_path(backends, name).empty()) return {name, {}};
    return {name.substr(0, colon), name.substr(colon + 1)};
}

std::string backend_path(const std::string& name) { return library_path(backends, split_backend_name(name).library); }

std::string installed_backend(const std::string& name) { return installed_library(backends, split_backend_name(name).library); }

const quern_backend_api& open_backend(const std::string& path) {
    const auto entry = find_entry<quern_backend_entry_fn>(path, QUERN_BACKEND_ENTRY);
    const auto& table = checked_table(entry(QUERN_BACKEND_ABI), QUERN_BACKEND_ABI, interface);
    check_backend(table);
    return table;
}

bool serves_version(const std::string& path, uint32_t abi) {
    return find_entry<quern_backend_entry_fn>(path, QUERN_BACKEND_ENTRY)(abi) != nullptr;
}

bool has_symbol(const std::string& path, const char* symbol) { return ::dlsym(open_library(path), symbol) != nullptr; }

const quern_op_package& open_op_package(const std::string& path) {
    const auto entry = find_entry<quern_op_package_entry_fn>(path, QUERN_OP_PACKAGE_ENTRY);
    const auto& table = checked_table(entry(QUERN_BACKEND_ABI), QUERN_BACKEND_ABI, interface);
    NEED(name);
    if (!QUERN_HAS(&table, ops) || (table.op_count > 0 && !table.ops)) throw unsupported("its table has no ops");
    return table;
}

}  // namespace quern
