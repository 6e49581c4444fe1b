// model-info: what is inside a model, as a table, as JSON or as the graph in the text form.
#include <nlohmann/json.hpp>

#include "formats/native/native.h"
#include "formats/read.h"
#include "formats/text/text.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/summary.h"

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

json as_json(const Model& model, const Summary& summary) {
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
                {"lineage", model.lineage}};
    out["macs"] = summary.macs ? json(*summary.macs) : json();
    out["unknown_ops"] = summary.unknown_ops;
    json facts = json::array();
    for (const auto& [kind, text] : model.facts) facts.push_back(kind);
    out["facts"] = std::move(facts);
    return out;
}

void row(std::string_view what, std::string_view text) { print(fmt::format("{:<12}{}\n", what, text)); }

void print_ports(std::string_view what, const Graph& graph, const std::vector<ValueId>& ids) {
    for (const ValueId id : ids) {
        const Value& value = graph.value(id);
        row(what,
            fmt::format("{}  {}{}", escape(value.name), escape(to_string(value.type)), value.enc ? "  " + to_string(*value.enc) : ""));
        what = "";
    }
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
    if (!summary.unknown_ops.empty()) row("unknown ops", join(summary.unknown_ops, " "));
    row("parameters", fmt::format("{} ({} bytes)", summary.parameters, summary.weight_bytes));
    print_counts("weights", summary.weight_dtypes);
    row("MACs", summary.macs ? fmt::format("{:.0f}", *summary.macs) : "unknown: shapes are not fixed (model-convert --shape fixes them)");
    if (summary.encoded) print_counts("encodings", summary.encodings);
    if (!summary.devices.empty()) print_counts("devices", summary.devices);
    for (const auto& [key, value] : graph.metadata) row("metadata", fmt::format("{} = {}", escape(key), escape(value.substr(0, 200))));
    for (const auto& [kind, text] : model.facts) row("facts", fmt::format("{} ({} bytes)", kind, text.size()));
    row("lineage", model.lineage);
}

json as_json(const Context& context) {
    json graphs = json::array();
    for (const ContextGraph& graph : context.graphs()) {
        json parts = json::array();
        for (const ContextPart& part : graph.parts)
            parts.push_back({{"device", part.device},
                             {"backend", part.backend},
                             {"version", part.version},
                             {"bytes", part.blob.size()},
                             {"inputs", part.inputs},
                             {"outputs", part.outputs}});
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
            row("part", fmt::format("{} on back end {} {}, {} bytes", escape(part.device), escape(part.backend), escape(part.version),
                                    part.blob.size()));
        row("lineage", graph.lineage);
    }
}

class ModelInfo : public Tool {
    std::string model_ = "-", signature_;
    bool json_ = false, text_ = false, verify_ = false;

    std::string_view name() const override { return "model-info"; }
    std::string_view summary() const override { return "show what is inside a model"; }
    void options(Options& add) override {
        add.model(model_);
        add.signature(signature_);
        add.flag(json_, "--json", "print JSON");
        add.flag(text_, "--text", "print the graph in the text form, without the elements of large constants");
        add.flag(verify_, "--verify", "compare weights with their digests (native models, contexts)");
    }
    Exit run() override {
        if (json_ && text_) throw usage_error("--json and --text exclude each other");
        const Bytes bytes = map_input(model_);
        if (is_context(bytes)) return show_context(bytes);
        const bool native = native_format::sniff(bytes);
        if (verify_ && native) at_place(display_name(model_), [&] { native_format::check_digests(bytes); });
        const Model model = read_model(bytes, model_, signature_);
        if (const Bytes context = wrapped_context(model); !context.empty() && !text_) return show_context(context);
        if (verify_ && !native)
            throw usage_error("{}: --verify needs a native model or a context: only those carry digests of their weights",
                              display_name(model_));
        if (text_) {
            print_text(model, {.weights = TextWeights::elide}, [](std::string_view part) { print(part); });
            return Exit::ok;
        }
        Summary summary = summarize(model.graph);
        add_spelled_encodings(model.graph, summary);
        if (json_)
            print(as_json(model, summary).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
        else
            print_table(model, summary);
        return Exit::ok;
    }
    // Those that a file says as QuantizeLinear and the like.
    static void add_spelled_encodings(const Graph& graph, Summary& summary) {
        Summary other = summarize(as_encoded(graph));
        summary.encoded = other.encoded;
        summary.encodings = std::move(other.encodings);
    }
    Exit show_context(const Bytes& bytes) const {
        return at_place(display_name(model_), [&] {
            if (text_) throw usage_error("--text is for models");
            if (verify_) Context::check_digests(bytes);
            const Context context(bytes);
            if (json_)
                print(as_json(context).dump(2, ' ', false, json::error_handler_t::replace) + "\n");
            else
                print_table(context);
            return Exit::ok;
        });
    }
    // In or beside an EPContext model of ours.
    Bytes wrapped_context(const Model& model) const {
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
