#include "libcore/text/language_source.h"

#include "libcore/exec/meaning.h"

namespace quern {
namespace {

LanguageSource of_model(const Model& model, const LanguageSettings& settings) {
    const auto tokenizer = model.facts.find("tokenizer");
    const Graph graph = as_encoded(model.graph);
    if (const std::string why = language_model_obstacle(graph); !why.empty()) throw bad_input("is not a language model: {}", why);
    LanguageSource source{tokenizer == model.facts.end() ? std::string() : tokenizer->second, positions_of_tables(graph), {}};
    source.open = [graph, compile = settings.compile(graph), pool = std::make_shared<ThreadPool>(settings.threads)](int64_t capacity,
                                                                                                                    bool all_logits) {
        const Graph own = as_language_model(graph, capacity, all_logits);
        std::vector<LanguageModel::Part> parts;
        parts.push_back({own, make_engine(Program::compile(own, compile), *pool)});
        return LanguageModel(std::move(parts), capacity);
    };
    return source;
}

LanguageSource of_context(const Bytes& file, const LanguageSettings& settings) {
    const auto context = std::make_shared<const Context>(file);
    LanguageSource source;
    for (const ContextGraph& graph : context->graphs())
        if (const auto tokenizer = graph.facts.find("tokenizer"); tokenizer != graph.facts.end()) source.tokenizer = tokenizer->second;
    source.open = [context, options = settings.backend_options, threads = settings.threads](int64_t capacity, bool) {
        std::vector<LanguageModel::Part> parts;
        for (const ContextGraph& graph : context->graphs())
            parts.push_back({graph.values, make_engine(context->load(graph, options), {.threads = threads})});
        return LanguageModel(std::move(parts), capacity);
    };
    return source;
}

}  // namespace

std::optional<Tokenizer> LanguageSource::make_tokenizer() const {
    if (tokenizer.empty()) return std::nullopt;
    return std::optional<Tokenizer>(std::in_place, parse_tokenizer(tokenizer));
}

LanguageSource language_source(const Bytes& bytes, const Model& model, const std::string& path, const LanguageSettings& settings) {
    const Bytes file = is_context(bytes) ? bytes : unwrap_context(model.graph, path);
    return file.empty() ? of_model(model, settings) : of_context(file, settings);
}

}  // namespace quern
