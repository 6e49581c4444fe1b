// The paths in texts of options that are more than a path (Options::input).
#pragma once

#include <string>
#include <vector>

namespace quern {

std::vector<std::string> sample_files(const std::string& input);   // NAME=FILE:u8[96,96,3]/255
std::vector<std::string> list_files(const std::string& list);      // an input list, and the files of its lines
std::vector<std::string> label_files(const std::string& labels);   // FILE:COLUMN
std::vector<std::string> target_files(const std::string& target);  // none: a target by its name

}  // namespace quern
