// Quantities of the data that go in and out: storage, encodings, ranks, dims.
#include <algorithm>
#include <array>

#include "libcore/base/text.h"
#include "libcore/support/observe.h"

namespace quern::support {
namespace {

using List = std::vector<Observed>;

template <class Fn>
List each(const std::vector<Datum>& data, const Fn& fact) {
    List out;
    for (const Datum& datum : data) out.push_back({datum.label, fact(*datum.value)});
    return out;
}

List storage(const Graph& graph, const Node& node, std::string_view) { return each(data_of(graph, node), storage_of); }
List input_storage(const Graph& graph, const Node& node, std::string_view) { return each(inputs_of(graph, node), storage_of); }
List output_storage(const Graph& graph, const Node& node, std::string_view) { return each(outputs_of(graph, node), storage_of); }

List storage_bits(const Graph& graph, const Node& node, std::string_view) {
    return each(data_of(graph, node), [](const Value& value) {
        return value.storage() == DType::none ? Fact() : Fact(static_cast<double>(bits_of(value.storage())));
    });
}

List encoded(const Graph& graph, const Node& node, std::string_view) {
    List out;
    for (const Datum& datum : data_of(graph, node))
        if (is_float(datum.value->type.dtype)) out.push_back({datum.label, yes_no(datum.value->enc && datum.value->enc->is_fixed())});
    return out;
}

List per_channel(const Graph& graph, const Node& node, std::string_view) {
    return each(data_of(graph, node), [](const Value& value) { return yes_no(value.enc && !value.enc->per_tensor()); });
}

// One number of each fixed encoding of the data.
template <class Fn>
List of_encodings(const Graph& graph, const Node& node, const Fn& fact) {
    List out;
    for (const Datum& datum : data_of(graph, node))
        if (const auto& enc = datum.value->enc; enc && enc->scale.defined() && enc->scale.count() > 0)
            out.push_back({datum.label, fact(*enc)});
    return out;
}

List scale(const Graph& graph, const Node& node, std::string_view) {
    return of_encodings(graph, node, [](const Encoding& enc) {
        const auto scales = to_doubles(enc.scale);
        return number(*std::min_element(scales.begin(), scales.end()));
    });
}

int64_t zero_of(const Encoding& enc) {
    if (!enc.zero.defined()) return 0;
    const auto zeros = to_ints(enc.zero);
    return zeros.empty() ? 0
                         : *std::max_element(zeros.begin(), zeros.end(), [](int64_t a, int64_t b) { return std::abs(a) < std::abs(b); });
}

List zero_point(const Graph& graph, const Node& node, std::string_view) {
    return of_encodings(graph, node, [](const Encoding& enc) { return number(static_cast<double>(zero_of(enc))); });
}

bool same_grid(const Value& a, const Value& b) {
    if (!a.enc || !b.enc) return !a.enc && !b.enc;
    return *a.enc == *b.enc;
}

List same_encoding(const Graph& graph, const Node& node, std::string_view) {
    const auto outputs = outputs_of(graph, node);
    if (outputs.empty()) return {};
    List out;
    for (const Datum& datum : inputs_of(graph, node))
        out.push_back({datum.label + " like output 0", yes_no(same_grid(*datum.value, *outputs[0].value))});
    return out;
}

// Does the output equal input 0 in something?
template <class Fn>
List output_like_input(const Graph& graph, const Node& node, const Fn& same) {
    const auto inputs = inputs_of(graph, node), outputs = outputs_of(graph, node);
    if (inputs.empty() || outputs.empty()) return {};
    return one(yes_no(same(*inputs[0].value, *outputs[0].value)));
}
List same_storage(const Graph& graph, const Node& node, std::string_view) {
    return output_like_input(graph, node, [](const Value& a, const Value& b) { return a.storage() == b.storage(); });
}
List same_shape(const Graph& graph, const Node& node, std::string_view) {
    return output_like_input(graph, node, [](const Value& a, const Value& b) { return a.type.shape == b.type.shape; });
}

List rank(const Graph& graph, const Node& node, std::string_view) {
    return each(data_of(graph, node),
                [](const Value& value) { return value.type.shape.ranked ? number(static_cast<double>(value.type.shape.rank())) : Fact(); });
}

List input_rank(const Graph& graph, const Node& node, std::string_view) {
    return each(inputs_of(graph, node),
                [](const Value& value) { return value.type.shape.ranked ? number(static_cast<double>(value.type.shape.rank())) : Fact(); });
}

List dims_from(const Graph& graph, const Node& node, size_t first) {
    List out;
    for (const Datum& datum : data_of(graph, node)) {
        const Shape& shape = datum.value->type.shape;
        if (!shape.ranked) out.push_back({datum.label, Fact()});
        for (size_t i = first; i < shape.dims.size(); ++i)
            out.push_back({fmt::format("{} dim {}", datum.label, i), dim_fact(shape.dims[i])});
    }
    return out;
}
List dim(const Graph& graph, const Node& node, std::string_view) { return dims_from(graph, node, 0); }
List inner_dim(const Graph& graph, const Node& node, std::string_view) { return dims_from(graph, node, 1); }

List batch(const Graph& graph, const Node& node, std::string_view) {
    List out;
    for (const Datum& datum : data_of(graph, node))
        if (const Shape& shape = datum.value->type.shape; shape.ranked && shape.rank() > 0)
            out.push_back({datum.label, dim_fact(shape.dims[0])});
    return out;
}

// Of input 0 in the order [N, height, width, C]; a missing height is 1.
List place_of(const Graph& graph, const Node& node, const auto& pick) {
    const auto inputs = inputs_of(graph, node);
    if (inputs.empty()) return {};
    const std::vector<Dim> dims = channels_last_dims(node, inputs[0].value->type.shape);
    if (dims.size() < 2) return inputs[0].value->type.shape.ranked ? List{} : one(Fact());
    return one(pick(dims));
}
List depth(const Graph& graph, const Node& node, std::string_view) {
    return place_of(graph, node, [](const std::vector<Dim>& dims) { return dim_fact(dims.back()); });
}
List area(const Graph& graph, const Node& node, std::string_view) {
    return place_of(graph, node, [](const std::vector<Dim>& dims) {
        double product = 1;
        for (size_t i = dims.size() > 3 ? dims.size() - 3 : 1; i + 1 < dims.size(); ++i) {
            if (!dims[i].known()) return Fact();
            product *= static_cast<double>(dims[i].value);
        }
        return number(product);
    });
}
List height_and_width(const Graph& graph, const Node& node, std::string_view) {
    return place_of(graph, node, [](const std::vector<Dim>& dims) {
        if (dims.size() < 4) return number(1);
        const Dim &h = dims[dims.size() - 3], &w = dims[dims.size() - 2];
        return h.known() && w.known() ? number(static_cast<double>(std::max(h.value, w.value))) : Fact();
    });
}
List height(const Graph& graph, const Node& node, std::string_view) {
    return place_of(graph, node,
                    [](const std::vector<Dim>& dims) { return dims.size() < 4 ? number(1) : dim_fact(dims[dims.size() - 3]); });
}

// "int8 int32 -> int8"; a word alone where both sides are that.
std::string from_to(const std::vector<std::string>& left, const std::vector<std::string>& right) {
    return left == right && left.size() == 1 ? left[0] : fmt::format("{} -> {}", join(left, " "), join(right, " "));
}

bool counts(const Value& value) { return value.storage() == DType::i32 || value.storage() == DType::i64; }

std::string form_of(const Value& value) {
    std::string word(name_of(value.storage()));
    if (!value.enc || counts(value)) return word;
    if (value.enc->block > 0) return word + "[b]";
    return value.enc->scale.defined() && value.enc->scale.count() > 1 ? word + "[c]" : word;
}

// Axes, shapes and the like are not among the data, nor is the shape that comes first in some operators.
bool is_datum(const Node& node, size_t input, const Value& value) {
    if (value.enc || !counts(value)) return true;
    const bool shape_first = node.op->name == "FILL" || node.op->name == "TRANSPOSE_CONV";
    return input == 0 && !value.constant() && !shape_first;
}

// How the data of a node of a file are stored, in a word: each storage of its operands once, those of its results behind an arrow where
// they are others. "[c]": a scale for each channel, "[b]": for each block (but biases). Observed where anything is encoded, or stored in
// floats of another width than 32 bits.
List form(const Graph& graph, const Node& node, std::string_view) {
    bool judged = false;
    const auto add = [&](std::vector<std::string>& words, const Value& value) {
        const DType dtype = value.storage();
        judged = judged || value.enc || dtype == DType::f16 || dtype == DType::bf16 || dtype == DType::f64;
        std::string word = form_of(value);
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    };
    std::vector<std::string> left, right;
    for (size_t i = 0; i < node.in.size(); ++i)
        if (node.in[i] != ValueId::none && is_datum(node, i, graph.value(node.in[i]))) add(left, graph.value(node.in[i]));
    for (const ValueId id : node.out)
        if (id != ValueId::none) add(right, graph.value(id));
    if (!judged) return {};
    return one(from_to(left, right));
}

// The element types of the operands of a node of an ONNX file, each once, then those of the results: scales of more than one number are
// "[c]", of more than one dim "[b]". Observed where any are codes: integers of 16 bits and less, 8-bit floats. int64 is not data (shapes,
// axes).
List types(const Graph& graph, const Node& node, std::string_view) {
    bool judged = false;
    const auto add = [&](std::vector<std::string>& words, ValueId id, bool parameter) {
        if (id == ValueId::none) return;
        const Value& value = graph.value(id);
        const DType dtype = value.type.dtype;
        if (dtype == DType::i64 || dtype == DType::none) return;
        std::string word(name_of(dtype));
        judged =
            judged || bits_of(dtype) < 8 || (dtype != DType::boolean && bits_of(dtype) == 8) || dtype == DType::i16 || dtype == DType::u16;
        if (parameter && dtypes::floats.has(dtype) && value.constant() && value.type.shape.rank() > 0)
            if (const auto dims = value.type.shape.concrete(); dims && count_of(*dims) > 1) word += dims->size() > 1 ? "[b]" : "[c]";
        if (std::find(words.begin(), words.end(), word) == words.end()) words.push_back(std::move(word));
    };
    std::vector<std::string> left, right;
    for (size_t i = 0; i < node.in.size(); ++i) add(left, node.in[i], i > 0);
    for (const ValueId id : node.out) add(right, id, false);
    if (!judged) return {};
    return one(from_to(left, right));
}

List operator_version(const Graph&, const Node& node, std::string_view) { return one(number(node.op->version)); }

constexpr std::array data_table{
    Quantity{"form", "form", "storage of operands and results of an operator of a file", form},
    Quantity{"types", "element types", "those of operands and results of an operator of ONNX", types},
    Quantity{"operator_version", "version of the operator", "as a file says it", operator_version},
    Quantity{"storage", "storage", "element type in which each input and output is stored", storage},
    Quantity{"input_storage", "storage of inputs", "the same of the inputs", input_storage},
    Quantity{"output_storage", "storage of outputs", "the same of the outputs", output_storage},
    Quantity{"storage_bits", "bits of an element", "width of each input and output as it is stored", storage_bits},
    Quantity{"encoded", "encoding", "yes if an input or output of real numbers has a fixed encoding", encoded},
    Quantity{"per_channel", "encoding per channel", "yes if an input or output has a scale for each channel", per_channel},
    Quantity{"scale", "scale", "the least scale of each encoded input and output", scale},
    Quantity{"zero_point", "zero point", "the zero point of each encoded input and output", zero_point},
    Quantity{"same_encoding", "equal encoding", "yes for each input that is encoded like output 0", same_encoding},
    Quantity{"same_storage", "output stored like the input", "yes if output 0 is stored in the type of input 0", same_storage},
    Quantity{"same_shape", "output shaped like the input", "yes if output 0 has the shape of input 0", same_shape},
    Quantity{"rank", "rank", "number of dims of each input and output", rank},
    Quantity{"input_rank", "rank of inputs", "the same of the inputs", input_rank},
    Quantity{"dim", "dim", "every dim of each input and output", dim},
    Quantity{"inner_dim", "dim after the first", "every dim but the first", inner_dim},
    Quantity{"batch", "first dim", "the first dim of each input and output", batch},
    Quantity{"depth", "depth", "channels of input 0", depth},
    Quantity{"area", "area", "height times width of input 0", area},
    Quantity{"height", "height", "of input 0", height},
    Quantity{"longest_side", "height or width", "the greater of height and width of input 0", height_and_width},
};

}  // namespace

std::span<const Quantity> data_quantities() { return data_table; }

}  // namespace quern::support
