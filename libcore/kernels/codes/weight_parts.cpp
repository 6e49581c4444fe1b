#include "libcore/kernels/codes/weight_parts.h"

#include "libcore/base/error.h"

namespace quern::codes {

WeightParts::WeightParts(const WeightLayout& layout, std::span<const PlainWeights> parts, std::span<const int64_t> bias, int64_t x_zero,
                         bool joined) {
    if (!joined) {
        weights_.emplace_back(layout, parts[0], bias, static_cast<int32_t>(x_zero));
        return;
    }
    for (const PlainWeights& part : parts) weights_.emplace_back(layout, part);
    constexpr std::array<int64_t, 1> none{0};
    std::vector<int64_t> biases = layout.filled(bias.empty() ? std::span<const int64_t>(none) : bias);
    for (size_t b = 0; b < weights_.size(); ++b)
        for (size_t i = 0; i < biases.size(); ++i) {  // wraps, as biases may be anything
            const auto zeros = static_cast<uint64_t>(x_zero * weights_[b].bias()[i]) << 8 * b;
            biases[i] = static_cast<int64_t>(static_cast<uint64_t>(biases[i]) - zeros);
        }
    wide_bias_ = Bytes::copy_of(std::span<const int64_t>(biases));
}

WeightParts::WeightParts(const WeightLayout& layout, std::span<const Bytes> state, size_t parts, bool joined) {
    const size_t own = parts * Weights::states;
    if (state.size() != own + (joined ? 1 : 0)) throw bad_input("its state does not fit");
    for (size_t b = 0; b < parts; ++b) weights_.emplace_back(layout, state.subspan(b * Weights::states, Weights::states));
    if (!joined) return;
    wide_bias_ = state[own];
    if (wide_bias_.size() != static_cast<size_t>(layout.filled_columns()) * sizeof(int64_t)) throw bad_input("its state does not fit");
}

void WeightParts::give_biases(FinishParameters& finish) const {
    finish.bias = weights_[0].bias();
    finish.wide_bias = wide_bias_.empty() ? nullptr : reinterpret_cast<const int64_t*>(wide_bias_.data());
    finish.weight_parts = static_cast<int>(weights_.size());
}

std::vector<Bytes> WeightParts::state() const {
    std::vector<Bytes> all;
    for (const Weights& weights : weights_)
        for (Bytes& bytes : weights.state()) all.push_back(std::move(bytes));
    if (!wide_bias_.empty()) all.push_back(wide_bias_);
    return all;
}

}  // namespace quern::codes
