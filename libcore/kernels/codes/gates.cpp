#include "libcore/kernels/codes/gates.h"

#include "libcore/integer/recurrent.h"
#include "libcore/kernels/codes/dot.h"
#include "libcore/kernels/codes/kinds.h"

namespace quern::codes {
namespace {

void sums(const GateParameters& p, const GateTile& tile) {
    for (int r = 0; r < tile.count; ++r)
        for (int c = 0; c < tile.columns; ++c) {
            const auto column = static_cast<size_t>(tile.place + c);
            const auto sum = static_cast<uint32_t>(tile.sums[r * block_columns + c]) + static_cast<uint32_t>(p.bias[column]);
            int16_t& gate = tile.gates[r * tile.stride + c];
            gate = gate_code(tile.adds ? gate : 0, static_cast<int32_t>(sum), p.factors[column], p.shifts[column]);
        }
}

void lstm(const int16_t* gates, const lstm_codes_t& s, int16_t* cell, int8_t* state) { lstm_cell(gates, cell, state, &s); }

}  // namespace

const Gates portable_gates{"portable", sums, lstm};

std::span<const Gates* const> all_gates() { return all_kinds<vectors_gates, portable_gates>(); }

const Gates& gates() { return *all_gates().front(); }

}  // namespace quern::codes
