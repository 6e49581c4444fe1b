#include "libcore/opencl/net.h"

#include <algorithm>
#include <bit>
#include <cstring>
#include <unordered_map>

#include "libcore/opencl/failure.h"

namespace quern::opencl {
namespace {

struct TypeRow {
    quern_dtype dtype;
    std::string_view name;
    size_t bits;
};
constexpr TypeRow type_rows[] = {
    {QUERN_FLOAT32, "float32", 32}, {QUERN_FLOAT64, "float64", 64}, {QUERN_FLOAT16, "float16", 16}, {QUERN_BFLOAT16, "bfloat16", 16},
    {QUERN_INT8, "int8", 8},        {QUERN_INT16, "int16", 16},     {QUERN_INT32, "int32", 32},     {QUERN_INT64, "int64", 64},
    {QUERN_UINT8, "uint8", 8},      {QUERN_UINT16, "uint16", 16},   {QUERN_UINT32, "uint32", 32},   {QUERN_UINT64, "uint64", 64},
    {QUERN_INT4, "int4", 4},        {QUERN_UINT4, "uint4", 4},      {QUERN_INT2, "int2", 2},        {QUERN_UINT2, "uint2", 2},
    {QUERN_BOOL, "bool", 8},
};

const TypeRow* row_of(quern_dtype dtype) {
    const auto* found = std::ranges::find(type_rows, dtype, &TypeRow::dtype);
    return found == std::end(type_rows) ? nullptr : found;
}

bool is_signed(quern_dtype dtype) {
    return dtype == QUERN_INT8 || dtype == QUERN_INT16 || dtype == QUERN_INT32 || dtype == QUERN_INT64 || dtype == QUERN_INT4 ||
           dtype == QUERN_INT2;
}

bool is_integer(quern_dtype dtype) {
    return is_signed(dtype) || (dtype >= QUERN_UINT8 && dtype <= QUERN_UINT64) || dtype == QUERN_UINT4 || dtype == QUERN_UINT2;
}

template <class T>
T item(std::span<const std::byte> data, size_t i) {
    T out;
    std::memcpy(&out, data.data() + i * sizeof(T), sizeof(T));
    return out;
}

int64_t code_at(std::span<const std::byte> data, quern_dtype dtype, size_t i) {
    switch (dtype) {
        case QUERN_INT8: return item<int8_t>(data, i);
        case QUERN_BOOL:
        case QUERN_UINT8: return item<uint8_t>(data, i);
        case QUERN_INT16: return item<int16_t>(data, i);
        case QUERN_UINT16: return item<uint16_t>(data, i);
        case QUERN_INT32: return item<int32_t>(data, i);
        case QUERN_UINT32: return item<uint32_t>(data, i);
        case QUERN_INT64:
        case QUERN_UINT64: return item<int64_t>(data, i);
        default: break;
    }
    const size_t bits = bits_of(dtype), per_byte = 8 / bits;
    const auto whole = static_cast<int64_t>(data[i / per_byte]);
    const int64_t code = (whole >> (i % per_byte * bits)) & ((1 << bits) - 1);
    return is_signed(dtype) && code >= 1 << (bits - 1) ? code - (1 << bits) : code;
}

float real_at(std::span<const std::byte> data, quern_dtype dtype, size_t i) {
    switch (dtype) {
        case QUERN_FLOAT32: return item<float>(data, i);
        case QUERN_FLOAT64: return static_cast<float>(item<double>(data, i));
        case QUERN_FLOAT16: return half_to_float(item<uint16_t>(data, i));
        case QUERN_BFLOAT16: return std::bit_cast<float>(static_cast<uint32_t>(item<uint16_t>(data, i)) << 16);
        default: return static_cast<float>(code_at(data, dtype, i));
    }
}

std::string text_of(const quern_text& text) { return {text.data, text.size}; }

std::span<const std::byte> bytes_of(const quern_tensor& tensor) { return {static_cast<const std::byte*>(tensor.data), tensor.size}; }

Encoding encoding_of(const quern_encoding& from, std::string_view name) {
    if (from.kind != QUERN_FIXED) throw refused("\"{}\" has a dynamic encoding", name);
    if (from.block > 0 || from.min) throw refused("\"{}\" is encoded in blocks", name);
    if (!is_integer(from.storage)) throw refused("\"{}\" has codes of {}", name, name_of(from.storage));
    if (from.real != QUERN_FLOAT32) throw refused("\"{}\" encodes {} numbers, need float32", name, name_of(from.real));
    if (!from.scale) throw broken("\"{}\" has an encoding without a scale", name);
    Encoding out;
    out.storage = from.storage;
    out.qmin = from.qmin;
    out.qmax = from.qmax;
    out.axis = from.axis;
    size_t count = 1;
    for (int32_t i = 0; i < from.scale->rank; ++i) count *= static_cast<size_t>(from.scale->dims[i]);
    for (size_t i = 0; i < count; ++i) out.scale.push_back(real_at(bytes_of(*from.scale), from.scale->dtype, i));
    out.zero.resize(count, 0);
    if (from.zero) {
        size_t zeros = 1;
        for (int32_t i = 0; i < from.zero->rank; ++i) zeros *= static_cast<size_t>(from.zero->dims[i]);
        if (zeros != 1 && zeros != count) throw broken("\"{}\" has {} zero points for {} scales", name, zeros, count);
        for (size_t i = 0; i < count; ++i) out.zero[i] = code_at(bytes_of(*from.zero), from.zero->dtype, zeros == 1 ? 0 : i);
    }
    if (count == 1) out.axis = -1;
    return out;
}

Attribute attribute_of(const quern_attribute& from) {
    Attribute out;
    out.name = text_of(from.name);
    switch (from.kind) {
        case QUERN_ATTR_INTEGER:
        case QUERN_ATTR_INTEGERS: out.integers.assign(from.integers, from.integers + from.count); break;
        case QUERN_ATTR_REAL:
        case QUERN_ATTR_REALS: out.reals.assign(from.reals, from.reals + from.count); break;
        case QUERN_ATTR_TEXT:
        case QUERN_ATTR_TEXTS:
            for (size_t i = 0; i < from.count; ++i) out.texts.push_back(text_of(from.texts[i]));
            break;
        default: break;  // operators with tensors are refused by their names
    }
    return out;
}

// Values by the views they come from.
class Reader {
   public:
    Reader(const quern_graph& graph, bool integer) : graph_(graph) { net_.integer = integer; }

