// From a File to a FlatBuffer, for every schema of the family: the way back from unpack.h. Schema names the generated builders.
#pragma once

#include <map>

#include "formats/tflite/file/file.h"
#include "formats/tflite/write/pack_options.h"
#include "libcore/base/error.h"

namespace quern::tflite_format {

using Builder = flatbuffers::FlatBufferBuilder;

flatbuffers::Offset<flatbuffers::Vector<int32_t>> pack_ints(Builder& builder, const Ints& items);
// The vector of all operator codes that a file uses, and their places.
struct PackedCodes {
    using Key = std::tuple<Code, std::string, int>;  // code, custom name, version
    std::map<Key, uint32_t> places;
    std::vector<flatbuffers::Offset<tflite::OperatorCode>> codes;

    uint32_t place(Builder& builder, const FileOperator& op);
};
flatbuffers::Offset<tflite::SignatureDef> pack_signature(Builder& builder, const Signature& signature);

template <class Schema>
class Packer {
   public:
    // With `outside`, contents of buffers lie behind the FlatBuffer, from byte `first` of the file on.
    explicit Packer(const File& file, bool outside = false, uint64_t first = 0) : file_(file), outside_(outside), next_(first) {
        buffer({});
    }

    flatbuffers::DetachedBuffer run() {
        std::vector<flatbuffers::Offset<typename Schema::SubGraph>> subgraphs;
        for (const Subgraph& graph : file_.subgraphs) subgraphs.push_back(subgraph(graph));
        std::vector<flatbuffers::Offset<tflite::Metadata>> metadata;
        for (const auto& [name, bytes] : file_.metadata) {
            const uint32_t place = buffer(bytes);
            metadata.push_back(tflite::CreateMetadata(builder_, builder_.CreateString(name), place));
        }
        std::vector<flatbuffers::Offset<tflite::SignatureDef>> signatures;
        for (const Signature& signature : file_.signatures) signatures.push_back(pack_signature(builder_, signature));
        const auto codes = builder_.CreateVector(codes_.codes);
        const auto graphs = builder_.CreateVector(subgraphs);
        const auto description = builder_.CreateString(file_.description);
        const auto all_metadata = metadata.empty() ? 0 : builder_.CreateVector(metadata);
        const auto all_signatures = signatures.empty() ? 0 : builder_.CreateVector(signatures);
        const auto buffers = pack_buffers();
        typename Schema::ModelBuilder model(builder_);
        model.add_version(file_.version);
        model.add_operator_codes(codes);
        model.add_subgraphs(graphs);
        model.add_description(description);
        model.add_buffers(buffers);
        if (!metadata.empty()) model.add_metadata(all_metadata);
        if (!signatures.empty()) model.add_signature_defs(all_signatures);
        builder_.Finish(model.Finish(), Schema::identifier);
        return builder_.Release();
    }

    // Contents that lie outside, with their places in the file.
    const std::vector<std::pair<uint64_t, Bytes>>& outside() const { return behind_; }

   private:
    uint32_t buffer(const Bytes& bytes) {
        if (bytes.empty() && !buffers_.empty()) return 0;
        const auto key = std::pair(bytes.data(), bytes.size());
        const auto [found, fresh] = known_.emplace(key, static_cast<uint32_t>(buffers_.size()));
        if (fresh) buffers_.push_back(bytes);
        return found->second;
    }

    auto pack_buffers() {
        std::vector<flatbuffers::Offset<tflite::Buffer>> out;
        for (const Bytes& bytes : buffers_) {
            if (bytes.empty()) {
                out.push_back(tflite::CreateBuffer(builder_));
            } else if (outside_) {
                next_ = (next_ + 15) / 16 * 16;
                out.push_back(tflite::CreateBuffer(builder_, 0, next_, bytes.size()));
                behind_.emplace_back(next_, bytes);
                next_ += bytes.size();
            } else {
                builder_.ForceVectorAlignment(bytes.size(), 1, 16);
                const auto data = builder_.CreateVector(reinterpret_cast<const uint8_t*>(bytes.data()), bytes.size());
                out.push_back(tflite::CreateBuffer(builder_, data));
                bytes.release();
            }
        }
        return builder_.CreateVector(out);
    }

    flatbuffers::Offset<typename Schema::QuantizationParameters> quantization(const Quantization& from) {
        if (from.scale.empty() && from.block == 0 && !from.mx) return 0;
        const auto scale = from.scale.empty() ? 0 : builder_.CreateVector(from.scale);
        const Ints zeros = from.zero.empty() ? Ints(from.scale.size(), 0) : from.zero;
        const auto zero = zeros.empty() ? 0 : builder_.CreateVector(zeros);
        const auto blocks = from.block == 0 ? 0 : Schema::blockwise(builder_, from);
        decltype(Schema::mx(builder_, from)) mx;
        if (from.mx) mx = Schema::mx(builder_, from);
        typename Schema::QuantizationParametersBuilder out(builder_);
        if (!from.scale.empty()) out.add_scale(scale);
        if (!zeros.empty()) out.add_zero_point(zero);
        out.add_quantized_dimension(static_cast<int32_t>(from.axis));
        if (from.block != 0) Schema::add_blockwise(out, blocks);
        if (from.mx) Schema::add_mx(out, mx);
        return out.Finish();
    }

