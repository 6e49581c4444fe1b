// Source: Linux, Documentation/admin-guide/cgroup-v2.rst.
#include "libcore/base/control_groups.h"

#include <fstream>

namespace quern {

std::vector<std::string> control_groups() {
    const std::string root = control_group_root;
    std::vector<std::string> folders;
    std::ifstream own("/proc/self/cgroup");
    for (std::string line; std::getline(own, line);) {
        if (!line.starts_with("0::/")) continue;
        for (std::string group = line.substr(3); group.size() > 1; group.resize(group.rfind('/'))) folders.push_back(root + group);
    }
    folders.push_back(root);
    return folders;
}

}  // namespace quern
