// Choosing the next token of a language model from its logits: the most likely one, or one drawn, the same for the same seed.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace quern {

// In this order, as llama.cpp has them: the top_k most likely are kept; of these as few as have top_p of the probability; of these those
// with at least min_p of the greatest one's; then one is drawn after logits were divided by `temperature`.
struct SamplerOptions {
    double temperature = 0;  // 0: the most likely token, of equal ones the first
    int64_t top_k = 40;      // 0: all
    double top_p = 0.95;     // 1: all
    double min_p = 0.05;     // 0: all
    uint64_t seed = 0;
};

class Sampler {
   public:
    explicit Sampler(const SamplerOptions& options) : options_(options), state_(options.seed) {}
    int32_t next(std::span<const float> logits);  // throws Exit::bad_input if none of them is a finite number

   private:
    double uniform();  // in [0, 1)

    SamplerOptions options_;
    uint64_t state_;
};

}  // namespace quern
