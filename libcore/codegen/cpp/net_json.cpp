#include "libcore/codegen/cpp/net_json.h"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"

namespace quern::cppgen {
namespace {

constexpr int64_t undefined = 0x7fffffff;

// QNN's numbers of element types, plain and as codes.
struct DataType {
    DType dtype;
    int plain, codes;
};
constexpr std::array data_types{
    DataType{DType::f32, 0x0232, 0x0232}, DataType{DType::f16, 0x0216, 0x0216}, DataType{DType::f64, 0x0264, 0x0264},
    DataType{DType::i8, 0x0008, 0x0308},  DataType{DType::i16, 0x0016, 0x0316}, DataType{DType::i32, 0x0032, 0x0332},
    DataType{DType::i64, 0x0064, 0x0064}, DataType{DType::u8, 0x0108, 0x0408},  DataType{DType::u16, 0x0116, 0x0416},
    DataType{DType::u32, 0x0132, 0x0432}, DataType{DType::u64, 0x0164, 0x0164}, DataType{DType::boolean, 0x0508, 0x0508},
    DataType{DType::i4, 0x0304, 0x0304},  DataType{DType::u4, 0x0404, 0x0404},  DataType{DType::string, 0x0608, 0x0608},
};

// Names as they are, so that two are never one; what is not valid UTF-8 cannot stand in JSON.
std::string json_name(const std::string& name) { return is_utf8(name) ? name : printable(name); }

int64_t data_type(DType dtype, bool codes) {
    for (const DataType& row : data_types)
        if (row.dtype == dtype) return codes ? row.codes : row.plain;
    return undefined;
}

enum TensorKind : int { app_write = 0, app_read = 1, native = 3, constant = 4 };

Json scale_offset(const Encoding& e, size_t i) {
    const auto scales = to_floats(e.scale);
    const auto zeros = e.zeros();
    const auto scale = static_cast<double>(scales[i]);
    return {{"bitwidth", bits_of(e.storage)},
            {"is_fixed_point", true},
            {"is_symmetric", zeros[i] == 0},
            {"minimum", scale * static_cast<double>(e.qmin - zeros[i])},
            {"maximum", scale * static_cast<double>(e.qmax - zeros[i])},
            {"scale", scale},
            {"offset", -zeros[i]}};
}

Json quant_params(const std::optional<Encoding>& e) {
    if (!e || !e->scale.defined() || e->scale.count() == 0 || e->block != 0 || !is_integer(e->storage))
        return {{"definition", undefined}, {"encoding", undefined}, {"scale_offset", {{"scale", 0.0}, {"offset", 0}}}};
    if (e->per_tensor()) return {{"definition", 1}, {"encoding", 0}, {"scale_offset", scale_offset(*e, 0)}};
    Json all = Json::array();
    for (size_t i = 0; i < static_cast<size_t>(e->scale.count()); ++i) all.push_back(scale_offset(*e, i));
    return {{"definition", 1},
            {"encoding", 1},
            {"axis_scale_offset", {{"axis", e->axis}, {"num_scale_offsets", e->scale.count()}, {"scale_offset", all}}}};
}

Json dims_of(const Shape& shape) {
    Json dims = Json::array();
    for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : 0);
    return dims;
}

// The elements of a short constant, as it is stored: equal ones are in the weights only once. Empty: none, or such as JSON has no numbers
// for.
Json short_data(const Tensor& tensor) {
    constexpr int64_t max = 64;
    Json data = Json::array();
    if (tensor.count() > max || bits_of(tensor.dtype) == 0) return data;
    if (is_integer(tensor.dtype) || tensor.dtype == DType::boolean) return to_ints(tensor);
    if (tensor.dtype != DType::f32 && tensor.dtype != DType::f64 && tensor.dtype != DType::f16) return data;
    for (const double item : to_doubles(tensor)) {
        if (!std::isfinite(item)) return Json::array();
        data.push_back(item);
    }
    return data;
}

Json tensor(const Graph& graph, ValueId id) {
    const Value& value = graph.value(id);
    Json out = {{"id", index_of(id)},
                {"type", value.constant()      ? constant
                         : graph.is_input(id)  ? app_write
                         : graph.is_output(id) ? app_read
                                               : native},
                {"dataFormat", 0},
                {"data_type", data_type(value.storage(), value.enc.has_value())},
                {"src_axis_format", "NONTRIVIAL"},
                {"axis_format", "NONTRIVIAL"},
                {"quant_params", quant_params(value.enc)},
                {"dims", dims_of(value.type.shape)}};
    if (const auto constant = graph.constant(id)) {
        out["params_count"] = constant->count();
        if (Json data = short_data(*constant); !data.empty()) out["data"] = std::move(data);
    }
    return out;
}

// Attributes: numbers and texts as scalars, lists as small tensors.
void add_parameter(const std::string& node, const std::string& name, const Attr& attr, Json& scalars, Json& tensors) {
    const auto list = [&](DType dtype, Json items) {
        tensors[name][node + "_" + name] = {{"type", constant},       {"dataFormat", 0}, {"data_type", data_type(dtype, false)},
                                            {"dims", {items.size()}}, {"data", items},   {"quant_params", quant_params({})}};
    };
    if (const auto* integer = std::get_if<int64_t>(&attr)) scalars[name] = {{std::to_string(0x0064), *integer}};
    if (const auto* real = std::get_if<float>(&attr)) scalars[name] = {{std::to_string(0x0232), static_cast<double>(*real)}};
    if (const auto* text = std::get_if<std::string>(&attr)) scalars[name] = {{std::to_string(0x0608), printable(*text)}};
    if (const auto* integers = std::get_if<std::vector<int64_t>>(&attr)) list(DType::i64, *integers);
    if (const auto* reals = std::get_if<std::vector<float>>(&attr)) list(DType::f32, *reals);
}

Json node_json(const Graph& graph, const Node& node) {
    Json scalars = Json::object(), tensors = Json::object(), in = Json::array(), out = Json::array();
    for (const auto& [name, attr] : node.attrs) add_parameter(json_name(node.name), name, attr, scalars, tensors);
    std::vector<Dims> in_dims, out_dims;
    bool fixed = node.op->cost != nullptr;
    const auto walk = [&](const std::vector<ValueId>& ids, Json& names, std::vector<Dims>& dims) {
        for (const ValueId id : ids) {
            dims.emplace_back();
            if (id == ValueId::none) continue;
            names.push_back(json_name(graph.value(id).name));
            const auto concrete = graph.value(id).type.shape.concrete();
            fixed &= concrete.has_value();
            if (concrete) dims.back() = *concrete;
        }
    };
    walk(node.in, in, in_dims);
    walk(node.out, out, out_dims);
    Json json = {{"package", node.op->domain.empty() ? "ai.onnx" : std::string(node.op->domain)},
                 {"type", std::string(node.op->name)},
                 {"tensor_params", tensors},
                 {"scalar_params", scalars},
                 {"input_names", in},
                 {"output_names", out}};
    if (fixed) json["macs_per_inference"] = fmt::format("{:.0f}", node.op->cost({node, in_dims, out_dims}).macs);
    return json;
}

}  // namespace

