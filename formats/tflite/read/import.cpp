#include "formats/tflite/read/import.h"

#include <algorithm>
#include <array>
#include <set>
#include <span>

#include "formats/tflite/file/metadata.h"
#include "formats/tflite/file/products.h"
#include "formats/tflite/map/map.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/shared.h"

namespace quern::tflite_format {
namespace {

constexpr int depth_limit = 24;                 // of subgraphs inside each other
constexpr size_t operator_limit = 50'000;       // that subgraphs named many times may bring beyond those of the file
constexpr uint64_t constant_limit = 256 << 20;  // bytes

// Weights beside real data that old files call uint8 are int8 codes without a zero point, whatever is said of one: so the runtimes read
// them.
void mark_signed_weights(Subgraph& graph) {
    constexpr std::array codes{Code::BIDIRECTIONAL_SEQUENCE_LSTM,
                               Code::BIDIRECTIONAL_SEQUENCE_RNN,
                               Code::CONV_2D,
                               Code::FULLY_CONNECTED,
                               Code::LSTM,
                               Code::RNN,
                               Code::SVDF,
                               Code::UNIDIRECTIONAL_SEQUENCE_LSTM,
                               Code::UNIDIRECTIONAL_SEQUENCE_RNN};
    for (const FileOperator& op : graph.operators) {
        if (std::ranges::find(codes, op.code) == codes.end() || op.in.empty() || op.in[0] < 0) continue;
        if (graph.tensors[static_cast<size_t>(op.in[0])].type != Element::FLOAT32) continue;
        for (const int64_t in : std::span(op.in).subspan(1)) {
            if (in < 0) continue;
            FileTensor& weights = graph.tensors[static_cast<size_t>(in)];
            if (weights.type != Element::UINT8 || weights.data.empty() || weights.quantization.scale.empty()) continue;
            weights.type = Element::INT8;
            weights.quantization.zero.clear();
        }
    }
}

// Of which tensors can every reader be written with a constant of float16 that stands for float32 numbers?
std::vector<bool> read_as_half(const Subgraph& graph) {
    constexpr std::array codes{Code::ADD,    Code::BATCH_MATMUL, Code::CONV_2D,         Code::CONV_3D, Code::DEPTHWISE_CONV_2D, Code::DIV,
                               Code::GATHER, Code::MUL,          Code::FULLY_CONNECTED, Code::SUB,     Code::TRANSPOSE_CONV};
    std::vector<bool> all(graph.tensors.size(), true);
    const auto bar = [&](const Ints& list) {
        for (const int64_t index : list)
            if (index >= 0) all[static_cast<size_t>(index)] = false;
    };
    bar(graph.outputs);
    for (const FileOperator& op : graph.operators)
        if (std::ranges::find(codes, op.code) == codes.end()) bar(op.in);
    return all;
}

// Constants of float16 that are dequantized stay as they are: float32 numbers of scale 1 in that storage.
void mark_half_constants(Subgraph& graph) {
    const std::vector<bool> takes_half = read_as_half(graph);
    std::erase_if(graph.operators, [&](const FileOperator& op) {
        if (op.code != Code::DEQUANTIZE || op.in.size() != 1 || op.out.size() != 1 || op.in[0] < 0 || op.out[0] < 0) return false;
        const FileTensor& from = graph.tensors[static_cast<size_t>(op.in[0])];
        FileTensor& to = graph.tensors[static_cast<size_t>(op.out[0])];
        if (from.type != Element::FLOAT16 || from.data.empty() || from.variable || from.sparsity || to.type != Element::FLOAT32 ||
            !to.data.empty() || from.shape != to.shape || !takes_half[static_cast<size_t>(op.out[0])])
            return false;
        to = from;
        to.quantization = {};
        to.quantization.scale = {1.0f};
        return true;
    });
}

// What is computed from an input has its open lengths for certain: they get names of their own.
void name_dims(Value& input, std::set<std::string>& taken) {
    for (size_t i = 0; i < input.type.shape.rank(); ++i) {
        Dim& dim = input.type.shape.dims[i];
        if (dim.known()) continue;
        const std::string wish = i == 0 ? "batch" : fmt::format("dim{}", i);
        std::string name = wish;
        for (int n = 2; !taken.insert(name).second; ++n) name = fmt::format("{}_{}", wish, n);
        dim = Dim::named(std::move(name));
    }
}

}  // namespace

void Importer::spend(uint64_t bytes) {
    if (bytes > bytes_left_) throw unsupported("operators stand for constants that take more than {} bytes", constant_limit);
    bytes_left_ -= bytes;
}

Importer::Importer(const File& file, std::string format, size_t file_size)
    : file_(file),
      format_(std::move(format)),
      file_size_(file_size),
      operators_left_(operator_limit),
      bytes_left_(constant_limit + 16 * uint64_t{file_size}) {
    for (const Subgraph& graph : file.subgraphs) operators_left_ += graph.operators.size();
}

ValueId Importer::declare(Graph& graph, const std::string& wish, Type type) {
    std::string name = wish.empty() ? "tensor" : wish;
    if (graph.find(name) != ValueId::none) {
        const std::string base = name;
        for (size_t& next = suffixes_[{&graph, base}]; graph.find(name) != ValueId::none;) name = fmt::format("{}_{}", base, ++next);
    }
    return graph.add_value(std::move(name), std::move(type));
}

const Subgraph& Importer::subgraph(int64_t index) const {
    if (index < 0 || static_cast<size_t>(index) >= file_.subgraphs.size())
        throw bad_input("subgraph {} of {}", index, file_.subgraphs.size());
    return file_.subgraphs[static_cast<size_t>(index)];
}

ValueId Importer::declare_tensor(Scope& scope, size_t index) {
    const FileTensor& tensor = scope.from.tensors[index];
    return at_place(fmt::format("tensor \"{}\"", escape(tensor.name)), [&] {
        if (scope.values[index] != ValueId::none) throw bad_input("is computed twice");
        if (!tensor.data.empty() && !tensor.variable) throw bad_input("is a constant that is computed, too");
        const ValueId id = declare(scope.graph, scope.prefix + tensor.name, type_of(tensor));
        scope.graph.value(id).enc = encoding_of(tensor, scope.from);
        return scope.values[index] = id;
    });
}

Constant Importer::contents_of(const FileTensor& tensor, const Scope& scope) const {
    if (tensor.external) throw unsupported("its contents are in another file");
    FileTensor contents = tensor;
    if (tensor.variable && !at_top(scope.graph)) throw unsupported("a variable in a subgraph that runs on a condition");
    if (tensor.data.empty() && tensor.variable) {  // state begins at 0
        const DType dtype = dtype_of(tensor.type);
        if (bits_of(dtype) == 0) throw unsupported("a state of {}", name_of(dtype));
        const uint64_t size = storage_size(dtype, static_cast<uint64_t>(count_of(tensor.shape)));
        if (size > (1 << 20) + 64 * file_size_) throw unsupported("a state of {} bytes", size);
        const auto& zero = tensor.quantization.zero;
        const bool shifted = (tensor.type == Element::INT8 || tensor.type == Element::UINT8) && !zero.empty();
        contents.data = Bytes::own(std::vector<std::byte>(size, shifted ? static_cast<std::byte>(zero[0]) : std::byte{0}));
    } else if (tensor.data.empty() && count_of(tensor.shape) != 0) {
        throw bad_input("is read before it is computed");
    }
    return constant_of(contents, scope.from, file_size_);
}

ValueId Importer::declare_constant(Scope& scope, int64_t index) {
    const FileTensor& tensor = scope.from.tensors[static_cast<size_t>(index)];
    return at_place(fmt::format("tensor \"{}\"", escape(tensor.name)), [&] {
        const Constant constant = contents_of(tensor, scope);
        const DType dtype = constant.encoding ? constant.encoding->real : constant.data.dtype;
        const ValueId id = declare(scope.graph, scope.prefix + tensor.name, Type::tensor(dtype, Shape::of(tensor.shape)));
        scope.graph.value(id).data = constant.data.data;
        scope.graph.value(id).enc = constant.encoding;
        return id;
    });
}

void Importer::call_first(int64_t index, int depth) {
    Graph scratch;
    std::map<std::string, Resources::Variable> outside;
    std::swap(outside, resources_.variables);
    resources_.first_call = true;
    add_subgraph(scratch, index, {}, "", depth);
    resources_.first_call = false;
    std::swap(outside, resources_.variables);
    for (const auto& [name, variable] : outside) scratch.outputs.push_back(variable.now);
    scratch.sort();
    infer_types(scratch);
    fold_constants.run(scratch);
    drop_identity.run(scratch);
    size_t i = 0;
    for (const auto& [name, variable] : outside) {
        const ValueId id = scratch.outputs[i++];
        const auto constant = scratch.constant(id);
        if (!constant) throw unsupported("a {} that a first call computes", name);
        resources_.first[name] = {*constant, scratch.value(id).enc};
    }
}

// Each State is continued by what was assigned last; what is never assigned is a constant.
void Importer::finish_variables(Graph& graph) {
    for (const auto& [name, variable] : resources_.variables) {
        if (variable.state == ValueId::none) continue;
        Node& node = graph.node(graph.value(variable.state).producer);
        if (variable.assigned) {
            node.attrs["next"] = graph.value(variable.now).name;
            continue;
        }
        const ValueId first = node.in[0];
        if (graph.is_output(variable.state)) {
            take_over(graph, variable.state, need_op(ops::Identity), {first});
            continue;
        }
        graph.erase(graph.value(variable.state).producer);
        graph.replace_uses(variable.state, first);
        graph.erase(variable.state);
    }
}

ValueId Importer::read(Scope& scope, int64_t index) {
    if (index < 0) return ValueId::none;
    ValueId& value = scope.values[static_cast<size_t>(index)];
    if (value == ValueId::none) value = declare_constant(scope, index);
    return value;
}

void Importer::add_operators(Scope& scope) {
    for (const FileOperator& op : scope.from.operators) {
        if (operators_left_ == 0) throw unsupported("subgraphs that are named many times bring more than {} operators", operator_limit);
        --operators_left_;
        const auto add = [&] {
            Site site(*this, scope, op);
            const MapRow* row = map_row(op);
            if (!row) return site.keep();
            if (row->rewrite) {
                if (!row->rewrite(site)) site.keep();
            } else {
                site.result(row->op, site.ins());
            }
            for (size_t i = 0; i < op.out.size(); ++i)
                if (const auto at = static_cast<size_t>(op.out[i]); scope.values[at] == ValueId::none && !scope.handles.contains(op.out[i]))
                    throw bad_input("output {} is not computed", i);
        };
        if (scope.depth > 2)  // places of deep calls are left out: a message is one line
            add();
        else
            at_place(place_of(op, scope.from), add);
    }
}

Values Importer::add_subgraph(Graph& graph, int64_t index, const Values& inputs, const std::string& prefix, int depth) {
    if (depth > depth_limit) throw bad_input("subgraphs nest deeper than {}", depth_limit);
    const Subgraph& from = subgraph(index);
    if (from.inputs.size() != inputs.size())
        throw bad_input("subgraph {} has {} inputs, gets {}", index, from.inputs.size(), inputs.size());
    Scope scope{graph, from, prefix, depth, Values(from.tensors.size(), ValueId::none)};
    for (size_t i = 0; i < inputs.size(); ++i) {
        ValueId& value = scope.values[static_cast<size_t>(from.inputs[i])];
        if (value != ValueId::none) throw bad_input("subgraph {} has an input twice", index);
        value = inputs[i];
    }
    add_operators(scope);
    Values outputs;
    for (const int64_t output : from.outputs) outputs.push_back(read(scope, output));
    return outputs;
}

Graph Importer::run(int64_t index) {
    const Subgraph& from = subgraph(index);
    Graph graph;
    top_ = &graph;
    graph.name = from.name;
    Scope scope{graph, from, "", 0, Values(from.tensors.size(), ValueId::none)};
    std::set<std::string> names;
    for (const int64_t input : from.inputs) {
        FileTensor tensor = from.tensors[static_cast<size_t>(input)];
        if (scope.values[static_cast<size_t>(input)] != ValueId::none)
            throw bad_input("tensor \"{}\" is an input twice", escape(tensor.name));
        if (type_of(tensor).dtype == DType::none) throw unsupported("input \"{}\" is a resource", escape(tensor.name));
        graph.inputs.push_back(declare_tensor(scope, static_cast<size_t>(input)));
        name_dims(graph.value(graph.inputs.back()), names);
    }
    add_operators(scope);
    for (const int64_t output : from.outputs) graph.outputs.push_back(read(scope, output));
    finish_variables(graph);
    return graph;
}

namespace {

// The signature of that name becomes the only one, of the first graph.
int64_t choose_signature(File& file, const std::string& name) {
    if (name.empty()) return 0;
    std::vector<std::string> keys;
    for (const Signature& signature : file.signatures) keys.push_back(signature.key);
    const auto found = std::find(keys.begin(), keys.end(), name);
    if (found == keys.end()) {
        const Error error = usage_error("--signature: the file has no \"{}\"{}", escape(name), did_you_mean(name, keys));
        throw keys.empty() ? error : Error(error).with_hint("it has " + escape(join(keys, ", ")));
    }
    const Signature chosen = file.signatures[static_cast<size_t>(found - keys.begin())];
    file.signatures.assign(1, chosen);
    return chosen.subgraph;
}

}  // namespace

Model import_file(File file, std::string_view format, size_t file_size, const std::string& signature) {
    const int64_t index = choose_signature(file, signature);
    for (Subgraph& graph : file.subgraphs) {
        mark_signed_weights(graph);
        mark_half_constants(graph);
        if (format == "tflite") take_weights_as_codes(graph);  // in Circle products of codes are hybrid
    }
    Model model;
    model.graph = Importer(file, std::string(format), file_size).run(index);
    put_metadata(file, format, model.graph, signature.empty() ? std::nullopt : std::optional(index));
    model.graph.metadata[profile_key] = format == "circle" ? "one" : "tflite";
    return model;
}

}  // namespace quern::tflite_format
