#include <chrono>

#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/tile_split.h"
#include "tests/codes/differences.h"
#include "tests/codes/loops.h"
#include "tests/codes/stand_in.h"

namespace code_tests {
namespace {

using namespace quern::codes;

// What results read: where the taps of each begin, [taps][max_rows] for every max_rows of them.
struct Results {
    std::vector<const uint8_t*> starts;
    int64_t count;
    int taps, depth;
};

// Results [begin, end), at most max_rows of them, as kernels are given them.
struct Piece {
    std::vector<const uint8_t*> starts;
    TileRows rows;
    Piece(const Results& results, int64_t begin, int64_t end)
        : starts(static_cast<size_t>(results.taps * max_rows)),
          rows{starts.data(), static_cast<int>(end - begin), results.taps, results.depth} {
        for (int64_t r = begin; r < end; ++r)
            for (int tap = 0; tap < results.taps; ++tap)
                starts[static_cast<size_t>(tap * max_rows + r - begin)] = results.starts[static_cast<size_t>(r * results.taps + tap)];
    }
};

// By tiles as large as the loop has them; behind the sums nothing is written.
std::vector<int32_t> sums_by(const Dot& dot, const Results& results, const int8_t* weights) {
    const int64_t steps = int64_t{results.taps} * results.depth / step_depth, tiles = (results.count + dot.rows - 1) / dot.rows,
                  bytes = steps * step_depth * dot.rows * dot.code_bytes;
    std::vector<std::byte> panels(static_cast<size_t>(tiles * bytes));
    std::vector<int64_t> rows;
    for (int64_t i = 0; i <= tiles; ++i) rows.push_back(quern::begin_of(i, results.count, tiles));
    for (int64_t i = 0; i < tiles; ++i)
        for (int64_t begin = rows[i], end; begin < rows[i + 1]; begin = end) {
            end = std::min(begin + max_rows, rows[i + 1]);
            dot.gather(Piece(results, begin, end).rows, panels.data() + i * bytes + (begin - rows[i]) * steps * step_depth);
        }
    std::vector<int32_t> sums(static_cast<size_t>(results.count * block_columns + 1), 77);
    dot.sums({panels.data(), bytes, rows.data(), tiles, steps}, weights, sums.data());
    return sums;
}

std::vector<int32_t> row_sums_by(const Dot& dot, const TileRows& rows) {
    std::vector<int32_t> sums(static_cast<size_t>(rows.count));
    dot.row_sums(rows, sums.data());
    return sums;
}

std::vector<int32_t> depth_sums_by(const Dot& dot, const TileRows& rows, int columns, const int8_t* weights) {
    std::vector<int32_t> sums(static_cast<size_t>(rows.count * block_columns));
    dot.depth_sums(rows, 1, columns, weights, sums.data());
    for (int r = 0; r < rows.count; ++r)
        for (int c = columns; c < block_columns; ++c) sums[static_cast<size_t>(r * block_columns + c)] = 0;
    return sums;
}

// A line of results over data that are drawn: by the plain sums of each result, and by lines.
class DrawnLine {
   public:
    explicit DrawnLine(std::mt19937& random) {
        const auto draw = [&](int from, int to) { return from + static_cast<int>(random() % static_cast<unsigned>(to - from + 1)); };
        line_ = {nullptr, draw(2, line_height), draw(1, 5), draw(1, 3), draw(1, 2), 1};
        line_.count = draw(1, std::min(32, (line_places - line_.places()) / line_.stride + 1));
        columns_ = draw(1, line_columns);
        data_ = drawn(random, 4096);
        steps_ = (line_.height * line_.width + step_depth - 1) / step_depth;
        weights_ = drawn(random, static_cast<size_t>(blocks() * block_bytes()));
        starts_.resize(static_cast<size_t>(line_.places() * line_.height));
        for (const uint8_t*& start : starts_) start = data_.data() + random() % (data_.size() - line_columns - 1);
        line_.starts = starts_.data();
    }

    std::vector<int32_t> plain() const {
        std::vector<int32_t> all(sums());
        for (int r = 0; r < line_.count; ++r)
            for (int block = 0; block < blocks(); ++block)
                portable_dot.depth_sums({taps_of(r).data(), 1, line_.height * line_.width, 1}, 1 + block * block_columns, there(block),
                                        weights() + block * block_bytes(), all.data() + (block * line_.count + r) * block_columns);
        return without_rest(all);
    }
    std::vector<int32_t> by(const DepthLines& lines) const {
        std::vector<int32_t> all(sums());
        std::vector<int8_t> own(static_cast<size_t>(line_.width * line_columns * line_height));
        lines.arrange(weights(), block_bytes(), blocks(), line_, own.data());
        lines.sums(line_, 1, columns_, own.data(), all.data(), line_.count * block_columns);
        return without_rest(all);
    }

