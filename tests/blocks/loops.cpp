#include "tests/blocks/loops.h"

#include <fmt/core.h>

#include <cmath>
#include <cstring>
#include <string>

#include "libcore/base/error.h"
#include "libcore/kernels/blocks/code_loops.h"
#include "libcore/kernels/blocks/real_loops.h"
#include "tests/blocks/random_blocks.h"

namespace block_tests {

using namespace quern;
using namespace quern::block_kernels;

namespace {

bool same(const std::vector<float>& a, const std::vector<float>& b) {
    return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(float)) == 0;
}

struct Case {
    const BlockFormat& format;
    int64_t rows, columns, depth;
    std::vector<float> x;
    RandomMatrix weights;

    Case(const BlockFormat& format_, Random& random)
        : format(format_),
          rows(drawn(random, 0, 9) < 4     ? drawn(random, 1, 70)
               : drawn(random, 0, 30) == 0 ? drawn(random, 120, 150)
                                           : drawn(random, 1, 5)),
          columns(drawn(random, 1, 60)),
          depth(format.elements == 1 ? drawn(random, 1, 600) : format.elements * drawn(random, 1, format.elements > 64 ? 3 : 20)),
          x(random_numbers(rows * depth, random)),
          weights(format, columns, depth, drawn(random, 0, 3) != 0, random) {}

    std::vector<float> out() const { return std::vector<float>(static_cast<size_t>(rows * columns)); }
};

// ---- rounded -----------------------------------------------------------------------------------------------------------------

std::string differing_rounding(const Case& c, ggml::Rounding rounding) {
    const int64_t length = ggml::block_of(rounding);
    for (int64_t at = 0; at < c.rows * c.depth; at += length) {
        std::vector<int8_t> a(static_cast<size_t>(length)), b = a;
        float sum_a = 0, sum_b = 0;
        const float scale_a = ggml::round_block(rounding, c.x.data() + at, a.data(), &sum_a);
        const float scale_b = quick_rounding()(rounding, c.x.data() + at, b.data(), &sum_b);
        if (a != b || !same({scale_a, sum_a}, {scale_b, sum_b})) return fmt::format("block {} is rounded otherwise", at / length);
    }
    return {};
}

std::string differing_codes(const Case& c) {
    const ggml::Rounding rounding = ggml::rounding_beside(c.format);
    if (rounding == ggml::Rounding::none) return {};
    if (std::string what = differing_rounding(c, rounding); !what.empty()) return what;
    std::vector<float> wanted = c.out();
    for (int64_t r = 0; r < c.rows; ++r) {
        const ggml::RoundedRow row =
            ggml::rounded_row(std::span(c.x).subspan(static_cast<size_t>(r * c.depth), static_cast<size_t>(c.depth)), rounding);
        for (int64_t n = 0; n < c.columns; ++n)
            wanted[static_cast<size_t>(r * c.columns + n)] = ggml::product(c.format, c.weights.view().row(n), row.view(), c.depth);
    }
    for (int threads = 1; threads <= 4; ++threads) {
        ThreadPool pool(threads);
        std::vector<float> made = c.out();
        multiply_codes(c.weights.view(), RoundedRows(c.x.data(), c.rows, c.depth, rounding, pool), made.data(), pool);
        if (same(made, wanted)) continue;
        size_t at = 0;
        while (std::memcmp(&made[at], &wanted[at], sizeof(float)) == 0) ++at;
        return fmt::format("rounded, {} threads: number {} is {}, not {}", threads, at, made[at], wanted[at]);
    }
    return {};
}

// ---- real --------------------------------------------------------------------------------------------------------------------

std::string differing_decode(const Case& c, std::vector<float>& numbers) {
    const auto blocks = static_cast<size_t>(c.columns * c.depth / c.format.elements);
    numbers.resize(static_cast<size_t>(c.columns * c.depth));
    c.format.decode(c.weights.bytes().data(), blocks, numbers.data());
    std::vector<float> quick(numbers.size());
    quick_decode(c.format)(c.weights.bytes().data(), blocks, quick.data());
    return same(quick, numbers) ? "" : "blocks are decoded otherwise";
}

std::string differing_real(const Case& c) {
    std::vector<float> numbers;
    if (std::string what = differing_decode(c, numbers); !what.empty()) return what;
    std::vector<float> made = c.out();
    ThreadPool one(1), three(3);
    multiply_real(c.weights.view(), c.x.data(), c.rows, made.data(), one);
    for (int64_t r = 0; r < c.rows; ++r)
        for (int64_t n = 0; n < c.columns; ++n) {
            double sum = 0, size = 0;
            for (int64_t k = 0; k < c.depth; ++k) {
                const double term =
                    static_cast<double>(numbers[static_cast<size_t>(n * c.depth + k)]) * c.x[static_cast<size_t>(r * c.depth + k)];
                sum += term;
                size += std::fabs(term);
            }
            const float own = made[static_cast<size_t>(r * c.columns + n)];
            if (!(std::fabs(own - sum) <= size * (static_cast<double>(c.depth) / 8 + 8) * 6e-8 + 1e-40))
                return fmt::format("real: row {} column {} is {}, not {}", r, n, own, sum);
        }
    std::vector<float> again = c.out();
    multiply_real(c.weights.view(), c.x.data(), c.rows, again.data(), three);
    if (!same(made, again)) return "real: other numbers on three threads";
    for (int64_t r = 0; r < c.rows; ++r) multiply_real(c.weights.view(), c.x.data() + r * c.depth, 1, again.data() + r * c.columns, one);
    return same(made, again) ? "" : "real: other numbers row by row";
}

}  // namespace

size_t check_loops(uint64_t seed, uint64_t count) {
    size_t wrong = 0;
    for (const BlockFormat& format : block_formats())
        for (uint64_t i = 0; i < count; ++i) {
            Random random(seed + i);
            std::string what;
            try {
                const Case c(format, random);
                what = differing_codes(c);
                if (what.empty()) what = differing_real(c);
                if (!what.empty()) what += fmt::format(" ({} x {} x {})", c.rows, c.columns, c.depth);
            } catch (const Error& error) {
                what = error.what();
            }
            if (what.empty()) continue;
            fmt::print("{}, seed {}: {}\n", format.name, seed + i, what);
            ++wrong;
        }
    fmt::print("{} products of each of {} formats\n", count, block_formats().size());
    return wrong;
}

}  // namespace block_tests
