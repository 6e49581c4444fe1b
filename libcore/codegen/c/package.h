// Packages: generated C in the folders and with the files that a build system, an IDE or an operating system of microcontrollers expects of
// a library.
#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace quern::cgen {

struct ProductFile {
    std::string path, text;  // path: in the folder of the product
};

struct PackageParts {
    std::string name, macro;                 // of the model, and in capitals
    std::string source, header;              // the model
    std::string check_source, check_header;  // its run on inputs whose outputs are known
    bool libm = false;                       // needs math.h
    size_t stack = 0;                        // bytes, estimated
};

std::span<const std::string_view> package_names();
// Can a library of this name be built? CMake takes some for its own.
bool is_reserved(std::string_view name);
// Throws Exit::usage if there is no package of this name.
void check_package(std::string_view package);
std::vector<ProductFile> package_files(std::string_view package, const PackageParts& parts);

}  // namespace quern::cgen
