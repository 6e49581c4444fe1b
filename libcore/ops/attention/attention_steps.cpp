// The steps of attention in the reference (attention_form.h): scores, weights, weighted values.
#include <algorithm>
#include <cmath>

#include "libcore/ops/attention/attention.h"
#include "libcore/ops/shared/dense.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {

template <class T>
std::vector<T> attention_scores(const AttentionShape& s, const T* q, const T* k, double scale) {
    const T root = static_cast<T>(std::sqrt(std::abs(scale))), signed_root = scale < 0 ? -root : root;
    std::vector<T> scores(static_cast<size_t>(count_of(s.scores())), T{0});
    std::vector<T> left(static_cast<size_t>(s.q_len * s.size)), right(static_cast<size_t>(s.kv_len * s.size));
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t h = 0; h < s.q_heads; ++h) {
            const T* from = q + (b * s.q_heads + h) * s.q_len * s.size;
            for (size_t i = 0; i < left.size(); ++i) left[i] = from[i] * root;
            swap_axes(k + (b * s.kv_heads + s.kv_head(h)) * s.kv_len * s.size, right.data(), 1, s.kv_len, s.size);
            for (T& item : right) item *= signed_root;
            add_product<T>(scores.data() + (b * s.q_heads + h) * s.q_len * s.kv_len, left.data(), right.data(), s.q_len, s.size, s.kv_len);
        }
    return scores;
}

template <class T>
void softmax_lines(std::span<T> scores, int64_t length) {
    const auto step = static_cast<size_t>(length);
    for (size_t start = 0; step > 0 && start < scores.size(); start += step) {
        const auto line = scores.subspan(start, step);
        const T max = *std::max_element(line.begin(), line.end());
        if (max == minus_infinity<T>) {
            std::fill(line.begin(), line.end(), T{0});
            continue;
        }
        T sum = 0;
        for (T& item : line) sum += item = portable::exp(item - max);
        for (T& item : line) item /= sum;
    }
}

template <class T>
void attention_values(const AttentionShape& s, const T* probabilities, const T* v, T* y) {
    for (int64_t b = 0; b < s.batch; ++b)
        for (int64_t h = 0; h < s.q_heads; ++h)
            add_product<T>(y + (b * s.q_heads + h) * s.q_len * s.v_size, probabilities + (b * s.q_heads + h) * s.q_len * s.kv_len,
                           v + (b * s.kv_heads + s.kv_head(h)) * s.kv_len * s.v_size, s.q_len, s.kv_len, s.v_size);
}

template std::vector<float> attention_scores(const AttentionShape&, const float*, const float*, double);
template std::vector<double> attention_scores(const AttentionShape&, const double*, const double*, double);
template void softmax_lines(std::span<float>, int64_t);
template void softmax_lines(std::span<double>, int64_t);
template void attention_values(const AttentionShape&, const float*, const float*, float*);
template void attention_values(const AttentionShape&, const double*, const double*, double*);

}  // namespace quern
