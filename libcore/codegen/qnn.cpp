// Generators for Qualcomm's runtime, made by its own libraries through the back end ort: `qnn-context`, an ONNX model of one EPContext node
// with QNN's binary, and `dlc`, containers of its intermediate representation.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <optional>

#include "formats/context/sections.h"
#include "formats/onnx/onnx.h"
#include "libcore/backend/client.h"
#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/meaning.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/graph/op_ids.h"
#include "libcore/graph/summary.h"
#include "libcore/os/output_target.h"
#include "libcore/os/temporary.h"
#include "libcore/place/partition.h"
#include "libcore/place/partitioning.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view runtime = "qnn";
constexpr GeneratorOption soc{"soc", "the chip: SM8650, \"Snapdragon 8 Gen 3\", or QNN's number of it, 57; needed"};
constexpr GeneratorOption arch{"arch", "of the HTP: 68, 69, 73, 75, 79, 81 (default: the chip's)"};
constexpr std::array device_options{soc, arch};
constexpr std::array context_options{
    soc,
    arch,
    GeneratorOption{"vtcm", "megabytes of fast memory that the graph may use (default: all)"},
    GeneratorOption{"optimize", "how long QNN tries to find a faster graph: 0 to 3 (default: 0)"},
    GeneratorOption{"prepare", "only: the graph is prepared, and not made ready to run here"},
    GeneratorOption{
        "with",
        "other models, \",\" between them, whose contexts have the same binary, in which equal weights are once: NAME_ctx.onnx beside -o"},
    GeneratorOption{"embed", "no: the binary lies beside the model, not in it (default: yes; of -o NAME.bin, which is the binary, no)"},
};

// Quantized values are rounded inside; inputs and outputs are float.
CompileOptions arithmetic_of(const Graph& graph) { return {.mode = is_quantized(graph) ? Mode::fake : Mode::floating}; }

// `sharing`: native files of models that have one binary with the one that is compiled.
std::shared_ptr<Backend> open_qnn(const GenerateRequest& request, std::string_view product, const std::vector<std::string>& sharing = {}) {
    std::string device = "qnn";
    for (const char* name : {"soc", "arch", "vtcm", "optimize", "prepare"})
        if (const std::string text = option_of(request, name); !text.empty()) device += fmt::format(",{}={}", name, text);
    if (option_of(request, "soc").empty())
        throw usage_error("which chip it is for is not said").with_hint("--option soc=SM8650 is Snapdragon 8 Gen 3");
    Json options{{"device", device}, {"product", std::string(product)}};
    if (!sharing.empty()) options["sharing"] = sharing;
    return Backend::open("ort", json_line(options));
}

void write_bytes(const Bytes& bytes, const std::string& path, Generated& made) {
    OutputFile file(path);
    file.write(bytes);
    file.commit();
    made.files.push_back(path);
}

// Q or DQ between a value of floats and its codes.
void add_linear(Graph& graph, OpId op, ValueId from, ValueId to, const std::string& name, const Encoding& enc) {
    const Tensor zero = enc.zero.defined() ? enc.zero : from_ints(enc.storage, {}, std::vector<int64_t>{0});
    const ValueId scale_at = graph.add_constant(name + "_scale", enc.scale), zero_at = graph.add_constant(name + "_zero_point", zero);
    graph.add_node(need_op(op), graph.unique_node_name(name), {from, scale_at, zero_at}, {to});
}

// A value of floats that takes the name of the codes.
ValueId real_of(Graph& graph, ValueId codes, const Value& value) {
    const std::string name = graph.value(codes).name;
    graph.rename(codes, graph.unique_name(name + "_codes"));
    return graph.add_value(name, value.type);
}

