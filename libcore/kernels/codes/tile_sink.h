// Where the sums of a product go: an inner loop hands over a few results with one block of columns at a time (dot.h).
#pragma once

#include <cstdint>

#include "libcore/kernels/codes/finish.h"

namespace quern::codes {

struct SumsTile {
    const int32_t* sums;  // [rows][block_columns]
    int64_t row;          // the first result
    int64_t column;       // the first one, of all groups
    int64_t place;        // the same where groups are filled up to whole blocks (weights.h)
    int rows, columns;
};

// Called from several threads, each with tiles of its own.
class TileSink {
   public:
    virtual ~TileSink() = default;
    virtual void take(const SumsTile& tile) const = 0;
};

// Makes codes of them: out [results][width].
class CodesSink : public TileSink {
   public:
    CodesSink(const FinishParameters& finish, uint8_t* out, int64_t width) : finish_(finish), out_(out), width_(width) {}
    void take(const SumsTile& tile) const override;

   private:
    const FinishParameters& finish_;
    uint8_t* out_;
    int64_t width_;
};

}  // namespace quern::codes
