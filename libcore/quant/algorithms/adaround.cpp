#include "libcore/quant/algorithms/adaround.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

constexpr float zeta = 1.1f, gamma = -0.1f;  // where the rectified sigmoid is stretched to
constexpr float first_beta = 20, last_beta = 2, warm_up = 0.2f;

// x to a whole power.
float power(float x, int n) {
    float product = 1;
    for (; n > 0; n >>= 1, x *= x)
        if (n & 1) product *= x;
    return product;
}

class AdaRound {
   public:
    AdaRound(const Channel& channel, const AdaRoundOptions& options)
        : channel_(channel),
          options_(options),
          low_(channel.depth),
          v_(channel.depth),
          h_(channel.depth),
          slope_(channel.depth),
          soft_(channel.depth),
          gradient_(channel.depth),
          first_(channel.depth, 0.0f),
          second_(channel.depth, 0.0f) {
        for (size_t r = 0; r < channel.rows; ++r)
            if (!is_judge(r)) fit_.push_back(r);
        for (size_t k = 0; k < channel.depth; ++k) {
            const float exact = channel.weight[k] / channel.scale[k];
            low_[k] = std::floor(exact);
            const float share = std::clamp((exact - low_[k] - gamma) / (zeta - gamma), 0.01f, 0.99f);
            v_[k] = portable::log(share / (1 - share));
        }
    }

    std::vector<float> run() {
        std::vector<float> nearest = channel_.nearest();
        const double noise = channel_.noise(nearest, false);
        if (fit_.empty() || noise <= 0) return nearest;
        weight_ = static_cast<float>(static_cast<double>(channel_.depth * fit_.size()) / noise);
        for (size_t i = 0; i < options_.iterations; ++i) step(i);
        soften();
        std::vector<float> codes(channel_.depth);
        for (size_t k = 0; k < codes.size(); ++k) codes[k] = code(k, h_[k] >= 0.5f ? 1.0f : 0.0f);
        return codes;
    }

   private:
    float code(size_t k, float up) const { return std::clamp(low_[k] + up + channel_.zero[k], channel_.qmin, channel_.qmax); }

    // h, its derivative and the weights that follow.
    void soften() {
        for (size_t k = 0; k < v_.size(); ++k) {
            const float sigmoid = portable::sigmoid(v_[k]), wide = sigmoid * (zeta - gamma) + gamma;
            h_[k] = std::clamp(wide, 0.0f, 1.0f);
            slope_[k] = wide > 0 && wide < 1 ? (zeta - gamma) * sigmoid * (1 - sigmoid) : 0.0f;
            const float free = low_[k] + h_[k] + channel_.zero[k];
            if (free < channel_.qmin || free > channel_.qmax) slope_[k] = 0;
            soft_[k] = channel_.number(k, code(k, h_[k]));
        }
    }

    // Batches take rows in an order that spreads them, whatever the samples' order is.
    size_t fit_row(size_t number) const {
        const size_t count = fit_.size();
        size_t stride = std::max<size_t>(count * 618 / 1000, 1);
        while (std::gcd(stride, count) != 1) ++stride;
        return fit_[number % count * stride % count];
    }

    void add_errors(size_t iteration) {
        const size_t batch = std::min(options_.batch, fit_.size());
        std::fill(gradient_.begin(), gradient_.end(), 0.0f);
        for (size_t b = 0; b < batch; ++b) {
            const size_t r = fit_row(iteration * batch + b);
            const float* row = channel_.row(r);
            const float sum = dot(row, soft_.data(), channel_.depth) + channel_.bias;
            const float error = (channel_.bend(sum) - channel_.bend(channel_.y[r])) * channel_.bend.slope_at(sum);
            if (error == 0) continue;
            for (size_t k = 0; k < channel_.depth; ++k) gradient_[k] += error * row[k];
        }
        const float factor = 2 * weight_ / static_cast<float>(batch);
        for (size_t k = 0; k < channel_.depth; ++k) gradient_[k] *= factor * channel_.scale[k] * slope_[k];
    }

    void add_regularizer(float progress) {
        const auto beta = static_cast<int>(std::floor(last_beta + (first_beta - last_beta) * (1 - progress) + 0.5f));
        const auto lambda = static_cast<float>(options_.regularizer);
        for (size_t k = 0; k < channel_.depth; ++k) {
            const float far = 2 * h_[k] - 1;
            const float slope = -2 * static_cast<float>(beta) * power(std::abs(far), beta - 1) * (far < 0 ? -1.0f : 1.0f);
            gradient_[k] += lambda * slope * slope_[k];
        }
    }

    void step(size_t iteration) {
        soften();
        add_errors(iteration);
        const float done = static_cast<float>(iteration) / static_cast<float>(options_.iterations);
        if (done >= warm_up) add_regularizer((done - warm_up) / (1 - warm_up));
        constexpr float keep_first = 0.9f, keep_second = 0.999f;
        first_left_ *= keep_first;
        second_left_ *= keep_second;
        const auto rate = static_cast<float>(options_.rate);
        for (size_t k = 0; k < v_.size(); ++k) {
            first_[k] = keep_first * first_[k] + (1 - keep_first) * gradient_[k];
            second_[k] = keep_second * second_[k] + (1 - keep_second) * gradient_[k] * gradient_[k];
            v_[k] -= rate * first_[k] / (1 - first_left_) / (std::sqrt(second_[k] / (1 - second_left_)) + 1e-8f);
        }
    }

    const Channel& channel_;
    const AdaRoundOptions& options_;
    std::vector<size_t> fit_;
    std::vector<float> low_, v_, h_, slope_, soft_, gradient_, first_, second_;
    float weight_ = 1, first_left_ = 1, second_left_ = 1;
};

}  // namespace

std::vector<float> adaround(const Channel& channel, const AdaRoundOptions& options) { return AdaRound(channel, options).run(); }

AlgorithmReport round_adaptively(AlgorithmRun& run) {
    const AdaRoundOptions options{.iterations = run.options.iterations};
    return refine_weights(run, "adaround", [&](const float*, size_t, size_t, ThreadPool&) -> FitChannel {
        return [&](const Channel& channel) { return adaround(channel, options); };
    });
}

}  // namespace quern
