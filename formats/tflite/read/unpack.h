// From a verified FlatBuffer to a File, for every schema of the family: Schema names the generated types.
#pragma once

#include <limits>

#include "formats/tflite/file/file.h"
#include "formats/tflite/file/options.h"
#include "libcore/base/bytes.h"
#include "libcore/base/error.h"
#include "libcore/base/flat_list.h"
#include "libcore/base/text.h"

namespace quern::tflite_format {

// Copies of what the file holds once are bounded: a small file cannot stand for a large model by naming one list many times.
class Budget {
   public:
    explicit Budget(size_t file_size) : left_(uint64_t{16} * file_size + (1 << 16)) {}
    void spend(uint64_t bytes) {
        if (bytes > left_) throw bad_input("uses the same lists many times");
        left_ -= bytes;
    }
    std::string text(const flatbuffers::String* from);
    template <class T>
    Ints ints(const flatbuffers::Vector<T>* from) {
        if (!from) return {};
        need_aligned(*from);
        spend(uint64_t{8} * from->size() / (8 / sizeof(T)));
        return Ints(from->begin(), from->end());
    }

   private:
    uint64_t left_;
};

Bytes bytes_of(const tflite::Buffer& buffer, const Bytes& file);
Bytes outside_bytes(uint64_t offset, uint64_t size, const Bytes& file, std::string_view what);
Sparsity sparsity_of(const tflite::SparsityParameters& from, Budget& budget);
void check_indices(const Ints& indices, size_t count, bool absent_allowed, std::string_view what);
void name_operator(FileOperator& to, const tflite::OperatorCode& code, Budget& budget);
std::vector<Signature> signatures_of(const flatbuffers::Vector<flatbuffers::Offset<tflite::SignatureDef>>* from, Budget& budget);

template <class Schema>
class Unpacker {
   public:
    Unpacker(const Bytes& file, const typename Schema::Model& model) : file_(file), model_(model), budget_(file.size()) {}

    File run() {
        File out;
        out.version = model_.version();
        out.description = budget_.text(model_.description());
        if (!model_.subgraphs() || model_.subgraphs()->size() == 0) throw bad_input("the file holds no graph");
        for (const auto* from : *model_.subgraphs()) {
            const size_t index = out.subgraphs.size();
            at_place(fmt::format("subgraph {}", index), [&] { out.subgraphs.push_back(subgraph(*from)); });
        }
        if (model_.metadata())
            for (const auto* item : *model_.metadata()) out.metadata.emplace_back(budget_.text(item->name()), buffer(item->buffer()));
        out.signatures = signatures_of(model_.signature_defs(), budget_);
        return out;
    }

   private:
    Bytes buffer(uint32_t index) {
        if (index == 0) return {};
        if (!model_.buffers() || index >= model_.buffers()->size()) throw bad_input("buffer {} does not exist", index);
        return bytes_of(*model_.buffers()->Get(index), file_);
    }

    Quantization quantization(const typename Schema::QuantizationParameters* from) {
        Quantization out;
        if (!from) return out;
        if (from->scale()) {
            budget_.spend(uint64_t{4} * from->scale()->size());
            out.scale.assign(from->scale()->begin(), from->scale()->end());
        }
        out.zero = budget_.ints(from->zero_point());
        out.axis = from->quantized_dimension();
        Schema::details(*from, out);
        return out;
    }

    FileTensor tensor(const typename Schema::Tensor& from) {
        FileTensor out;
        out.name = budget_.text(from.name());
        if (!is_utf8(out.name)) throw bad_input("the name of a tensor is not valid UTF-8: \"{}\"", escape(out.name));
        at_place(fmt::format("tensor \"{}\"", escape(out.name)), [&] {
            out.type = from.type();
            out.shape = budget_.ints(from.shape());
            out.signature = budget_.ints(from.shape_signature());
            if (out.shape.size() > 64 || (!out.signature.empty() && out.signature.size() != out.shape.size()))
                throw bad_input("has {} dimensions, its signature {}", out.shape.size(), out.signature.size());
            for (const int64_t dim : out.shape)
                if (dim < 0) throw bad_input("has a dimension of {}", dim);
            for (const int64_t dim : out.signature)
                if (dim < -1) throw bad_input("has a dimension of {}", dim);
            out.variable = from.is_variable();
            Schema::storage(from, out);
            out.data = buffer(from.buffer());
            out.quantization = quantization(from.quantization());
            if (from.sparsity()) out.sparsity = sparsity_of(*from.sparsity(), budget_);
        });
        return out;
    }