    flatbuffers::Offset<typename Schema::Tensor> tensor(const FileTensor& from) {
        const auto shape = pack_ints(builder_, from.shape);
        const auto signature = from.signature.empty() ? 0 : pack_ints(builder_, from.signature);
        const auto name = builder_.CreateString(from.name);
        const auto encoding = quantization(from.quantization);
        typename Schema::TensorBuilder out(builder_);
        out.add_shape(shape);
        out.add_type(from.type);
        out.add_buffer(buffer(from.data));
        out.add_name(name);
        if (!encoding.IsNull()) out.add_quantization(encoding);
        out.add_is_variable(from.variable);
        if (!from.signature.empty()) out.add_shape_signature(signature);
        out.add_has_rank(true);
        return out.Finish();
    }

    flatbuffers::Offset<typename Schema::Operator> operation(const FileOperator& from) {
        return at_place(from.name, [&] {
            const uint32_t code = codes_.place(builder_, from);
            const auto in = pack_ints(builder_, from.in), out = pack_ints(builder_, from.out);
            const auto intermediates = from.intermediates.empty() ? 0 : pack_ints(builder_, from.intermediates);
            const auto custom =
                from.custom_options.empty()
                    ? 0
                    : builder_.CreateVector(reinterpret_cast<const uint8_t*>(from.custom_options.data()), from.custom_options.size());
            PackedOptions first, second;
            if (from.code != Code::CUSTOM) {
                first = pack_options(builder_, from.code, from.options, Schema::options_type());
                if (first.member == 0) second = pack_options(builder_, from.code, from.options, tflite::BuiltinOptions2TypeTable());
                if (first.member == 0 && second.member == 0 && !from.options.empty()) throw unsupported("has no options in this format");
            }
            typename Schema::OperatorBuilder op(builder_);
            op.add_opcode_index(code);
            op.add_inputs(in);
            op.add_outputs(out);
            if (first.member != 0) {
                op.add_builtin_options_type(static_cast<typename Schema::BuiltinOptions>(first.member));
                op.add_builtin_options(first.table);
            }
            if (second.member != 0) {
                op.add_builtin_options_2_type(static_cast<tflite::BuiltinOptions2>(second.member));
                op.add_builtin_options_2(second.table);
            }
            if (!from.custom_options.empty()) op.add_custom_options(custom);
            if (!from.intermediates.empty()) op.add_intermediates(intermediates);
            return op.Finish();
        });
    }

    flatbuffers::Offset<typename Schema::SubGraph> subgraph(const Subgraph& from) {
        std::vector<flatbuffers::Offset<typename Schema::Tensor>> tensors;
        for (const FileTensor& item : from.tensors) tensors.push_back(tensor(item));
        std::vector<flatbuffers::Offset<typename Schema::Operator>> operators;
        for (const FileOperator& item : from.operators) operators.push_back(operation(item));
        const auto all_tensors = builder_.CreateVector(tensors);
        const auto all_operators = builder_.CreateVector(operators);
        const auto inputs = pack_ints(builder_, from.inputs), outputs = pack_ints(builder_, from.outputs);
        const auto name = builder_.CreateString(from.name);
        typename Schema::SubGraphBuilder out(builder_);
        out.add_tensors(all_tensors);
        out.add_inputs(inputs);
        out.add_outputs(outputs);
        out.add_operators(all_operators);
        out.add_name(name);
        return out.Finish();
    }

    const File& file_;
    bool outside_;
    uint64_t next_;
    Builder builder_;
    PackedCodes codes_;
    std::vector<Bytes> buffers_;
    std::map<std::pair<const std::byte*, size_t>, uint32_t> known_;
    std::vector<std::pair<uint64_t, Bytes>> behind_;
};

// A packed file: the FlatBuffer, then what lies behind it at its place. Contents go behind when a FlatBuffer could not hold them.
struct Packed {
    flatbuffers::DetachedBuffer head;
    std::vector<std::pair<uint64_t, Bytes>> behind;
};
uint64_t size_of_contents(const File& file);

template <class Schema>
Packed pack(const File& file) {
    constexpr uint64_t limit = 0x70000000;  // room for the graph beside them
    if (size_of_contents(file) < limit) return {Packer<Schema>(file).run(), {}};
    const uint64_t head = Packer<Schema>(file, true, 2).run().size();  // places change no sizes
    Packer<Schema> packer(file, true, head);
    Packed out{packer.run(), {}};
    out.behind = packer.outside();
    return out;
}

}  // namespace quern::tflite_format
