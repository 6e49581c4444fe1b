// The files of a folder of samples.
#pragma once

#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

bool is_folder(const std::string& path);

struct SampleFolder {
    std::vector<std::string> files;  // in the order of their names, folders inside included
    std::string notice;              // what was left out; "" if nothing
};
// Is one of its files what `takes` says?
bool holds(const std::string& path, bool (*takes)(const Bytes& bytes));
// `what` ("pictures") and whether a file is one. Hidden files are left out without a word; files that cannot be opened throw Exit::io.
SampleFolder sample_folder(const std::string& path, const std::string& what, bool (*takes)(const Bytes& bytes));

}  // namespace quern