std::string net_json(const Model& model, const std::string& name) {
    const Graph& graph = model.graph;
    Json tensors = Json::object(), nodes = Json::object(), types = Json::array();
    int64_t parameters = 0;
    double macs = 0;
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph.value(id);
        if (value.erased) continue;
        const Json& one = tensors[json_name(value.name)] = tensor(graph, id);
        if (one.contains("params_count")) parameters += one["params_count"].get<int64_t>();
    }
    std::map<std::string, bool> seen;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        Json json = node_json(graph, node);
        if (json.contains("macs_per_inference")) macs += std::stod(json["macs_per_inference"].get<std::string>());
        seen[std::string(node.op->name)] = true;
        std::string key = json_name(node.name);
        for (int n = 2; nodes.contains(key); ++n) key = fmt::format("{}_{}", json_name(node.name), n);
        nodes[key] = std::move(json);
    }
    for (const auto& [type, unused] : seen) types.push_back(type);
    const Json out = {{"model.cpp", name + ".cpp"},
                      {"model.bin", name + ".bin"},
                      {"converter_command", "quern codegen --plugin cpp"},
                      {"copyright_str", ""},
                      {"op_types", types},
                      {"Total parameters", fmt::format("{}", parameters)},
                      {"Total MACs per inference", fmt::format("{:.0f}", macs)},
                      {"graph", {{"tensors", tensors}, {"nodes", nodes}}}};
    return out.dump(2, ' ', true, Json::error_handler_t::replace) + "\n";
}

}  // namespace quern::cppgen
