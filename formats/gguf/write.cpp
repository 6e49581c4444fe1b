// A model that came from GGUF as GGUF again: the tensors of its file, of the constants that the graph has by their names.
#include <algorithm>
#include <optional>
#include <utility>

#include "formats/gguf/file/facts.h"
#include "formats/gguf/gguf.h"
#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op_ids.h"

namespace quern::gguf_format {
namespace {

using gguf::TensorHead;

// Codes, scales and minima that a weight was taken apart into, in the logical order of the graph.
struct Apart {
    Tensor codes, scale, min;
};

std::optional<Tensor> constant_named(const Graph& graph, const std::string& name) {
    const ValueId id = graph.find(name);
    if (id == ValueId::none || !graph.value(id).constant() || graph.value(id).enc) return std::nullopt;
    return graph.constant(id);
}

bool is_apart(const Value& value) {
    return value.constant() && value.enc && value.enc->block > 0 && !value.enc->format && value.enc->symmetric();
}

// As ONNX's nodes have them, by the names that they get there, or folded into an encoding.
std::optional<Apart> parts_of(const Graph& graph, const std::string& name) {
    for (const std::string& coded : {name, name + "_scaled"}) {
        const ValueId id = graph.find(coded);
        if (id == ValueId::none || !is_apart(graph.value(id))) continue;
        const Encoding& e = *graph.value(id).enc;
        return Apart{*graph.constant(id), e.scale, e.min.defined() ? e.min : constant_named(graph, name + "_min").value_or(Tensor())};
    }
    const auto codes = constant_named(graph, name + "_quantized"), scale = constant_named(graph, name + "_scale");
    if (!codes || !scale || scale->dtype != DType::f32) return std::nullopt;
    return Apart{*codes, *scale, constant_named(graph, name + "_min").value_or(Tensor())};
}

// The file's dims of a constant whose rows lie along `axis`.
Dims file_dims(Dims dims, size_t axis) {
    if (axis + 1 < dims.size()) std::swap(dims[axis], dims[axis + 1]);
    return dims;
}

void check_dims(const Dims& dims, const TensorHead& head) {
    if (dims != head.dims) throw bad_input("is {}, its file had {}", to_string(dims), to_string(head.dims));
}

// Blocks again, where they are the only ones that say this.
Bytes rows_of(const Apart& apart, const TensorHead& head) {
    const Dims &dims = apart.codes.dims, &scales = apart.scale.dims;
    size_t axis = 0;
    while (axis < dims.size() && axis < scales.size() && dims[axis] == scales[axis]) ++axis;
    if (scales.size() != dims.size() || axis == dims.size())
        throw unsupported("has codes {} and scales {}, which do not make blocks", to_string(dims), to_string(scales));
    check_dims(file_dims(dims, axis), head);
    return packed(apart.codes, apart.scale, apart.min, block_encoding(*head.format, static_cast<int>(axis))).data;
}

// Along which axis of a constant of numbers the rows of the file lie: the right operands of products are transposed.
size_t axis_of_rows(const Graph& graph, ValueId id) {
    const size_t rank = graph.value(id).type.shape.rank();
    const bool product = std::ranges::any_of(
        graph.uses(id), [&](const Use& use) { return use.node != NodeId::none && use.index == 1 && graph.node(use.node).is(ops::MatMul); });
    return rank - (product && rank > 1 ? 2 : 1);
}

// The rows of a constant as the file has them. `head` gets the format that they are in.
Bytes rows_of(const Graph& graph, ValueId id, TensorHead& head) {
    const Value& value = graph.value(id);
    const Tensor stored = *graph.constant(id);
    if (value.enc && value.enc->format) {
        head.format = value.enc->format;
        return stored.data;
    }
    if (value.enc)
        throw unsupported("is encoded as {}, which GGUF cannot say", to_string(*value.enc))
            .with_hint("quern quantize --type q8_0 and others of ggml write GGUF");
    if (stored.dtype != DType::f32) throw unsupported("is {}, need float32 or blocks", name_of(stored.dtype));
    const size_t axis = stored.dims.empty() ? 0 : axis_of_rows(graph, id);
    check_dims(file_dims(stored.dims, axis), head);
    if (head.format->quantized()) head.format = block_format_named("f32");
    return encoded_blocks(stored, block_encoding(*head.format, static_cast<int>(axis)), nullptr).data;
}

}  // namespace

void write(const Model& model, const std::string& path, const WriteOptions& options) {
    std::optional<gguf::Facts> known = gguf::facts_of(model.facts);
    if (!known)
        throw unsupported("only a model that was read from GGUF can be written as GGUF: metadata and names of its tensors are its own");
    gguf::Facts& facts = *known;
    std::vector<Bytes> data;
    for (size_t i = 0; i < facts.tensors.size(); ++i) {
        TensorHead& head = facts.tensors[i];
        const ValueId id = model.graph.find(head.name);
        at_place(fmt::format("tensor \"{}\"", escape(head.name)), [&] {
            const auto apart = parts_of(model.graph, head.name);
            if (apart && head.format->quantized())
                data.push_back(rows_of(*apart, head));
            else if (id != ValueId::none && model.graph.value(id).constant())
                data.push_back(rows_of(model.graph, id, head));
            else if (!facts.data[i].empty() || head.bytes() == 0)
                data.push_back(facts.data[i]);
            else
                throw unsupported("is not a constant of the graph any more");
        });
    }
    OutputFile file = options.outputs->open(path);
    gguf::Writer writer(file, facts.metadata, facts.tensors);
    for (const Bytes& tensor : data) {
        writer.add(tensor);
        tensor.release();
    }
    writer.finish();
    file.commit();
}

}  // namespace quern::gguf_format
