// The frame around the FlatBuffer: header and trailer.
#pragma once

#include <cstdint>
#include <string_view>

namespace quern::native_format {

inline constexpr uint32_t major_version = 1;
inline constexpr uint32_t minor_version = 1;  // 1: blocks of a format
inline constexpr size_t alignment = 64;
inline constexpr uint32_t no_index = 0xffffffff;

struct Header {
    char magic[8] = {'Q', 'U', 'E', 'R', 'N', 'N', 'E', 'T'};
    uint32_t major = major_version, minor = minor_version;
    char zeros[48] = {};
};

struct Trailer {
    char magic[8] = {'Q', 'U', 'E', 'R', 'N', 'E', 'N', 'D'};
    uint32_t major = major_version, minor = minor_version;
    uint64_t offset = 0, size = 0;  // of the FlatBuffer
    char digest[32] = {};
};

static_assert(sizeof(Header) == alignment && sizeof(Trailer) == alignment);

}  // namespace quern::native_format
