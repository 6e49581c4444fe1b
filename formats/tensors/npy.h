// NumPy's .npy: one array. Read in both byte orders and both memory orders; written little-endian in C order.
#pragma once

#include <string>

#include "libcore/graph/tensor.h"

namespace quern {

// What the header says, and where the elements are. Throws Exit::bad_input, or Exit::unsupported for objects and records. `whole`: the
// size of all bytes, if `bytes` are only the first of them.
struct NpyArray {
    DType dtype = DType::none;
    bool big_endian = false, fortran_order = false;
    Dims dims;
    size_t header_size = 0;  // offset of the elements
    uint64_t data_size = 0;  // in bytes
};
NpyArray parse_npy_header(std::string_view bytes, uint64_t whole = 0);

// The array of a header whose elements are `data`.
Tensor npy_tensor(const NpyArray& array, const Bytes& data);

// Shares the bytes where they are in order already. Bytes after the array are an error.
Tensor parse_npy(const Bytes& bytes);

// Header of a tensor, padded to a multiple of 64 bytes. bfloat16 and float8 are written as void of their size, types below 8 bits
// and complex are as NumPy has them or Exit::unsupported.
std::string npy_header(DType dtype, const Dims& dims);

}  // namespace quern
