// Libraries of plugins, opened: quern's own interface and onert's behind one.
#pragma once

#include <string>
#include <vector>

#include "include/quern/plugin.h"

namespace quern {

// onert's ICodegen as C++ compilers lay it out (Itanium ABI): the destructor's two slots, then codegen().
class OnertCodegen {
   public:
    virtual ~OnertCodegen() = default;
    virtual int codegen(const char* model, const char* output) const = 0;
};

class PluginLibrary {
   public:
    // In a link namespace of its own. Throws Exit::unsupported saying what is wrong with it.
    explicit PluginLibrary(const std::string& path);
    // nullptr: it is one for onert.
    const quern_codegen_plugin* table() const { return table_; }
    // codegen() of a plugin for onert.
    int onert_codegen(const char* model, const char* output) const;
    // Writes out what is buffered in its own C library's streams.
    void flush() const;

   private:
    const quern_codegen_plugin* table_ = nullptr;
    OnertCodegen* (*create_)() = nullptr;
    void (*destroy_)(OnertCodegen*) = nullptr;
    int (*flush_)(void*) = nullptr;
};

}  // namespace quern
