// What the user says of a device: {"device": "qnn,soc=57", "provider": {...}, "session": {...}}.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/ort/provider.h"

namespace quern::ort {

// What compile() makes: a blob for load(), or what other programs read, which load() refuses.
enum class Product : uint8_t { blob, context, dlc };

using Entries = std::vector<std::pair<std::string, std::string>>;

struct Settings {
    const Provider* provider = nullptr;
    Entries own;      // of the provider, by its own keys
    Entries session;  // configuration entries of onnxruntime's sessions
    Product product = Product::blob;
    std::vector<std::string> sharing;  // contexts: native files of the models that have one binary with the one that is compiled
};

// Options as create() gets them. "device": a provider's name, "cpu" if there is none, then NAME=TEXT of its row's settings, each behind a
// comma; "provider" and "session": objects whose texts, numbers and booleans go to the provider and to sessions by keys of theirs, as they
// are; "product": "context", an ONNX model of EPContext nodes, or "dlc", a container of QNN's; "sharing": native files of other models,
// whose contexts have the same binary. Throws Exit::usage for other members, settings that the row does not have, and needed ones that are
// missing.
Settings parse_settings(std::string_view json);

}  // namespace quern::ort
