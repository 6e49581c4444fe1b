// A GGUF file, opened: its metadata, and where its tensors lie. Versions 2 and 3, of either byte order, whole or split into shards.
// Layout: ggml's page on GGUF; what it leaves open is as the reader that comes with ggml has it.
//
// The file is hostile until shown otherwise: every count, length, type, offset and name is checked, before memory is taken for it. Of the
// tensors' data nothing is touched.
#pragma once

#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "formats/gguf/file/metadata.h"
#include "libcore/blocks/block_format.h"
#include "libcore/graph/type.h"

namespace quern::gguf {

struct TensorInfo {
    std::string name;
    const BlockFormat* format = nullptr;
    Dims dims;            // row-major, the reverse of the file's: [N,K], blocks run along the last; none: one element
    Bytes stored;         // of the mapping, in the file's byte order
    uint64_t offset = 0;  // of them in their file
    uint32_t shard = 0;   // which file that is
    bool big_endian = false;

    int64_t elements() const;
    // The blocks as BlockFormat has them: little endian. `stored` itself, or a copy of a big-endian one.
    Bytes data() const;
};

struct File {
    uint32_t version = 3;
    bool big_endian = false;
    uint64_t alignment = 32;
    Metadata metadata;  // of the first shard
    std::vector<TensorInfo> tensors;
    uint64_t size = 0;    // bytes of all its files
    uint32_t shards = 1;  // files

    const TensorInfo* find(std::string_view name) const;  // nullptr: none
    // Adds a tensor; false: there is one of its name.
    bool add(TensorInfo tensor);

   private:
    std::unordered_map<std::string, size_t> index_;
};

// Begins with the magic?
bool has_magic(const Bytes& bytes);

}  // namespace quern::gguf
