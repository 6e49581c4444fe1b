// Encoding: the quantization parameters of a value - how its float values are stored as integers ("codes") or small floats.
// real = (code - zero) * scale.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern {

struct BlockFormat;

struct Encoding {
    enum class Kind : uint8_t { fixed, dynamic };  // dynamic: scale and zero are computed from the data at run time

    Kind kind = Kind::fixed;
    DType storage = DType::none;  // of the quantized values
    DType real = DType::f32;      // of the float values
    int64_t qmin = 0, qmax = 0;   // quantized values are clipped to these
    int axis = -1;                // -1: one scale for the whole tensor; else one per slice along this axis
    int64_t block = 0;            // > 0: blocks of this many elements along `axis`, scale has the tensor's rank
    Tensor scale;                 // rank 0 per tensor; [dim(axis)] per channel; blocked: ceil(dim/block) along axis. dynamic: undefined,
                                  // but in a run, where it is what the data gave
    Tensor zero;                  // like scale, of the storage type (int32 for wider); undefined: 0
    Tensor min;                   // affine block formats: real = code * scale + min; else undefined
    // Not nullptr: a constant is stored in blocks of this format (libcore/blocks), codes, scales and minima together, as bytes (storage
    // u8); scale, zero and min are undefined. Blocks lie along `axis`, the last dim, or the last but one of a matrix (or of each of a
    // stack) that is stored transposed. block_encoding.h has more.
    const BlockFormat* format = nullptr;

    bool is_fixed() const { return kind == Kind::fixed; }
    bool is_dynamic() const { return kind == Kind::dynamic; }
    bool per_tensor() const { return axis < 0 && block == 0; }
    bool per_channel() const { return axis >= 0 && block == 0; }
    // Fixed integer codes of at most `bits` bits with one scale and zero point for all: real = (code - zero) * scale.
    bool plain_integer(int bits = 64) const {
        return is_fixed() && per_tensor() && !min.defined() && is_integer(storage) && bits_of(storage) <= bits;
    }
    int64_t zero_at(size_t i = 0) const;                    // of channel or block i
    std::vector<int64_t> zeros() const;                     // one per scale
    Encoding with_limits(int64_t low, int64_t high) const;  // with codes clipped to [low, high]
    bool symmetric() const;                                 // zero is absent or all 0
};

bool operator==(const Encoding& a, const Encoding& b);

// The default limits of a storage type: its whole range, or for `symmetric` signed types without the least code.
Encoding make_encoding(DType storage, Tensor scale, Tensor zero, int axis = -1, bool symmetric = false);

// "int8 scale 0.0235 zero 3", "int8[axis 0, 32 scales]", "q4_k".
std::string to_string(const Encoding& encoding);

}  // namespace quern
