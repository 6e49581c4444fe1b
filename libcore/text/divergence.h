// How far the probabilities that a language model gives the next token are from those of another: what llama-perplexity --kl-divergence
// tells, with both models running beside each other.
#pragma once

#include <array>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "libcore/text/estimate.h"
#include "libcore/text/language_model.h"
#include "libcore/text/token_text.h"

namespace quern {

struct DivergenceReport {
    // Of these shares of the scored tokens, a number is no greater.
    static constexpr std::array shares{1.0, 0.999, 0.99, 0.95, 0.9, 0.75, 0.5, 0.25, 0.1, 0.05, 0.01, 0.001, 0.0};

    int64_t scored = 0;
    Estimate first, second, ratio;  // perplexities; the second's by the first's
    double correlation = 1;         // of the two models' log likelihoods
    Estimate divergence;            // Kullback-Leibler, of the second from the first, in nats
    Estimate change, change_rms;    // of the probability of the token that comes
    Estimate same_top;              // share of tokens at which the most likely one is the same
    std::array<double, shares.size()> divergences{}, changes{};
};

class Divergence {
   public:
    // The logits of both models at one place, and the token that comes there. Throws Exit::bad_input for those that are not finite.
    void add(std::span<const float> first, std::span<const float> second, int32_t token);
    DivergenceReport report() const;  // of at least one

   private:
    MeanOf first_, second_, differences_, divergence_, change_, squared_change_;
    double products_ = 0;
    int64_t same_top_ = 0;
    std::vector<float> divergences_, changes_;
};

// Both models give the logits of all tokens. Throws Exit::bad_input for vocabularies of different sizes.
DivergenceReport divergence(LanguageModel& first, LanguageModel& second, const TokenWindows& windows, const std::function<void()>& step);

std::string divergence_text(const DivergenceReport& report, const TokenWindows& windows);
std::string divergence_json(const DivergenceReport& report, const TokenWindows& windows);

}  // namespace quern
