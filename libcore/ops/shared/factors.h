// Factors of integer products: codes minus their zero points as numbers of 16 bits, which multiply and add up fastest.
#pragma once

#include <span>
#include <vector>

#include "libcore/graph/op.h"

namespace quern {

// Codes less their zero points: `zeros` has one item, or one for each index along `axis`; else throws Exit::bad_input.
std::vector<int32_t> centered(const Tensor& codes, std::span<const int64_t> zeros, size_t axis = 0);

// Whole numbers, each the sum of parts[p].items[i] * 256^p: one part, where 16 bits hold them.
struct Factors {
    struct Part {
        std::vector<int16_t> items;
        int64_t reach;  // no item is further from 0
    };
    std::vector<Part> parts;

    Factors(std::span<const int32_t> numbers);                                                    // NOLINT: the same numbers
    Factors(const std::vector<int32_t>& numbers) : Factors(std::span<const int32_t>(numbers)) {}  // NOLINT: the same numbers
    Factors(const Tensor& codes, std::span<const int64_t> zeros, size_t axis = 0);                // as centered()

    Factors halves() const;                                               // of one part: its lower 8 bits and the others
    Factors swapped(int64_t count, int64_t rows, int64_t columns) const;  // the two inner axes of `count` matrices

   private:
    Factors() = default;
};

// Input i, which is encoded.
Factors centered_input(EvalCtx& ctx, size_t i);

// Have they products of which 32 bits hold too few for a sum, unless `b` is halved?
bool must_split(const Factors& a, const Factors& b);
// Do sums of `depth` products of theirs fit 32 bits?
bool has_narrow_sums(const Factors& a, const Factors& b, int64_t depth);

}  // namespace quern