    void add(const quern_node& from) {
        Node node;
        node.name = text_of(from.name);
        node.op = text_of(from.op);
        node.domain = text_of(from.domain);
        node.unit = from.unit;
        if (from.body_count > 0) throw refused("has bodies");
        for (size_t i = 0; i < from.attribute_count; ++i) node.attributes.push_back(attribute_of(*from.attributes[i]));
        for (size_t i = 0; i < from.input_count; ++i) node.inputs.push_back(value(from.inputs[i]));
        for (size_t i = 0; i < from.output_count; ++i) node.outputs.push_back(value(from.outputs[i]));
        net_.nodes.push_back(std::move(node));
    }

    int32_t value(const quern_value* from) {
        if (!from) return none;
        const auto [found, fresh] = ids_.try_emplace(from, static_cast<int32_t>(net_.values.size()));
        if (fresh) net_.values.push_back(made(*from));
        return found->second;
    }

    Net net_;

   private:
    Value made(const quern_value& from) const {
        Value out;
        out.name = text_of(from.name);
        out.dtype = from.dtype;
        if (from.rank < 0) throw refused("the rank of \"{}\" is not known", out.name);
        out.dims.assign(from.dims, from.dims + from.rank);
        for (const int64_t dim : out.dims)
            if (dim < 0) throw refused("\"{}\" is {}: its dims are known at run time only", out.name, opencl::text_of(out.dims));
        if (from.encoding && (net_.integer || from.constant)) out.encoding = encoding_of(*from.encoding, out.name);
        if (from.constant) {
            out.constant = true;
            out.data = bytes_of(*from.constant);
        }
        return out;
    }

