// --version -v: what this build reads, writes and computes with on this machine.
#pragma once

#include <string>

namespace quern {

std::string version_details();

}  // namespace quern
