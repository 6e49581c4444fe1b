// What a model keeps of the GGUF file it came from, as JSON in Model::facts["gguf"], so that it can be written as GGUF again:
// {"kind": "gguf", "version": 1, "metadata": [{"key", "type", "value"}...], "tensors": [{"name", "type", "shape"}...]}, in file order.
// Arrays of the tokenizer are another fact: their entries have no "value" here. Tensors that are no constants of the graph have "data".
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "formats/gguf/file/writer.h"

namespace quern::gguf {

inline constexpr std::string_view facts_kind = "gguf";

struct Facts {
    Metadata metadata;
    std::vector<TensorHead> tensors;
    std::vector<Bytes> data;  // of each tensor that is no constant of the graph; empty: of others
};

// `beside`: those that are no constants of the graph.
std::string facts_json(const File& file, const std::vector<const TensorInfo*>& beside);

// `tokenizer` has the keys that the JSON leaves out. Throws Exit::bad_input.
Facts parse_facts(std::string_view json, const Metadata& tokenizer);

// Those of a model, Model::facts; nothing if it was not made from a GGUF file.
std::optional<Facts> facts_of(const std::map<std::string, std::string>& facts);

}  // namespace quern::gguf
