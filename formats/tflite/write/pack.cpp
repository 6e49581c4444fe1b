#include "formats/tflite/write/pack.h"

namespace quern::tflite_format {

flatbuffers::Offset<flatbuffers::Vector<int32_t>> pack_ints(Builder& builder, const Ints& items) {
    std::vector<int32_t> narrow;
    for (const int64_t item : items) {
        if (item < INT32_MIN || item > INT32_MAX) throw unsupported("the number {} does not fit into 32 bits", item);
        narrow.push_back(static_cast<int32_t>(item));
    }
    return builder.CreateVector(narrow);
}

uint32_t PackedCodes::place(Builder& builder, const FileOperator& op) {
    const bool custom = op.code == Code::CUSTOM;
    const auto [found, fresh] = places.emplace(Key{op.code, custom ? op.name : "", op.version}, static_cast<uint32_t>(codes.size()));
    if (fresh) {
        const auto name = custom ? builder.CreateString(op.name) : 0;
        // Old readers know the first field only, which holds codes below 127.
        const auto old = static_cast<int8_t>(std::min(static_cast<int>(op.code), 127));
        codes.push_back(tflite::CreateOperatorCode(builder, old, name, op.version, op.code));
    }
    return found->second;
}

flatbuffers::Offset<tflite::SignatureDef> pack_signature(Builder& builder, const Signature& signature) {
    const auto aliases = [&](const std::vector<Signature::Alias>& list) {
        std::vector<flatbuffers::Offset<tflite::TensorMap>> maps;
        for (const auto& alias : list) maps.push_back(tflite::CreateTensorMap(builder, builder.CreateString(alias.name), alias.tensor));
        return builder.CreateVector(maps);
    };
    const auto inputs = aliases(signature.inputs), outputs = aliases(signature.outputs);
    return tflite::CreateSignatureDef(builder, inputs, outputs, builder.CreateString(signature.key), signature.subgraph);
}

uint64_t size_of_contents(const File& file) {
    uint64_t total = 0;
    for (const Subgraph& graph : file.subgraphs)
        for (const FileTensor& tensor : graph.tensors) total += tensor.data.size();
    return total;
}

}  // namespace quern::tflite_format
