// How much memory one run may take: what the machine has for this process, unless it was set. Sizes come from files; what is larger is
// refused before anything is made, instead of after minutes, by the system, without a name.
#pragma once

#include <cstdint>
#include <string>

namespace quern {

// The least of: physical memory, the limit of the process's control group, its limit of address space (ulimit -v).
uint64_t memory_limit();
// For the whole process; 0: the machine's again.
void set_memory_limit(uint64_t bytes);
// "512M", "8G", "1000000". Throws Exit::usage.
uint64_t parse_memory_size(const std::string& text);
// "512 MB", of 10 GB on "12 GB".
std::string readable_size(uint64_t bytes);

// True where no limit can be in the way, which costs nothing to ask: a small run of bytes, and none was set.
bool surely_fits(uint64_t bytes);

// Throws Exit::unsupported if `bytes` for `what` ("a table of 12 taps") is above the limit.
void need_memory(uint64_t bytes, const std::string& what, uint64_t limit = memory_limit());

}  // namespace quern
