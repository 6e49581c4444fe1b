// Compile cache: blobs of partitions in a folder, each under the digest of all that it is made of: the partition with its weights, the
// options, the back end with its version and, for the built-in ones, the instruction set. A changed layer changes one file.
#pragma once

#include "libcore/backend/client.h"

namespace quern {

// The blob of `partition`: from `folder`, made if need be, if it is there and whole; else compiled, and kept there. "": no cache.
Bytes compile_cached(Backend& backend, const Graph& partition, const BlobOptions& options, const std::string& folder);

}  // namespace quern
