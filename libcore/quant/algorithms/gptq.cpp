#include "libcore/quant/algorithms/gptq.h"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace quern {
namespace {

constexpr double damping = 0.01;
constexpr size_t most_depth = 8192;  // whose square takes 512 MB
constexpr size_t panel = 32;         // columns that are computed together while a row is in the cache

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
    add_products(x, rows, pool);
    for (size_t i = 0; i < depth; ++i) u_[i * depth + i] += damping * mean;
    factor(pool);
    invert(pool);
}

// X^T X of the rows that no judge sees: summed as the rows lie, then put in order. The upper triangle counts.
void InverseHessian::add_products(const float* x, size_t rows, ThreadPool& pool) {
    const size_t n = depth();
    std::vector<double> sums(n * n, 0.0);
    pool.run(n, [&](size_t a) {
        double* to = sums.data() + a * n;
        for (size_t r = 0; r < rows; ++r) {
            const float* row = x + r * n;
            if (is_judge(r) || row[a] == 0) continue;
            const auto own = static_cast<double>(row[a]);
            for (size_t b = a; b < n; ++b) to[b] += own * static_cast<double>(row[b]);
        }
    });
    pool.run(n, [&](size_t i) {
        for (size_t j = i; j < n; ++j) {
            const auto [a, b] = std::minmax(order_[i], order_[j]);
            u_[i * n + j] = sums[a * n + b];
        }
    });
}

// H = R R^T with R upper triangular, in place: column j of R needs the columns behind it,
// R[i][j] = (H[i][j] - sum over k > j of R[i][k] R[j][k]) / R[j][j]. By panels from the last one on: what lies behind a panel
// is taken off first.
void InverseHessian::factor(ThreadPool& pool) {
    const size_t n = depth();
    const auto row = [&](size_t i) { return u_.data() + i * n; };
    for (size_t end = n; end > 0;) {
        const size_t begin = end - std::min(panel, end);
        pool.run_ranges(end, 4, [&](size_t first, size_t last) {
            for (size_t i = first; i < last; ++i)
                for (size_t j = std::max(begin, i); j < end; ++j) row(i)[j] -= dot64(row(i) + end, row(j) + end, n - end);
        });
        const auto solve = [&](size_t i) {
            for (size_t j = end; j-- > std::max(begin, i + 1);)
                row(i)[j] = (row(i)[j] - dot64(row(i) + j + 1, row(j) + j + 1, end - j - 1)) / row(j)[j];
        };
        for (size_t j = end; j-- > begin;) {
            solve(j);
            row(j)[j] = std::sqrt(std::max(row(j)[j] - dot64(row(j) + j + 1, row(j) + j + 1, end - j - 1), 1e-300));
        }
        pool.run_ranges(begin, 16, [&](size_t first, size_t last) {
            for (size_t i = first; i < last; ++i) solve(i);
        });
        end = begin;
    }
}

// U = R^-1, whose columns follow from R U = 1 by substitution; a column of U is kept as a row until all are there.
void InverseHessian::invert(ThreadPool& pool) {
    const size_t n = depth();
    std::vector<double> columns(n * n, 0.0);
    pool.run((n + panel - 1) / panel, [&](size_t part) {
        const size_t begin = part * panel, end = std::min(begin + panel, n);
        for (size_t i = end; i-- > 0;) {
            const double* row = u_.data() + i * n;
            for (size_t j = std::max(begin, i); j < end; ++j) {
                double* column = columns.data() + j * n;
                column[i] = j == i ? 1 / row[i] : -dot64(row + i + 1, column + i + 1, j - i) / row[i];
            }
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
