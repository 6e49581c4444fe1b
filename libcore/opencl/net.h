// A partition as this library holds it: what it takes from the interface's views and writes into its blobs.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "include/quern/backend.h"

namespace quern::opencl {

using Dims = std::vector<int64_t>;

// Fixed, of integers: real = (code - zero) * scale.
struct Encoding {
    quern_dtype storage = QUERN_DTYPE_NONE;
    int64_t qmin = 0, qmax = 0;
    int32_t axis = -1;          // of several scales
    std::vector<float> scale;   // one, or one per slice along axis
    std::vector<int64_t> zero;  // as many
    bool operator==(const Encoding&) const = default;
    bool per_tensor() const { return axis < 0; }
};

struct Value {
    std::string name;
    quern_dtype dtype = QUERN_DTYPE_NONE;  // of the real numbers, whatever the encoding
    Dims dims;
    std::optional<Encoding> encoding;
    bool constant = false;
    std::span<const std::byte> data;  // of a constant, in storage form; borrowed
};

struct Attribute {
    std::string name;
    std::vector<int64_t> integers;
    std::vector<float> reals;
    std::vector<std::string> texts;
};

inline constexpr int32_t none = -1;  // an operand or a result that is absent

// Attribute of a Softmax of int8 codes between codes of two types in onnxruntime's runs on x86, where it is computed in float
// (docs/numerics.md).
inline constexpr std::string_view between_types = "between_types";

struct Node {
    std::string name, op, domain;
    std::vector<Attribute> attributes;
    std::vector<int32_t> inputs, outputs;  // values
    int32_t unit = -1;

    const Attribute* attribute(std::string_view called) const;
    int64_t integer(std::string_view called, int64_t fallback) const;
    float real(std::string_view called, float fallback) const;
    std::string text(std::string_view called, std::string_view fallback) const;
    std::vector<int64_t> integers(std::string_view called) const;  // empty if it is absent
    bool has_input(size_t i) const { return i < inputs.size() && inputs[i] != none; }
};

struct Net {
    bool integer = false;  // computes on quantized values where there are encodings
    std::vector<Value> values;
    std::vector<Node> nodes;
    std::vector<int32_t> inputs, outputs;

    bool is_output(int32_t value) const;
    // The node that alone reads a value which is not an output of the net; nullptr: there is none.
    const Node* only_reader(int32_t value) const;
};

int64_t count_of(std::span<const int64_t> dims);
size_t bits_of(quern_dtype dtype);  // 0: not a type of fixed size
size_t bytes_of(quern_dtype dtype, int64_t count);
std::string_view name_of(quern_dtype dtype);
std::string text_of(std::span<const int64_t> dims);

// The whole graph, or the node with its integer unit. Throws Failure: what is refused, with the reason. Constants stay where they are.
Net net_of(const quern_graph& graph, bool integer);
Net net_of(const quern_graph& graph, const quern_node& node, bool integer);

// Constants as numbers, in storage order.
std::vector<int64_t> codes_of(const Value& value);  // of integers: as they are stored
std::vector<float> numbers_of(const Value& value);  // decoded where there is an encoding
float half_to_float(uint16_t bits);

}  // namespace quern::opencl
