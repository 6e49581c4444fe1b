// The gates of recurrent layers on codes (libcore/integer/recurrent.h): numbers of 16 bits, made of the sums of products, and what a step
// makes of them. One family an instruction set; all give the same.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/integer/recurrent.h"
#include "libcore/kernels/codes/tile_sink.h"

namespace quern::codes {

// One item for each column, filled up to whole blocks (weights.h). Factors are not negative, shifts from -31 to 30.
struct GateParameters {
    const int32_t* bias;  // with the zero points of the data in it; wraps
    std::vector<int32_t> factors, shifts;
};

struct GateTile {
    const int32_t* sums;  // [count][block_columns]
    int64_t place;
    int count, columns;
    int16_t* gates;  // of the first row; the others `stride` items on
    int64_t stride;
    bool adds;  // to what is there
};

struct Gates {
    std::string_view name;
    void (*sums)(const GateParameters& parameters, const GateTile& tile);  // gate_code
    // Of one row: gates i, o, f, c to cells and states, s.hidden each (lstm_cell).
    void (*lstm)(const int16_t* gates, const lstm_codes_t& s, int16_t* cell, int8_t* state);
};
const Gates& gates();                       // the fastest here
std::span<const Gates* const> all_gates();  // for tests
extern const Gates portable_gates, vectors_gates;

// Sums of a product to gates [results][..], `stride` items apart.
class GateSink : public TileSink {
   public:
    GateSink(const GateParameters& parameters, int16_t* out, int64_t stride, bool adds)
        : parameters_(parameters), out_(out), stride_(stride), adds_(adds) {}
    void take(const SumsTile& tile) const override {
        int16_t* out = out_ + tile.row * stride_ + tile.column;
        gates().sums(parameters_, {tile.sums, tile.place, tile.rows, tile.columns, out, stride_, adds_});
    }

   private:
    const GateParameters& parameters_;
    int16_t* out_;
    int64_t stride_;
    bool adds_;
};

}  // namespace quern::codes
