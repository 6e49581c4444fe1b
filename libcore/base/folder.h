// Files that a file names: never outside of its own folder.
#pragma once

#include <string>

namespace quern {

// The real path of `location`, relative to `folder` ("" is the current one). Throws Exit::bad_input if it is no relative path, is no file,
// or leaves the folder, through a link, too.
std::string path_inside(const std::string& folder, const std::string& location);

}  // namespace quern
