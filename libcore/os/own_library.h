// Libraries of ours that are loaded when something of theirs is needed for the first time: kernels, decoders. They lie in a folder beside
// libquern and stay loaded. And programs of ours that libquern starts, for code that may crash.
#pragma once

#include <string>
#include <string_view>

namespace quern {

struct OwnLibrary {
    std::string path;
    void* handle = nullptr;
    std::string error;  // why there is no handle

    void* find(const char* symbol) const;  // nullptr: it has none of that name
};

OwnLibrary own_library(const std::string& file);
// Its function of this name. Throws Exit::io if there is no such library or function.
void* own_function(const std::string& file, const char* name);
// What that function gives, which takes nothing: a table of what else the library has.
template <class Table>
const Table& own_table(const std::string& file, const char* function) {
    return *reinterpret_cast<const Table* (*)()>(own_function(file, function))();
}

// The folder of libquern.so, links followed; "" if it cannot be found.
std::string libquern_folder();
// A program in libexec/quern beside that folder. Throws Exit::io if it is not there: "FILE, WHAT, is not in ...".
std::string own_program(const std::string& file, std::string_view what);

}  // namespace quern
