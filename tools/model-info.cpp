// model-info: what is inside a model, as a table, as JSON or as the graph in the text form.
#include <fmt/ranges.h>

#include "formats/gguf/file/open.h"
#include "formats/native/native.h"
#include "formats/read.h"
#include "formats/text/text.h"
#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/summary.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "tools/model-info/dlc.h"
#include "tools/model-info/gguf.h"
#include "tools/model-info/row.h"
#include "tools/model-info/safetensors.h"

namespace {

using nlohmann::json;
using namespace quern;

json ports(const Graph& graph, const std::vector<ValueId>& ids) {
    json out = json::array();
    for (const ValueId id : ids) {
        const Value& value = graph.value(id);
        json port = {{"name", value.name}, {"type", to_string(value.type)}};
        if (value.enc) port["encoding"] = to_string(*value.enc);
        out.push_back(std::move(port));
    }
    return out;
}

json as_json(const Model& model, const Summary& summary, bool library) {
    json out = {{"inputs", ports(model.graph, model.graph.inputs)},
                {"outputs", ports(model.graph, model.graph.outputs)},
                {"nodes", summary.nodes},
                {"ops", summary.ops},
                {"parameters", summary.parameters},
                {"weight_bytes", summary.weight_bytes},
                {"weight_dtypes", summary.weight_dtypes},
                {"encoded_values", summary.encoded},
                {"encodings", summary.encodings},
                {"devices", summary.devices},
                {"metadata", model.graph.metadata},
                {"lineage", model.lineage.text()}};
    out["runs_code"] = library;
    json contexts = json::array();
    for (const HeldContext& held : held_contexts(model.graph))
        contexts.push_back(
            {{"node", held.node}, {"source", held.source}, {"partition", held.partition}, {"file", held.file}, {"bytes", held.bytes}});
    out["contexts"] = std::move(contexts);
    out["macs"] = summary.macs ? json(*summary.macs) : json();
    out["unknown_ops"] = summary.unknown_ops;
    json facts = json::array();
    for (const auto& [kind, text] : model.facts) facts.push_back(kind);
    out["facts"] = std::move(facts);
    return out;
}

void print_ports(std::string_view what, const Graph& graph, const std::vector<ValueId>& ids) {
    for (const ValueId id : ids) {
        const Value& value = graph.value(id);
        row(what,
            fmt::format("{}  {}{}", escape(value.name), escape(to_string(value.type)), value.enc ? "  " + to_string(*value.enc) : ""));
        what = "";
    }
}

std::string names_text(const std::vector<std::string>& names) {
    std::vector<std::string> shown;
    for (const std::string& name : few_of(names)) shown.push_back(escape(name));
    return join(shown, " ");
}

void print_counts(std::string_view what, const std::map<std::string, uint64_t>& counts) {
    for (const auto& [name, count] : counts) {
        row(what, fmt::format("{:<28}{:>10}", escape(name), count));
        what = "";
    }
}

void print_table(const Model& model, const Summary& summary) {
    const Graph& graph = model.graph;
    if (!graph.name.empty()) row("graph", escape(graph.name));
    print_ports("inputs", graph, graph.inputs);
    print_ports("outputs", graph, graph.outputs);
    row("nodes", fmt::format("{}", summary.nodes));
    print_counts("operators", summary.ops);
    if (!summary.unknown_ops.empty()) row("unknown ops", names_text(summary.unknown_ops));
    for (const HeldContext& held : held_contexts(graph))
        row("context",
            fmt::format("of {}, {}", escape(held.source),
                        held.file.empty() ? fmt::format("{} bytes inside", held.bytes) : fmt::format("in {}", escape(held.file))));
    row("parameters", fmt::format("{} ({} bytes)", summary.parameters, summary.weight_bytes));
    print_counts("weights", summary.weight_dtypes);
    row("MACs", summary.macs ? fmt::format("{:.0f}", *summary.macs) : "unknown: shapes are not fixed (model-convert --shape fixes them)");
    if (summary.encoded) print_counts("encodings", summary.encodings);
    if (!summary.devices.empty()) print_counts("devices", summary.devices);
    for (const auto& [key, value] : graph.metadata) row("metadata", fmt::format("{} = {}", escape(key), escape(value.substr(0, 200))));
    for (const auto& [kind, text] : model.facts) row("facts", fmt::format("{} ({} bytes)", kind, text.size()));
    row("lineage", model.lineage.text());
}

json as_json(const ContextPart& part) {
    json out{{"device", part.device},     {"backend", part.backend}, {"version", part.version},
             {"bytes", part.blob.size()}, {"inputs", part.inputs},   {"outputs", part.outputs}};
    if (!part.options.empty()) out["options"] = json::parse(part.options);
    return out;
}

json as_json(const Context& context) {
    json graphs = json::array();
    for (const ContextGraph& graph : context.graphs()) {
        json parts = json::array();
        for (const ContextPart& part : graph.parts) parts.push_back(as_json(part));
        graphs.push_back({{"name", graph.name},
                          {"lineage", graph.lineage},
                          {"mode", context_modes[static_cast<size_t>(graph.mode)]},
                          {"inputs", ports(graph.values, graph.values.inputs)},
                          {"outputs", ports(graph.values, graph.values.outputs)},
                          {"parts", std::move(parts)}});
    }
    return {{"kind", "context"}, {"tool", context.tool()}, {"isa", context.isa()}, {"graphs", std::move(graphs)}};
}

void print_table(const Context& context) {
    row("context", fmt::format("of quern {}, for {}", context.tool(), context.isa()));
    for (const ContextGraph& graph : context.graphs()) {
        row("graph", fmt::format("{}, computes in {}", escape(graph.name), context_modes[static_cast<size_t>(graph.mode)]));
        print_ports("inputs", graph.values, graph.values.inputs);
        print_ports("outputs", graph.values, graph.values.outputs);
        for (const ContextPart& part : graph.parts)
            row("part", fmt::format("{} on back end {} {}{}, {} bytes", escape(part.device), escape(part.backend), escape(part.version),
                                    part.options.empty() ? "" : " with " + printable(part.options), part.blob.size()));
        row("lineage", graph.lineage);
    }
}

class ModelInfo : public Tool {
    std::string model_ = "-", signature_, encodings_, output_ = "-";
    bool json_ = false, text_ = false, verify_ = false, allow_missing_ = false;
    std::optional<int64_t> values_;
    GgufQuestion gguf_;