    FileOperator operation(const typename Schema::Operator& from, size_t tensors) {
        FileOperator out;
        const auto* codes = model_.operator_codes();
        if (!codes || from.opcode_index() >= codes->size()) throw bad_input("operator code {} does not exist", from.opcode_index());
        name_operator(out, *codes->Get(from.opcode_index()), budget_);
        at_place(out.name, [&] {
            out.in = budget_.ints(from.inputs());
            out.out = budget_.ints(from.outputs());
            out.intermediates = budget_.ints(from.intermediates());
            check_indices(out.in, tensors, true, "input");
            check_indices(out.out, tensors, false, "output");
            check_indices(out.intermediates, tensors, false, "intermediate");
            budget_.spend(64);
            out.options = options_of(from.builtin_options(), static_cast<uint8_t>(from.builtin_options_type()), Schema::options_type());
            if (from.builtin_options_2())
                out.options = options_of(from.builtin_options_2(), static_cast<uint8_t>(from.builtin_options_2_type()),
                                         tflite::BuiltinOptions2TypeTable());
            if (from.custom_options())
                out.custom_options =
                    file_.slice(static_cast<size_t>(reinterpret_cast<const std::byte*>(from.custom_options()->data()) - file_.data()),
                                from.custom_options()->size());
            else if (from.large_custom_options_offset() > 1)
                out.custom_options =
                    outside_bytes(from.large_custom_options_offset(), from.large_custom_options_size(), file_, "the custom options");
        });
        return out;
    }

    Subgraph subgraph(const typename Schema::SubGraph& from) {
        Subgraph out;
        out.name = budget_.text(from.name());
        if (!is_utf8(out.name)) throw bad_input("the name of a graph is not valid UTF-8");
        if (from.tensors())
            for (const auto* item : *from.tensors()) out.tensors.push_back(tensor(*item));
        out.inputs = budget_.ints(from.inputs());
        out.outputs = budget_.ints(from.outputs());
        check_indices(out.inputs, out.tensors.size(), false, "input");
        check_indices(out.outputs, out.tensors.size(), false, "output");
        if (from.operators())
            for (const auto* item : *from.operators()) {
                const size_t index = out.operators.size();
                at_place(fmt::format("operator {}", index), [&] { out.operators.push_back(operation(*item, out.tensors.size())); });
            }
        return out;
    }

    const Bytes& file_;
    const typename Schema::Model& model_;
    Budget budget_;
};

// Verifies the FlatBuffer and unpacks it. What lies beyond 2 GiB are buffers, which are reached by their offsets.
template <class Schema>
File unpack(const Bytes& bytes) {
    constexpr size_t limit = FLATBUFFERS_MAX_BUFFER_SIZE - 1;
    constexpr flatbuffers::uoffset_t depth = 64;
    const size_t size = std::min(bytes.size(), limit);
    const auto* start = reinterpret_cast<const uint8_t*>(bytes.data());
    flatbuffers::Verifier verifier(start, size, depth, static_cast<flatbuffers::uoffset_t>(size / 8 + 16));
    if (!verifier.VerifyBuffer<typename Schema::Model>(Schema::identifier))
        throw bad_input("is not a valid FlatBuffer of {}", Schema::name);
    return Unpacker<Schema>(bytes, *flatbuffers::GetRoot<typename Schema::Model>(start)).run();
}

}  // namespace quern::tflite_format
