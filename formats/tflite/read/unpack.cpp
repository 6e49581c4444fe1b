#include "formats/tflite/read/unpack.h"

namespace quern::tflite_format {
namespace {

Ints index_vector(const void* vector, tflite::SparseIndexVector kind, Budget& budget) {
    using tflite::SparseIndexVector;
    switch (kind) {
        case SparseIndexVector::Int32Vector: return budget.ints(static_cast<const tflite::Int32Vector*>(vector)->values());
        case SparseIndexVector::Uint16Vector: return budget.ints(static_cast<const tflite::Uint16Vector*>(vector)->values());
        case SparseIndexVector::Uint8Vector: return budget.ints(static_cast<const tflite::Uint8Vector*>(vector)->values());
        default: return {};
    }
}

}  // namespace

std::string Budget::text(const flatbuffers::String* from) {
    if (!from) return {};
    spend(from->size());
    return from->str();
}

Bytes outside_bytes(uint64_t offset, uint64_t size, const Bytes& file, std::string_view what) {
    if (offset > file.size() || size > file.size() - offset)
        throw bad_input("{} at byte {} with {} bytes are not inside the file of {}", what, offset, size, file.size());
    return file.slice(offset, size);
}

Bytes bytes_of(const tflite::Buffer& buffer, const Bytes& file) {
    if (buffer.offset() > 1) return outside_bytes(buffer.offset(), buffer.size(), file, "a buffer's contents");
    if (!buffer.data()) return {};
    const auto* first = reinterpret_cast<const std::byte*>(buffer.data()->data());
    return file.slice(static_cast<size_t>(first - file.data()), buffer.data()->size());
}

Sparsity sparsity_of(const tflite::SparsityParameters& from, Budget& budget) {
    Sparsity out;
    out.order = budget.ints(from.traversal_order());
    out.block_map = budget.ints(from.block_map());
    if (!from.dim_metadata()) return out;
    for (const auto* item : *from.dim_metadata()) {
        SparseDim& dim = out.dims.emplace_back();
        dim.dense = item->format() == tflite::DimensionType::DENSE;
        dim.size = item->dense_size();
        if (item->array_segments()) dim.segments = index_vector(item->array_segments(), item->array_segments_type(), budget);
        if (item->array_indices()) dim.indices = index_vector(item->array_indices(), item->array_indices_type(), budget);
    }
    return out;
}

void check_indices(const Ints& indices, size_t count, bool absent_allowed, std::string_view what) {
    for (const int64_t index : indices) {
        if (index == -1 && absent_allowed) continue;
        if (index < 0 || static_cast<size_t>(index) >= count) throw bad_input("{} is tensor {} of {}", what, index, count);
    }
}

void name_operator(FileOperator& to, const tflite::OperatorCode& code, Budget& budget) {
    const int8_t old = code.deprecated_builtin_code();
    const auto wide = static_cast<int>(code.builtin_code());
    to.code = static_cast<Code>(wide < 0 || old < 0 ? std::min<int>(wide, old) : std::max<int>(wide, old));
    to.version = code.version();
    to.name = to.code == Code::CUSTOM ? budget.text(code.custom_code()) : tflite::EnumNameBuiltinOperator(to.code);
    if (to.name.empty() && to.code != Code::CUSTOM) throw unsupported("operator code {} is not known", static_cast<int>(to.code));
    if (to.name.empty() || !is_plain(to.name)) throw bad_input("a custom operator is called \"{}\"", escape(to.name));
}

std::vector<Signature> signatures_of(const flatbuffers::Vector<flatbuffers::Offset<tflite::SignatureDef>>* from, Budget& budget) {
    std::vector<Signature> out;
    if (!from) return out;
    const auto aliases = [&](const flatbuffers::Vector<flatbuffers::Offset<tflite::TensorMap>>* list) {
        std::vector<Signature::Alias> names;
        if (list)
            for (const auto* item : *list) names.push_back({budget.text(item->name()), item->tensor_index()});
        return names;
    };
    for (const auto* item : *from)
        out.push_back({budget.text(item->signature_key()), aliases(item->inputs()), aliases(item->outputs()), item->subgraph_index()});
    return out;
}

}  // namespace quern::tflite_format
