#include "formats/tensorflow/file/tensor.h"

#include <algorithm>

#include "formats/tensorflow/file/dtypes.h"

namespace quern::tensorflow_format {
namespace {

// The fields of a TensorProto that hold numbers.
enum Field : uint32_t {
    content = 4,
    float_val = 5,
    double_val = 6,
    int_val = 7,
    string_val = 8,
    scomplex_val = 9,
    int64_val = 10,
    bool_val = 11,
    dcomplex_val = 12,
    half_val = 13,
    uint32_val = 16,
    uint64_val = 17,
    float8_val = 18,
};

struct Lists {
    Bytes content;
    std::vector<float> floats;
    std::vector<double> doubles;
    std::vector<int64_t> integers;
    std::vector<std::string> texts;
    Bytes float8;
};

Lists lists_of(const Bytes& message) {
    Lists lists;
    WireReader reader(message);
    while (const auto field = reader.next()) switch (field->number) {
            case content: lists.content = field->message(); break;
            case float_val:
            case scomplex_val: append_reals(*field, lists.floats); break;
            case double_val:
            case dcomplex_val: append_reals(*field, lists.doubles); break;
            case string_val: lists.texts.push_back(field->text()); break;
            case float8_val: lists.float8 = field->message(); break;
            case int_val:
            case int64_val:
            case bool_val:
            case half_val:
            case uint32_val:
            case uint64_val: append_integers(*field, lists.integers); break;
            default: break;
        }
    return lists;
}

// The last of a list that is too short repeats; of none, zero does.
template <class T>
std::vector<T> filled(std::vector<T> items, size_t count, size_t width = 1) {
    if (items.size() > count * width || items.size() % width != 0)
        throw bad_input("a tensor of {} elements has {} numbers", count, items.size());
    if (items.empty()) items.resize(width, T{});
    std::vector<T> last(items.end() - static_cast<std::ptrdiff_t>(width), items.end());
    items.reserve(count * width);
    if (count == 0) return {};
    while (items.size() < count * width) items.insert(items.end(), last.begin(), last.end());
    return items;
}

// Numbers of fewer than 8 bits lie in a byte each.
Tensor unpacked(DType dtype, Dims dims, const Bytes& content, size_t count) {
    if (content.size() != count) throw bad_input("a tensor of {} elements has {} bytes", count, content.size());
    std::vector<int64_t> items;
    for (const std::byte byte : content.span()) items.push_back(static_cast<int8_t>(byte));
    return from_ints(dtype, std::move(dims), items);
}

Tensor of_bits(DType dtype, Dims dims, const std::vector<int64_t>& items) {
    std::vector<uint16_t> bits(items.begin(), items.end());
    return {dtype, std::move(dims), Bytes::copy_of(std::span<const uint16_t>(bits))};
}

Tensor of_lists(DType dtype, const Dims& dims, Lists lists, size_t count) {
    switch (dtype) {
        case DType::string: {
            const auto texts = filled(std::move(lists.texts), count);
            return Tensor::strings(dims, texts);
        }
        case DType::f32: return from_floats(dtype, dims, filled(std::move(lists.floats), count));
        case DType::f64: return from_doubles(dtype, dims, filled(std::move(lists.doubles), count));
        case DType::c64: return {dtype, dims, Bytes::copy_of(std::span<const float>(filled(std::move(lists.floats), count, 2)))};
        case DType::c128: return {dtype, dims, Bytes::copy_of(std::span<const double>(filled(std::move(lists.doubles), count, 2)))};
        case DType::f16:
        case DType::bf16: return of_bits(dtype, dims, filled(std::move(lists.integers), count));
        default: break;
    }
    if (is_float(dtype)) {  // of 8 bits or fewer
        std::vector<std::byte> bytes(lists.float8.span().begin(), lists.float8.span().end());
        if (bits_of(dtype) != 8) throw unsupported("a constant of {}", name_of(dtype));
        return {dtype, dims, Bytes::own(filled(std::move(bytes), count))};
    }
    std::vector<int64_t> integers = filled(std::move(lists.integers), count);
    if (dtype == DType::boolean)
        for (int64_t& item : integers) item = item != 0;
    return from_ints(dtype, dims, integers);
}

}  // namespace

Shape read_shape(const Bytes& message) {
    Shape shape = Shape::of_rank(0);
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 3 && field->flag()) return Shape::unranked();
        if (field->number != 2) continue;
        int64_t size = 0;
        WireReader dim(field->message());
        while (const auto part = dim.next())
            if (part->number == 1) size = part->integer();
        if (size < -1) throw bad_input("a dim is {}", size);
        shape.dims.push_back(size < 0 ? Dim::unknown() : Dim::of(size));
    }
    return shape;
}

StoredTensor read_stored(const Bytes& message) {
    StoredTensor stored{.shape = Shape::of_rank(0), .message = message};
    WireReader reader(message);
    while (const auto field = reader.next()) {
        if (field->number == 1) stored.type = field->integer();
        if (field->number == 2) stored.shape = read_shape(field->message());
    }
    return stored;
}

Tensor tensor_of(const StoredTensor& stored, uint64_t most) {
    const DType dtype = dtype_of_code(stored.type);
    if (dtype == DType::none) throw unsupported("a constant that is a resource or a variant");
    const auto dims = stored.shape.concrete();
    if (!dims) throw bad_input("a constant has the shape {}", to_string(stored.shape));
    const auto count = static_cast<size_t>(count_of(*dims));
    Lists lists = lists_of(stored.message);
    const uint64_t size = storage_size(dtype, count);
    if (!lists.content.empty() && dtype != DType::string) {
        if (bits_of(dtype) < 8) return unpacked(dtype, *dims, lists.content, count);
        if (lists.content.size() != size)
            throw bad_input("a tensor of {} {} has {} bytes, need {}", name_of(dtype), to_string(*dims), lists.content.size(), size);
        return aligned({dtype, *dims, lists.content});
    }
    if (std::max<uint64_t>(size, count) > most) throw unsupported("a constant of {} elements that the file leaves out", count);
    return of_lists(dtype, *dims, std::move(lists), count);
}

}  // namespace quern::tensorflow_format
