#include "formats/onnx/tensors.h"

#include <cstring>
#include <limits>

#include "formats/onnx/onnx.pb.h"
#include "formats/onnx/skeleton.h"
#include "libcore/base/text.h"
#include "libcore/ops/shared/sequence.h"

namespace quern {
namespace onnx_format {
namespace {

Dims dims_of(const onnx::Tensor& message) {
    Dims dims(message.dims().begin(), message.dims().end());
    count_of(dims);  // refuses negative and huge ones
    return dims;
}

void need_count(size_t got, int64_t want, const char* field) {
    if (got != static_cast<size_t>(want)) throw bad_input("{} has {} elements, the shape needs {}", field, got, want);
}

Bytes need_size(Bytes bytes, DType dtype, int64_t count) {
    const uint64_t want = storage_size(dtype, static_cast<uint64_t>(count));
    if (bytes.size() != want) throw bad_input("has {} bytes, its shape and type {} need {}", bytes.size(), name_of(dtype), want);
    return bytes;
}

// int32_data holds every small type: one element an entry, except that 4- and 2-bit types keep a packed byte in each.
Tensor from_int32(const onnx::Tensor& message, DType dtype, Dims dims) {
    const int64_t count = count_of(dims);
    const int bits = bits_of(dtype);
    if (bits < 8) {
        need_count(static_cast<size_t>(message.int32_data_size()), static_cast<int64_t>(storage_size(dtype, static_cast<uint64_t>(count))),
                   "int32_data");
        std::vector<uint8_t> bytes(message.int32_data().begin(), message.int32_data().end());
        return {dtype, std::move(dims), Bytes::copy(bytes.data(), bytes.size())};
    }
    need_count(static_cast<size_t>(message.int32_data_size()), count, "int32_data");
    if (bits > 32) throw bad_input("int32_data cannot hold {}", name_of(dtype));
    MutableBytes bytes(storage_size(dtype, static_cast<uint64_t>(count)));
    const auto width = static_cast<size_t>(bits / 8);
    for (int i = 0; i < message.int32_data_size(); ++i) {
        const int32_t item = message.int32_data(i);
        std::memcpy(bytes.data() + static_cast<size_t>(i) * width, &item, width);
    }
    return {dtype, std::move(dims), std::move(bytes).freeze()};
}

template <class T, class Field>
Tensor from_field(const Field& field, const char* name, DType dtype, Dims dims, int parts = 1) {
    const int64_t count = count_of(dims);
    if (count > std::numeric_limits<int64_t>::max() / parts) throw bad_input("{} cannot hold {} elements", name, count);
    need_count(static_cast<size_t>(field.size()), count * parts, name);
    if (static_cast<size_t>(bits_of(dtype)) != sizeof(T) * 8 * static_cast<size_t>(parts))
        throw bad_input("{} cannot hold {}", name, name_of(dtype));
    return {dtype, std::move(dims), Bytes::copy(field.data(), static_cast<size_t>(field.size()) * sizeof(T))};
}

Tensor from_uint64(const onnx::Tensor& message, DType dtype, Dims dims) {
    if (dtype == DType::u64) return from_field<uint64_t>(message.uint64_data(), "uint64_data", dtype, std::move(dims));
    if (dtype != DType::u32) throw bad_input("uint64_data cannot hold {}", name_of(dtype));
    need_count(static_cast<size_t>(message.uint64_data_size()), count_of(dims), "uint64_data");
    const std::vector<uint32_t> items(message.uint64_data().begin(), message.uint64_data().end());
    return Tensor::make<uint32_t>(std::move(dims), items);
}

Tensor from_strings(const onnx::Tensor& message, Dims dims) {
    need_count(static_cast<size_t>(message.string_data_size()), count_of(dims), "string_data");
    const std::vector<std::string> items(message.string_data().begin(), message.string_data().end());
    return Tensor::strings(std::move(dims), items);
}

const std::string* entry(const onnx::Tensor& message, std::string_view key) {
    for (const auto& item : message.external_data())
        if (item.key() == key) return &item.value();
    return nullptr;
}

size_t number_entry(const onnx::Tensor& message, std::string_view key, size_t fallback) {
    const std::string* text = entry(message, key);
    if (!text) return fallback;
    const auto number = parse_int(*text);
    if (!number || *number < 0) throw bad_input("external data {} is \"{}\", need a number of bytes", key, escape(*text));
    return static_cast<size_t>(*number);
}

}  // namespace

DType dtype_from(int data_type) {
    const auto dtype = dtype_of_onnx(data_type);
    if (!dtype || *dtype == DType::none) throw bad_input("unknown element type {}", data_type);
    return *dtype;
}

Bytes TensorSource::external(const onnx::Tensor& message) {
    const std::string* location = entry(message, "location");
    if (!location) throw bad_input("external data has no location");
    const Bytes file = mapped(*location);
    const size_t offset = number_entry(message, "offset", 0);
    if (offset > file.size()) throw bad_input("external data begins at {}, \"{}\" has {} bytes", offset, escape(*location), file.size());
    const size_t length = number_entry(message, "length", file.size() - offset);
    if (length > file.size() - offset)
        throw bad_input("external data is {} bytes at {}, \"{}\" has {} bytes", length, offset, escape(*location), file.size());
    return file.slice(offset, length);
}

Tensor TensorSource::read(const onnx::Tensor& message) {
    const DType dtype = dtype_from(message.data_type());
    Dims dims = dims_of(message);
    const int64_t count = count_of(dims);
    if (dtype == DType::string) return from_strings(message, std::move(dims));
    if (const std::string* index = entry(message, payload_key)) {
        const auto number = parse_int(*index);
        if (!number || *number < 0 || static_cast<size_t>(*number) >= payloads_.size())
            throw bad_input("no payload \"{}\"", escape(*index));
        return {dtype, std::move(dims), need_size(payloads_[static_cast<size_t>(*number)], dtype, count)};
    }
    if (message.data_location() == 1) return {dtype, std::move(dims), need_size(external(message), dtype, count)};
    if (message.has_raw_data())
        return {dtype, std::move(dims), need_size(Bytes::copy(message.raw_data().data(), message.raw_data().size()), dtype, count)};
    if (message.int32_data_size() > 0) return from_int32(message, dtype, std::move(dims));
    if (message.int64_data_size() > 0) return from_field<int64_t>(message.int64_data(), "int64_data", dtype, std::move(dims));
    if (message.uint64_data_size() > 0) return from_uint64(message, dtype, std::move(dims));
    const int parts = dtype == DType::c64 || dtype == DType::c128 ? 2 : 1;
    if (message.float_data_size() > 0) return from_field<float>(message.float_data(), "float_data", dtype, std::move(dims), parts);
    if (message.double_data_size() > 0) return from_field<double>(message.double_data(), "double_data", dtype, std::move(dims), parts);
    return {dtype, std::move(dims), need_size(Bytes(), dtype, count)};
}

Tensor TensorSource::read(const onnx::SparseTensor& message) {
    const Tensor values = read(message.values()), indices = read(message.indices());
    const Dims dims(message.dims().begin(), message.dims().end());
    const int64_t count = count_of(dims), given = values.count();
    constexpr int64_t limit = int64_t{1} << 28;
    if (count > limit) throw unsupported("a sparse tensor of {} elements is too large to make dense", count);
    if (bits_of(values.dtype) % 8 != 0 || values.dtype == DType::string) throw unsupported("sparse tensors of {}", name_of(values.dtype));
    const std::vector<int64_t> at = to_ints(indices);
    const bool linear = indices.dims.size() == 1;
    if (at.size() != static_cast<size_t>(given) * (linear ? 1 : dims.size()))
        throw bad_input("sparse indices are {}, the values {}", to_string(indices.dims), to_string(values.dims));
    const auto width = static_cast<size_t>(bits_of(values.dtype) / 8);
    MutableBytes bytes(storage_size(values.dtype, static_cast<uint64_t>(count)));
    std::memset(bytes.data(), 0, bytes.size());
    for (size_t i = 0; i < static_cast<size_t>(given); ++i) {
        int64_t flat = linear ? at[i] : 0;
        for (size_t d = 0; !linear && d < dims.size(); ++d) {
            const int64_t index = at[i * dims.size() + d];
            if (index < 0 || index >= dims[d]) throw bad_input("sparse index {} is outside of {}", index, to_string(dims));
            flat = flat * dims[d] + index;
        }
        if (flat < 0 || flat >= count) throw bad_input("sparse index {} is outside of {} elements", flat, count);
        std::memcpy(bytes.data() + static_cast<size_t>(flat) * width, values.data.data() + i * width, width);
    }
    return {values.dtype, dims, std::move(bytes).freeze()};
}

Type type_from(const onnx::Type& message, int depth) {
    if (depth > 16) throw bad_input("a type nested deeper than 16");
    const auto element_of = [&](const onnx::Type::OfElement& of, Type::Kind kind) {
        return Type{kind, DType::none, {}, std::make_shared<const Type>(type_from(of.elem_type(), depth + 1))};
    };
    if (message.has_sequence()) return element_of(message.sequence(), Type::Kind::sequence);
    if (message.has_optional_of()) return element_of(message.optional_of(), Type::Kind::optional);
    const auto& of = message.has_sparse_tensor() ? message.sparse_tensor() : message.tensor();
    Type type = Type::tensor(of.elem_type() == 0 ? DType::none : dtype_from(of.elem_type()));
    if (!of.has_shape()) return type;
    type.shape.ranked = true;
    for (const auto& dim : of.shape().dim()) {
        if (dim.has_value() && dim.value() >= 0)
            type.shape.dims.push_back(Dim::of(dim.value()));
        else if (is_plain(dim.param()))
            type.shape.dims.push_back(Dim::named(dim.param()));
        else
            throw bad_input("the name of a dimension is not plain text: \"{}\"", escape(dim.param()));
    }
    return type;
}

void put_type(const Type& type, onnx::Type& message) {
    if (type.kind != Type::Kind::tensor) {
        auto* of = type.kind == Type::Kind::sequence ? message.mutable_sequence() : message.mutable_optional_of();
        put_type(*type.element, *of->mutable_elem_type());
        return;
    }
    auto& of = *message.mutable_tensor();
    of.set_elem_type(row_of(type.dtype).onnx);
    if (!type.shape.ranked) return;
    of.mutable_shape();
    for (const Dim& dim : type.shape.dims) {
        auto* item = of.mutable_shape()->add_dim();
        if (dim.known())
            item->set_value(dim.value);
        else if (!dim.symbol.empty())
            item->set_param(dim.symbol);
    }
}

void put_tensor_head(const std::string& name, const Tensor& tensor, onnx::Tensor& message) {
    if (!name.empty()) message.set_name(name);
    message.set_data_type(row_of(tensor.dtype).onnx);
    for (const int64_t dim : tensor.dims) message.add_dims(dim);
}

void put_tensor(const std::string& name, const Tensor& tensor, onnx::Tensor& message) {
    put_tensor_head(name, tensor, message);
    if (tensor.dtype != DType::string) {
        message.set_raw_data(tensor.data.data(), tensor.data.size());
        return;
    }
    for (size_t i = 0; i < static_cast<size_t>(tensor.count()); ++i) message.add_string_data(std::string(string_at(tensor, i)));
}

}  // namespace onnx_format

Tensor parse_onnx_tensor(const Bytes& file) {
    const auto skeleton = onnx_format::skeleton_of_tensor(file);
    onnx::Tensor message;
    if (!message.ParseFromString(skeleton.message)) throw bad_input("not an ONNX tensor");
    return aligned(onnx_format::TensorSource(skeleton.payloads, "").read(message));
}

namespace {

Tensor sequence_from(const onnx::Sequence& message, onnx_format::TensorSource& source, int depth = 0) {
    if (depth > 16) throw bad_input("a sequence nested deeper than 16");
    std::vector<Tensor> items;
    for (const auto& tensor : message.tensor_values()) items.push_back(aligned(source.read(tensor)));
    for (const auto& sequence : message.sequence_values()) items.push_back(sequence_from(sequence, source, depth + 1));
    return sequence_of(items);
}

}  // namespace

Tensor parse_onnx_value(const Bytes& file, const Type& type) {
    if (type.kind == Type::Kind::tensor) return parse_onnx_tensor(file);
    onnx_format::TensorSource source({}, "");
    onnx::Sequence sequence;
    onnx::Optional optional;
    const auto parse = [&](auto& message) {
        if (!message.ParseFromString(std::string(file.text()))) throw bad_input("not an ONNX {}", to_string(type));
    };
    if (type.kind == Type::Kind::sequence) {
        parse(sequence);
        return sequence_from(sequence, source);
    }
    parse(optional);
    if (optional.has_sequence_value()) return sequence_from(optional.sequence_value(), source);
    return optional.has_tensor_value() ? aligned(source.read(optional.tensor_value())) : Tensor();
}

std::string write_onnx_tensor(const std::string& name, const Tensor& tensor) {
    onnx::Tensor message;
    onnx_format::put_tensor(name, tensor, message);
    return message.SerializeAsString();
}

}  // namespace quern
