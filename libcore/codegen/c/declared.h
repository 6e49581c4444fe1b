// Declared: what the declarations of generated C take in memory where pointers have 4 bytes, as on microcontrollers.
#pragma once

#include <cstddef>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace quern::cgen {

// Names, numbers and single other characters; no comments, strings (of assembly) and lines of the preprocessor.
std::vector<std::string_view> tokens_of(std::string_view text);

// The functions that statements call, and how often.
std::map<std::string, size_t> calls_in(std::string_view text);

// sizeof a struct of numbers, by the text that defines it: "typedef struct {...} NAME;".
size_t size_of_struct(std::string_view text);

// One call of the deepest.
struct StackFrame {
    std::string function;
    size_t bytes = 0;
};

// The functions of two C texts: kernels, and the model that calls them.
class DeclaredFunctions {
   public:
    // `copies`: each call of the model has a copy of its kernel, whose variables may lie beside those of the others.
    DeclaredFunctions(std::string_view kernels, std::string_view model, bool copies);
    // The calls from `entry` down whose frames are largest together: parameters and locals, as if all were in memory, and what a call
    // saves. Functions that the texts do not define do not count.
    std::vector<StackFrame> deepest(const std::string& entry) const;
    // Those that have floats, or call one that has.
    std::set<std::string> in_float() const;

   private:
    struct Function {
        size_t bytes = 0;
        bool has_floats = false;
        std::map<std::string, size_t> calls;  // how often they stand there
    };
    using Functions = std::map<std::string, Function>;
    static Functions functions_of(std::string_view text);
    size_t bytes_of_copies(const Function& function) const;
    Functions functions_;
};

size_t bytes_of(const std::vector<StackFrame>& calls);

}  // namespace quern::cgen
