#include "formats/tflite/file/metadata.h"

#include <fmt/format.h>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern::tflite_format {
namespace {

constexpr size_t longest = 1 << 16;  // entries of a file that are kept

// Texts without the zeros that fill them up, other bytes in hex.
std::string readable(const Bytes& bytes) {
    std::string_view text = bytes.text();
    while (!text.empty() && text.back() == '\0') text.remove_suffix(1);
    if (is_plain(text)) return std::string(text);
    std::string out = "hex:";
    for (const std::byte byte : bytes.span()) fmt::format_to(std::back_inserter(out), "{:02x}", static_cast<unsigned>(byte));
    return out;
}

Bytes bytes_of_text(const std::string& text) {
    if (!text.starts_with("hex:")) return Bytes::copy(text.data(), text.size());
    std::vector<std::byte> out;
    for (size_t i = 4; i + 1 < text.size(); i += 2) out.push_back(static_cast<std::byte>(std::stoul(text.substr(i, 2), nullptr, 16)));
    return Bytes::own(std::move(out));
}

std::string aliases_json(const std::vector<Signature::Alias>& aliases, const Subgraph& graph) {
    std::map<std::string, std::string> sorted;
    for (const auto& alias : aliases) {
        if (alias.tensor >= graph.tensors.size()) throw bad_input("signature names tensor {} of {}", alias.tensor, graph.tensors.size());
        sorted[alias.name] = graph.tensors[alias.tensor].name;
    }
    std::vector<std::string> members;
    members.reserve(sorted.size());
    for (const auto& [alias, name] : sorted) members.push_back(json_text(alias) + ": " + json_text(name));
    return "{" + join(members, ", ") + "}";
}

}  // namespace

void put_metadata(const File& file, std::string_view format, Graph& graph, std::optional<int64_t> first) {
    const auto put = [&](const std::string& key, std::string text) {
        if (is_utf8(key) && is_utf8(text)) graph.metadata[fmt::format("{}.{}", format, key)] = std::move(text);
    };
    if (file.version != 0) put("version", std::to_string(file.version));
    if (!file.description.empty()) put("description", file.description);
    for (const auto& [name, bytes] : file.metadata)
        if (bytes.size() <= longest) put("metadata." + name, readable(bytes));
    for (const Signature& signature : file.signatures) {
        if (signature.subgraph >= file.subgraphs.size())
            throw bad_input("signature names subgraph {} of {}", signature.subgraph, file.subgraphs.size());
        const Subgraph& of = file.subgraphs[signature.subgraph];
        put("signature." + signature.key,
            fmt::format("{{\"inputs\": {}, \"outputs\": {}, \"subgraph\": {}}}", aliases_json(signature.inputs, of),
                        aliases_json(signature.outputs, of), first ? 0 : signature.subgraph));
    }
}

namespace {

std::vector<Signature::Alias> aliases_of(const JsonView& json, const Subgraph& graph) {
    std::vector<Signature::Alias> out;
    json.each([&](const std::string& alias, const JsonView& name) {
        for (uint32_t i = 0; i < graph.tensors.size(); ++i)
            if (graph.tensors[i].name == name.text()) return out.push_back({alias, i});
    });
    return out;
}

void take_signature(const std::string& key, const std::string& text, File& file) {
    const Json document = parse_json(text);
    const JsonView json(document);
    if (json["subgraph"].natural() != 0) return;  // other subgraphs are not kept
    const Subgraph& graph = file.subgraphs.at(0);
    Signature signature{key, aliases_of(json["inputs"], graph), aliases_of(json["outputs"], graph), 0};
    if (signature.inputs.size() == graph.inputs.size() && signature.outputs.size() == graph.outputs.size())
        file.signatures.push_back(std::move(signature));
}

}  // namespace

void take_metadata(const Graph& graph, File& file) {
    for (const auto& [key, text] : graph.metadata) {
        const size_t dot = key.find('.');
        if (dot == std::string::npos || (key.substr(0, dot) != "tflite" && key.substr(0, dot) != "circle")) continue;
        const std::string rest = key.substr(dot + 1);
        if (rest == "description") file.description = text;
        if (rest.starts_with("metadata.")) file.metadata.emplace_back(rest.substr(9), bytes_of_text(text));
        if (rest.starts_with("signature.")) take_signature(rest.substr(10), text, file);
    }
}

}  // namespace quern::tflite_format
