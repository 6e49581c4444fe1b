#include "formats/tensorflow/saved_model.h"

#include <algorithm>
#include <tuple>

#include "formats/tensorflow/file/dtypes.h"
#include "formats/tensorflow/file/flow.h"
#include "formats/tensorflow/file/tensor.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

constexpr std::string_view default_signature = "serving_default", first_call = "__saved_model_init_op";

MetaGraph::Tensor read_tensor_info(const Bytes& entry) {
    MetaGraph::Tensor tensor;
    WireReader reader(entry);
    while (const auto field = reader.next()) {
        if (field->number == 1) tensor.key = field->text();
        if (field->number != 2) continue;
        WireReader info(field->message());
        while (const auto part = info.next()) switch (part->number) {
                case 1: tensor.tensor = part->text(); break;
                case 2: tensor.dtype = dtype_of_code(part->integer()); break;
                case 3: tensor.shape = read_shape(part->message()); break;
                case 4:
                case 5: tensor.composite = true; break;
                default: break;
            }
    }
    return tensor;
}

void read_signature(const Bytes& entry, MetaGraph& meta) {
    std::string key;
    MetaGraph::Signature signature;
    WireReader reader(entry);
    while (const auto field = reader.next()) {
        if (field->number == 1) key = field->text();
        if (field->number != 2) continue;
        WireReader definition(field->message());
        while (const auto part = definition.next()) {
            if (part->number == 1) signature.inputs.push_back(read_tensor_info(part->message()));
            if (part->number == 2) signature.outputs.push_back(read_tensor_info(part->message()));
        }
    }
    if (key != first_call) meta.signatures[key] = std::move(signature);
}

MetaGraph read_meta(const Bytes& message) {
    MetaGraph meta;
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case 1: {
                WireReader info(field->message());
                while (const auto part = info.next())
                    if (part->number == 4) meta.tags.push_back(part->text());
                break;
            }
            case 2: meta.graph = field->message(); break;
            case 3: {
                WireReader saver(field->message());
                while (const auto part = saver.next())
                    if (part->number == 3) meta.restore = part->text();
                break;
            }
            case 5: at_place("a signature", [&] { read_signature(field->message(), meta); }); break;
            default: break;
        }
    return meta;
}

const MetaGraph::Signature& chosen(const MetaGraph& meta, const std::string& name) {
    std::vector<std::string> keys;
    for (const auto& [key, signature] : meta.signatures) keys.push_back(key);
    if (keys.empty()) throw unsupported("has no signature, which says what its inputs and outputs are");
    const auto found = meta.signatures.find(name.empty() ? std::string(default_signature) : name);
    if (found != meta.signatures.end()) return found->second;
    if (name.empty()) return meta.signatures.begin()->second;
    throw usage_error("--signature: the file has no \"{}\"{}", escape(name), did_you_mean(name, keys))
        .with_hint("it has " + escape(join(keys, ", ")));
}

// The order in which a function that computes the outputs takes the inputs.
void sort_inputs(std::vector<Interface::Port>& inputs, const NodeGraph& graph, size_t call) {
    const auto place = [&](const Interface::Port& port) {
        const auto& taken = graph.inputs[call];
        return std::tuple(std::ranges::find(taken, port.ref) - taken.begin(), port.name);
    };
    std::ranges::sort(inputs, {}, place);
}

}  // namespace

MetaGraph read_meta_graph(const Bytes& saved_model) {
    std::vector<MetaGraph> graphs;
    WireReader reader(saved_model);
    while (const auto field = reader.next())
        if (field->number == 2) graphs.push_back(read_meta(field->message()));
    if (graphs.empty()) throw bad_input("has no graph");
    for (MetaGraph& graph : graphs)
        if (graphs.size() == 1 || std::ranges::find(graph.tags, "serve") != graph.tags.end()) return std::move(graph);
    throw unsupported("none of its {} graphs has the tag \"serve\"", graphs.size());
}

