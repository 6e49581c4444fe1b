// The control groups of Linux that bound what this process gets.
#pragma once

#include <string>
#include <vector>

namespace quern {

inline constexpr const char* control_group_root = "/sys/fs/cgroup";

// Folders of this process's group and those around it (version 2), the outermost last: the only one that a container sees.
std::vector<std::string> control_groups();

}  // namespace quern
