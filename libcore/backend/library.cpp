#include "libcore/backend/library.h"

#include <dlfcn.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <map>
#include <system_error>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view prefix = "libquern_", suffix = ".so";

std::string own_folder() {
    Dl_info here{};
    if (::dladdr(reinterpret_cast<const void*>(&own_folder), &here) == 0 || !here.dli_fname) return {};
    std::error_code error;
    const fs::path path = fs::canonical(here.dli_fname, error);
    return error ? std::string() : path.parent_path().string();
}

bool is_name(std::string_view name) {
    return !name.empty() && std::all_of(name.begin(), name.end(), [](char c) {
        return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-' || c == '.';
    });
}

void* open_library(const std::string& path) {
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

template <class Table, class Entry>
const Table& checked_table(Entry entry) {
    const Table* table = entry(QUERN_BACKEND_ABI);
    if (!table) throw unsupported("does not serve version {} of the back-end interface", QUERN_BACKEND_ABI);
    if (table->struct_size < offsetof(Table, abi) + sizeof table->abi) throw unsupported("has a table of {} bytes", table->struct_size);
    if (table->abi != QUERN_BACKEND_ABI)
        throw unsupported("is for version {} of the back-end interface, this program has version {}", table->abi, QUERN_BACKEND_ABI);
    return *table;
}

void need(bool there, const char* function) {
    if (!there) throw unsupported("its table has no {}", function);
}

#define NEED(field) need(QUERN_HAS(&table, field) && table.field, #field)

void check_backend(const quern_backend_api& table) {
    NEED(name), NEED(version), NEED(doc), NEED(create), NEED(destroy), NEED(last_error), NEED(devices), NEED(supports), NEED(compile);
    NEED(load), NEED(unload), NEED(describe), NEED(open), NEED(close), NEED(set_input), NEED(execute), NEED(get_output);
}

}  // namespace

std::vector<std::string> backend_folders() {
    std::vector<std::string> folders;
    if (const char* path = std::getenv("QUERN_BACKEND_PATH"))
        for (const std::string& folder : split(path, ':'))
            if (!folder.empty()) folders.push_back(folder);
    if (const std::string own = own_folder(); !own.empty()) folders.push_back(own + "/quern/backends");
    return folders;
}

std::vector<BackendFile> installed_backends() {
    std::map<std::string, std::string> found;
    for (const std::string& folder : backend_folders()) {
        std::error_code error;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder, error)) {
            const std::string file = entry.path().filename();
            if (file.size() <= prefix.size() + suffix.size() || !file.starts_with(prefix) || !file.ends_with(suffix)) continue;
            found.emplace(file.substr(prefix.size(), file.size() - prefix.size() - suffix.size()), entry.path());
        }
    }
    std::vector<BackendFile> out;
    for (auto& [name, path] : found) out.push_back({name, path});
    return out;
}

std::string backend_path(const std::string& name) {
    if (name.find('/') != name.npos) return fs::exists(name) ? name : std::string();
    if (!is_name(name)) return {};
    for (const std::string& folder : backend_folders()) {
        std::error_code error;
        const fs::path path = fs::path(folder) / fmt::format("{}{}{}", prefix, name, suffix);
        if (fs::is_regular_file(path, error)) return path;
    }
    return {};
}

const quern_backend_api& open_backend(const std::string& path) {
    const auto entry = find_entry<quern_backend_entry_fn>(path, QUERN_BACKEND_ENTRY);
    const auto& table = checked_table<quern_backend_api>(entry);
    check_backend(table);
    return table;
}

bool has_symbol(const std::string& path, const char* symbol) { return ::dlsym(open_library(path), symbol) != nullptr; }

const quern_op_package& open_op_package(const std::string& path) {
    const auto entry = find_entry<quern_op_package_entry_fn>(path, QUERN_OP_PACKAGE_ENTRY);
    const auto& table = checked_table<quern_op_package>(entry);
    NEED(name);
    if (!QUERN_HAS(&table, ops) || (table.op_count > 0 && !table.ops)) throw unsupported("its table has no ops");
    return table;
}

}  // namespace quern
