// Writes a GGUF file front to back: header, metadata and tensor infos at once, then the tensors' data one by one, so that no more than one
// of them is in memory. `OutputFile` shows it when it is whole.
#pragma once

#include <string>
#include <vector>

#include "formats/gguf/file/container.h"
#include "libcore/os/io.h"

namespace quern::gguf {

struct TensorHead {
    std::string name;
    const BlockFormat* format = nullptr;
    Dims dims;  // row-major, blocks along the last

    uint64_t bytes() const;
};

struct WriterOptions {
    uint32_t version = 3;     // or 2, which is little endian
    bool big_endian = false;  // byte order of the file; data are given little endian all the same
};

class Writer {
   public:
    // The alignment is the metadata's. Throws Exit::unsupported, naming the tensor, for what GGUF cannot have: names of more than 63 bytes
    // or twice, more than 4 dims, rows that are not whole blocks, an alignment that is not read either.
    // `file` gets it, and is committed by its owner.
    Writer(OutputFile& file, const Metadata& metadata, std::vector<TensorHead> tensors, const WriterOptions& options = {});

    // Blocks of the next tensor, the whole of it.
    void add(const Bytes& blocks);
    void finish();  // after the last one
    // Bytes of the whole file, which is known from the beginning.
    uint64_t size() const { return size_; }

   private:
    template <class T>
    void number(T number);
    void text(std::string_view text);
    void write_value(const MetaValue& value);
    uint64_t write_infos();  // where the data ends, counted from where they begin

    OutputFile& file_;
    std::vector<TensorHead> tensors_;
    WriterOptions options_;
    uint64_t alignment_, size_ = 0;
    size_t next_ = 0;
};

// The whole of an open file: every key but those of splits, every tensor, in one file.
void copy(const File& from, OutputFile& to, const WriterOptions& options = {});

}  // namespace quern::gguf
