// File descriptors read and written to the end; errors name the file.
#pragma once

#include <unistd.h>

#include <cstddef>
#include <cstdint>
#include <string>

namespace quern {

// Closed with its owner.
struct Descriptor {
    int fd = -1;
    explicit Descriptor(int descriptor) : fd(descriptor) {}
    Descriptor(const Descriptor&) = delete;
    Descriptor& operator=(const Descriptor&) = delete;
    ~Descriptor() {
        if (fd >= 0) ::close(fd);
    }
};

std::string errno_text();

// Throws Exit::io, or ClosedPipe.
void write_all(int fd, const char* data, size_t size, const std::string& name);
// From where `from` stands to its end; false if that is more than `max` bytes, of which a part is copied then.
bool copy_at_most(uint64_t max, int from, int to, const std::string& from_name, const std::string& to_name);
// All of it.
void copy_descriptor(int from, int to, const std::string& from_name, const std::string& to_name);

// An open file in `folder` that has no name and is gone when it is closed; -1, with errno set, where the file system has no such files.
int open_unnamed(const std::string& folder, unsigned mode);

}  // namespace quern
