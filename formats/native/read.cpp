// Reading: the frame, FlatBuffers' verifier, then our own checks of every index, size and name before it is used.
#include <algorithm>
#include <cstring>

#include "formats/native/layout.h"
#include "formats/native/native.h"
#include "formats/native/native_generated.h"
#include "libcore/base/digest.h"
#include "libcore/base/flat_list.h"
#include "libcore/base/text.h"
#include "libcore/graph/block_encoding.h"
#include "libcore/graph/op.h"

namespace quern::native_format {
namespace {

constexpr int max_depth = 64;

struct Frame {
    Trailer trailer;
    const native::Model* model;
};

void check_version(uint32_t major, uint32_t minor) {
    if (major != major_version)
        throw unsupported("is of native format version {}.{}, this program reads version {}", major, minor, major_version);
    if (minor > minor_version)
        throw unsupported("needs native format version {}.{}, this program reads up to {}.{}", major, minor, major_version, minor_version);
}

Frame open_frame(const Bytes& bytes) {
    if (bytes.size() < sizeof(Header) + sizeof(Trailer)) throw bad_input("is cut off: {} bytes", bytes.size());
    Header header;
    Frame frame{};
    std::memcpy(&header, bytes.data(), sizeof header);
    check_version(header.major, header.minor);
    std::memcpy(&frame.trailer, bytes.data() + bytes.size() - sizeof(Trailer), sizeof(Trailer));
    const Trailer& trailer = frame.trailer;
    if (std::memcmp(trailer.magic, Trailer().magic, sizeof trailer.magic) != 0)
        throw bad_input("is cut off: its last 64 bytes are not a trailer");
    check_version(trailer.major, trailer.minor);
    const uint64_t end = bytes.size() - sizeof(Trailer);
    if (trailer.offset % alignment != 0 || trailer.offset < sizeof(Header) || trailer.offset > end || trailer.size > end - trailer.offset)
        throw bad_input("the graph at byte {} with {} bytes is not inside the file", trailer.offset, trailer.size);
    if (trailer.size > FLATBUFFERS_MAX_BUFFER_SIZE - 1) throw bad_input("the graph alone is larger than 2 GiB");
    const auto* start = reinterpret_cast<const uint8_t*>(bytes.data() + trailer.offset);
    const std::string digest = Digest().update(start, trailer.size).hex();
    if (std::memcmp(digest.data(), trailer.digest, sizeof trailer.digest) != 0) throw bad_input("the graph differs from its digest");
    // Tables that are met many times count each time: a small file cannot stand for a large graph.
    flatbuffers::Verifier verifier(start, trailer.size, 4 * max_depth, static_cast<flatbuffers::uoffset_t>(trailer.size / 8 + 16));
    if (!verifier.VerifyBuffer<native::Model>(nullptr)) throw bad_input("the graph is not a valid FlatBuffer");
    frame.model = native::GetModel(start);
    return frame;
}

DType dtype_of_code(uint8_t code) {
    if (code == 0) return DType::none;
    const auto dtype = dtype_of_onnx(code);
    if (!dtype) throw bad_input("element type {} is unknown", code);
    return *dtype;
}

class Unpacker {
   public:
    Unpacker(const Bytes& bytes, const Frame& frame) : bytes_(bytes), model_(*frame.model), budget_(frame.trailer.size) {}
    Model model();

   private:
    std::string text(const flatbuffers::String* from);
    template <class V>
    auto items(const V* from);
    Bytes blob(uint32_t index);
    Bytes tensor_data(uint32_t index, DType dtype, const Dims& dims);
    Tensor tensor(const native::Tensor* from);
    Type type(const native::Type* from, int depth);
    Encoding encoding(const native::Encoding& from);
    Attr attr(const native::Attr& from);
    void value(Graph& graph, const native::Value& from);
    std::vector<ValueId> results(const Graph& graph, const native::Node& from);
    void node(Graph& graph, const native::Node& from, int depth);
    void graph(Graph& to, const native::Graph& from, const Graph* outer, int depth);
    ValueId value_id(const Graph& graph, uint32_t index, bool absent_allowed);

