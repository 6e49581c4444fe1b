// What a user may say to this back end, and what the host says about a partition.
#pragma once

#include <string>

namespace quern::opencl {

struct Options {
    std::string device;  // "": the first
    std::string tuning;  // a file of local sizes; "": that of the device in the user's cache
    bool tune = false;   // measure what is missing in it
};

// Of create(). Throws Failure (QUERN_USAGE): a member that is unknown, or of another type.
Options options_of(const char* text);

// Of compile() and supports(): is it an integer run? Throws Failure (QUERN_UNSUPPORTED) for modes and profiles that are not here.
bool is_integer_run(const char* text);

}  // namespace quern::opencl