// Inputs and outputs that QNN has as codes are floats to the model: inside QNN's graph floats are float16.
void add_float_ends(Graph& graph, const Graph& source) {
    for (size_t i = 0; i < graph.inputs.size(); ++i) {
        const Value& value = source.value(source.inputs[i]);
        if (!value.enc) continue;
        const ValueId codes = graph.inputs[i];
        graph.inputs[i] = real_of(graph, codes, value);
        add_linear(graph, ops::QuantizeLinear, graph.inputs[i], codes, value.name + "_QuantizeLinear", *value.enc);
    }
    for (size_t i = 0; i < graph.outputs.size(); ++i) {
        const Value& value = source.value(source.outputs[i]);
        if (!value.enc) continue;
        const ValueId codes = graph.outputs[i];
        graph.outputs[i] = real_of(graph, codes, value);
        add_linear(graph, ops::DequantizeLinear, codes, graph.outputs[i], value.name + "_DequantizeLinear", *value.enc);
    }
    graph.sort();
}

// Does every input and output that is quantized have one scale?
bool has_plain_ends(const Graph& graph) {
    const auto plain = [&](ValueId id) { return !graph.value(id).enc || graph.value(id).enc->plain_integer(16); };
    return std::ranges::all_of(graph.inputs, plain) && std::ranges::all_of(graph.outputs, plain);
}

// The model that onnxruntime makes around QNN's binary, on whose border are codes; nullopt, and why, where QNN has no such graph: codes
// that are only moved are not operators of it.
std::optional<Model> context_of_codes(Backend& qnn, const Graph& graph, Generated& made) {
    if (!is_quantized(graph) || !has_plain_ends(graph)) return std::nullopt;
    try {
        Model model = onnx_format::read(qnn.compile(graph, CompileOptions{.mode = Mode::integer}), "-");
        add_float_ends(model.graph, graph);
        return model;
    } catch (const Error& error) {
        if (error.exit() != Exit::unsupported) throw;
        made.decided.push_back("inputs and outputs of the context are float16, not codes: " + error.message());
        return std::nullopt;
    }
}

// The same, or around floats; its ends are those of the source.
Model compiled_context(const GenerateRequest& request, const Graph& graph, Generated& made) {
    const auto qnn = open_qnn(request, "context");
    std::optional<Model> model = context_of_codes(*qnn, graph, made);
    if (!model) model = onnx_format::read(qnn->compile(graph, arithmetic_of(graph)), "-");
    model->lineage = request.model.lineage;
    return std::move(*model);
}

// The binaries of the model's EPContext nodes, each in a file of its own: `first`, and those behind it with a number.
void put_beside(Model& model, const fs::path& first, Generated& made) {
    int number = 0;
    for (const NodeId id : model.graph.order()) {
        Attrs& attrs = model.graph.node(id).attrs;
        const auto found = attrs.find("ep_cache_context");
        const auto* binary = found == attrs.end() ? nullptr : std::get_if<std::string>(&found->second);
        if (!binary) continue;
        const std::string name = fmt::format("{}{}.bin", first.stem().string(), number == 0 ? "" : std::to_string(number));
        write_bytes(Bytes::copy(binary->data(), binary->size()), (first.parent_path() / name).string(), made);
        attrs["ep_cache_context"] = name;
        attrs["embed_mode"] = int64_t{0};
        ++number;
    }
}

// Of a model's file.
std::string binary_beside(const std::string& path) {
    return (fs::path(path).parent_path() / (fs::path(path).stem().string() + "_qnn.bin")).string();
}

// The model, and where its binary goes: "": into it.
struct ContextFiles {
    std::string model, binary;
};

// -o NAME.bin is the binary, whose model lies beside it.
ContextFiles context_files(const GenerateRequest& request) {
    const std::string path = output_file(request, qnn_context_generator);
    const bool raw = fs::path(path).extension() == ".bin";
    const std::string embed = option_of(request, "embed", raw ? "no" : "yes");
    if (embed != "yes" && embed != "no") throw usage_error("--option embed={}: need yes or no", escape(embed));
    if (raw && embed == "yes") throw usage_error("--option embed=yes: {} is the binary itself", path);
    if (raw) return {fs::path(path).replace_extension(".onnx").string(), path};
    if (embed == "yes") return {path, ""};
    if (is_stream(path)) throw usage_error("-o -: with --option embed=no the binary lies beside the model");
    return {path, binary_beside(path)};
}

