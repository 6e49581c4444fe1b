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
    int64_t next_sums = 0;  // from the sums of one part to those of the next (finish.h)
};

// Called from several threads, each with tiles of its own.
class TileSink {
   public:
    virtual ~TileSink() = default;
    virtual void take(const SumsTile& tile) const = 0;
};

// Makes codes of them: out [results][width]; parts of the codes lie `next_out` bytes apart.
class CodesSink : public TileSink {
   public:
    CodesSink(const FinishParameters& finish, uint8_t* out, int64_t width, int64_t next_out)
        : finish_(finish), out_(out), width_(width), next_out_(next_out) {}
    void take(const SumsTile& tile) const override;

   private:
    const FinishParameters& finish_;
    uint8_t* out_;
    int64_t width_, next_out_;
};

}  // namespace quern::codes
