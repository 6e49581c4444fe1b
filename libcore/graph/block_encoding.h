// Constants in blocks of a format (libcore/blocks): Encoding::format.
#pragma once

#include <optional>

#include "libcore/blocks/block_format.h"
#include "libcore/graph/encoding.h"

namespace quern {

// The encoding of a constant whose rows along `axis` are blocks.
Encoding block_encoding(const BlockFormat& format, int axis);
// Throws Exit::bad_input if rows of a constant of these dims do not fill whole blocks, or if the axis is another than the last two.
void check_blocks(const Dims& dims, const Encoding& encoding);

// How such a constant lies in memory: `rows` runs of `length` elements, `bytes` each. Stored transposed, a matrix [length, rows] is
// [rows, length] there, one after the other in a stack of them.
struct BlockRows {
    int64_t stack, rows, length;
    size_t bytes;
    bool transposed;
};
BlockRows block_rows(const Dims& dims, const Encoding& encoding);  // dims: logical

// The dims of a constant of these dims as it is stored: its own, but for one in blocks of a format.
Dims stored_dims(const Dims& dims, const Encoding& encoding);

Tensor decoded_blocks(const Tensor& stored, const Encoding& encoding);  // float32, logical dims
// What Encoding says, from float32. `importance`: a weight for each element of a row, or nullptr.
Tensor encoded_blocks(const Tensor& real, const Encoding& encoding, const float* importance);

// Codes of 4 bits in bytes; others as they are.
Tensor in_bytes(const Tensor& codes);

// As codes of their own, with scales (and minima) of float32 beside them: not a bit of what they decode to is lost.
struct Unpacked {
    Tensor codes;                      // in logical dims; plain numbers as they are
    std::optional<Encoding> encoding;  // none of float32
};
Unpacked unpacked(const Tensor& stored, const Encoding& encoding);
// The only blocks that say these codes, with the scales and minima of `parts`, in logical order; to file order. Throws Exit::unsupported if
// no blocks do, or if several may.
Tensor packed(const Tensor& codes, const Tensor& scale, const Tensor& min, const Encoding& encoding);

}  // namespace quern
