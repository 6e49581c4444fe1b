// The ONNX format's row.
#pragma once

#include "formats/shared/format.h"

namespace quern::onnx_format {

bool sniff(const Bytes& bytes);
Model read(const Bytes& bytes, const std::string& path);
void write(const Model& model, const std::string& path, const WriteOptions& options);
// The whole model, weights inside, at the beginning of `file`, which is not committed. Throws Exit::unsupported beyond 2 GiB.
void write(const Model& model, OutputFile& file, const WriteOptions& options);

}  // namespace quern::onnx_format
