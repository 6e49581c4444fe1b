// What a language model is opened from: a model of any format, or a context that was made of one.
#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "libcore/deploy/context.h"
#include "libcore/text/language_model.h"
#include "libcore/tokens/tokenizer.h"

namespace quern {

struct LanguageSource {
    std::string tokenizer;          // as JSON; "": ids only
    int64_t positions = INT64_MAX;  // that it knows
    std::function<LanguageModel(int64_t capacity, bool all_logits)> open;

    std::optional<Tokenizer> make_tokenizer() const;
};

struct LanguageSettings {
    std::function<CompileOptions(const Graph&)> compile;  // of a graph as as_encoded() has it; contexts are compiled already
    std::string backend_options;                          // of contexts
    int threads = 1;
};

// `model`: what read_model() made of `bytes`; empty for a context. `path`: of files beside it. It must outlive the models that it opens.
LanguageSource language_source(const Bytes& bytes, const Model& model, const std::string& path, const LanguageSettings& settings);

}  // namespace quern
