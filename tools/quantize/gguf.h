// quantize on GGUF files: ggml's types in, ggml's types out.
#pragma once

#include "formats/gguf/file/requantize.h"
#include "libcore/cli/tool.h"

namespace quern {

struct GgufFlags {
    bool pure = false, allow_fallback = false, allow_requantize = false, allow_missing = false;
    std::string importance;
    std::vector<std::string> rules;

    void add(Options& add);
    // Those that concern types of ggml alone?
    bool given() const { return pure || allow_fallback || allow_missing || !importance.empty() || !rules.empty(); }
};

struct GgufJob {
    std::string model, output, report;
    int threads;
    bool dry_run, json;
};

Exit quantize_gguf(const gguf::Mix& mix, const GgufFlags& flags, const GgufJob& job);
void list_gguf_types();

}  // namespace quern
