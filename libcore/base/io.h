// Files and standard streams: whole inputs as mapped Bytes, outputs that appear under their name only when complete.
#pragma once

#include <cstdio>
#include <functional>
#include <string>
#include <string_view>

#include "libcore/base/bytes.h"

namespace quern {

// The contents of a file, or of standard input for "-", mapped read-only. A stdin that is no regular file is spooled
// to an unlinked temporary file first, so memory stays bounded. Errors: Exit::io, naming the path.
Bytes map_input(const std::string& path);

// An open, already unlinked file in $TMPDIR; the caller closes it. Errors: Exit::io.
int open_spool();

// The whole contents of an open file, mapped; `name` is for messages.
Bytes map_descriptor(int fd, const std::string& name);

// The same bytes in such a file, mapped from it.
Bytes spooled(const Bytes& bytes);

// "-" is shown as "<stdin>" in messages.
std::string display_name(const std::string& path);

// An output under construction: a temporary file beside `path` ("-": standard output, spooled likewise so that a
// failure writes nothing). commit() flushes, checks and renames; without it the destructor removes the temporary file,
// and a killed process leaves only the temporary one behind, never a half file under the final name.
class OutputFile {
   public:
    explicit OutputFile(std::string path);
    // No file: what is written goes to `to`, in pieces, the last ones at commit().
    explicit OutputFile(std::function<void(const void* data, size_t size)> to);
    ~OutputFile();
    OutputFile(const OutputFile&) = delete;
    OutputFile& operator=(const OutputFile&) = delete;

    void write(const void* data, size_t size);
    void write(std::string_view text) { write(text.data(), text.size()); }
    void write(const Bytes& bytes) { write(bytes.data(), bytes.size()); }
    void pad_to(size_t alignment);  // zero bytes up to a multiple of `alignment`
    size_t position() const { return position_; }
    void commit();

   private:
    void flush();
    void pass_on(const void* data, size_t size);
    std::string path_;
    std::string temporary_;
    std::function<void(const void*, size_t)> to_;
    int fd_ = -1;
    size_t position_ = 0;
    std::string buffer_;
};

// A temporary file without name: what is written to file() is mapped by finish().
class SpoolFile {
   public:
    SpoolFile();
    ~SpoolFile();
    SpoolFile(const SpoolFile&) = delete;
    SpoolFile& operator=(const SpoolFile&) = delete;
    OutputFile& file() { return file_; }
    Bytes finish();

   private:
    int fd_;
    OutputFile file_;
};

bool file_exists(const std::string& path);
void remove_file(const std::string& path);  // no error if there is none

// One call for small products.
void write_output(const std::string& path, std::string_view contents);

// Throws Exit::usage if `path` is standard output and that is a terminal: for binary products.
void refuse_terminal(const std::string& path);

// Makes a folder (and its parents) or throws Exit::io.
void make_folder(const std::string& path);

}  // namespace quern
