// How well a language model foresees a text.
#pragma once

#include <functional>
#include <span>

#include "libcore/text/language_model.h"
#include "libcore/text/token_text.h"

namespace quern {

struct Perplexity {
    double value = 0;  // exp of the mean negative log likelihood
    double error = 0;  // its standard error
    int64_t scored = 0;
};

// `model` gives the logits of all tokens. `step` hears of each window.
Perplexity perplexity(LanguageModel& model, const TokenWindows& windows, const std::function<void()>& step);

// The logits of a window's tokens, read from the beginning: [its length, vocabulary].
std::span<const float> window_logits(LanguageModel& model, const TokenWindows& windows, int64_t window);

// The negative log likelihood of `token`.
double surprise(std::span<const float> logits, int32_t token);

}  // namespace quern
