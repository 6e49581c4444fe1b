// Text: the .c and the .h file of a model, put together of its parts.
#pragma once

#include <string>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "libcore/codegen/c/emit.h"

namespace quern::cgen {

struct Names {
    std::string stem, macro;
};

// "const int8_t *in_x" and what it means.
struct Port {
    std::string declaration, type, comment;
    int64_t count;
    uint64_t bytes;
};

// Working memory, and its buffers in it.
struct Arena {
    size_t bytes = 0;
    std::string declarations;
};

struct Text {
    Names names;
    std::vector<Port> in, out;
    Arena arena;
    bool libm, memory, integer;
    size_t constants;
    Preference preference;
    std::string needs() const;                              // beside C
    std::string list(const std::string& first = "") const;  // of parameters
    // The functions of the model: with the arena of the file, and with the caller's.
    std::string run() const;
    std::string run_in() const;
    std::string invoke() const;
    std::string invoke_in() const;
    // The items of the two lists as arguments.
    std::string listed() const;
    static constexpr const char* of_caller = "void* arena, size_t arena_bytes";
    static constexpr const char* lists = "const void* const inputs[], void* const outputs[]";
};

// The names and numbers in a text.
std::unordered_set<std::string_view> words_of(std::string_view text);
// The functions of the model, those that are called from outside behind that of its steps.
std::string model_text(const Text& t, Function& function);
std::string header_text(const Text& t);
std::string source_text(const Text& t, const Source& source, Function& function);

}  // namespace quern::cgen