// ---- models that share one binary ----

// A model, as it is compiled, and where its context goes.
struct Sharer {
    Model model;
    std::string product;
};

Sharer sharer_of(Model model, const std::string& product) {
    take_open_dims_as_one(model.graph, OpenDims::all);
    model.graph = as_encoded(std::move(model.graph));
    return {std::move(model), product};
}

// The model itself and those of --option with.
std::vector<Sharer> sharers_of(const GenerateRequest& request, const std::string& first) {
    std::vector<Sharer> out{sharer_of(request.model, first)};
    for (const std::string& path : split(option_of(request, "with"), ',')) {
        const std::string product = (fs::path(first).parent_path() / (stem_of(path) + "_ctx.onnx")).string();
        if (std::ranges::find(out, product, &Sharer::product) != out.end())
            throw usage_error("--option with={}: {} is another one's product", escape(path), product);
        const Graph &graph = out.emplace_back(sharer_of(read_model(path), product)).model.graph, &own = out.front().model.graph;
        if (is_quantized(graph) != is_quantized(own))
            throw usage_error("--option with={}: one of the models is quantized, the other is not", escape(path));
        if (!has_plain_ends(graph) || !has_plain_ends(own))
            throw unsupported("--option with={}: inputs and outputs of models that share a binary need one scale each", escape(path));
    }
    return out;
}

// Contexts in the order of the models.
std::vector<Model> contexts_of(const GenerateRequest& request, const std::vector<Sharer>& sharers) {
    const TemporaryFolder folder;
    std::vector<std::string> files;
    for (const Sharer& sharer : std::span(sharers).subspan(1)) {
        files.push_back(fmt::format("{}/{}.qn", folder.path(), files.size()));
        write_model(sharer.model, files.back(), "native");
    }
    const Graph& graph = sharers.front().model.graph;
    const CompileOptions options{.mode = is_quantized(graph) ? Mode::integer : Mode::floating};
    const context_format::Sections made(shared_contexts_magic, open_qnn(request, "context", files)->compile(graph, options));
    std::vector<Model> out;
    for (const Sharer& sharer : sharers) {
        Model& model = out.emplace_back(onnx_format::read(made.need("model", static_cast<uint32_t>(out.size())), "-"));
        add_float_ends(model.graph, sharer.model.graph);
        model.lineage = sharer.model.lineage;
    }
    return out;
}

// Its EPContext nodes name the file; what was inside of one of them.
std::string name_binary(Graph& graph, const std::string& file) {
    std::string content;
    for (const NodeId id : graph.order()) {
        Attrs& attrs = graph.node(id).attrs;
        const auto found = attrs.find("ep_cache_context");
        if (found == attrs.end()) continue;
        if (std::get<int64_t>(attrs.at("embed_mode")) == 1) content = std::get<std::string>(found->second);
        found->second = file;
        attrs["embed_mode"] = int64_t{0};
    }
    return content;
}

Generated generate_shared(const GenerateRequest& request) {
    const std::string first = output_file(request, qnn_context_generator);
    if (is_stream(first)) throw usage_error("-o -: models that share a binary are several files");
    if (fs::path(first).extension() == ".bin")
        throw usage_error("-o {}: a shared binary lies beside its models, whose first -o names", first);
    if (const std::string embed = option_of(request, "embed", "no"); embed != "no")
        throw usage_error("--option embed={}: a shared binary lies beside its models", escape(embed));
    const std::string binary = binary_beside(first);
    const std::vector<Sharer> sharers = sharers_of(request, first);
    std::vector<std::string> products{binary};
    for (const Sharer& sharer : sharers) products.push_back(sharer.product);
    keep_model_files(request, products);
    std::vector<Model> contexts = contexts_of(request, sharers);
    Generated made;
    std::string content;  // inside of one of them
    for (Model& context : contexts) content += name_binary(context.graph, fs::path(binary).filename().string());
    write_bytes(Bytes::copy(content.data(), content.size()), binary, made);
    for (size_t i = 0; i < contexts.size(); ++i) write_model(contexts[i], sharers[i].product, "onnx");
    made.files = products;
    return made;
}

