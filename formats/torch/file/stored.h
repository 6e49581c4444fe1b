// A tensor as PyTorch stores it: a window with strides onto a storage that several tensors may share.
#pragma once

#include <compare>
#include <cstdint>

#include "libcore/graph/tensor.h"

namespace quern::torch_format {

struct StoredTensor {
    DType dtype = DType::none;
    Dims sizes, strides;  // in elements
    int64_t offset = 0;   // of the first element, in elements
    Bytes storage;
};

// The bytes of its elements. Throws what tensor_of() throws.
uint64_t checked_size(const StoredTensor& stored, uint64_t most);

// Row-major, a slice of the storage where it lies there so. Throws Exit::bad_input where it reaches beyond its storage, and where the
// elements are more than `most` bytes although the storage is smaller (strides of 0 repeat elements).
Tensor tensor_of(const StoredTensor& stored, uint64_t most);

// The element type that a number of the file's table means; throws Exit::unsupported.
DType dtype_of_code(int64_t code);

}  // namespace quern::torch_format
