// Execution providers of onnxruntime by the names that a user gives them, one row each in provider.cpp.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace quern::ort {

// How a setting is spelled here, and by the provider.
struct Spelling {
    std::string_view name, own, doc;
    std::string (*read)(std::string_view text) = nullptr;  // what the provider is told for it; nullptr: the same
};

struct Provider {
    std::string_view name;          // "qnn", as in --backend ort:qnn
    std::string_view own;           // "QNNExecutionProvider"
    std::string_view library = {};  // the file that brings it; "": it is in onnxruntime
    std::string_view package = {};  // the folder of that file, beside onnxruntime's
    std::string_view doc;
    std::span<const Spelling> spellings = {};
    std::string_view needed = {};  // the setting that must be given, since what it does without is not a device that anybody has; "": none
    std::string_view device;       // one of its devices, as a user names it
    std::span<const std::pair<std::string_view, std::string_view>> defaults = {};  // the provider's own settings
    bool contexts = false;                                                         // compiles its parts into binaries that a model can hold
    bool writes_dlc = false;                                                       // says them as containers of QNN's, too
    bool simulated = false;                                                        // here: results as the device's, times not
};

std::span<const Provider> providers();
const Provider& provider_named(std::string_view name);  // throws Exit::usage with a suggestion

}  // namespace quern::ort
