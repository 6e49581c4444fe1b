#include "formats/circle/circle.h"

#include <cstring>
#include <set>

#include "formats/circle/circle_generated.h"
#include "formats/tflite/read/import.h"
#include "formats/tflite/read/unpack.h"
#include "formats/tflite/write/export.h"
#include "formats/tflite/write/write.h"

namespace quern::circle_format {
namespace {

struct Schema {
    using Model = circle::Model;
    using SubGraph = circle::SubGraph;
    using Tensor = circle::Tensor;
    using Operator = circle::Operator;
    using QuantizationParameters = circle::QuantizationParameters;
    using BuiltinOptions = circle::BuiltinOptions;
    using ModelBuilder = circle::ModelBuilder;
    using SubGraphBuilder = circle::SubGraphBuilder;
    using TensorBuilder = circle::TensorBuilder;
    using OperatorBuilder = circle::OperatorBuilder;
    using QuantizationParametersBuilder = circle::QuantizationParametersBuilder;
    static constexpr const char *name = "Circle", *identifier = "CIR0";
    static const flatbuffers::TypeTable* options_type() { return circle::BuiltinOptionsTypeTable(); }

    static void details(const QuantizationParameters& from, tflite_format::Quantization& to) {
        if (const auto* blocks = from.details_as_BlockwiseQuantization()) {
            to.block = blocks->block_size();
            to.scales = blocks->scales();
            to.zeros = blocks->zero_points() > 0 ? blocks->zero_points() : -1;
        } else if (const auto* mx = from.details_as_MXQuantization()) {
            to.mx = true;
            to.axis = mx->axis();
        } else if (from.details()) {
            to.foreign = true;
        }
    }
    static auto blockwise(flatbuffers::FlatBufferBuilder& builder, const tflite_format::Quantization& from) {
        return circle::CreateBlockwiseQuantization(builder, static_cast<int32_t>(from.scales), static_cast<int32_t>(from.zeros),
                                                   static_cast<int32_t>(from.block));
    }
    static void add_blockwise(QuantizationParametersBuilder& to, flatbuffers::Offset<circle::BlockwiseQuantization> blocks) {
        to.add_details_type(circle::QuantizationDetails::BlockwiseQuantization);
        to.add_details(blocks.Union());
    }
    static auto mx(flatbuffers::FlatBufferBuilder& builder, const tflite_format::Quantization& from) {
        return circle::CreateMXQuantization(builder, static_cast<int32_t>(from.axis));
    }
    static void add_mx(QuantizationParametersBuilder& to, flatbuffers::Offset<circle::MXQuantization> details) {
        to.add_details_type(circle::QuantizationDetails::MXQuantization);
        to.add_details(details.Union());
    }
    static void storage(const Tensor& from, tflite_format::FileTensor& to) {
        to.compressed = from.compression_type() != circle::CompressionType::NONE;
    }
};

}  // namespace

bool sniff(const Bytes& bytes) { return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, Schema::identifier, 4) == 0; }

Model read(const Bytes& bytes, const std::string&) {
    return tflite_format::import_file(tflite_format::unpack<Schema>(bytes), "circle", bytes.size());
}

Model read_signature(const Bytes& bytes, const std::string&, const std::string& name) {
    return tflite_format::import_file(tflite_format::unpack<Schema>(bytes), "circle", bytes.size(), name);
}

void write(const Model& model, const std::string& path, const WriteOptions& options) {
    tflite_format::write_packed(tflite_format::pack<Schema>(tflite_format::export_model(model, "circle", options)), path, *options.outputs);
}

onert::Places recorded_places(const Bytes& bytes) {
    const tflite_format::File file = tflite_format::unpack<Schema>(bytes);
    const tflite_format::Subgraph& graph = file.subgraphs.at(0);
    std::set<std::string> names;
    const auto name_of = [&](const tflite_format::Ints& tensors) -> std::string {
        if (tensors.size() != 1) return {};
        const tflite_format::FileTensor& tensor = graph.tensors[static_cast<size_t>(tensors[0])];
        if (tensor.type != tflite_format::Element::FLOAT32 || !tensor.data.empty()) return {};
        if (tensor.name.empty() || !names.insert(tensor.name).second)
            throw bad_input("two recorded tensors have the name \"{}\"", escape(tensor.name));
        return tensor.name;
    };
    onert::Places places;
    for (const tflite_format::FileOperator& op : graph.operators) places.operators.push_back(name_of(op.out));
    for (const int64_t input : graph.inputs) places.inputs.push_back(name_of({input}));
    return places;
}

}  // namespace quern::circle_format
