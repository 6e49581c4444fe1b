#include "formats/tflite/tflite.h"

#include <cstring>

#include "formats/tflite/file/tflite_generated.h"
#include "formats/tflite/read/import.h"
#include "formats/tflite/read/unpack.h"
#include "formats/tflite/write/export.h"
#include "formats/tflite/write/write.h"

namespace quern::tflite_format {
namespace {

struct Schema {
    using Model = tflite::Model;
    using SubGraph = tflite::SubGraph;
    using Tensor = tflite::Tensor;
    using Operator = tflite::Operator;
    using QuantizationParameters = tflite::QuantizationParameters;
    using BuiltinOptions = tflite::BuiltinOptions;
    using ModelBuilder = tflite::ModelBuilder;
    using SubGraphBuilder = tflite::SubGraphBuilder;
    using TensorBuilder = tflite::TensorBuilder;
    using OperatorBuilder = tflite::OperatorBuilder;
    using QuantizationParametersBuilder = tflite::QuantizationParametersBuilder;
    static constexpr const char *name = "TFLite", *identifier = "TFL3";
    static const flatbuffers::TypeTable* options_type() { return tflite::BuiltinOptionsTypeTable(); }

    static void details(const QuantizationParameters& from, Quantization& to) {
        if (const auto* blocks = from.details_as_BlockwiseQuantization()) {
            to.block = blocks->block_size();
            to.scales = blocks->scales();
            to.zeros = blocks->zero_points() > 0 ? blocks->zero_points() : -1;
        } else if (from.details()) {
            to.foreign = true;
        }
    }
    static auto blockwise(flatbuffers::FlatBufferBuilder& builder, const Quantization& from) {
        return tflite::CreateBlockwiseQuantization(builder, static_cast<int32_t>(from.scales), static_cast<int32_t>(from.zeros),
                                                   static_cast<int32_t>(from.block));
    }
    static void add_blockwise(QuantizationParametersBuilder& to, flatbuffers::Offset<tflite::BlockwiseQuantization> blocks) {
        to.add_details_type(tflite::QuantizationDetails::BlockwiseQuantization);
        to.add_details(blocks.Union());
    }
    static flatbuffers::Offset<void> mx(flatbuffers::FlatBufferBuilder&, const Quantization&) { throw unsupported("MX elements"); }
    static void add_mx(QuantizationParametersBuilder&, flatbuffers::Offset<void>) {}
    static void storage(const Tensor& from, FileTensor& to) {
        if (static_cast<int>(to.type) < 0) throw bad_input("element type {} is not defined by TFLite", static_cast<int>(to.type));
        to.external = from.external_buffer() != 0;
    }
};

}  // namespace

bool sniff(const Bytes& bytes) { return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, Schema::identifier, 4) == 0; }

Model read(const Bytes& bytes, const std::string&) { return import_file(unpack<Schema>(bytes), "tflite", bytes.size()); }

Model read_signature(const Bytes& bytes, const std::string&, const std::string& name) {
    return import_file(unpack<Schema>(bytes), "tflite", bytes.size(), name);
}

void write(const Model& model, const std::string& path, const WriteOptions& options) {
    write_packed(pack<Schema>(export_model(model, "tflite", options)), path, *options.outputs);
}

}  // namespace quern::tflite_format