    const quern_graph& graph_;
    std::unordered_map<const quern_value*, int32_t> ids_;
};

}  // namespace

const Attribute* Node::attribute(std::string_view called) const {
    const auto found = std::ranges::find(attributes, called, &Attribute::name);
    return found == attributes.end() ? nullptr : &*found;
}

int64_t Node::integer(std::string_view called, int64_t fallback) const {
    const Attribute* found = attribute(called);
    return found && found->integers.size() == 1 ? found->integers[0] : fallback;
}

float Node::real(std::string_view called, float fallback) const {
    const Attribute* found = attribute(called);
    return found && found->reals.size() == 1 ? found->reals[0] : fallback;
}

std::string Node::text(std::string_view called, std::string_view fallback) const {
    const Attribute* found = attribute(called);
    return found && found->texts.size() == 1 ? found->texts[0] : std::string(fallback);
}

std::vector<int64_t> Node::integers(std::string_view called) const {
    const Attribute* found = attribute(called);
    return found ? found->integers : std::vector<int64_t>();
}

bool Net::is_output(int32_t value) const { return std::ranges::find(outputs, value) != outputs.end(); }

const Node* Net::only_reader(int32_t value) const {
    const Node* found = nullptr;
    if (is_output(value)) return nullptr;
    for (const Node& node : nodes)
        for (const int32_t in : node.inputs)
            if (in == value) {
                if (found) return nullptr;
                found = &node;
            }
    return found;
}

int64_t count_of(std::span<const int64_t> dims) {
    int64_t count = 1;
    for (const int64_t dim : dims)
        if (dim < 0 || __builtin_mul_overflow(count, dim, &count)) throw broken("dims {} have no size", text_of(dims));
    return count;
}

size_t bits_of(quern_dtype dtype) {
    const TypeRow* row = row_of(dtype);
    return row ? row->bits : 0;
}

size_t bytes_of(quern_dtype dtype, int64_t count) { return (static_cast<size_t>(count) * bits_of(dtype) + 7) / 8; }

std::string_view name_of(quern_dtype dtype) {
    const TypeRow* row = row_of(dtype);
    return row ? row->name : "another type";
}

std::string text_of(std::span<const int64_t> dims) {
    std::string out = "[";
    for (size_t i = 0; i < dims.size(); ++i) out += fmt::format("{}{}", i ? "," : "", dims[i]);
    return out + "]";
}

Net net_of(const quern_graph& graph, bool integer) {
    Reader reader(graph, integer);
    for (size_t i = 0; i < graph.node_count; ++i) reader.add(*graph.nodes[i]);
    for (size_t i = 0; i < graph.input_count; ++i)
        if (!graph.inputs[i]->constant) reader.net_.inputs.push_back(reader.value(graph.inputs[i]));
    for (size_t i = 0; i < graph.output_count; ++i) reader.net_.outputs.push_back(reader.value(graph.outputs[i]));
    return std::move(reader.net_);
}

Net net_of(const quern_graph& graph, const quern_node& node, bool integer) {
    Reader reader(graph, integer);
    if (!integer || node.unit < 0)
        reader.add(node);
    else
        for (size_t i = 0; i < graph.node_count; ++i)
            if (graph.nodes[i]->unit == node.unit) reader.add(*graph.nodes[i]);
    Net& net = reader.net_;
    std::vector<bool> made(net.values.size()), read(net.values.size());
    for (const Node& one : net.nodes) {
        for (const int32_t in : one.inputs)
            if (in != none) read[static_cast<size_t>(in)] = true;
        for (const int32_t out : one.outputs)
            if (out != none) made[static_cast<size_t>(out)] = true;
    }
    for (size_t i = 0; i < net.values.size(); ++i) {
        if (read[i] && !made[i] && !net.values[i].constant) net.inputs.push_back(static_cast<int32_t>(i));
        if (made[i] && !read[i]) net.outputs.push_back(static_cast<int32_t>(i));
    }
    return std::move(net);
}

std::vector<int64_t> codes_of(const Value& value) {
    const quern_dtype dtype = value.encoding ? value.encoding->storage : value.dtype;
    if (!is_integer(dtype) && dtype != QUERN_BOOL) throw refused("\"{}\" is {}, need integers", value.name, name_of(dtype));
    std::vector<int64_t> out(static_cast<size_t>(count_of(value.dims)));
    if (value.data.size() < bytes_of(dtype, count_of(value.dims))) throw broken("constant \"{}\" is too short", value.name);
    for (size_t i = 0; i < out.size(); ++i) out[i] = code_at(value.data, dtype, i);
    return out;
}

std::vector<float> numbers_of(const Value& value) {
    const auto count = static_cast<size_t>(count_of(value.dims));
    std::vector<float> out(count);
    if (!value.encoding) {
        if (value.data.size() < bytes_of(value.dtype, count_of(value.dims))) throw broken("constant \"{}\" is too short", value.name);
        for (size_t i = 0; i < count; ++i) out[i] = real_at(value.data, value.dtype, i);
        return out;
    }
    const std::vector<int64_t> codes = codes_of(value);
    const Encoding& e = *value.encoding;
    size_t inner = count, slices = 1;
    if (!e.per_tensor()) {
        const auto axis = static_cast<size_t>(e.axis);
        if (axis >= value.dims.size() || static_cast<size_t>(value.dims[axis]) != e.scale.size())
            throw broken("\"{}\" has {} scales along axis {} of {}", value.name, e.scale.size(), e.axis, text_of(value.dims));
        inner = static_cast<size_t>(count_of(std::span(value.dims).subspan(axis + 1)));
        slices = e.scale.size();
    }
    for (size_t i = 0; i < count; ++i) {
        const size_t slice = slices == 1 ? 0 : i / inner % slices;
        out[i] = (static_cast<float>(codes[i]) - static_cast<float>(e.zero[slice])) * e.scale[slice];
    }
    return out;
}

float half_to_float(uint16_t bits) {
    const uint32_t sign = static_cast<uint32_t>(bits & 0x8000u) << 16, exponent = (bits >> 10) & 31, mantissa = bits & 1023;
    if (exponent == 31) return std::bit_cast<float>(sign | 0x7f800000u | mantissa << 13);
    if (exponent == 0) {
        const float small = static_cast<float>(mantissa) * 0x1p-24f;
        return sign ? -small : small;
    }
    return std::bit_cast<float>(sign | (exponent + 112) << 23 | mantissa << 13);
}

}  // namespace quern::opencl
