// The frame of a file of sections as bytes: a header, then the table. All numbers are little endian.
#pragma once

#include <cstddef>
#include <cstdint>

namespace quern::context_format {

inline constexpr uint32_t major_version = 1, minor_version = 0;
inline constexpr size_t alignment = 64;

struct Header {
    char magic[8];
    uint32_t major, minor, sections, zero;
    uint64_t size;    // of the file
    char digest[32];  // of the table
};

struct Entry {
    char kind[8];
    uint32_t index, on_demand;
    uint64_t offset, size;
    char digest[32];
};

static_assert(sizeof(Header) == alignment && sizeof(Entry) == alignment);

}  // namespace quern::context_format