    std::string_view name() const override { return "model-info"; }
    std::string_view summary() const override { return "show what is inside a model"; }
    std::vector<std::string_view> examples() const override {
        return {"quern model-info digits.onnx", "quern model-info digits.onnx --json | grep parameters"};
    }
    void options(Options& add) override {
        add.model(model_);
        add.signature(signature_);
        add.flag(json_, "--json", "print JSON");
        add.flag(text_, "--text", "print the graph in the text form, without the elements of large constants");
        add.flag(verify_, "--verify", "compare weights with their digests (native models, contexts)");
        add.group("Encodings");
        add.flag(encodings_, "--encodings", "FORMAT", "1.0.0",
                 fmt::format("print the encodings as other tools read them (docs/encodings.md): {} (default: 1.0.0)",
                             fmt::join(encodings_versions, ", ")));
        add.output(output_, "-o,--output", "FILE", "the file for --encodings (default: standard output)");
        add.flag(allow_missing_, "--allow-missing-encodings", "leave out what the format cannot say");
        add.group("GGUF files");
        add.text(gguf_.metadata, "--metadata", "KEY", "print this value whole");
        add.text(gguf_.tensor, "--tensor", "NAME", "print the numbers of this tensor, with statistics");
        add.integer(values_, "--values", "N", "how many of its numbers (default: 32)");
    }
    Exit run() override {
        if (json_ && text_) throw usage_error("--json and --text exclude each other");
        if (!encodings_.empty()) return write_all_encodings();
        if (output_ != "-" || allow_missing_) throw usage_error("--output and --allow-missing-encodings are for --encodings");
        const Bytes bytes = map_model(model_);
        if (is_context(bytes)) return show_context(bytes);
        if (is_dlc(bytes)) return at_place(display_name(model_), [&] { return show_dlc(bytes, json_); });
        if (gguf::has_magic(bytes) && !text_) return show_gguf_file(bytes);
        if (is_safetensors(bytes, model_) && !text_ && !verify_ && signature_.empty()) return show_safetensors(bytes, model_, json_);
        if (!gguf_.metadata.empty() || !gguf_.tensor.empty())
            throw usage_error("{}: --metadata and --tensor are for GGUF files", display_name(model_));
        const bool native = native_format::sniff(bytes);
        if (verify_ && native) at_place(display_name(model_), [&] { native_format::check_digests(bytes); });
        const Model model = read_model(bytes, model_, signature_);
        if (const Bytes context = wrapped_context(model); !context.empty() && !text_) return show_context(context);
        if (verify_ && !native) throw no_digests();
        if (text_) {
            print_text(model, {.weights = TextWeights::elide}, [](std::string_view part) { print(part); });
            return Exit::ok;
        }
        Summary summary = summarize(model.graph);
        add_spelled_encodings(model.graph, summary);
        if (json_)
            print(json_document(as_json(model, summary, is_library(model_))));
        else
            print_model(model, summary);
        return Exit::ok;
    }
    void print_model(const Model& model, const Summary& summary) const {
        if (is_library(model_)) row("library", "reading it runs its code, in a process of its own");
        print_table(model, summary);
    }
    Exit write_all_encodings() const {
        if (json_ || text_ || verify_ || !gguf_.metadata.empty() || !gguf_.tensor.empty())
            throw usage_error("--encodings prints nothing else: no --json, --text, --verify, --metadata or --tensor beside it");
        check_encodings_version(encodings_);
        const Model model = read_model(model_, signature_);
        at_place(display_name(model_), [&] { write_encodings(as_trained(model.graph), encodings_, output_, allow_missing_); });
        return Exit::ok;
    }
    // Those that a file says as QuantizeLinear and the like, or as fake quantization.
    static void add_spelled_encodings(const Graph& graph, Summary& summary) {
        Summary other = summarize(as_trained(graph));
        summary.encoded = other.encoded;
        summary.encodings = std::move(other.encodings);
    }
    Exit show_gguf_file(const Bytes& bytes) {
        if (verify_) throw no_digests();
        if (!signature_.empty()) throw usage_error("--signature is for TFLite and Circle files, not for gguf");
        if (!gguf_.metadata.empty() && !gguf_.tensor.empty()) throw usage_error("--metadata and --tensor exclude each other");
        if (values_ && gguf_.tensor.empty()) throw usage_error("--values is for --tensor");
        gguf_.json = json_;
        if (values_) gguf_.values = *values_;
        return at_place(display_name(model_), [&] {
            show_gguf(gguf::open(bytes, model_), gguf_);
            return Exit::ok;
        });
    }
    Error no_digests() const {
        return usage_error("{}: --verify needs a native model or a context: only those carry digests of their weights",
                           display_name(model_));
    }
    Exit show_context(const Bytes& bytes) const {
        return at_place(display_name(model_), [&] {
            if (text_) throw usage_error("--text is for models");
            if (verify_) Context::check_digests(bytes);
            const Context context(bytes);
            if (json_)
                print(json_document(as_json(context)));
            else
                print_table(context);
            return Exit::ok;
        });
    }
    // In or beside an EPContext model of ours.
    Bytes wrapped_context(const Model& model) const {
        if (holds_others_context(model.graph)) return {};
        try {
            return unwrap_context(model.graph, model_);
        } catch (const Error& error) {
            notice(fmt::format("{}: {}", display_name(model_), error.message()));
            return {};
        }
    }
};

}  // namespace

int main(int argc, char** argv) {
    ModelInfo tool;
    return tool_main(tool, argc, argv);
}
