// Codes by a table: one entry for each pattern of a code of 8 or 16 bits.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "libcore/graph/tensor.h"
#include "libcore/memory/memory.h"
#include "libcore/os/threads.h"

namespace quern {

struct CodeTable {
    DType from, to;            // of 8 or 16 bits
    const std::byte* entries;  // of `to`, in the order of the patterns of `from` as unsigned numbers
};

// Codes as they lie in a tensor.
Buffer looked_up(const CodeTable& table, const std::byte* codes, size_t count, Memory& memory, ThreadPool& pool);

// Bytes by a table of 256 bytes: one loop an instruction set.
struct ByteLookup {
    std::string_view name;
    void (*run)(const uint8_t* table, const uint8_t* from, uint8_t* to, size_t count);
};
const ByteLookup& byte_lookup();                        // the fastest here
std::span<const ByteLookup* const> all_byte_lookups();  // for tests
// On all threads.
void look_up_bytes(const uint8_t* table, const uint8_t* from, uint8_t* to, size_t count, ThreadPool& pool);

}  // namespace quern
