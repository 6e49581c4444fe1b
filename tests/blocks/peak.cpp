// How fast products with weights in blocks are: --peak [FORMAT].
#include <fmt/core.h>

#include <algorithm>
#include <cstdio>
#include <cstring>
#include <ctime>
#include <functional>

#include "libcore/kernels/blocks/code_loops.h"
#include "libcore/kernels/blocks/real_loops.h"
#include "tests/blocks/loops.h"
#include "tests/blocks/random_blocks.h"

namespace block_tests {

using namespace quern;
using namespace quern::block_kernels;

namespace {

// The best of several runs, in seconds: of one thread its processor time, which other processes do not add to.
double seconds(const std::function<void()>& run, int threads) {
    const auto now = [&] {
        timespec at{};
        ::clock_gettime(threads == 1 ? CLOCK_THREAD_CPUTIME_ID : CLOCK_MONOTONIC, &at);
        return static_cast<double>(at.tv_sec) + 1e-9 * static_cast<double>(at.tv_nsec);
    };
    double best = 1e9;
    for (int i = 0; i < 4; ++i) {
        const double start = now();
        run();
        best = std::min(best, now() - start);
    }
    return best;
}

constexpr size_t large = 64 << 20;

void print_memory(int threads) {
    std::vector<std::byte> from(large), to(large);
    std::memset(from.data(), 1, large);
    ThreadPool pool(threads);
    constexpr size_t pieces = 64, piece = large / pieces;
    const double copied =
        seconds([&] { pool.run(pieces, [&](size_t i) { std::memcpy(to.data() + i * piece, from.data() + i * piece, piece); }); }, threads);
    const double read = seconds(
        [&] {
            pool.run(pieces, [&](size_t i) {
                uint64_t sum[8] = {};
                for (size_t at = 0; at < piece; at += 64)
                    for (size_t k = 0; k < 8; ++k) {
                        uint64_t word;
                        std::memcpy(&word, from.data() + i * piece + at + 8 * k, 8);
                        sum[k] += word;
                    }
                std::memcpy(to.data() + i * piece, sum, sizeof sum);
            });
        },
        threads);
    fmt::print("memory, {} threads: reads {:.1f} GB/s, copies {:.1f} GB/s\n", threads, large / read * 1e-9, large / copied * 1e-9);
}

// Rows of one drawn block, repeated.
std::vector<std::byte> repeated(const BlockFormat& format, size_t bytes) {
    Random random(1);
    const RandomMatrix one(format, 1, std::max<int64_t>(format.elements, 32), true, random);
    std::vector<std::byte> all(bytes);
    for (size_t at = 0; at < bytes; at += one.bytes().size())
        std::memcpy(all.data() + at, one.bytes().data(), std::min(one.bytes().size(), bytes - at));
    return all;
}

struct Site {
    BlockMatrix weights;
    ggml::Rounding rounding;
    ThreadPool& pool;

    double run(int64_t rows, bool real) const {
        Random random(2);
        std::vector<float> x(static_cast<size_t>(rows * weights.depth)), out(static_cast<size_t>(rows * weights.columns));
        for (float& item : x) item = static_cast<float>(drawn(random, -1000, 1000)) / 1000.0f;
        return seconds(
            [&] {
                if (real) return multiply_real(weights, x.data(), rows, out.data(), pool);
                multiply_codes(weights, RoundedRows(x.data(), rows, weights.depth, rounding, pool), out.data(), pool);
            },
            pool.size());
    }
};

void print_format(const BlockFormat& format, int threads) {
    constexpr int64_t depth = 2048, columns = 2048, rows = 256;
    const size_t row_bytes = format.row_bytes(depth);
    const auto many = static_cast<int64_t>(large / row_bytes);
    const std::vector<std::byte> bytes = repeated(format, static_cast<size_t>(many) * row_bytes);
    ThreadPool pool(threads);
    const Site memory{{&format, bytes.data(), many, depth, row_bytes}, ggml::rounding_beside(format), pool};
    const Site square{{&format, bytes.data(), columns, depth, row_bytes}, memory.rounding, pool};
    const double read = static_cast<double>(bytes.size()) * 1e-9, operations = 2e-9 * depth * columns * rows;
    fmt::print("{:8} {} threads: real {:5.1f} GB/s {:6.1f} GOP/s", format.name, threads, read / memory.run(1, true),
               operations / square.run(rows, true));
    if (memory.rounding != ggml::Rounding::none)
        fmt::print(", ggml {:5.1f} GB/s {:6.1f} GOP/s", read / memory.run(1, false), operations / square.run(rows, false));
    fmt::print("\n");
    std::fflush(stdout);
}

}  // namespace

void print_peak(std::string_view only) {
    for (const int threads : {1, 2}) {
        print_memory(threads);
        for (const BlockFormat& format : block_formats())
            if (only.empty() ? format.quantized() || format.bytes == 2 : format.name == only) print_format(format, threads);
    }
}

}  // namespace block_tests
