// The steps of each check.
#pragma once

#include "libcore/conformance/check.h"

namespace quern::conformance {

// check_table.cpp
std::vector<Step> table_steps(const Context& context);
std::vector<Step> create_steps(const Context& context);
std::vector<Step> devices_steps(const Context& context);
// check_numbers.cpp
std::vector<Step> claims_steps(const Context& context);
std::vector<Step> values_steps(const Context& context);
std::vector<Step> hostile_steps(const Context& context);
std::vector<Step> shapes_steps(const Context& context);
std::vector<Step> partitions_steps(const Context& context);
// Operators and units that are asked for, those of libraries included.
std::vector<std::string> subjects_to_try(const Settings& settings);
// check_target.cpp
std::vector<Step> target_steps(const Context& context);
// check_rounding.cpp
std::vector<Step> rounding_steps(const Context& context);
// check_blobs.cpp
std::vector<Step> compile_steps(const Context& context);
std::vector<Step> blobs_steps(const Context& context);
std::vector<Step> files_steps(const Context& context);
// check_calls.cpp
std::vector<Step> misuse_steps(const Context& context);
std::vector<Step> orders_steps(const Context& context);
// check_links.cpp
std::vector<Step> links_steps(const Context& context);
// check_load.cpp
std::vector<Step> threads_steps(const Context& context);
std::vector<Step> memory_steps(const Context& context);

}  // namespace quern::conformance
