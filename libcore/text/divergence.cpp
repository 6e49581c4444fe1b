#include "libcore/text/divergence.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/ops/shared/portable_math.h"
#include "libcore/text/perplexity.h"

namespace quern {
namespace {

// Logits with what makes log probabilities of them.
class Distribution {
   public:
    explicit Distribution(std::span<const float> logits) : logits_(logits), top_(std::ranges::max_element(logits) - logits.begin()) {
        const double max = static_cast<double>(logits[static_cast<size_t>(top_)]);
        double sum = 0;
        for (const float logit : logits) sum += portable::exp(static_cast<double>(logit) - max);
        shift_ = portable::log(sum) + max;
        if (!std::isfinite(shift_)) throw bad_input("its logits are not finite");
    }
    double log(size_t i) const { return static_cast<double>(logits_[i]) - shift_; }
    std::ptrdiff_t top() const { return top_; }

   private:
    std::span<const float> logits_;
    std::ptrdiff_t top_;
    double shift_ = 0;
};

// Sums of rounding errors may be below 0.
double divergence_of(const Distribution& first, const Distribution& second, size_t count) {
    double sum = 0;
    for (size_t i = 0; i < count; ++i) {
        const double log = first.log(i), probability = portable::exp(log);
        if (probability > 0) sum += probability * (log - second.log(i));
    }
    return std::max(0.0, sum);
}

std::array<double, DivergenceReport::shares.size()> quantiles(std::vector<float> numbers) {
    std::ranges::sort(numbers);
    std::array<double, DivergenceReport::shares.size()> out{};
    std::ranges::transform(DivergenceReport::shares, out.begin(), [&](double share) { return quantile(numbers, share); });
    return out;
}

Estimate exp_of(const Estimate& log) {
    const double value = portable::exp(log.value);
    return {value, value * log.error};
}

}  // namespace

void Divergence::add(std::span<const float> first, std::span<const float> second, int32_t token) {
    const Distribution a(first), b(second);
    const auto next = static_cast<size_t>(token);
    const double likelihood = a.log(next), other = b.log(next), one = divergence_of(a, b, first.size());
    const double change = portable::exp(other) - portable::exp(likelihood);
    if (!std::isfinite(one) || !std::isfinite(likelihood) || !std::isfinite(other)) throw bad_input("its logits are not finite");
    first_.add(-likelihood);
    second_.add(-other);
    differences_.add(likelihood - other);
    products_ += likelihood * other;
    divergence_.add(one);
    change_.add(change);
    squared_change_.add(change * change);
    same_top_ += a.top() == b.top();
    divergences_.push_back(static_cast<float>(one));
    changes_.push_back(static_cast<float>(change));
}

DivergenceReport Divergence::report() const {
    const auto count = static_cast<double>(first_.count());
    DivergenceReport out;
    out.scored = first_.count();
    out.first = exp_of(first_.estimate());
    out.second = exp_of(second_.estimate());
    out.ratio = exp_of(differences_.estimate());
    const auto variance = [](const MeanOf& of) { return of.mean_square() - of.mean() * of.mean(); };
    const double covariance = products_ / count - first_.mean() * second_.mean();
    if (const double both = variance(first_) * variance(second_); both > 0) out.correlation = std::min(1.0, covariance / std::sqrt(both));
    out.divergence = divergence_.estimate();
    out.change = change_.estimate();
    const double rms = std::sqrt(squared_change_.mean());
    out.change_rms = {rms, rms > 0 ? squared_change_.error() / (2 * rms) : 0};
    const double share = static_cast<double>(same_top_) / count;
    out.same_top = {share, count > 1 ? std::sqrt(share * (1 - share) / (count - 1)) : 0};
    out.divergences = quantiles(divergences_);
    out.changes = quantiles(changes_);
    return out;
}

DivergenceReport divergence(LanguageModel& first, LanguageModel& second, const TokenWindows& windows, const std::function<void()>& step) {
    Divergence out;
    for (int64_t w = 0; w < windows.count(); ++w) {
        const std::span<const float> a = window_logits(first, windows, w), b = window_logits(second, windows, w);
        if (first.vocabulary() != second.vocabulary())
            throw bad_input("the vocabularies have {} and {} tokens", first.vocabulary(), second.vocabulary());
        const auto width = static_cast<size_t>(first.vocabulary());
        for (size_t i = windows.first_scored(); i < windows.last_scored(); ++i)
            at_place([&] { return fmt::format("window {}, token {}", w, i); },
                     [&] { out.add(a.subspan(i * width, width), b.subspan(i * width, width), windows.behind(w, i)); });
        step();
    }
    return out.report();
}

}  // namespace quern
