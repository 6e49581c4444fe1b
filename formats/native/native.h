// The native format: native.fbs and docs/native.md describe it.
#pragma once

#include <string>

#include "formats/shared/format.h"

namespace quern::native_format {

bool sniff(const Bytes& bytes);
// Weights are slices of `bytes`, never copied.
Model read(const Bytes& bytes, const std::string& path);
// Streams: at most one weight's pages are resident at a time.
void write(const Model& model, const std::string& path, const WriteOptions& options);
// At the beginning of `file`, which is not committed.
void write(const Model& model, OutputFile& file);

// Compares every blob with its digest; throws Exit::bad_input naming the first that differs.
void check_digests(const Bytes& bytes);

}  // namespace quern::native_format
