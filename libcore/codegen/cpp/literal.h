// C++ literals of names and numbers, and the builder expressions of types and encodings.
#pragma once

#include <string>
#include <string_view>

#include "libcore/codegen/cpp/weights.h"
#include "libcore/graph/graph.h"

namespace quern::cppgen {

// Any bytes as a string literal of ASCII letters; what is not a plain character becomes an octal escape.
std::string literal(std::string_view text);
std::string type_text(const Type& type);
// Scalars stand in the source, longer constants in the weights.
std::string constant_text(const Tensor& tensor, Weights& weights);
std::string encoding_text(const Encoding& encoding, Weights& weights);
std::string attribute_text(const std::string& name, const Attr& attr, Weights& weights);

}  // namespace quern::cppgen
