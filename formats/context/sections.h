// Sections: the frame of contexts and of the programs in them. A header, a table of sections with their digests, and the sections, each
// at a multiple of 64 bytes. docs/context.md describes it.
#pragma once

#include <cstdint>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "libcore/os/io.h"

namespace quern::context_format {

struct Section {
    std::string kind;          // at most 8 characters
    uint32_t index = 0;        // among those of its kind
    std::vector<Bytes> parts;  // each begins at a multiple of 64 bytes
    // Its digest is compared by check_digests() and check_on_demand() only: weights, and what has checks of its own.
    bool on_demand = false;
    bool goes_on = false;    // its end is that of the section behind it: what follows is a part of it, too
    uint64_t gap = 0;        // between the section before it and this one; what lies there is written by others
    bool elsewhere = false;  // is written by others, too
};

// `magic` is 8 characters.
void write_sections(std::string_view magic, const std::vector<Section>& sections, OutputFile& file);

// What a file of sections has, checked: header, table and the digests of all sections but those on demand.
class Sections {
   public:
    // Throws Exit::bad_input, or Exit::unsupported for another version.
    Sections(std::string_view magic, const Bytes& bytes);

    // The section's bytes; Exit::bad_input if there is none.
    Bytes need(std::string_view kind, uint32_t index = 0) const;
    uint32_t count(std::string_view kind) const;
    // Compares every section with its digest.
    void check_digests() const;
    // Those on demand only, which stay in memory; but for those in `checked`, by where they lie, which they become members of.
    void check_on_demand(std::set<std::pair<const std::byte*, size_t>>& checked) const;

   private:
    struct Row {
        std::string kind;
        uint32_t index;
        bool on_demand;
        std::string digest;
        Bytes bytes;
    };
    void check(const Row& row) const;
    std::vector<Row> rows_;
};

bool has_magic(const Bytes& bytes, std::string_view magic);

}  // namespace quern::context_format
