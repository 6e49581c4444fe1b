// SPDX-FileCopyrightText: 2023-2026 The ggml authors
// SPDX-FileCopyrightText: 2026 the quern authors
// SPDX-License-Identifier: Apache-2.0 AND MIT
//
// The searches by which ggml's quantizers choose scales: weighted least squares over candidates, in eight parts of a block at once. For
// each candidate scale numbers are rounded to codes, and the scale (and the minimum) that fits these codes best is a weighted linear
// regression. A candidate is taken if its weighted error is smaller. Sums go through the numbers in order, so results are those of ggml to
// the bit; ggml's notice is LICENSES/MIT.txt.
#pragma once

#include "libcore/blocks/lanes.h"

namespace quern::blocks {

constexpr float all_zero = 1e-15f;  // parts below have the scale 0

// Of the number of largest size, the first of them: itself.
template <size_t n>
QUERN_INLINED Floats signed_largest(const PartsOf<n>& x) {
    Floats size{}, largest{};
    for (size_t i = 0; i < n; ++i) {
        const Floats magnitudes = magnitude(x.at[i]);
        const Ints more = magnitudes > size;
        size = select(more, magnitudes, size);
        largest = select(more, x.at[i], largest);
    }
    return largest;
}

// Sums over a part, of weights, numbers x and codes q.
struct Fit {
    Floats wxq{}, wqq{};

    QUERN_INLINED void add(Floats w, Floats wx, Floats q) {
        wxq += wx * q;
        wqq += w * q * q;
    }
    QUERN_INLINED Floats scale_or(Floats other, Ints where) const { return select(where, wxq / wqq, other); }
};

// The scale, which may be negative, so that codes from -levels to levels - 1 times it are next to x. Codes are given as code + levels.
template <size_t n>
QUERN_INLINED Floats search_scale(const PartsOf<n>& x, const PartsOf<n>& w, int levels, CodesOf<n>& codes) {
    const Floats largest = signed_largest(x);
    const Ints zero = magnitude(largest) < all_zero;
    PartsOf<n> wx;
    for (size_t i = 0; i < n; ++i) wx.at[i] = w.at[i] * x.at[i];
    const auto code = [&](Floats inverse, size_t i) QUERN_LAMBDA { return clamp(nearest(inverse * x.at[i]), -levels, levels - 1); };
    const auto fit = [&](Floats inverse) QUERN_LAMBDA {
        Fit sums;
        for (size_t i = 0; i < n; ++i) sums.add(w.at[i], wx.at[i], to_floats(code(inverse, i)));
        return sums;
    };
    Floats inverse = static_cast<float>(-levels) / largest;
    const Fit first = fit(inverse);
    Floats scale = first.scale_or(Floats{}, first.wqq != 0.0f), best = scale * first.wxq;
    for (int step = -9; step <= 9; ++step) {
        if (step == 0) continue;
        const Floats candidate = -(static_cast<float>(levels) + 0.1f * static_cast<float>(step)) / largest;
        const Fit sums = fit(candidate);
        const Ints better = (sums.wqq > 0.0f) & (sums.wxq * sums.wxq > best * sums.wqq);
        scale = sums.scale_or(scale, better);
        best = select(better, scale * sums.wxq, best);
        inverse = select(better, candidate, inverse);
    }
    for (size_t i = 0; i < n; ++i) codes.at[i] = select(zero, Ints{}, code(inverse, i) + levels);
    return select(zero, Floats{}, scale);
}

// Which candidates are tried: levels + first, levels + first + step ... over the range of the numbers.
struct RangeSteps {
    int levels;
    float first, step;
    int count;      // less one
    bool absolute;  // errors are not squared
};

struct Range {
    Floats scale, min;  // min: what is subtracted, at least 0
};

// Scale and minimum so that codes from 0 to levels times the scale less the minimum are next to x.
template <size_t n>
class RangeSearch {
   public:
    QUERN_INLINED RangeSearch(const PartsOf<n>& x, const PartsOf<n>& w, const RangeSteps& steps) : x_(x), w_(w), steps_(steps) {}

