// GGUF, the file format of ggml: as the other formats have it.
#pragma once

#include "formats/gguf/file/container.h"
#include "formats/shared/format.h"

namespace quern::gguf_format {

Model read(const Bytes& bytes, const std::string& path);
// Only models that were read from GGUF, in whatever form they have been since: metadata and names of tensors are its own. Throws
// Exit::unsupported for others, and for encodings that are not ggml's.
void write(const Model& model, const std::string& path, const WriteOptions& options);

}  // namespace quern::gguf_format

namespace quern::gguf {

// Throws Exit::unsupported for files that hold something else than a model: adapters, projectors of images, importance matrices,
// vocabularies alone.
void need_model(const File& file);

}  // namespace quern::gguf
