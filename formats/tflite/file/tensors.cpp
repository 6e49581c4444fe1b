#include "formats/tflite/file/tensors.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>

#include "libcore/base/text.h"

namespace quern::tflite_format {
namespace {

struct ElementRow {
    Element type;
    DType dtype;
};
constexpr std::array elements{
    ElementRow{Element::FLOAT32, DType::f32},        ElementRow{Element::FLOAT16, DType::f16},
    ElementRow{Element::INT32, DType::i32},          ElementRow{Element::UINT8, DType::u8},
    ElementRow{Element::INT64, DType::i64},          ElementRow{Element::STRING, DType::string},
    ElementRow{Element::BOOL, DType::boolean},       ElementRow{Element::INT16, DType::i16},
    ElementRow{Element::COMPLEX64, DType::c64},      ElementRow{Element::INT8, DType::i8},
    ElementRow{Element::FLOAT64, DType::f64},        ElementRow{Element::COMPLEX128, DType::c128},
    ElementRow{Element::UINT64, DType::u64},         ElementRow{Element::RESOURCE, DType::none},
    ElementRow{Element::VARIANT, DType::none},       ElementRow{Element::UINT32, DType::u32},
    ElementRow{Element::UINT16, DType::u16},         ElementRow{Element::INT4, DType::i4},
    ElementRow{Element::BFLOAT16, DType::bf16},      ElementRow{Element::INT2, DType::i2},
    ElementRow{Element::UINT4, DType::u4},           ElementRow{Element::FLOAT8_E4M3FN, DType::f8e4m3fn},
    ElementRow{Element::FLOAT8_E5M2, DType::f8e5m2}, ElementRow{Element::CIRCLE_UINT4, DType::u4},
    ElementRow{Element::GGML_Q4_0, DType::i4},       ElementRow{Element::GGML_Q4_1, DType::u4},
    ElementRow{Element::GGML_Q8_0, DType::i8},       ElementRow{Element::GGML_Q8_1, DType::i8},
};

// Elements that share an exponent: OCP Microscaling Formats 1.0.
constexpr int64_t mx_block = 32;
constexpr std::array mx_elements{ElementRow{Element::MXFP4, DType::f4e2m1}, ElementRow{Element::MXINT8, DType::i8}};

bool is_quantized(const FileTensor& tensor) {
    const Quantization& q = tensor.quantization;
    return is_blocked(tensor.type) || is_mx(tensor.type) || q.block > 0 ||
           (!q.scale.empty() && (is_integer(dtype_of(tensor.type)) || tensor.type == Element::FLOAT16));
}

Tensor zeros_of(const FileTensor& tensor, DType storage, Dims dims) {
    const Ints& zeros = tensor.quantization.zero;
    if (std::all_of(zeros.begin(), zeros.end(), [](int64_t zero) { return zero == 0; })) return {};
    if (zeros.size() != tensor.quantization.scale.size())
        throw bad_input("has {} zero points and {} scales", zeros.size(), tensor.quantization.scale.size());
    if (!is_integer(storage)) throw bad_input("has zero points, which {} elements have not", name_of(storage));
    const auto [least, greatest] = int_range(storage);
    for (const int64_t zero : zeros)
        if (zero < least || zero > greatest) throw bad_input("zero point {} does not fit {}", zero, name_of(storage));
    return from_ints(bits_of(storage) > 16 ? DType::i32 : storage, std::move(dims), zeros);
}

Tensor scales_tensor(const Subgraph& graph, int64_t index, std::string_view what) {
    if (index < 0 || static_cast<size_t>(index) >= graph.tensors.size()) throw bad_input("its {} are tensor {}", what, index);
    const FileTensor& tensor = graph.tensors[static_cast<size_t>(index)];
    const DType dtype = dtype_of(tensor.type);
    const int64_t count = count_of(tensor.shape);
    if (tensor.data.empty() || tensor.sparsity || storage_size(dtype, static_cast<uint64_t>(count)) != tensor.data.size() ||
        (!dtypes::numbers.has(dtype) && !is_integer(dtype)))
        throw bad_input("its {} are not constant numbers", what);
    return aligned({dtype, tensor.shape, tensor.data});
}

// Scales of blocks of the last dimension are a tensor of their own.
Encoding block_encoding(const FileTensor& tensor, const Subgraph& graph) {
    const Quantization& q = tensor.quantization;
    const DType storage = dtype_of(tensor.type);
    if (!is_integer(storage) || tensor.shape.empty()) throw unsupported("blocks of {} elements", name_of(storage));
    Encoding out = make_encoding(storage, scales_tensor(graph, q.scales, "scales"), {}, static_cast<int>(tensor.shape.size()) - 1);
    out.block = q.block;
    if (q.zeros >= 0) out.zero = scales_tensor(graph, q.zeros, "zero points");
    Dims want = tensor.shape;
    want.back() = (want.back() + q.block - 1) / q.block;
    if (out.scale.dims != want) throw bad_input("has scales {}, need {}", to_string(out.scale.dims), to_string(want));
    return out;
}

Encoding mx_encoding(const FileTensor& tensor) {
    const int64_t axis = tensor.quantization.axis;
    if (!tensor.quantization.mx) throw bad_input("MX elements without their axis");
    if (axis < 0 || static_cast<size_t>(axis) >= tensor.shape.size())
        throw bad_input("MX elements along dimension {} of {}", axis, tensor.shape.size());
    Encoding out = make_encoding(dtype_of(tensor.type), {}, {}, static_cast<int>(axis), true);
    out.kind = Encoding::Kind::dynamic;
    out.block = mx_block;
    return out;
}

// Texts: a count, where each begins and the last ends, the characters; all from the beginning of the buffer.
Tensor texts_of(const FileTensor& tensor) {
    const Bytes& data = tensor.data;
    const auto word = [&](size_t i) {
        int32_t number = 0;
        std::memcpy(&number, data.data() + 4 * i, sizeof number);
        return static_cast<int64_t>(number);
    };
    const int64_t count = count_of(tensor.shape);
    if (data.size() < 8 || word(0) != count || count < 0 || static_cast<uint64_t>(count) > data.size() / 4 - 2)
        throw bad_input("a text tensor of {} elements has {} bytes", count, data.size());
    std::vector<std::string> texts;
    for (int64_t i = 0; i < count; ++i) {
        const int64_t from = word(static_cast<size_t>(i) + 1), to = word(static_cast<size_t>(i) + 2);
        if (from < 4 * (count + 2) || to < from || static_cast<uint64_t>(to) > data.size())
            throw bad_input("text {} is not inside its buffer", i);
        texts.emplace_back(data.text().substr(static_cast<size_t>(from), static_cast<size_t>(to - from)));
    }
    return Tensor::strings(tensor.shape, texts);
}

}  // namespace

DType dtype_of(Element type) {
    for (const ElementRow& row : elements)
        if (row.type == type) return row.dtype;
    for (const ElementRow& row : mx_elements)
        if (row.type == type) return row.dtype;
    throw unsupported("element type {} is not known", static_cast<int>(type));
}

Element element_named(DType dtype) {
    for (const ElementRow& row : elements)
        if (row.dtype == dtype) return row.type;
    throw unsupported("there are no elements of {}", name_of(dtype));
}

bool is_blocked(Element type) { return type <= Element::GGML_Q4_0 && type >= Element::GGML_Q8_1; }

bool is_mx(Element type) { return type == Element::MXFP4 || type == Element::MXINT8; }

std::optional<Element> mx_element(const Encoding& e) {
    if (!e.is_dynamic() || e.block != mx_block || e.per_tensor()) return std::nullopt;
    for (const ElementRow& row : mx_elements)
        if (row.dtype == e.storage) return row.type;
    return std::nullopt;
}

Type type_of(const FileTensor& tensor) {
    Shape shape = Shape::of(tensor.shape);
    for (size_t i = 0; i < tensor.signature.size(); ++i)
        if (tensor.signature[i] < 0) shape.dims[i] = Dim::unknown();
    return Type::tensor(is_quantized(tensor) ? DType::f32 : dtype_of(tensor.type), std::move(shape));
}

std::optional<Encoding> encoding_of(const FileTensor& tensor, const Subgraph& graph) {
    const Quantization& q = tensor.quantization;
    if (q.foreign) throw unsupported("quantization parameters of a kind that is not known");
    if (is_blocked(tensor.type) || !is_quantized(tensor)) return std::nullopt;
    if (is_mx(tensor.type)) return mx_encoding(tensor);
    if (q.block > 0) return block_encoding(tensor, graph);
    for (const float scale : q.scale)
        if (!std::isfinite(scale) || scale < 0) throw bad_input("has a scale of {}", scale);
    const DType storage = dtype_of(tensor.type);
    const auto count = static_cast<int64_t>(q.scale.size());
    if (count == 1) return make_encoding(storage, Tensor::scalar(q.scale[0]), zeros_of(tensor, storage, {}));
    const bool one = tensor.shape.size() == 1 && tensor.shape[0] == count;  // has no other axis, whatever the file names
    if (one) return make_encoding(storage, Tensor::vector<float>(q.scale), zeros_of(tensor, storage, {count}), 0);
    if (q.axis < 0 || static_cast<size_t>(q.axis) >= tensor.shape.size() || tensor.shape[static_cast<size_t>(q.axis)] != count)
        throw bad_input("has {} scales along dimension {} of {}", count, q.axis, to_string(tensor.shape));
    return make_encoding(storage, Tensor::vector<float>(q.scale), zeros_of(tensor, storage, {count}), static_cast<int>(q.axis));
}

Constant constant_of(const FileTensor& tensor, const Subgraph& graph, size_t file_size) {
    if (tensor.compressed) throw unsupported("weights compressed by Huffman codes");
    if (is_blocked(tensor.type)) return unblocked(tensor);
    if (is_mx(tensor.type)) throw unsupported("a constant of MX elements, whose exponents are not in the file");
    const DType dtype = dtype_of(tensor.type);
    if (dtype == DType::none) throw unsupported("a constant of resources");
    if (dtype == DType::string) return {texts_of(tensor), std::nullopt};
    const uint64_t want = storage_size(dtype, static_cast<uint64_t>(count_of(tensor.shape)));
    constexpr size_t least = 1 << 20, growth = 1024;
    const Bytes data = tensor.sparsity ? dense_bytes(tensor, least + growth * file_size) : tensor.data;
    if (data.size() != want) throw bad_input("{}{} has {} bytes, need {}", name_of(dtype), to_string(tensor.shape), data.size(), want);
    return {{dtype, tensor.shape, data}, encoding_of(tensor, graph)};
}

std::optional<Ints> ints_of(const FileTensor& tensor) {
    const DType dtype = dtype_of(tensor.type);
    if (!is_integer(dtype) || bits_of(dtype) < 8 || tensor.sparsity || is_quantized(tensor)) return std::nullopt;
    const int64_t count = count_of(tensor.shape);
    if (tensor.data.size() != storage_size(dtype, static_cast<uint64_t>(count)) || (tensor.data.empty() && count != 0)) return std::nullopt;
    return to_ints(aligned({dtype, tensor.shape, tensor.data}));
}

Bytes text_bytes(const Tensor& tensor) {
    std::vector<std::string_view> texts;
    for (size_t i = 0; i < static_cast<size_t>(tensor.count()); ++i) texts.push_back(string_at(tensor, i));
    std::vector<std::byte> out;
    const auto put = [&](const void* data, size_t size) {
        const auto* bytes = static_cast<const std::byte*>(data);
        out.insert(out.end(), bytes, bytes + size);
    };
    const auto word = [&](size_t number) {
        const auto narrow = static_cast<int32_t>(number);
        put(&narrow, sizeof narrow);
    };
    word(texts.size());
    size_t at = 4 * (texts.size() + 2);
    word(at);
    for (const std::string_view text : texts) word(at += text.size());
    for (const std::string_view text : texts) put(text.data(), text.size());
    return Bytes::own(std::move(out));
}

std::string place_of(const FileOperator& op, const Subgraph& graph) {
    const std::string name = op.out.empty() ? "" : graph.tensors[static_cast<size_t>(op.out[0])].name;
    return fmt::format("operator \"{}\" ({})", escape(name), op.name);
}

}  // namespace quern::tflite_format
