// nnpackages, onert's folders: metadata/MANIFEST names the model, metadata/config.cfg has settings.
#pragma once

#include <map>
#include <string>

namespace quern {

struct NnPackage {
    std::string model;                            // its file
    std::map<std::string, std::string> settings;  // of the config file
};

bool is_nnpackage(const std::string& path);

// Throws Exit::bad_input if the manifest is broken or names what lies outside of the folder, Exit::unsupported if it has several models.
NnPackage read_nnpackage(const std::string& folder);

}  // namespace quern
