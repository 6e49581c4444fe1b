// The inner loop for AMX: tile registers of 16 rows of 64 bytes, and a product of two of them. Panels are [rows][steps][4] codes, which are
// tiles as they lie; so are the weights, sixteen steps of which are one.
#pragma once

#include <algorithm>
#include <cstring>
#include <utility>

#include "libcore/kernels/codes/dot.h"

namespace quern::codes {

constexpr int tile_rows = 16, tile_steps = 16, tile_bytes = 64;

// What ldtilecfg reads (Intel's manual, volume 1, chapter 18): bytes of a row and rows of each register.
struct TileShapes {
    uint8_t palette = 1, start_row = 0, reserved[14] = {};
    uint16_t row_bytes[16] = {};
    uint8_t rows[16] = {};
    void set(int tile, int count, int bytes) {
        rows[tile] = static_cast<uint8_t>(count);
        row_bytes[tile] = static_cast<uint16_t>(bytes);
    }
};
static_assert(sizeof(TileShapes) == 64);

void gather_lines(const TileRows& rows, std::byte* panel);

// `Tiles` has the instructions: configure(shapes), release(), zero<T>(), load<T>(from, stride), store<T>(to, stride), and
// multiply<Sums, Codes, Weights>(), which adds to Sums.
template <class Tiles>
class AmxLoop {
   public:
    static void sums(const Panels& panels, const int8_t* weights, int32_t* sums) {
        const AmxLoop loop(panels, weights);
        for (int64_t i = 0; i < panels.tiles; i += together)
            with_rows<together>(static_cast<int>(std::min<int64_t>(together, panels.tiles - i)), [&]<int Count>() {
                loop.run(i, sums + (panels.rows[i] - panels.rows[0]) * block_columns, std::make_integer_sequence<int, Count>());
            });
        Tiles::release();
    }

   private:
    // Registers: sums from 0 on, a whole tile of codes and of weights, and those of the last steps.
    static constexpr int together = 3, codes = 4, weights_tile = 5, last_codes = 6, last_weights = 7;

    AmxLoop(const Panels& panels, const int8_t* weights)
        : panels_(panels), weights_(weights), whole_(panels.steps / tile_steps), line_(panels.steps * step_depth) {
        for (int64_t i = 0; i < panels.tiles; ++i) rows_ = std::max(rows_, panels.count(i));
        const auto last = static_cast<int>(panels.steps % tile_steps);
        TileShapes shapes;
        for (int i = 0; i < together; ++i) shapes.set(i, rows_, tile_bytes);
        shapes.set(codes, rows_, tile_bytes);
        shapes.set(weights_tile, tile_steps, tile_bytes);
        if (last > 0) {
            shapes.set(last_codes, rows_, last * step_depth);
            shapes.set(last_weights, last, tile_bytes);
        }
        Tiles::configure(shapes);
    }

    template <int... I>
    void run(int64_t first, int32_t* sums, std::integer_sequence<int, I...>) const {
        const std::byte* x = panels_.first + first * panels_.bytes;
        const int8_t* weights = weights_;
        (Tiles::template zero<I>(), ...);
        for (int64_t k = 0; k < whole_; ++k, x += tile_bytes, weights += tile_steps * tile_bytes) {
            Tiles::template load<weights_tile>(weights, tile_bytes);
            (add<I, codes, weights_tile>(x), ...);
        }
        if (whole_ * tile_steps < panels_.steps) {
            Tiles::template load<last_weights>(weights, tile_bytes);
            (add<I, last_codes, last_weights>(x), ...);
        }
        (store<I>(panels_.count(first + I), sums + (panels_.rows[first + I] - panels_.rows[first]) * block_columns), ...);
    }

    template <int I, int Codes, int Weights>
    void add(const std::byte* x) const {
        Tiles::template load<Codes>(x + I * panels_.bytes, line_);
        Tiles::template multiply<I, Codes, Weights>();
    }

    // Panels have place for all rows of a tile; those that are not there are not stored.
    template <int I>
    void store(int count, int32_t* to) const {
        if (count == rows_) return Tiles::template store<I>(to, tile_bytes);
        alignas(64) int32_t all[tile_rows * block_columns];
        Tiles::template store<I>(all, tile_bytes);
        std::memcpy(to, all, static_cast<size_t>(count) * tile_bytes);
    }

    const Panels& panels_;
    const int8_t* weights_;
    int64_t whole_, line_;  // whole tiles of steps; bytes of a panel's row
    int rows_ = 0;
};

}  // namespace quern::codes