Generated generate_context(const GenerateRequest& request) {
    if (!option_of(request, "with").empty()) return generate_shared(request);
    const ContextFiles files = context_files(request);
    std::vector<std::string> products{files.model};
    if (!files.binary.empty()) products.push_back(files.binary);
    keep_model_files(request, products);
    refuse_terminal(files.model);
    Generated made;
    Model model = request.model;
    made.decided = take_open_dims_as_one(model.graph, OpenDims::all);
    const Graph graph = as_encoded(std::move(model.graph));
    Model context = compiled_context(request, graph, made);
    if (!files.binary.empty()) put_beside(context, files.binary, made);
    write_model(context, files.model, "onnx");
    made.files.push_back(files.model);
    return made;
}

constexpr const char* htp_device = "htp";

// Nodes go to the device or, where it refuses them, to the processor, which is reported.
std::vector<place::Partition> parts_for(Backend& qnn, Graph& graph, Generated& made) {
    const auto refusals = qnn.refusals(graph, arithmetic_of(graph));
    std::vector<std::string> left;
    for (size_t i = 0; i < graph.order().size(); ++i) {
        Node& node = graph.node(graph.order()[i]);
        node.device = refusals[i] ? place::cpu_device : htp_device;
        if (refusals[i]) left.push_back(fmt::format("{}: {}", described(node), *refusals[i]));
    }
    place::Target target;
    for (const std::string_view name : {place::cpu_device, std::string_view(htp_device)}) target.devices.emplace_back().name = name;
    std::vector<place::Partition> parts = place::partition(graph, target);
    std::erase_if(parts, [](const place::Partition& part) { return part.device != htp_device; });
    left = few_of(std::move(left));
    if (parts.empty()) throw unsupported("QNN takes no node of it").with_details(left);
    for (const std::string& line : left) made.decided.push_back("left to the processor: " + line);
    return parts;
}

Generated generate_dlc(const GenerateRequest& request) {
    const std::string path = output_file(request, dlc_generator);
    keep_model_files(request, std::array{path});
    refuse_terminal(path);
    Generated made;
    Model model = request.model;
    made.decided = take_open_dims_as_one(model.graph, OpenDims::all);
    Graph graph = as_encoded(std::move(model.graph));
    const auto qnn = open_qnn(request, "dlc");
    const std::vector<place::Partition> parts = parts_for(*qnn, graph, made);
    if (parts.size() > 1 && is_stream(path)) throw usage_error("-o -: the product is {} files, one for each partition", parts.size());
    for (size_t i = 0; i < parts.size(); ++i) {
        const fs::path folder = fs::path(path).parent_path();
        const std::string name = fmt::format("{}-{}{}", fs::path(path).stem().string(), i, fs::path(path).extension().string());
        const Graph part = place::extract_partition(graph, parts[i]);
        write_bytes(qnn->compile(part, arithmetic_of(part)), parts.size() == 1 ? path : (folder / name).string(), made);
    }
    return made;
}

}  // namespace

const Generator qnn_context_generator{
    .name = "qnn-context",
    .doc = "a context of Qualcomm's HTP, made by QNN itself: an ONNX model of one EPContext node, which onnxruntime loads",
    .input = "a model whose operators HTP runs, quantized by quantize --target htp or float",
    .product = "{}_ctx.onnx",
    .suffixes = ".onnx .bin",
    .runtime = runtime,
    .options = context_options,
    .generate = generate_context,
};

const Generator dlc_generator{
    .name = "dlc",
    .doc = "containers (.dlc) for Qualcomm's tools, made by QNN itself: one for each partition that HTP runs",
    .input = "a model, quantized by quantize --target htp or float",
    .product = "{}.dlc",
    .suffixes = ".dlc",
    .runtime = runtime,
    .options = device_options,
    .generate = generate_dlc,
};

}  // namespace quern
