#include "libcore/text/sampler.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/base/error.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

struct Candidate {
    int32_t token;
    float logit;
    double share = 0;
};

bool before(const Candidate& a, const Candidate& b) { return a.logit != b.logit ? a.logit > b.logit : a.token < b.token; }

int32_t most_likely(std::span<const float> logits) {
    size_t best = logits.size();
    for (size_t i = 0; i < logits.size(); ++i)
        if (std::isfinite(logits[i]) && (best == logits.size() || logits[i] > logits[best])) best = i;
    if (best == logits.size()) throw bad_input("the model's logits are not finite");
    return static_cast<int32_t>(best);
}

// Probabilities of candidates in order.
void give_shares(std::vector<Candidate>& all, double temperature) {
    double sum = 0;
    for (Candidate& c : all) sum += c.share = portable::exp(static_cast<double>(c.logit - all.front().logit) / temperature);
    for (Candidate& c : all) c.share /= sum;
}

// As few of the first as have `top_p` of the probability.
void keep_likely(std::vector<Candidate>& all, double top_p) {
    double sum = 0;
    for (size_t i = 0; i < all.size(); ++i)
        if ((sum += all[i].share) >= top_p) return all.resize(i + 1);
}

}  // namespace

// SplitMix64 (Steele, Lea, Flood, 2014).
double Sampler::uniform() {
    uint64_t z = state_ += 0x9e3779b97f4a7c15u;
    z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9u;
    z = (z ^ (z >> 27)) * 0x94d049bb133111ebu;
    return static_cast<double>((z ^ (z >> 31)) >> 11) * 0x1p-53;
}

int32_t Sampler::next(std::span<const float> logits) {
    if (options_.temperature <= 0) return most_likely(logits);
    std::vector<Candidate> all;
    for (size_t i = 0; i < logits.size(); ++i)
        if (std::isfinite(logits[i])) all.push_back({static_cast<int32_t>(i), logits[i]});
    if (all.empty()) throw bad_input("the model's logits are not finite");
    const size_t kept = options_.top_k > 0 ? std::min(all.size(), static_cast<size_t>(options_.top_k)) : all.size();
    std::partial_sort(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept), all.end(), before);
    all.resize(kept);
    give_shares(all, 1);
    if (options_.top_p < 1) keep_likely(all, options_.top_p);
    const double min = all.front().share * options_.min_p;
    std::erase_if(all, [&](const Candidate& c) { return c.share < min; });
    give_shares(all, options_.temperature);
    double rest = uniform();
    for (const Candidate& c : all)
        if ((rest -= c.share) < 0) return c.token;
    return all.back().token;
}

}  // namespace quern
