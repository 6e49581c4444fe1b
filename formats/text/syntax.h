// Spelling: what printer and parser must agree on.
#pragma once

#include <string>
#include <string_view>

#include "libcore/graph/op.h"

namespace quern::text {

// Attributes of an operation that are not the operator's own.
inline constexpr std::string_view attr_device = "device";
inline constexpr std::string_view attr_node_name = "onnx_node_name";
inline constexpr std::string_view attr_encoding = "quern.encoding";        // one per result, `unit` where there is none
inline constexpr std::string_view attr_permutation = "quern.permutation";  // one list per result
inline constexpr std::string_view attr_internal = "quern.internal";
inline constexpr std::string_view attr_scope = "quern.scope";
inline constexpr std::string_view attr_unit = "quern.unit";
inline constexpr std::string_view attr_version = "quern.version";  // of an operator that is in no table
inline constexpr std::string_view attr_domain = "quern.domain";    // where the name's last dot does not part it
inline constexpr std::string_view attr_bodies = "quern.bodies";    // attribute names of the regions
inline constexpr std::string_view attr_escape = "quern.attr.";     // prefix of an operator's attribute of a reserved name
inline constexpr std::string_view attr_default = "quern.default";  // the default of a function argument

inline constexpr std::string_view op_constant = "onnx.Constant";
inline constexpr std::string_view op_absent = "onnx.NoValue";
inline constexpr std::string_view op_capture = "quern.Capture";
inline constexpr std::string_view elided = "dense_resource<__elided__>";

bool reserved(std::string_view attr);  // is it an attribute of ours, not the operator's?

bool is_bare(std::string_view name);  // can it stand without quotes after % or @?
std::string quoted(std::string_view text);
std::string value_name(std::string_view name);  // "%x", "%\"a b\""
std::string key_name(std::string_view name);    // of a dictionary entry
std::string type_text(const Type& type);
std::string float_text(float value);  // shortest, always with a point or exponent; 0x7FC00000 for NaN and infinities
std::string double_text(double value);

// "onnx.Relu" for (Relu, ""). The domain is implied if split_op_name() finds the same again.
std::string op_name(const Op& op);
struct OpName {
    std::string_view domain, name;
};
OpName split_op_name(std::string_view full);

// Names of the bodies of an operator as its row has them, sorted.
std::vector<std::string> body_names(const Op& op);

}  // namespace quern::text
