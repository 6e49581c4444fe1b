// Skeleton: an ONNX file without its weights. A walk over the wire format of the mapped file cuts large tensor payloads out, so that
// the generated classes parse only the rest: no weight is copied, and files beyond protobuf's 2 GiB limit are read.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern::onnx_format {

struct Skeleton {
    std::string message;          // a serialised Model or Tensor; each payload is an external_data entry
    std::vector<Bytes> payloads;  // slices of the file
};

// The external_data entry of a payload: key, and value "index" of the payload, which is what was in raw_data, float_data or
// double_data (all three are the little-endian elements themselves).
inline constexpr const char* payload_key = "quern.payload";

// Throws Exit::bad_input with the offset of what is broken.
Skeleton skeleton_of_model(const Bytes& file);
Skeleton skeleton_of_tensor(const Bytes& file);

}  // namespace quern::onnx_format