Interface signature_of(const MetaGraph& meta, const NodeGraph& graph, const std::string& name) {
    const MetaGraph::Signature& signature = chosen(meta, name);
    Interface interface;
    const auto add = [&](const MetaGraph::Tensor& tensor, std::vector<Interface::Port>& to) {
        if (tensor.composite) throw unsupported("\"{}\" of the signature is not a single tensor", escape(tensor.key));
        at_place(fmt::format("the signature's \"{}\"", escape(tensor.key)), [&] {
            to.push_back({tensor.key, graph.find(tensor.tensor), tensor.dtype, tensor.shape});
        });
    };
    for (const MetaGraph::Tensor& tensor : signature.inputs) add(tensor, interface.inputs);
    for (const MetaGraph::Tensor& tensor : signature.outputs) add(tensor, interface.outputs);
    if (interface.outputs.empty()) throw unsupported("its signature has no output");
    std::ranges::sort(interface.outputs, {}, [](const Interface::Port& port) { return std::tuple(port.ref, port.name); });
    for (const Interface::Port& output : interface.outputs)
        if (output.ref.out >= graph.outputs[output.ref.node] && output.ref.out > 1 << 14)
            throw bad_input("output \"{}\" is result {} of a node", escape(output.name), output.ref.out);
    sort_inputs(interface.inputs, graph, interface.outputs[0].ref.node);
    return interface;
}

// ---- variables ----

namespace {

constexpr int depth_limit = 8;  // of functions that restore

// Follows what restores variables: nodes that assign what RestoreV2 reads.
class Restoring {
   public:
    Restoring(Library& library, std::map<std::string, Restored>& to) : library_(library), to_(to) {}

    // `handles`: of the arguments; empty names are no handles.
    void follow(const NodeGraph& graph, const std::vector<std::string>& handles, size_t only, int depth) {
        if (depth > depth_limit) throw unsupported("functions that restore call each other deeper than {} levels", depth_limit);
        for (size_t i = 0; i < graph.nodes.size(); ++i) {
            const Node& node = graph.nodes[i];
            if ((node.op == "AssignVariableOp" || node.op == "Assign") && graph.inputs[i].size() > 1) assign(graph, i, handles);
            const auto* function = node.attr<FunctionName>("f");
            if (!function || (only != everything && i != only)) continue;
            std::vector<std::string> arguments;
            for (const Ref& ref : graph.inputs[i]) arguments.push_back(handle_of(graph, ref, handles));
            follow(library_.function(function->name), arguments, everything, depth + 1);
        }
    }
    static constexpr size_t everything = static_cast<size_t>(-1);

   private:
    std::string handle_of(const NodeGraph& graph, Ref ref, const std::vector<std::string>& handles) {
        ref = behind_identities(graph, ref);
        if (ref.node < graph.arguments) return handles.at(ref.node);
        const Node& node = graph.nodes[ref.node];
        if (node.op != "VarHandleOp" && node.op != "VariableV2" && node.op != "Variable") return "";
        const auto* shared = node.attr<std::string>("shared_name");
        names_[node.name] = shared && !shared->empty() ? *shared : node.name;
        return node.name;
    }

    void assign(const NodeGraph& graph, size_t index, const std::vector<std::string>& handles) {
        const Ref from = behind_identities(graph, graph.inputs[index][1]);
        if (graph.nodes[from.node].op != "RestoreV2") return;
        const std::string handle = handle_of(graph, graph.inputs[index][0], handles);
        if (handle.empty() || graph.inputs[from.node].size() < 3) return;
        const auto keys = texts(graph, graph.inputs[from.node][1]), slices = texts(graph, graph.inputs[from.node][2]);
        if (from.out >= keys.size() || keys.size() != slices.size())
            throw bad_input("restores {} tensors of {} names", slices.size(), keys.size());
        to_.emplace(handle, Restored{names_[handle], keys[from.out], slices[from.out]});
    }

    static std::vector<std::string> texts(const NodeGraph& graph, Ref ref) {
        const auto* stored = graph.nodes[behind_identities(graph, ref).node].attr<StoredTensor>("value");
        if (!stored) throw unsupported("computes the names of what it restores");
        const Tensor tensor = tensor_of(*stored, 1 << 26);
        if (tensor.dtype != DType::string) throw bad_input("restores by names that are not texts");
        std::vector<std::string> list;
        for (size_t i = 0; i < static_cast<size_t>(tensor.count()); ++i) list.emplace_back(string_at(tensor, i));
        return list;
    }

    Library& library_;
    std::map<std::string, Restored>& to_;
    std::map<std::string, std::string> names_;
};

}  // namespace

std::map<std::string, Restored> restored_variables(Library& library, const MetaGraph& meta) {
    std::map<std::string, Restored> variables;
    if (meta.restore.empty()) return variables;
    const NodeGraph& main = library.main();
    at_place("what restores its variables", [&] { Restoring(library, variables).follow(main, {}, main.find(meta.restore).node, 0); });
    return variables;
}

}  // namespace quern::tensorflow_format