    QUERN_INLINED Range run(CodesOf<n>& codes) {
        sum_up();
        const Ints flat = max_ <= min_;
        const Floats first_min = min_;
        inverse_ = static_cast<float>(steps_.levels) / (max_ - min_);
        scale_ = 1.0f / inverse_;
        base_ = min_;
        round(inverse_);
        error_ = error_of(scale_, min_);
        for (int step = 0; step <= steps_.count; ++step) try_step(step);
        for (size_t i = 0; i < n; ++i) codes.at[i] = select(flat, Ints{}, clamp(nearest(inverse_ * (x_.at[i] - base_)), 0, steps_.levels));
        return {select(flat, Floats{}, scale_), -select(flat, first_min, min_)};
    }

   private:
    QUERN_INLINED void sum_up() {
        min_ = max_ = x_.at[0];
        sum_w_ = w_.at[0];
        sum_x_ = sum_w_ * x_.at[0];
        for (size_t i = 1; i < n; ++i) {
            min_ = select(x_.at[i] < min_, x_.at[i], min_);
            max_ = select(x_.at[i] > max_, x_.at[i], max_);
            sum_w_ += w_.at[i];
            sum_x_ += w_.at[i] * x_.at[i];
        }
        min_ = select(min_ > 0.0f, Floats{}, min_);
    }

    QUERN_INLINED void round(Floats inverse) {
        for (size_t i = 0; i < n; ++i) q_.at[i] = to_floats(clamp(nearest(inverse * (x_.at[i] - min_)), 0, steps_.levels));
    }

    QUERN_INLINED Floats error_of(Floats scale, Floats min) const {
        Floats sum{};
        for (size_t i = 0; i < n; ++i) {
            const Floats difference = scale * q_.at[i] + min - x_.at[i];
            sum += w_.at[i] * (steps_.absolute ? magnitude(difference) : difference * difference);
        }
        return sum;
    }

    QUERN_INLINED void try_step(int step) {
        const Floats inverse = (steps_.first + steps_.step * static_cast<float>(step) + static_cast<float>(steps_.levels)) / (max_ - min_);
        round(inverse);
        Floats wq{}, wqq{}, wqx{};
        for (size_t i = 0; i < n; ++i) {
            const Floats product = w_.at[i] * q_.at[i];
            wq += product;
            wqq += product * q_.at[i];
            wqx += product * x_.at[i];
        }
        const Floats determinant = sum_w_ * wqq - wq * wq;
        Floats scale = (sum_w_ * wqx - sum_x_ * wq) / determinant, min = (wqq * sum_x_ - wq * wqx) / determinant;
        const Ints above = min > 0.0f;
        scale = select(above, wqx / wqq, scale);
        min = select(above, Floats{}, min);
        const Floats error = error_of(scale, min);
        const Ints better = (determinant > 0.0f) & (error < error_);
        error_ = select(better, error, error_);
        inverse_ = select(better, inverse, inverse_);
        base_ = select(better, min_, base_);
        scale_ = select(better, scale, scale_);
        min_ = select(better, min, min_);
    }

