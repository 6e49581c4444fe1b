// Writing ONNX files: the message first, then the weights one after the other straight from where they are, so that no more than one
// of them is in memory; weights go into a file of their own on demand or when protobuf's 2 GiB would be passed.
#include <google/protobuf/arena.h>

#include <filesystem>

#include "formats/onnx/downgrade.h"
#include "formats/onnx/export.h"
#include "formats/onnx/for_onnxruntime.h"
#include "formats/onnx/genai.h"
#include "formats/onnx/metadata.h"
#include "formats/onnx/onnx.h"
#include "formats/onnx/onnx.pb.h"
#include "formats/onnx/session_options.h"
#include "formats/onnx/upgrade.h"
#include "formats/onnx/versions.h"
#include "formats/shared/interface.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/ops/integer/weight_only.h"
#include "libcore/ops/shared/indices.h"
#include "libcore/os/io.h"
#include "libcore/passes/onnx/fold_interface.h"
#include "libcore/passes/onnx/lower_encodings.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/support/runtime.h"

namespace quern::onnx_format {
namespace {

constexpr uint64_t message_limit = 0x7fff0000;  // what protobuf readers take, with room for the model's own fields
constexpr uint32_t model_graph = 7, graph_initializer = 5, tensor_raw_data = 9;

std::string head_of_field(uint32_t field, uint64_t size) {
    std::string out(1, static_cast<char>(field << 3 | 2));
    for (; size > 127; size >>= 7) out += static_cast<char>((size & 127) | 128);
    out += static_cast<char>(size);
    return out;
}

// Pages of mapped weights are given back as soon as they are written.
void write_released(OutputFile& file, const Bytes& bytes) {
    constexpr size_t step = size_t{16} << 20;
    for (size_t at = 0; at < bytes.size(); at += step) {
        const Bytes part = bytes.slice(at, std::min(step, bytes.size() - at));
        file.write(part);
        part.release();
    }
    bytes.release();
}

uint64_t size_of(const std::vector<Weight>& weights) {
    uint64_t total = 0;
    for (const Weight& weight : weights) total += weight.tensor.data.size() + weight.name.size() + 64;
    return total;
}

void write_inline(OutputFile& file, onnx::Model& message, const std::vector<Weight>& weights) {
    const std::string graph = message.graph().SerializeAsString();
    message.clear_graph();
    file.write(message.SerializeAsString());
    std::vector<std::string> heads;
    uint64_t total = graph.size();
    for (const Weight& weight : weights) {
        onnx::Tensor head;
        put_tensor_head(weight.name, weight.tensor, head);
        const uint64_t size = weight.tensor.data.size();
        std::string text = head.SerializeAsString() + head_of_field(tensor_raw_data, size);
        heads.push_back(head_of_field(graph_initializer, text.size() + size) + text);
        total += heads.back().size() + size;
    }
    file.write(head_of_field(model_graph, total));
    file.write(graph);
    for (size_t i = 0; i < weights.size(); ++i) {
        file.write(heads[i]);
        write_released(file, weights[i].tensor.data);
    }
}

void write_beside(const std::string& path, onnx::Model& message, const std::vector<Weight>& weights, Outputs& outputs) {
    const std::string data_path = path + ".data";
    OutputFile data = outputs.open(data_path);
    const std::string location = std::filesystem::path(data_path).filename().string();
    for (const Weight& weight : weights) {
        const size_t size = weight.tensor.data.size();
        data.pad_to(size >= 4096 ? 4096 : 64);
        onnx::Tensor& head = *message.mutable_graph()->add_initializer();
        put_tensor_head(weight.name, weight.tensor, head);
        head.set_data_location(1);
        const auto entry = [&](const char* key, const std::string& text) {
            auto* item = head.add_external_data();
            item->set_key(key);
            item->set_value(text);
        };
        entry("location", location);
        entry("offset", std::to_string(data.position()));
        entry("length", std::to_string(size));
        write_released(data, weight.tensor.data);
    }
    OutputFile file = outputs.open(path);
    file.write(message.SerializeAsString());
    data.commit();
    file.commit();
}

// ONNX counts indices below 0 from the end: those that are outside become the depth, which is outside, too.
bool plain_one_hot(Graph& graph, NodeId id) {
    if (graph.node(id).attrs.erase(negative_outside_key) == 0 || !graph.node(id).is(ops::OneHot)) return false;
    const ValueId which = graph.node(id).in[0];
    const DType dtype = graph.value(which).type.dtype;
    Expansion made(graph, id);
    const ValueId depth = made.add(ops::Cast, {graph.node(id).in[1]}, {{"to", onnx_type(dtype)}});
    const ValueId below = made.add(ops::Less, {which, made.number(dtype, 0)});
    graph.node(id).in[0] = made.add(ops::Where, {below, depth, which});
    return true;
}

// ONNX is channels-first: what was moved, or came channels-last, is brought there, and Transposes that met on the way go.
void channels_first(Graph& graph) {
    if (move_layout_back.run(graph) > 0) {
        infer_types(graph);
        run_pipeline(graph, pipelines::onnx_layout);
    }
    bool expanded = false;
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        for (const NodeId id : std::vector<NodeId>(part.order())) {
            for (const char* key : {asymmetric_key, powers_key, weight_only_key}) part.node(id).attrs.erase(key);
            expanded = plain_one_hot(part, id) || expanded;
            const auto found = part.node(id).attrs.find("layout");
            const auto* layout = found == part.node(id).attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
            if (layout && *layout == "NHWC") throw unsupported("{} cannot be brought to NCHW", described(part.node(id)));
            if (NodeView(part.node(id)).has("cell_clip") && NodeView(part.node(id)).real("cell_clip") != 0)
                throw unsupported("node \"{}\" (LSTM) bounds its cell state, which ONNX cannot say", escape(part.node(id).name));
        }
        spell_pads(part);
        // Values are what they are in this file: its readers know no other source.
        for (size_t i = 0; i < part.value_count(); ++i) part.value(static_cast<ValueId>(i)).permutation.clear();
    });
    if (expanded) infer_types(graph);
}