    const Bytes& bytes_;
    const native::Model& model_;
    uint64_t budget_;  // bytes of strings and lists that may still be copied: what the graph has
    std::vector<const Op*> ops_;
};

// A field that is a list: its items as a vector, {} if it is not there.
template <class V>
auto Unpacker::items(const V* from) {
    using Item = std::decay_t<decltype(from->Get(0))>;
    std::vector<Item> out;
    if (!from) return out;
    need_aligned(*from);
    const uint64_t size = uint64_t{from->size()} * sizeof(typename V::value_type);
    if (size > budget_) throw bad_input("the graph uses the same lists many times");
    budget_ -= size;
    out.assign(from->begin(), from->end());
    return out;
}

std::string Unpacker::text(const flatbuffers::String* from) {
    if (!from) return {};
    if (from->size() > budget_) throw bad_input("the graph uses the same strings many times");
    budget_ -= from->size();
    return from->str();
}

const native::Blob& blob_row(const native::Model& model, const Bytes& bytes, uint32_t index) {
    if (!model.blobs() || index >= model.blobs()->size()) throw bad_input("blob {} does not exist", index);
    const native::Blob& row = *model.blobs()->Get(index);
    if (row.offset() % alignment != 0 || row.offset() > bytes.size() || row.size() > bytes.size() - row.offset())
        throw bad_input("blob {} at byte {} with {} bytes is not inside the file", index, row.offset(), row.size());
    return row;
}

Bytes Unpacker::blob(uint32_t index) {
    const native::Blob& row = blob_row(model_, bytes_, index);
    return bytes_.slice(row.offset(), row.size());
}

// Offsets of a string tensor must grow and stay inside.
void check_strings(const Bytes& data, uint64_t count) {
    if (count >= data.size() / 8) throw bad_input("a string tensor of {} elements has {} bytes", count, data.size());
    const uint64_t characters = data.size() - 8 * (count + 1);
    uint64_t before = 0;
    for (uint64_t i = 0; i <= count; ++i) {
        uint64_t offset = 0;
        std::memcpy(&offset, data.data() + 8 * i, sizeof offset);
        if (offset < before || offset > characters || (i == 0 && offset != 0))
            throw bad_input("a string tensor's offset {} is out of order", i);
        before = offset;
    }
}

Bytes Unpacker::tensor_data(uint32_t index, DType dtype, const Dims& dims) {
    Bytes data = blob(index);
    const int64_t count = count_of(dims);
    if (count > (int64_t{1} << 58)) throw bad_input("a tensor has {} elements", count);
    if (dtype == DType::string) {
        check_strings(data, static_cast<uint64_t>(count));
    } else if (dtype == DType::none || data.size() != storage_size(dtype, static_cast<uint64_t>(count))) {
        throw bad_input("a tensor {}{} has {} bytes", name_of(dtype), to_string(dims), data.size());
    }
    return data;
}

Tensor Unpacker::tensor(const native::Tensor* from) {
    if (!from) return {};
    Tensor out;
    out.dtype = dtype_of_code(from->dtype());
    out.dims = items(from->dims());
    out.data = tensor_data(from->blob(), out.dtype, out.dims);
    return out;
}

Type Unpacker::type(const native::Type* from, int depth) {
    if (!from) return {};
    if (depth > max_depth) throw bad_input("a type is nested deeper than {} levels", max_depth);
    if (from->kind() > 2) throw bad_input("a type is of unknown kind {}", from->kind());
    Type out;
    out.kind = static_cast<Type::Kind>(from->kind());
    out.dtype = dtype_of_code(from->dtype());
    out.shape.ranked = from->ranked();
    for (const native::Dim* dim : items(from->dims())) {
        if (dim->value() < -1) throw bad_input("a dimension is {}", dim->value());
        out.shape.dims.push_back({dim->value(), text(dim->symbol())});
    }
    if (!out.shape.ranked && !out.shape.dims.empty()) throw bad_input("a type has dimensions but no rank");
    if (from->element()) out.element = std::make_shared<const Type>(type(from->element(), depth + 1));
    return out;
}

Encoding Unpacker::encoding(const native::Encoding& from) {
    if (from.format()) return block_encoding(need_block_format(text(from.format())), from.axis());
    Encoding out;
    out.kind = from.dynamic() ? Encoding::Kind::dynamic : Encoding::Kind::fixed;
    out.storage = dtype_of_code(from.storage());
    out.real = dtype_of_code(from.real());
    out.qmin = from.qmin();
    out.qmax = from.qmax();
    out.axis = from.axis();
    out.block = from.block();
    out.scale = tensor(from.scale());
    out.zero = tensor(from.zero());
    out.min = tensor(from.min());
    if (out.storage == DType::none || out.axis < -1 || out.block < 0 || (!from.dynamic() && !out.scale.defined()))
        throw bad_input("an encoding lacks its storage type or scale, or its axis or block is negative");
    return out;
}

Attr Unpacker::attr(const native::Attr& from) {
    const auto one = [](const auto* list) {
        if (!list || list->size() != 1) throw bad_input("an attribute lacks its value");
        return list->Get(0);
    };
    switch (from.kind()) {
        case 0: return from.integer();
        case 1: return from.reals() && from.reals()->size() == 1 ? from.reals()->Get(0) : from.real();
        case 2: return text(one(from.texts()));
        case 3: return items(from.integers());
        case 4: return items(from.reals());
        case 5: {
            std::vector<std::string> out;
            for (const auto* item : items(from.texts())) out.push_back(text(item));
            return out;
        }
        case 6: return tensor(one(from.tensors()));
        case 7: {
            std::vector<Tensor> out;
            for (const auto* item : items(from.tensors())) out.push_back(tensor(item));
            return out;
        }
        case 8: return type(from.type(), 0);
        default: throw bad_input("an attribute is of unknown kind {}", from.kind());
    }
}

void Unpacker::value(Graph& graph, const native::Value& from) {
    std::string name = text(from.name());
    if (graph.find(name) != ValueId::none) throw bad_input("two values are named \"{}\"", escape(name));
    const ValueId id = graph.add_value(name, type(from.type(), 0));
    Value& to = graph.value(id);
    at_place(fmt::format("value \"{}\"", escape(name)), [&] {
        if (from.encoding()) to.enc = encoding(*from.encoding());
        for (const int axis : items(from.permutation())) to.permutation.push_back(axis);
        std::vector<bool> seen(to.permutation.size());
        for (const int axis : to.permutation) {
            if (axis < 0 || static_cast<size_t>(axis) >= seen.size() || seen[static_cast<size_t>(axis)])
                throw bad_input("its permutation is none");
            seen[static_cast<size_t>(axis)] = true;
        }
        if (from.blob() == no_index) return;
        const auto dims = to.type.shape.concrete();
        if (!dims || to.type.kind != Type::Kind::tensor) throw bad_input("a constant has no fixed shape");
        to.data = tensor_data(from.blob(), to.storage(), stored_dims(to));
    });
}

ValueId Unpacker::value_id(const Graph& graph, uint32_t index, bool absent_allowed) {
    if (index == no_index && absent_allowed) return ValueId::none;
    if (index >= graph.value_count()) throw bad_input("value {} does not exist", index);
    return static_cast<ValueId>(index);
}

std::vector<ValueId> Unpacker::results(const Graph& graph, const native::Node& from) {
    std::vector<ValueId> out;
    for (const uint32_t index : items(from.out())) {
        out.push_back(value_id(graph, index, true));
        if (out.back() == ValueId::none) continue;
        const Value& result = graph.value(out.back());
        if (result.producer != NodeId::none || result.constant()) throw bad_input("\"{}\" is defined twice", escape(result.name));
    }
    std::vector<ValueId> given = out;
    std::erase(given, ValueId::none);
    std::sort(given.begin(), given.end());
    if (std::adjacent_find(given.begin(), given.end()) != given.end()) throw bad_input("has one value as two results");
    return out;
}

void Unpacker::node(Graph& graph_to, const native::Node& from, int depth) {
    if (from.op() >= ops_.size()) throw bad_input("operator {} does not exist", from.op());
    std::string name = text(from.name());
    at_place(fmt::format("node \"{}\"", escape(name)), [&] {
        std::vector<ValueId> in;
        for (const uint32_t index : items(from.in())) in.push_back(value_id(graph_to, index, true));
        std::vector<ValueId> out = results(graph_to, from);
        const NodeId id = graph_to.add_node(ops_[from.op()], name, std::move(in), std::move(out));
        Node& to = graph_to.node(id);
        to.scope = text(from.scope());
        to.device = text(from.device());
        for (const native::Attr* item : items(from.attrs())) {
            const std::string name = text(item->name());
            if (name.empty() || !is_plain(name)) throw bad_input("an attribute has no proper name: \"{}\"", escape(name));
            to.attrs.insert_or_assign(name, attr(*item));
        }
        for (const native::NamedEncoding* item : items(from.internal())) {
            if (!item->encoding()) throw bad_input("an internal encoding is missing");
            to.internal.insert_or_assign(text(item->name()), encoding(*item->encoding()));
        }
        const auto names = items(from.body_names());
        const auto bodies = items(from.bodies());
        if (bodies.size() != names.size()) throw bad_input("has {} bodies and {} names for them", bodies.size(), names.size());
        for (size_t i = 0; i < bodies.size(); ++i) graph(graph_to.add_body(id, text(names[i])), *bodies[i], &graph_to, depth + 1);
    });
}

void Unpacker::graph(Graph& to, const native::Graph& from, const Graph* outer, int depth) {
    if (depth > max_depth) throw bad_input("bodies are nested deeper than {} levels", max_depth);
    to.name = text(from.name());
    for (const native::Value* item : items(from.values())) value(to, *item);
    for (const uint32_t index : items(from.inputs())) to.inputs.push_back(value_id(to, index, false));
    for (const native::Capture* item : items(from.captures())) {
        if (!outer) throw bad_input("the main graph captures values");
        to.captures.push_back({value_id(to, item->inner(), false), value_id(*outer, item->outer(), false)});
    }
    for (const native::Node* item : items(from.nodes())) node(to, *item, depth);
    for (const uint32_t index : items(from.outputs())) to.outputs.push_back(value_id(to, index, false));
}

Model Unpacker::model() {
    for (const native::Op* op : items(model_.ops())) {
        const std::string name = text(op->name()), domain = text(op->domain());
        const Op* known = op->unknown() ? find_registered_op(name, domain) : find_op(name, domain);
        ops_.push_back(known ? known : unknown_op(name, domain, op->version()));
    }
    Model out;
    if (!model_.graph()) throw bad_input("has no graph");
    graph(out.graph, *model_.graph(), nullptr, 0);
    for (const native::Entry* entry : items(model_.metadata())) {
        std::string key = text(entry->key());
        out.graph.metadata[std::move(key)] = text(entry->value());
    }
    out.lineage = text(model_.lineage());
    uint64_t facts = 0;
    for (const native::Fact* fact : items(model_.facts())) {
        const Bytes json = blob(fact->blob());
        facts += json.size();
        if (facts > bytes_.size()) throw bad_input("the facts are larger than the file");
        out.facts.insert_or_assign(text(fact->kind()), std::string(json.text()));
    }
    return out;
}

}  // namespace

bool sniff(const Bytes& bytes) {
    const Header header;
    return bytes.size() >= sizeof header.magic && std::memcmp(bytes.data(), header.magic, sizeof header.magic) == 0;
}

Model read(const Bytes& bytes, const std::string&) {
    const Frame frame = open_frame(bytes);
    return Unpacker(bytes, frame).model();
}

void check_digests(const Bytes& bytes) {
    const Frame frame = open_frame(bytes);
    if (!frame.model->blobs()) return;
    for (uint32_t i = 0; i < frame.model->blobs()->size(); ++i) {
        const native::Blob& row = blob_row(*frame.model, bytes, i);
        const Bytes data = bytes.slice(row.offset(), row.size());
        if (!row.digest() || Digest().update(data.data(), data.size()).hex() != row.digest()->str())
            throw bad_input("blob {} at byte {} differs from its digest", i, row.offset());
        data.release();
    }
}

}  // namespace quern::native_format
