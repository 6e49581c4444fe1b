// Shared libraries that others bring: where kinds of them lie, and the checks that every table of theirs goes through.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/base/error.h"

namespace quern {

// <prefix>NAME<suffix> in each folder of the environment variable (":" between them), then in `folder` beside libquern.so.
struct LibraryPlace {
    const char* variable;
    std::string_view folder, prefix, suffix;
};

std::vector<std::string> library_folders(const LibraryPlace& place);

struct LibraryFile {
    std::string name, path;
};
// Every library in these folders, the first of each name, by name.
std::vector<LibraryFile> installed_libraries(const LibraryPlace& place);

// The library NAME as a user gives it: with a "/" it is a path. "" if there is none.
std::string library_path(const LibraryPlace& place, const std::string& name);
// The same as a file gives it: never a path.
std::string installed_library(const LibraryPlace& place, const std::string& name);

// What an entry function gave, for version `abi` of the `interface`. Throws Exit::unsupported for what is none.
template <class Table>
const Table& checked_table(const Table* table, uint32_t abi, std::string_view interface) {
    if (!table) throw unsupported("does not serve version {} of the {} interface", abi, interface);
    if (table->struct_size < offsetof(Table, abi) + sizeof table->abi) throw unsupported("has a table of {} bytes", table->struct_size);
    if (table->abi != abi)
        throw unsupported("is for version {} of the {} interface, this program has version {}", table->abi, interface, abi);
    return *table;
}

inline void need_field(bool there, std::string_view field) {
    if (!there) throw unsupported("its table has no {}", field);
}

}  // namespace quern
