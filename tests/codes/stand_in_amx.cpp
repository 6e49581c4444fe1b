// The instructions of AMX as plain functions, as strict as the processor is: what it refuses ends the test.
#include <array>
#include <stdexcept>

#include "libcore/kernels/codes/dot_amx.h"
#include "tests/codes/stand_in.h"

namespace code_tests {
namespace {

using namespace quern::codes;

void need(bool right, const char* what) {
    if (!right) throw std::logic_error(what);
}

struct Registers {
    bool configured = false;
    TileShapes shapes;
    std::array<std::array<uint8_t, tile_rows * tile_bytes>, 8> tiles;
};
Registers& registers() {
    thread_local Registers own;
    return own;
}

struct PlainTiles {
    static void configure(const TileShapes& shapes) {
        need(!registers().configured, "AMX: a product before has not released the tiles");
        need(shapes.palette == 1 && shapes.start_row == 0, "AMX: no such palette");
        for (int t = 0; t < 16; ++t) {
            need(shapes.rows[t] <= tile_rows && shapes.row_bytes[t] <= tile_bytes, "AMX: a tile is too large");
            need((shapes.rows[t] == 0) == (shapes.row_bytes[t] == 0) && (t < 8 || shapes.rows[t] == 0), "AMX: no such tile");
        }
        registers().shapes = shapes;
        registers().tiles = {};
        registers().configured = true;
    }
    static void release() { registers().configured = false; }

    template <int T>
    static void zero() {
        tile(T).fill(0);
    }
    template <int T>
    static void load(const void* from, int64_t stride) {
        tile(T).fill(0);
        for (int r = 0; r < rows(T); ++r)
            std::memcpy(tile(T).data() + r * tile_bytes, static_cast<const uint8_t*>(from) + r * stride, static_cast<size_t>(bytes(T)));
    }
    template <int T>
    static void store(void* to, int64_t stride) {
        for (int r = 0; r < rows(T); ++r)
            std::memcpy(static_cast<uint8_t*>(to) + r * stride, tile(T).data() + r * tile_bytes, static_cast<size_t>(bytes(T)));
    }
    template <int Sums, int Codes, int Weights>
    static void multiply() {
        need(bytes(Codes) == 4 * rows(Weights) && rows(Sums) == rows(Codes) && bytes(Sums) == bytes(Weights), "AMX: shapes do not fit");
        for (int r = 0; r < rows(Sums); ++r)
            for (int c = 0; c < bytes(Sums); c += 4) {
                uint32_t sum;
                uint8_t* const at = tile(Sums).data() + r * tile_bytes + c;
                std::memcpy(&sum, at, sizeof sum);
                for (int k = 0; k < bytes(Codes); ++k)
                    sum += static_cast<uint32_t>(tile(Codes)[static_cast<size_t>(r * tile_bytes + k)] *
                                                 static_cast<int8_t>(tile(Weights)[static_cast<size_t>(k / 4 * tile_bytes + c + k % 4)]));
                std::memcpy(at, &sum, sizeof sum);
            }
    }

   private:
    static std::array<uint8_t, tile_rows * tile_bytes>& tile(int t) {
        need(registers().configured && rows(t) > 0, "AMX: a tile is used that is not configured");
        return registers().tiles[static_cast<size_t>(t)];
    }
    static int rows(int t) { return registers().shapes.rows[t]; }
    static int bytes(int t) { return registers().shapes.row_bytes[t]; }
};

}  // namespace

const Dot& stand_in_amx() {
    static const Dot dot = [] {
        Dot amx = portable_dot;
        amx.name = "amx-int8 (stand-in)";
        amx.rows = tile_rows;
        amx.gather = gather_lines;
        amx.sums = AmxLoop<PlainTiles>::sums;
        return amx;
    }();
    return dot;
}

}  // namespace code_tests