constexpr int usual_for_language = 21;  // of language models: blocks of scales; newer operators are taken apart, which few readers have
constexpr int oldest_usual = 13;        // scales per channel; what every reader of today takes

bool asks_for_codes(const std::string& type) { return !type.empty() && !is_real(type); }

StoredEnds stored_ends(const WriteOptions& options) {
    const StoredInterface wanted(options.io);
    return {.inputs = options.stored_io || asks_for_codes(wanted.input), .outputs = options.stored_io || asks_for_codes(wanted.output)};
}

// Inputs and outputs as they are wanted, where anything is. Real numbers are what those that are encoded are written as.
void take_interface(Graph& graph, StoredInterface wanted) {
    if (wanted.input.empty() && wanted.output.empty()) return;
    run_pipeline(graph, pipelines::folded);
    fold_interface(graph, {.inputs = !wanted.input.empty(), .outputs = !wanted.output.empty()});
    if (!asks_for_codes(wanted.input)) wanted.input.clear();
    if (!asks_for_codes(wanted.output)) wanted.output.clear();
    store_interface(graph, wanted);
    infer_types(graph);
}

// The graph in the operators of `opset`, those of `apart` as the older ones that stand for them.
Graph at_opset(Graph graph, int opset, const WriteOptions& options, std::span<const OpId> apart) {
    if (has_encodings(graph)) lower_encodings(graph, options.quant_form, opset, stored_ends(options));
    if (!apart.empty()) take_apart(graph, apart);
    for_each_graph(graph, [&](Graph& part, const std::string&) {
        put_steps_first(part);
        keep_off_codes(part);
        keep_outputs_made(part);
        if (opset >= 21) name_no_bytes(part);
    });
    downgrade(graph, opset);
    return graph;
}

// What onnxruntime has no kernel for, of a graph in the operators of `opset`.
std::vector<std::string> without_kernel(const Graph& root, int opset) {
    std::vector<std::string> out;
    const support::Runtime& runtime = support::runtime_named("onnxruntime");
    if (opset > runtime.opset) out.push_back(fmt::format("opset {}: it reads those up to {}", opset, runtime.opset));
    for_each_graph(root, [&](const Graph& graph, const std::string&) {
        for (const NodeId id : graph.order())
            if (pads_beside_dilations(graph.node(id)))
                out.push_back(fmt::format("{}: auto_pad beside dilations, of a shape that is not fixed", described(graph.node(id))));
            else if (aligns_exact_corners(graph, graph.node(id)))
                out.push_back(fmt::format("{}: align_corners by scales, of a size that is rounded first there", described(graph.node(id))));
            else if (const auto why = support::refusal(runtime, graph, graph.node(id), opset))
                out.push_back(fmt::format("{}: {}", described(graph.node(id)), support::brief(*why)));
    });
    return out;
}

// A graph in the operators of an opset, and what onnxruntime has no kernel for there.
struct AtOpset {
    Graph graph;
    int opset;
    std::vector<std::string> without_kernel;
};

AtOpset judged(Graph source, int opset, const WriteOptions& options, std::span<const OpId> apart = {}) {
    Graph graph = at_opset(std::move(source), opset, options, apart);
    auto missing = without_kernel(graph, opset);
    return {std::move(graph), opset, std::move(missing)};
}

// The lowest opset that says the graph and whose operators onnxruntime has kernels for: readers lag behind, and onnxruntime 1.31 refuses
// int8 codes around a MatMul of rank 3 with a bias from opset 21 on. Where no opset that it reads has all kernels, the lowest.
AtOpset lowest_opset(const Graph& source, const WriteOptions& options, std::span<const OpId> apart = {}) {
    const int64_t newest_read = support::runtime_named("onnxruntime").opset;
    std::optional<AtOpset> lowest;
    for (int opset = least_opset(source, oldest_usual); opset <= newest_opset && !(lowest && opset > newest_read); ++opset) {
        try {
            AtOpset found = judged(source, opset, options, apart);
            if (found.without_kernel.empty()) return found;
            if (!lowest) lowest = std::move(found);
        } catch (const Error& error) {
            if (error.exit() != Exit::unsupported || (opset >= newest_opset && !lowest)) throw;
        }
    }
    return std::move(*lowest);
}

