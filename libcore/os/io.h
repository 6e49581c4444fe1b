// Files and standard streams: whole inputs as mapped Bytes, outputs that appear under their name only when complete.
#pragma once

#include <cstdio>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "libcore/base/bytes.h"

namespace quern {

// The contents of a file, or of standard input for "-", mapped read-only. A stdin that is not a regular file is spooled
// to an unlinked temporary file first, so memory stays bounded. Errors: Exit::io, naming the path.
Bytes map_input(const std::string& path);

// A regular file, mapped; nothing is waited for. Errors, which do not name it: Exit::io where it cannot be opened, Exit::bad_input where it
// is something else.
Bytes map_regular(const std::string& path);

// An open, already unlinked file in $TMPDIR; the caller closes it. Errors: Exit::io.
int open_spool();

// The whole contents of an open file, mapped; `name` is for messages.
Bytes map_descriptor(int fd, const std::string& name);

// The same bytes in such a file, mapped from it.
Bytes spooled(const Bytes& bytes);

// "-" is shown as "<stdin>" in messages.
std::string display_name(const std::string& path);

struct OutputTarget;
class StagedFile;

// An output under construction. It is a file without a name (where the file system has such) in the folder where `path` leads, behind
// symbolic links; commit() flushes, checks and gives it the name, with owner and mode of the file that it replaces. "-" is standard output,
// which other names lead to as well (/dev/stdout); it, devices and pipes get the whole at commit(), so that a failure writes nothing.
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
    // A program or library: a new file gets the mode of one.
    void make_executable() { executable_ = true; }
    void commit();
    // All that commit() writes without giving it a name or passing it on.
    void complete();

   private:
    void flush();
    void pass_on(const void* data, size_t size);
    void stop_at_terminal(const char* data, size_t size) const;
    std::unique_ptr<const OutputTarget> target_;
    std::unique_ptr<StagedFile> staged_;
    std::function<void(const void*, size_t)> to_;
    int spool_ = -1;
    bool terminal_ = false, executable_ = false;
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
// Files that belong together: the first gets its name when all are complete.
void commit_together(std::span<OutputFile* const> files);
inline void commit_together(std::initializer_list<OutputFile*> files) { commit_together(std::span(files.begin(), files.size())); }

// Throws Exit::usage if `path` leads to a terminal: for binary products, before work is done for them. What an OutputFile gets is looked
// at, too.
void refuse_terminal(const std::string& path);

// Does `path` lead to a stream, a pipe or a device, which has no suffix to go by?
bool is_stream(const std::string& path);
// Is it standard output, by whatever name?
bool is_standard_output(const std::string& path);

// Makes a folder (and its parents) or throws Exit::io.
void make_folder(const std::string& path);

}  // namespace quern
