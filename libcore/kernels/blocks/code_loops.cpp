#include "libcore/kernels/blocks/code_loops.h"

#include <algorithm>
#include <vector>

#include "libcore/kernels/isa.h"

namespace quern::block_kernels {
namespace {

constexpr int64_t rows_of_few = 3;     // for more, unpacking the weights for several rows at a time is quicker
constexpr int64_t min_work = 200'000;  // multiplications that are worth a task

// ---- any format ------------------------------------------------------------------------------------------------------------

void few(const BlockMatrix& weights, int64_t first, int count, const RowView& x, float* out) {
    for (int c = 0; c < count; ++c)
        out[c] = ggml::product(*weights.format, weights.row(first + c), {x.codes, x.scales, x.sums}, weights.depth);
}

void many(const BlockMatrix& weights, int64_t first, int count, const RoundedRows& x, int64_t row, int64_t rows, float* out) {
    for (int64_t r = 0; r < rows; ++r) few(weights, first, count, x.view(row + r), out + r * many_columns);
}

}  // namespace

const CodeLoops portable_loops{few, many};

const CodeLoops& code_loops(const BlockFormat& format) {
#if defined(__x86_64__)
    if (isa() >= Isa::avx512)
        if (const CodeLoops* quick = vnni_loops(format.name)) return *quick;
    if (isa() >= Isa::avx2)
        if (const CodeLoops* quick = avx2_loops(format.name)) return *quick;
#endif
    return portable_loops;
}

static void multiply_few(const BlockMatrix& weights, const RoundedRows& x, float* out, ThreadPool& pool) {
    const CodeLoops& loops = code_loops(*weights.format);
    const int64_t tiles = (weights.columns + loops.columns - 1) / loops.columns;
    const auto grain = static_cast<size_t>(min_work / (weights.depth * loops.columns * x.rows()) + 1);
    pool.run_ranges(static_cast<size_t>(tiles), grain, [&](size_t begin, size_t end) {
        for (auto i = static_cast<int64_t>(begin); i < static_cast<int64_t>(end); ++i) {
            const int64_t first = i * loops.columns, count = std::min<int64_t>(loops.columns, weights.columns - first);
            for (int64_t r = 0; r < x.rows(); ++r)
                loops.few(weights, first, static_cast<int>(count), x.view(r), out + r * weights.columns + first);
        }
    });
}

static void multiply_many(const BlockMatrix& weights, const RoundedRows& x, float* out, ThreadPool& pool) {
    const CodeLoops& loops = code_loops(*weights.format);
    const int64_t tiles = (weights.columns + many_columns - 1) / many_columns, runs = (x.rows() + max_rows - 1) / max_rows;
    pool.run(static_cast<size_t>(tiles * runs), [&](size_t task) {
        const int64_t row = static_cast<int64_t>(task) / tiles * max_rows, first = static_cast<int64_t>(task) % tiles * many_columns;
        const int64_t rows = std::min(max_rows, x.rows() - row), count = std::min<int64_t>(many_columns, weights.columns - first);
        alignas(64) float tile[max_rows * many_columns];
        loops.many(weights, first, static_cast<int>(count), x, row, rows, tile);
        for (int64_t r = 0; r < rows; ++r) std::copy_n(tile + r * many_columns, count, out + (row + r) * weights.columns + first);
    });
}

void multiply_codes(const BlockMatrix& weights, const RoundedRows& x, float* out, ThreadPool& pool) {
    x.rows() <= rows_of_few ? multiply_few(weights, x, out, pool) : multiply_many(weights, x, out, pool);
}

}  // namespace quern::block_kernels
