#include "formats/onnx/genai.h"

#include <filesystem>

#include "libcore/base/json.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/onnx/contrib.h"
#include "libcore/tokens/hugging_face.h"
#include "libcore/tokens/tokenizer_data.h"

namespace quern::onnx_format {
namespace {

// onnxruntime-genai's names of architectures that it calls otherwise than llama.cpp; of those that it has no name for "decoder", which is
// any.
struct TypeName {
    std::string_view architecture, type;
};
constexpr std::array type_names{TypeName{"falcon", "decoder"}, TypeName{"gemma3", "gemma3_text"}, TypeName{"mistral3", "mistral"},
                                TypeName{"olmo2", "decoder"},  TypeName{"phi2", "phi"},           TypeName{"starcoder2", "decoder"}};

std::string type_of(const std::string& architecture) {
    for (const TypeName& row : type_names)
        if (row.architecture == architecture) return std::string(row.type);
    return architecture;
}

// Metadata of the GGUF file, as facts "gguf" has them.
class Metadata {
   public:
    explicit Metadata(const std::string& facts) : json_(parse_json(facts)) {}

    std::string text(const std::string& key) const {
        const auto found = value(key);
        return found ? found->text() : std::string();
    }
    std::optional<int64_t> integer(const std::string& key) const {
        const auto found = value(key);
        return found ? std::optional(found->integer()) : std::nullopt;
    }

   private:
    std::optional<JsonView> value(const std::string& key) const {
        const JsonView entries = JsonView(json_)["metadata"];
        for (size_t i = 0; i < entries.size(); ++i)
            if (const JsonView entry = entries.at(i); entry["key"].text() == key && entry.has("value")) return entry["value"];
        return std::nullopt;
    }
    Json json_;
};

// A pattern for the names of the layers' caches if there are any.
void name_caches(const Graph& graph, std::span<const ValueId> from, const std::string& prefix, Json& names, const std::string& key) {
    for (const char* what : {"key", "value"})
        if (std::ranges::any_of(from, [&](ValueId id) { return graph.value(id).name == prefix + ".0." + what; }))
            names[key + "_" + what + "_names"] = prefix + ".%d." + what;
}

struct Sizes {
    int64_t layers = 0, heads = 0, kv_heads = 0, head = 0, embedding = 0, vocabulary = 0;
    int64_t capacity = 0;  // of caches of a fixed size
    bool in_place = true;  // all attentions can write into caches that are given
};

int64_t last_of(const Type& type) { return type.shape.rank() > 0 && type.shape.dims.back().known() ? type.shape.dims.back().value : 0; }

Sizes sizes_of(const Graph& graph) {
    Sizes sizes;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        if (!node.is(ops::microsoft::GroupQueryAttention)) continue;
        sizes.heads = NodeView(node).integer("num_heads");
        sizes.kv_heads = NodeView(node).integer("kv_num_heads");
        sizes.head = last_of(graph.value(node.in[3]).type);
        const Dim& length = graph.value(node.in[3]).type.shape.dims[2];
        sizes.capacity = length.known() ? length.value : 0;
        ++sizes.layers;
    }
    int64_t caches = 0;
    for (const ValueId id : graph.inputs) caches += graph.value(id).name.starts_with("past_key_values.");
    sizes.in_place = caches == 2 * sizes.layers;
    sizes.layers = caches / 2;
    sizes.vocabulary = last_of(graph.value(graph.find("logits")).type);
    return sizes;
}

Json decoder_json(const Graph& graph, const Sizes& sizes, const std::string& file) {
    Json inputs = Json::object(), outputs{{"logits", "logits"}};
    for (const ValueId id : graph.inputs)
        if (const std::string& name = graph.value(id).name; !name.starts_with("past_key_values.")) inputs[name] = name;
    name_caches(graph, graph.inputs, "past_key_values", inputs, "past");
    name_caches(graph, graph.outputs, "present", outputs, "present");
    return {{"filename", file},
            {"head_size", sizes.head},
            {"hidden_size", sizes.embedding},
            {"num_attention_heads", sizes.heads},
            {"num_hidden_layers", sizes.layers},
            {"num_key_value_heads", sizes.kv_heads},
            {"session_options", {{"log_id", "onnxruntime-genai"}, {"provider_options", Json::array()}}},
            {"inputs", inputs},
            {"outputs", outputs}};
}

// Ids that begin, end and fill up a text.
void add_tokens(const Model& model, Json& json) {
    const auto found = model.facts.find("tokenizer");
    if (found == model.facts.end()) return;
    const TokenizerData data = parse_tokenizer(found->second);
    if (data.bos) json["bos_token_id"] = *data.bos;
    if (!data.eos) return;
    json["eos_token_id"] = *data.eos;
    if (data.eot && data.eot != data.eos) json["eos_token_id"] = {*data.eos, *data.eot};
    json["pad_token_id"] = data.padding.value_or(*data.eos);
}

void write_text(Outputs& outputs, const std::filesystem::path& path, const std::string& text) {
    OutputFile out = outputs.open(path.string());
    out.write(text);
    out.commit();
}

void write_tokenizer(const Model& model, const std::filesystem::path& folder, Outputs& outputs) {
    const auto found = model.facts.find("tokenizer");
    if (found == model.facts.end()) return;
    try {
        const HuggingFaceFiles files = hugging_face_files(parse_tokenizer(found->second));
        write_text(outputs, folder / "tokenizer.json", files.tokenizer);
        write_text(outputs, folder / "tokenizer_config.json", files.config);
    } catch (const Error& error) {
        if (error.exit() != Exit::unsupported) throw;
        say_notice(fmt::format("tokenizer.json is not written: {}", error.what()));
    }
}

}  // namespace

void to_contrib(Graph& graph) {
    const Contrib made = make_contrib(graph);
    std::vector<std::string> kept;
    for (const auto& [type, count] : made.kept_weights) kept.push_back(fmt::format("{} weights of {}", count, type));
    for (const auto& [why, count] : made.kept_attentions) kept.push_back(fmt::format("{} Attention {}", count, why));
    if (!made.changed())
        throw unsupported("--contrib: the model has {} that com.microsoft's operators could say{}",
                          "neither weights in blocks nor attention with caches", kept.empty() ? "" : ", but " + join(kept, ", "));
    if (!kept.empty())
        say_notice(fmt::format("written in standard operators, as com.microsoft's do not say them exactly: {}", join(kept, ", ")));
}

void write_genai_config(const Model& model, const Graph& graph, const std::string& path, Outputs& outputs) {
    const auto facts = model.facts.find("gguf");
    if (is_stream(path) || facts == model.facts.end()) return;
    const Metadata metadata(facts->second);
    const std::string architecture = metadata.text("general.architecture");
    Sizes sizes = sizes_of(graph);
    int64_t context = metadata.integer(architecture + ".context_length").value_or(0);
    if (sizes.capacity > 0) context = sizes.capacity;
    sizes.embedding = metadata.integer(architecture + ".embedding_length").value_or(0);
    const std::filesystem::path file(path);
    Json language{{"type", type_of(architecture)},
                  {"context_length", context},
                  {"vocab_size", sizes.vocabulary},
                  {"decoder", decoder_json(graph, sizes, file.filename().string())}};
    add_tokens(model, language);
    const Json search{{"do_sample", false}, {"max_length", context}, {"num_beams", 1}, {"past_present_share_buffer", sizes.in_place}};
    write_text(outputs, file.parent_path() / "genai_config.json", json_document({{"model", language}, {"search", search}}));
    write_tokenizer(model, file.parent_path(), outputs);
}

}  // namespace quern::onnx_format
