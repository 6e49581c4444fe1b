#include "formats/onnx/metadata.h"

#include "formats/onnx/onnx.pb.h"
#include "libcore/base/text.h"
#include "libcore/ops/integer/family.h"
#include "libcore/ops/integer/profile.h"

namespace quern::onnx_format {
namespace {

constexpr std::string_view lineage_key = "quern.lineage";
constexpr std::string_view facts_prefix = "quern.facts.";
constexpr const char *producer_key = "onnx.producer", *domain_key = "onnx.domain", *version_key = "onnx.model_version",
                     *doc_key = "onnx.doc_string";
constexpr const char* own_name = "quern";

}  // namespace

void take_metadata(const onnx::Model& message, Model& model) {
    auto& metadata = model.graph.metadata;
    const auto keep = [&](const std::string& key, const std::string& text) {
        if (!text.empty() && is_utf8(key) && is_utf8(text)) metadata[key] = text;
    };
    if (message.producer_name() != own_name)
        keep(producer_key, std::string(trim(message.producer_name() + " " + message.producer_version())));
    keep(domain_key, message.domain());
    if (message.model_version() != 0) keep(version_key, std::to_string(message.model_version()));
    keep(doc_key, message.doc_string());
    for (const auto& entry : message.metadata_props()) {
        if (entry.key() == lineage_key)
            model.lineage = entry.value();
        else if (entry.key().rfind(facts_prefix, 0) == 0)
            model.facts[entry.key().substr(facts_prefix.size())] = entry.value();
        else if (entry.key() != session_options_key)
            keep(entry.key(), entry.value());
    }
}

void put_metadata(const Model& model, onnx::Model& message) {
    const auto put = [&](std::string_view key, const std::string& text) {
        auto* entry = message.add_metadata_props();
        entry->set_key(std::string(key));
        entry->set_value(text);
    };
    message.set_producer_name(own_name);
    const bool others = is_of_tflite(model.graph);  // arithmetic: that of the runtimes of the file that was read
    for (const auto& [key, text] : model.graph.metadata) {
        if (others && key == profile_key) continue;
        if (key == domain_key)
            message.set_domain(text);
        else if (key == doc_key)
            message.set_doc_string(text);
        else if (key == version_key)
            message.set_model_version(parse_int(text).value_or(0));
        else
            put(key, text);
    }
    if (!model.lineage.empty()) put(lineage_key, model.lineage.text());
    for (const auto& [kind, text] : model.facts) put(std::string(facts_prefix) + kind, text);
}

}  // namespace quern::onnx_format