   private:
    const int8_t* weights() const { return reinterpret_cast<const int8_t*>(weights_.data()); }
    int blocks() const { return (columns_ + block_columns - 1) / block_columns; }
    int block_bytes() const { return steps_ * step_depth * block_columns; }
    int there(int block) const { return std::min(block_columns, columns_ - block * block_columns); }
    size_t sums() const { return static_cast<size_t>(blocks() * line_.count * block_columns); }
    std::vector<const uint8_t*> taps_of(int result) const {
        std::vector<const uint8_t*> taps(static_cast<size_t>(line_.height * line_.width * max_rows));
        for (int a = 0; a < line_.height; ++a)
            for (int b = 0; b < line_.width; ++b)
                taps[static_cast<size_t>((a * line_.width + b) * max_rows)] =
                    starts_[static_cast<size_t>((result * line_.stride + b * line_.dilation) * line_.height + a)];
        return taps;
    }
    std::vector<int32_t> without_rest(std::vector<int32_t> all) const {
        for (size_t i = 0; i < all.size(); ++i)
            if (static_cast<int>(i) % block_columns >= there(static_cast<int>(i) / (line_.count * block_columns))) all[i] = 0;
        return all;
    }

    DepthLine line_;
    int columns_, steps_;
    std::vector<uint8_t> data_, weights_;
    std::vector<const uint8_t*> starts_;
};

// Tiles of weights that stay in the first cache.
double operations_a_second(const Dot& dot) {
    constexpr int depth = 512, tries = 200, tiles = 500;
    const std::vector<uint8_t> weights(depth * block_columns);
    const int64_t bytes = int64_t{depth} * dot.rows * dot.code_bytes, rows[] = {0, dot.rows};
    const std::vector<std::byte> panel(static_cast<size_t>(bytes));
    std::vector<int32_t> sums(static_cast<size_t>(dot.rows * block_columns));
    double best = 0;
    for (int i = 0; i < tries; ++i) {
        using Clock = std::chrono::steady_clock;
        const auto start = Clock::now();
        for (int k = 0; k < tiles; ++k)
            dot.sums({panel.data(), bytes, rows, 1, depth / step_depth}, reinterpret_cast<const int8_t*>(weights.data()), sums.data());
        const double seconds = std::chrono::duration<double>(Clock::now() - start).count();
        best = std::max(best, 2.0 * dot.rows * block_columns * depth * tiles / seconds);
    }
    return best;
}

}  // namespace

size_t check_dots() {
    std::mt19937 random(1);
    std::vector<const Dot*> dots = stand_ins();
    dots.insert(dots.end(), all_dots().begin(), all_dots().end());
    size_t wrong = 0;
    for (int i = 0; i < 2000; ++i) {
        const int taps = 1 + static_cast<int>(random() % 9), depth = step_depth * (1 + static_cast<int>(random() % 20));
        const int64_t count = 1 + random() % (random() % 4 ? max_rows : 100);
        const std::vector<uint8_t> data = drawn(random, 4096);
        const std::vector<uint8_t> weights = drawn(random, static_cast<size_t>(taps * depth * block_columns));
        Results results{std::vector<const uint8_t*>(static_cast<size_t>(count * taps)), count, taps, depth};
        for (const uint8_t*& start : results.starts) start = data.data() + random() % (data.size() - static_cast<size_t>(depth) - 1);
        const Piece rows(results, 0, std::min<int64_t>(count, max_rows));
        Piece few(results, 0, std::min<int64_t>(count, depth_rows));
        few.rows.depth = 1;
        const auto* w = reinterpret_cast<const int8_t*>(weights.data());
        const int columns = 1 + static_cast<int>(random() % std::min(block_columns, depth));
        for (const Dot* dot : dots) {
            wrong += differences("sums", dot->name, sums_by(*dot, results, w), sums_by(portable_dot, results, w));
            wrong += differences("sums of rows", dot->name, row_sums_by(*dot, rows.rows), row_sums_by(portable_dot, rows.rows));
            wrong += differences("depthwise sums", dot->name, depth_sums_by(*dot, few.rows, columns, w),
                                 depth_sums_by(portable_dot, few.rows, columns, w));
        }
        const DrawnLine line(random);
        for (const Dot* dot : dots)
            if (dot->lines) wrong += differences("depthwise sums by lines", dot->name, line.by(*dot->lines), line.plain());
    }
    return wrong;
}

void print_peak() {
    fmt::print("{}: {:.0f} billion additions and multiplications of codes a second on one core\n", dot().name,
               operations_a_second(dot()) * 1e-9);
}

}  // namespace code_tests