    const PartsOf<n>&x_, &w_;
    RangeSteps steps_;
    Floats min_, max_, sum_w_, sum_x_;
    PartsOf<n> q_;                           // codes of the candidate
    Floats scale_, error_, inverse_, base_;  // of the best; its codes are those of (x - base) * inverse
};

// How codes are brought nearer one by one.
struct Descent {
    int lowest, highest;
    int stored;     // the bits of a code that are kept
    bool positive;  // the sum of squares is positive without a code, too (else: with its new value)
};

// Gives each code in turn the value that fits the scale of all others, five times at most or until none changes. Returns the scale.
template <size_t n>
QUERN_INLINED Floats descend(const PartsOf<n>& x, const PartsOf<n>& w, const Descent& rules, Fit sums, CodesOf<n>& codes) {
    for (int turn = 0; turn < 5; ++turn) {
        Ints changed{};
        for (size_t i = 0; i < n; ++i) {
            const Floats wx = w.at[i] * x.at[i], old = to_floats(codes.at[i]);
            Fit others{sums.wxq - wx * old, sums.wqq - w.at[i] * old * old};
            const Ints code = clamp(nearest(x.at[i] * others.wqq / others.wxq), rules.lowest, rules.highest);
            Ints better = (others.wxq > 0.0f) & (code != codes.at[i]);
            if (rules.positive) better &= others.wqq > 0.0f;
            others.add(w.at[i], wx, to_floats(code));
            if (!rules.positive) better &= others.wqq > 0.0f;
            better &= others.wxq * others.wxq * sums.wqq > sums.wxq * sums.wxq * others.wqq;
            codes.at[i] = select(better, code & rules.stored, codes.at[i]);
            sums.wxq = select(better, others.wxq, sums.wxq);
            sums.wqq = select(better, others.wqq, sums.wqq);
            changed |= better;
        }
        if (!any(changed)) break;
    }
    return sums.scale_or(Floats{}, sums.wqq > 0.0f);
}

// As search_scale, but from the scale of the largest by descent. Weights are the squares of the numbers.
template <size_t n>
QUERN_INLINED Floats descend_to_scale(const PartsOf<n>& x, int levels, CodesOf<n>& codes) {
    const Floats largest = signed_largest(x), inverse = static_cast<float>(-levels) / largest;
    const Ints zero = magnitude(largest) < all_zero;
    PartsOf<n> w;
    Fit sums;
    for (size_t i = 0; i < n; ++i) {
        w.at[i] = x.at[i] * x.at[i];
        codes.at[i] = clamp(nearest(inverse * x.at[i]), -levels, levels - 1);
        sums.add(w.at[i], w.at[i] * x.at[i], to_floats(codes.at[i]));
    }
    const Floats scale = descend(x, w, {.lowest = -levels, .highest = levels - 1, .stored = -1, .positive = false}, sums, codes);
    for (size_t i = 0; i < n; ++i) codes.at[i] = select(zero, Ints{}, codes.at[i] + levels);
    return select(zero, Floats{}, scale);
}

// The scale so that codes from 0 to levels, in 8 bits, times it are next to numbers x that are hardly ever negative: scales and minima.
template <size_t n>
QUERN_INLINED Floats search_scale_of_scales(const PartsOf<n>& x, const PartsOf<n>& w, int levels, CodesOf<n>& codes) {
    const auto top = static_cast<float>(levels);
    Floats max{};
    for (size_t i = 0; i < n; ++i) max = select(max > x.at[i], max, x.at[i]);
    const Ints zero = max < all_zero;
    const auto error_of = [&](Floats inverse, auto rounded) QUERN_LAMBDA {
        const Floats scale = 1.0f / inverse;
        Floats sum{};
        for (size_t i = 0; i < n; ++i) {
            const Floats difference = x.at[i] - scale * to_floats(rounded(nearest(inverse * x.at[i])));
            sum += w.at[i] * difference * difference;
        }
        return sum;
    };
    const auto bounded = [&](Ints code) QUERN_LAMBDA { return select(code > levels, Ints{} + levels, code); };
    Floats inverse = top / max;
    Floats best = error_of(inverse, [](Ints code) QUERN_LAMBDA { return code & 255; });
    for (int step = -4; step <= 4; ++step) {
        if (step == 0) continue;
        const Floats candidate = (0.1f * static_cast<float>(step) + top) / max, error = error_of(candidate, bounded);
        const Ints better = error < best;
        best = select(better, error, best);
        inverse = select(better, candidate, inverse);
    }
    Fit sums;
    for (size_t i = 0; i < n; ++i) {
        const Ints code = bounded(nearest(inverse * x.at[i]));
        sums.add(w.at[i], w.at[i] * x.at[i], to_floats(code));
        codes.at[i] = code & 255;
    }
    const Floats scale = descend(x, w, {.lowest = INT32_MIN, .highest = levels, .stored = 255, .positive = true}, sums, codes);
    for (size_t i = 0; i < n; ++i) codes.at[i] = select(zero, Ints{}, codes.at[i]);
    return select(zero, Floats{}, scale);
}

}  // namespace quern::blocks
