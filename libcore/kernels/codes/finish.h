// What becomes of the sums of a product: codes, by the same arithmetic as the profile's reference (ops/integer/sum_codes.h).
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

#include "libcore/ops/integer/sum_codes.h"

namespace quern::codes {

// One item for each column, filled up to whole blocks of columns. The codes are unsigned: those of a signed storage with half
// their range added.
struct FinishParameters {
    SumCodes::By by = SumCodes::By::floats;
    const int32_t* bias = nullptr;  // with the zero points of the operands in it; wraps
    std::vector<float> floats;
    std::vector<int32_t> factors, shifts;
    std::vector<double> doubles;
    int32_t zero = 0, low = 0, high = 255;
    // Products of wider codes (finish_parts.cpp): how many parts of 8 bits the data, the weights and the result have; biases of 64 bits
    // then. Are the sums of 64 bits, or do they wrap at 32?
    int data_parts = 1, weight_parts = 1, out_parts = 1;
    const int64_t* wide_bias = nullptr;
    bool wide = false;

    // Why the factors cannot be those of a kernel; "" if they can.
    static std::string_view obstacle(const SumCodes& codes);
    FinishParameters() = default;
    FinishParameters(const SumCodes& codes, const Encoding& out, size_t columns);
};

// Sums [count][block_columns] of the block that begins at `column`, of which `columns` are there.
struct FinishedTile {
    const int32_t* sums;
    int64_t column;
    int count, columns;
    uint8_t* out;  // of the first row; the others `stride` bytes on
    int64_t stride;
    int64_t next_sums = 0, next_out = 0;  // from one part to the next: of the sums, those of one data part with all of the weights' first
};

struct Finish {
    std::string_view name;
    void (*run)(const FinishParameters& parameters, const FinishedTile& tile);
    void (*run_parts)(const FinishParameters& parameters, const FinishedTile& tile);  // where there are biases of 64 bits
};
const Finish& finish();                                              // the fastest here
std::span<const Finish* const> all_finishes();                       // for tests
extern const Finish portable_finish, vectors_finish, avx512_finish;  // the last one where there is AVX512-VNNI
void portable_finish_parts(const FinishParameters& parameters, const FinishedTile& tile);

// How vectors take the joined sums of parts: by the factors, in the width of the sums; any where they cannot.
enum class PartsWay : uint8_t { floats, wide_floats, fixed, wide_fixed, doubles, wide_doubles, any };
// Of a block of columns.
PartsWay way_of_parts(const FinishParameters& parameters, int64_t column);
constexpr int32_t max_left = 14;  // the largest shift of wide_fixed

inline void finish_tile(const FinishParameters& parameters, const FinishedTile& tile) {
    (parameters.wide_bias ? finish().run_parts : finish().run)(parameters, tile);
}

// What storage adds to a code to make it unsigned.
int32_t bias_of(DType storage);

}  // namespace quern::codes
