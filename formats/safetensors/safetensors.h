// safetensors: a container of named tensors, without a graph. In a file of its own or in several, with an index beside them.
#pragma once

#include <functional>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "libcore/base/bytes.h"
#include "libcore/graph/tensor.h"

namespace quern::safetensors {

struct Container {
    std::map<std::string, Tensor, std::less<>> tensors;  // slices of the files, whatever their address: see aligned()
    std::map<std::string, std::string> metadata;
    std::vector<Bytes> files;
};

bool sniff(const Bytes& bytes);
bool is_index(std::string_view path);  // by its suffix: the index of several files

// Throws Exit::bad_input; Exit::unsupported for element types that quern does not have.
Container parse(const Bytes& file);
// A file, or the files that an index names. The same errors, with the file's name; Exit::io.
Container open(const std::string& path);

using Named = std::pair<std::string, Tensor>;
// What stands before the tensors' bytes, which follow in this order, without gaps. Throws Exit::unsupported, naming the tensor.
std::string header_of(std::span<const Named> tensors, const std::map<std::string, std::string>& metadata);
// The widest elements first, so that each tensor is aligned.
void write(const std::string& path, std::vector<Named> tensors, const std::map<std::string, std::string>& metadata = {});

std::string_view dtype_name(DType dtype);  // "BF16"; "": the format has no such type

}  // namespace quern::safetensors
