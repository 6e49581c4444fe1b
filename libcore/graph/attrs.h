// Attributes of a node: a small map, sorted by name.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "libcore/graph/tensor.h"

namespace quern {

using Attr = std::variant<int64_t, float, std::string, std::vector<int64_t>, std::vector<float>, std::vector<std::string>, Tensor,
                          std::vector<Tensor>, Type>;
using Attrs = std::map<std::string, Attr, std::less<>>;

bool identical(const Attr& a, const Attr& b);
bool identical(const Attrs& a, const Attrs& b);

}  // namespace quern
