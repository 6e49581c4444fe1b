#include "libcore/quant/algorithms/gptq.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quern {
namespace {

constexpr double damping = 0.01;
constexpr size_t most_depth = 8192;  // whose square takes 512 MB

double dot64(const double* a, const double* b, size_t count) {
    constexpr size_t lanes = 4;
    double sums[lanes] = {};
    size_t k = 0;
    for (; k + lanes <= count; k += lanes)
        for (size_t lane = 0; lane < lanes; ++lane) sums[lane] += a[k + lane] * b[k + lane];
    double sum = (sums[0] + sums[2]) + (sums[1] + sums[3]);
    for (; k < count; ++k) sum += a[k] * b[k];
    return sum;
}

}  // namespace

InverseHessian::InverseHessian(const float* x, size_t rows, size_t depth, double damping, ThreadPool& pool)
    : order_(depth), u_(depth * depth, 0.0) {
    std::vector<double> diagonal(depth, 0.0);
    for (size_t r = 0; r < rows; ++r)
        for (size_t k = 0; !is_judge(r) && k < depth; ++k)
            diagonal[k] += static_cast<double>(x[r * depth + k]) * static_cast<double>(x[r * depth + k]);
    std::iota(order_.begin(), order_.end(), size_t{0});
    std::stable_sort(order_.begin(), order_.end(), [&](size_t a, size_t b) { return diagonal[a] > diagonal[b]; });
    double mean = std::accumulate(diagonal.begin(), diagonal.end(), 0.0) / static_cast<double>(depth);
    if (mean <= 0) mean = 1;  // inputs are all 0: any codes will do
    pool.run(depth, [&](size_t i) {
        double* to = u_.data() + i * depth;
        for (size_t r = 0; r < rows; ++r) {
            const float* row = x + r * depth;
            if (is_judge(r) || row[order_[i]] == 0) continue;
            const auto own = static_cast<double>(row[order_[i]]);
            for (size_t j = i; j < depth; ++j) to[j] += own * static_cast<double>(row[order_[j]]);
        }
        to[i] += damping * mean;
    });
    factor(pool);
    invert(pool);
}

// H = R R^T with R upper triangular, in place, from the last column on.
void InverseHessian::factor(ThreadPool& pool) {
    const size_t n = depth();
    // Column j of R needs the columns behind it: R[i][j] = (H[i][j] - sum over k > j of R[i][k] R[j][k]) / R[j][j].
    for (size_t j = n; j-- > 0;) {
        double* own = u_.data() + j * n;
        own[j] = std::sqrt(std::max(own[j] - dot64(own + j + 1, own + j + 1, n - j - 1), 1e-300));
        pool.run_ranges(j, 16 + 65536 / (n - j), [&](size_t begin, size_t end) {
            for (size_t i = begin; i < end; ++i) {
                double* row = u_.data() + i * n;
                row[j] = (row[j] - dot64(row + j + 1, own + j + 1, n - j - 1)) / own[j];
            }
        });
    }
}

// U = R^-1, whose columns follow from R U = 1 by substitution; a column of U is kept as a row until all are there.
void InverseHessian::invert(ThreadPool& pool) {
    const size_t n = depth();
    std::vector<double> columns(n * n, 0.0);
    pool.run(n, [&](size_t j) {
        double* column = columns.data() + j * n;
        column[j] = 1 / u_[j * n + j];
        for (size_t i = j; i-- > 0;) {
            const double* row = u_.data() + i * n;
            column[i] = -dot64(row + i + 1, column + i + 1, j - i) / row[i];
        }
    });
    pool.run(n, [&](size_t i) {
        for (size_t j = 0; j < n; ++j) u_[i * n + j] = columns[j * n + i];
    });
}

std::vector<float> gptq(const Channel& channel, const InverseHessian& hessian) {
    const size_t depth = channel.depth;
    std::vector<double> weight(depth);
    for (size_t i = 0; i < depth; ++i) weight[i] = static_cast<double>(channel.weight[hessian.order()[i]]);
    std::vector<float> codes(depth);
    for (size_t i = 0; i < depth; ++i) {
        const size_t k = hessian.order()[i];
        const float wanted = static_cast<float>(weight[i]) / channel.scale[k];
        codes[k] = std::clamp(__builtin_rintf(wanted) + channel.zero[k], channel.qmin, channel.qmax);
        const double* row = hessian.row(i);
        const double error = (weight[i] - static_cast<double>(channel.number(k, codes[k]))) / row[i];
        for (size_t j = i + 1; j < depth; ++j) weight[j] -= error * row[j];
    }
    return codes;
}

AlgorithmReport round_by_hessian(AlgorithmRun& run) {
    return refine_weights(run, "gptq", [&](const float* x, size_t rows, size_t depth, ThreadPool& pool) -> FitChannel {
        if (depth > most_depth) return [](const Channel& channel) { return channel.nearest(); };
        const auto hessian = std::make_shared<InverseHessian>(x, rows, depth, damping, pool);
        return [hessian](const Channel& channel) { return gptq(channel, *hessian); };
    });
}

}  // namespace quern
