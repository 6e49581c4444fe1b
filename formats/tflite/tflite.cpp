#include "formats/tflite/tflite.h"

#include <cstring>

#include "formats/tflite/import.h"
#include "formats/tflite/tflite_generated.h"
#include "formats/tflite/unpack.h"

namespace quern::tflite_format {
namespace {

struct Schema {
    using Model = tflite::Model;
    using SubGraph = tflite::SubGraph;
    using Tensor = tflite::Tensor;
    using Operator = tflite::Operator;
    using QuantizationParameters = tflite::QuantizationParameters;
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
    static void storage(const Tensor& from, FileTensor& to) {
        if (static_cast<int>(to.type) < 0) throw bad_input("element type {} is none of TFLite", static_cast<int>(to.type));
        to.external = from.external_buffer() != 0;
    }
};

}  // namespace

bool sniff(const Bytes& bytes) { return bytes.size() >= 8 && std::memcmp(bytes.data() + 4, Schema::identifier, 4) == 0; }

Model read(const Bytes& bytes, const std::string&) { return import_file(unpack<Schema>(bytes), "tflite", bytes.size()); }

}  // namespace quern::tflite_format
