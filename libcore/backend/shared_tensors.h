// Tensors in memory that two processes see. Neither maps what the other could make shorter: the one that runs foreign code maps what it is
// given, the other one reads and writes.
#pragma once

#include <functional>
#include <span>
#include <vector>

#include "formats/foreign/child_descriptor.h"
#include "libcore/backend/interface.h"
#include "libcore/base/json_fwd.h"

namespace quern {

// An empty memfd.
int make_shared_memory(const char* name);

// All that is in such memory of the other process. Throws Exit::unsupported: there is too much of it, or less than it says.
Bytes read_memory(int memory);

// `values` into the memory; the list of a message for them. Throws Exit::io.
Json write_values(int memory, std::span<const Stored> values);

// The values that a message lists, with the encodings of `ports`. Throws Exit::unsupported where list and memory do not hold them.
std::vector<Stored> read_values(int memory, const Json& list, std::span<const Port> ports);
// The same, mapped: they stay as they are until the memory is written again.
std::vector<Stored> map_values(int memory, const Json& list, std::span<const Port> ports);

}  // namespace quern
