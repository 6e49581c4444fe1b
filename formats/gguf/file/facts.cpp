#include "formats/gguf/file/facts.h"

#include "formats/gguf/file/layout.h"
#include "formats/gguf/file/metadata_json.h"
#include "formats/gguf/file/vocabulary.h"
#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

constexpr int64_t newest = 1;

bool of_tokenizer(const Metadata::Entry& entry) { return entry.value.array && entry.key.starts_with("tokenizer."); }

Json entry_json(const Metadata::Entry& entry) {
    Json json{{"key", entry.key}, {"type", entry.value.type_name()}};
    if (!of_tokenizer(entry)) json["value"] = value_json(entry.value);
    return json;
}

void add_entry(Metadata& metadata, const JsonView& json, const Metadata& tokenizer) {
    const std::string& key = json["key"].text();
    MetaValue value;
    if (json.has("value")) {
        value = value_of_json(json["type"].text(), json["value"]);
    } else {
        const MetaValue* elsewhere = tokenizer.find(key);
        if (!elsewhere) json.fail(fmt::format("is metadata \"{}\" without a value, and the tokenizer has none", escape(key)));
        value = *elsewhere;
    }
    if (!metadata.add(key, std::move(value))) json.fail(fmt::format("is metadata \"{}\", which is there already", escape(key)));
}

TensorHead tensor_head(const JsonView& json) {
    TensorHead head{json["name"].text(), block_format_named(json["type"].text()), {}};
    if (!head.format) json["type"].fail("names none of the block formats");
    const JsonView shape = json["shape"];
    for (size_t i = 0; i < shape.size(); ++i) head.dims.push_back(shape.at(i).integer());
    return head;
}

}  // namespace

std::string facts_json(const File& file, const std::vector<const TensorInfo*>& beside) {
    Json json{{"kind", facts_kind}, {"version", newest}, {"metadata", Json::array()}, {"tensors", Json::array()}};
    for (const Metadata::Entry& entry : file.metadata.entries())
        if (!entry.key.starts_with(split_prefix)) json["metadata"].push_back(entry_json(entry));
    for (const TensorInfo& info : file.tensors) {
        json["tensors"].push_back({{"name", info.name}, {"type", info.format->name}, {"shape", info.dims}});
        if (std::ranges::find(beside, &info) == beside.end()) continue;
        const Bytes data = info.data();
        json["tensors"].back()["data"] = value_json(MetaValue::numbers(ValueType::u8, data.size(), data));
    }
    return json_line(json);
}

Facts parse_facts(std::string_view text, const Metadata& tokenizer) {
    return at_place("facts \"gguf\"", [&] {
        const Json json = parse_json(text);
        const JsonView view(json);
        view.check_kind(facts_kind, newest);
        Facts facts;
        const JsonView metadata = view["metadata"], tensors = view["tensors"];
        for (size_t i = 0; i < metadata.size(); ++i) add_entry(facts.metadata, metadata.at(i), tokenizer);
        for (size_t i = 0; i < tensors.size(); ++i) {
            const JsonView row = tensors.at(i);
            facts.tensors.push_back(tensor_head(row));
            facts.data.push_back(row.has("data") ? value_of_json("array of uint8", row["data"]).data : Bytes());
            if (row.has("data") && facts.data.back().size() != facts.tensors.back().bytes())
                row["data"].fail("is not as long as the tensor");
        }
        return facts;
    });
}

std::optional<Facts> facts_of(const std::map<std::string, std::string>& facts) {
    const auto own = facts.find(std::string(facts_kind)), tokenizer = facts.find("tokenizer");
    if (own == facts.end()) return std::nullopt;
    return parse_facts(own->second, tokenizer == facts.end() ? Metadata() : arrays_of(parse_tokenizer(tokenizer->second)));
}

}  // namespace quern::gguf
