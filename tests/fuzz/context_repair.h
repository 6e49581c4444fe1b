// A context whose digests fit its bytes again, so that what is behind them is tried, too: of its sections, of the programs in them and of
// the native files in those.
#pragma once

#include <cstring>
#include <string_view>

#include "formats/context/layout.h"
#include "formats/native/layout.h"
#include "libcore/base/digest.h"

namespace quern {

inline void set_digest(char* to, const std::byte* data, size_t size) { std::memcpy(to, Digest().update(data, size).hex().data(), 32); }

inline bool inside(uint64_t offset, uint64_t size, size_t end) { return offset <= end && size <= end - offset; }

inline void repair_native(std::byte* data, size_t size) {
    native_format::Trailer trailer;
    if (size < sizeof trailer) return;
    std::memcpy(&trailer, data + size - sizeof trailer, sizeof trailer);
    if (!inside(trailer.offset, trailer.size, size)) return;
    set_digest(trailer.digest, data + trailer.offset, trailer.size);
    std::memcpy(data + size - sizeof trailer, &trailer, sizeof trailer);
}

inline void repair_sections(std::byte* data, size_t size, int depth = 0) {
    context_format::Header header;
    if (size < sizeof header || depth > 2) return;
    std::memcpy(&header, data, sizeof header);
    const std::string_view magic(header.magic, sizeof header.magic);
    if (magic == "QUERNNET") return repair_native(data, size);
    const uint64_t table = uint64_t{header.sections} * sizeof(context_format::Entry);
    if ((magic != "QUERNCTX" && magic != "QUERNPRG") || !inside(sizeof header, table, size)) return;
    for (uint64_t at = sizeof header; at < sizeof header + table; at += sizeof(context_format::Entry)) {
        context_format::Entry entry;
        std::memcpy(&entry, data + at, sizeof entry);
        if (!inside(entry.offset, entry.size, size)) continue;
        if (entry.offset >= sizeof header + table) repair_sections(data + entry.offset, entry.size, depth + 1);
        set_digest(entry.digest, data + entry.offset, entry.size);
        std::memcpy(data + at, &entry, sizeof entry);
    }
    set_digest(header.digest, data + sizeof header, table);
    header.size = size;
    std::memcpy(data, &header, sizeof header);
}

}  // namespace quern
