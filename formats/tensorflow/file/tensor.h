// Tensors of the file as ours.
#pragma once

#include "formats/wire/wire.h"
#include "libcore/graph/tensor.h"

namespace quern::tensorflow_format {

// A tensor as it lies in the file.
struct StoredTensor {
    int64_t type = 0;
    Shape shape;
    Bytes message;  // the TensorProto
};

Shape read_shape(const Bytes& message);
StoredTensor read_stored(const Bytes& message);
// Values that the file leaves out - the last repeats, or all are zeros - are made; throws Exit::unsupported if they take more than `most`
// bytes.
Tensor tensor_of(const StoredTensor& stored, uint64_t most);

}  // namespace quern::tensorflow_format