// The operators of nodes without a kernel that older ones can stand for.
std::vector<OpId> expandable(const AtOpset& found) {
    std::vector<OpId> out;
    const support::Runtime& runtime = support::runtime_named("onnxruntime");
    for_each_graph(found.graph, [&](const Graph& graph, const std::string&) {
        for (const NodeId id : graph.order())
            for (const Downgrade& row : expansions())
                if (graph.node(id).is(row.op) && support::refusal(runtime, graph, graph.node(id), found.opset)) out.push_back(row.op);
    });
    return out;
}

// That, and of what has no kernel there in any the older operators that stand for it, where those have.
AtOpset at_least_opset(const Graph& source, const WriteOptions& options) {
    AtOpset found = lowest_opset(source, options);
    const std::vector<OpId> apart = found.without_kernel.empty() ? std::vector<OpId>() : expandable(found);
    if (apart.empty()) return found;
    AtOpset other = lowest_opset(source, options, apart);
    return other.without_kernel.size() < found.without_kernel.size() ? std::move(other) : std::move(found);
}

// An error where all is to run as it stands.
void say_without_kernel(const std::vector<std::string>& places, const WriteOptions& options) {
    if (places.empty()) return;
    const std::string which = support::some_of(places);
    if (options.strict) throw unsupported("onnxruntime has no kernel for what is asked of {}", which);
    say_notice(fmt::format("written as asked, which onnxruntime has no kernel for: {}", which));
}

// Told, and kept in the file.
void say_session_options(const Graph& graph, onnx::Model& message) {
    std::string entries;
    for (const SessionOption& option : session_options(graph)) {
        say_notice(fmt::format("onnxruntime needs {} for this file: {}", option.entry, option.why));
        entries += (entries.empty() ? "" : "\n") + option.entry;
    }
    if (entries.empty()) return;
    auto* property = message.add_metadata_props();
    property->set_key(std::string(session_options_key));
    property->set_value(entries);
}

// A model in the operators of an opset, as a message that its weights are not in yet.
struct Written {
    Written(const Model& model, const WriteOptions& options) {
        Graph source = model.graph;
        take_interface(source, StoredInterface(options.io));
        if (options.contrib) to_contrib(source);
        channels_first(source);
        const int asked = options.opset == 0 && model.facts.contains("gguf") ? usual_for_language : options.opset;
        AtOpset found = asked == 0 ? at_least_opset(source, options) : judged(std::move(source), asked, options);
        say_without_kernel(found.without_kernel, options);
        graph = std::move(found.graph);
        if (options.tell) options.tell(graph);
        message.set_ir_version(ir_version_of(found.opset));
        put_metadata(model, message);
        say_session_options(graph, message);
        Exporter exporter(found.opset);
        exporter.run(graph, message);
        weights = exporter.weights();
        if (message.ByteSizeLong() > message_limit) throw unsupported("the graph alone is larger than 2 GiB");
    }
    bool too_large() const { return message.ByteSizeLong() + size_of(weights) > message_limit; }

    google::protobuf::Arena arena;
    onnx::Model& message = *google::protobuf::Arena::CreateMessage<onnx::Model>(&arena);
    Graph graph;
    std::vector<Weight> weights;
};

void check_opset(int opset) {
    if (opset != 0 && (opset < oldest_written || opset > newest_opset))
        throw usage_error("opset {} cannot be written, only {} to {}", opset, oldest_written, newest_opset);
}

}  // namespace

void write(const Model& model, const std::string& path, const WriteOptions& options) {
    check_opset(options.opset);
    if (options.external_data && is_stream(path))
        throw usage_error("external data needs an output file to lie beside").with_hint("give -o FILE");
    Written written(model, options);
    const bool too_large = written.too_large();
    if (too_large && is_stream(path))
        throw unsupported("more than 2 GiB cannot be one ONNX file").with_hint("give -o FILE: the weights go beside it");
    if (!written.weights.empty() && (options.external_data || too_large)) {
        write_beside(path, written.message, written.weights, *options.outputs);
    } else {
        OutputFile file = options.outputs->open(path);
        write_inline(file, written.message, written.weights);
        file.commit();
    }
    if (options.contrib) write_genai_config(model, written.graph, path, *options.outputs);
}

void write(const Model& model, OutputFile& file, const WriteOptions& options) {
    check_opset(options.opset);
    Written written(model, options);
    if (written.too_large()) throw unsupported("more than 2 GiB cannot be one ONNX file");
    write_inline(file, written.message, written.weights);
}

}  // namespace quern::onnx_format
