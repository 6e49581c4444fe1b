// --report of types of ggml: what each tensor became and what it cost, as JSON or as the page that other types have.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "formats/gguf/file/requantize.h"

namespace quern {

struct GgufReport {
    std::string model;  // the name of its file
    const gguf::Mix& mix;
    const std::vector<gguf::TensorChange>& plan;
    std::optional<uint64_t> file_before = {}, file_after = {};  // bytes

    std::string json() const;
    std::string html() const;
};

uint64_t stored_bytes(const gguf::TensorChange& change, const BlockFormat& format);

}  // namespace quern
