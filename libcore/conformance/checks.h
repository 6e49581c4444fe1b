// The steps of each check.
#pragma once

#include "libcore/conformance/trial.h"

namespace quern::trial {

// check_table.cpp
std::vector<Step> table_steps(const Trial& trial);
std::vector<Step> create_steps(const Trial& trial);
std::vector<Step> devices_steps(const Trial& trial);
// check_numbers.cpp
std::vector<Step> claims_steps(const Trial& trial);
std::vector<Step> values_steps(const Trial& trial);
std::vector<Step> hostile_steps(const Trial& trial);
std::vector<Step> shapes_steps(const Trial& trial);
std::vector<Step> partitions_steps(const Trial& trial);
// check_blobs.cpp
std::vector<Step> compile_steps(const Trial& trial);
std::vector<Step> blobs_steps(const Trial& trial);
std::vector<Step> files_steps(const Trial& trial);
// check_calls.cpp
std::vector<Step> misuse_steps(const Trial& trial);
std::vector<Step> orders_steps(const Trial& trial);
// check_load.cpp
std::vector<Step> threads_steps(const Trial& trial);
std::vector<Step> memory_steps(const Trial& trial);

}  // namespace quern::trial
