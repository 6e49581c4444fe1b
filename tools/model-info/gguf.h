// What is in a GGUF file, whatever it holds: no graph is made of it, and of the tensors only the one that is asked for is read.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/gguf/file/container.h"
#include "libcore/base/json.h"

namespace quern {

struct GgufQuestion {
    bool json = false;
    std::string metadata;  // a key, whose value is printed whole
    std::string tensor;    // a name, whose numbers are
    int64_t values = 32;   // how many of them at most
};

void show_gguf(const gguf::File& file, const GgufQuestion& question);

// Tensors of one type.
struct GgufTypeCount {
    const BlockFormat* format;
    uint64_t tensors = 0, elements = 0, bytes = 0;
    double bits() const { return elements ? 8.0 * static_cast<double>(bytes) / static_cast<double>(elements) : 0; }  // for each weight
};
std::vector<GgufTypeCount> type_counts(const gguf::File& file);  // by bytes, most first
GgufTypeCount total(const std::vector<GgufTypeCount>& counts);   // its format is nullptr

Json gguf_json(const gguf::File& file);
void print_metadata(const gguf::File& file, const GgufQuestion& question);
void print_tensor(const gguf::File& file, const GgufQuestion& question);

}  // namespace quern
