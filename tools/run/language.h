// run over text: a language model goes on from a prompt, or is scored by its perplexity over a file.
#pragma once

#include "libcore/cli/tool.h"
#include "libcore/text/language_source.h"
#include "libcore/text/sampler.h"

namespace quern {

struct LanguageFlags {
    std::optional<std::string> prompt;
    std::string prompt_tokens, perplexity, chat, system;
    int64_t count = -1, context = 0, batch = 512;
    SamplerOptions sampler;
    int64_t seed = 0;
    bool echo = false, ignore_end = false, no_special = false;

    void add(Options& add);
    bool given() const { return prompt || !prompt_tokens.empty() || !perplexity.empty(); }
};

// Throws Exit::usage for an option that a run over text, or one over samples, would not read.
void check_language_usage(const GivenOptions& given);

struct LanguageReport {
    bool json = false, timing = false;
};

// Text goes to standard output as it comes; the report behind it to standard error, or both as JSON to standard output.
Exit run_language(const LanguageSource& source, const LanguageFlags& flags, const LanguageReport& how);

}  // namespace quern
