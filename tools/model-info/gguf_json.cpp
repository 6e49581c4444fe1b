// model-info --json of a GGUF file (gguf.h).
#include "formats/gguf/file/metadata_json.h"
#include "tools/model-info/gguf.h"

namespace quern {
namespace {

constexpr uint64_t shown_elements = 16;

Json counts_json(const GgufTypeCount& count) {
    return {{"tensors", count.tensors}, {"elements", count.elements}, {"bytes", count.bytes}, {"bits_per_weight", count.bits()}};
}

Json metadata_json(const gguf::Metadata& metadata) {
    Json json = Json::object();
    for (const auto& [key, value] : metadata.entries()) {
        json[key] = {{"type", value.type_name()}, {"value", gguf::value_json(value, shown_elements)}};
        if (value.array) json[key]["count"] = value.count;
    }
    return json;
}

}  // namespace

Json gguf_json(const gguf::File& file) {
    const auto counts = type_counts(file);
    const GgufTypeCount all = total(counts);
    Json types = Json::object(), tensors = Json::array();
    for (const GgufTypeCount& count : counts) types[ggml_name(*count.format)] = counts_json(count);
    for (const gguf::TensorInfo& info : file.tensors)
        tensors.push_back({{"name", info.name},
                           {"type", ggml_name(*info.format)},
                           {"shape", info.dims},
                           {"bytes", info.stored.size()},
                           {"offset", info.offset},
                           {"shard", info.shard + 1}});
    const gguf::MetaValue* architecture = file.metadata.find("general.architecture");
    return {{"kind", "gguf"},
            {"version", file.version},
            {"big_endian", file.big_endian},
            {"alignment", file.alignment},
            {"bytes", file.size},
            {"shards", file.shards},
            {"architecture", architecture ? gguf::value_json(*architecture) : Json()},
            {"parameters", all.elements},
            {"weight_bytes", all.bytes},
            {"bits_per_weight", all.bits()},
            {"types", std::move(types)},
            {"metadata", metadata_json(file.metadata)},
            {"tensors", std::move(tensors)}};
}

}  // namespace quern
