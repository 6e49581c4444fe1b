// The caller's buffers of a session's inputs and outputs: numbers or codes, whatever the model has.
#pragma once

#include <map>
#include <optional>

#include "formats/tensors/fit.h"

namespace quern {

struct IoBuffer {
    DType dtype = DType::none;
    void* data = nullptr;  // of inputs: only read
    size_t size = 0;       // bytes
};

// Throws Exit::bad_input unless `dtype` is that of the numbers, or of the codes.
void check_buffer_dtype(DType dtype, const InputSpec& spec);
// The numbers in a buffer; `dims` if the caller set them, else as the type and the size say.
Tensor tensor_of(const IoBuffer& buffer, const InputSpec& spec, const std::optional<Dims>& dims);
// Writes an output into a buffer that has room for it.
void copy_to(const IoBuffer& buffer, const InputSpec& spec, const Tensor& output);

}  // namespace quern
