#include <cmath>
#include <cstring>
#include <map>

#include "formats/native/layout.h"
#include "formats/native/native.h"
#include "formats/native/native_generated.h"
#include "libcore/base/digest.h"
#include "libcore/blocks/block_format.h"
#include "libcore/graph/op.h"
#include "libcore/os/io.h"

namespace quern::native_format {
namespace {

// Writes blobs as they are met; equal ones once.
class Blobs {
   public:
    explicit Blobs(OutputFile& file) : file_(file) {}
    uint32_t add(const Bytes& bytes);
    std::vector<std::unique_ptr<native::BlobT>> table;

   private:
    OutputFile& file_;
    std::map<std::pair<const std::byte*, size_t>, uint32_t> by_memory_;
    std::map<std::pair<std::string, size_t>, uint32_t> by_content_;
    std::vector<Bytes> kept_;  // one per blob: confirms that equal digests are equal bytes, and keeps addresses from being used again
};

std::string digest_of(const Bytes& bytes) { return Digest().update(bytes.data(), bytes.size()).hex(); }

uint32_t Blobs::add(const Bytes& bytes) {
    if (const auto found = by_memory_.find({bytes.data(), bytes.size()}); found != by_memory_.end()) return found->second;
    std::string digest = digest_of(bytes);
    const auto equal = by_content_.find({digest, bytes.size()});
    if (equal != by_content_.end() && (bytes.empty() || std::memcmp(kept_[equal->second].data(), bytes.data(), bytes.size()) == 0)) {
        bytes.release();
        kept_[equal->second].release();
        return equal->second;
    }
    const auto index = static_cast<uint32_t>(table.size());
    file_.pad_to(alignment);
    auto blob = std::make_unique<native::BlobT>();
    blob->offset = file_.position();
    blob->size = bytes.size();
    blob->digest = digest;
    table.push_back(std::move(blob));
    file_.write(bytes);
    bytes.release();
    kept_.push_back(bytes);
    by_memory_[{bytes.data(), bytes.size()}] = index;
    by_content_.emplace(std::pair(std::move(digest), bytes.size()), index);
    return index;
}

uint8_t code_of(DType dtype) { return static_cast<uint8_t>(row_of(dtype).onnx); }

class Packer {
   public:
    explicit Packer(OutputFile& file) : blobs_(file) {}
    native::ModelT model(const Model& model);

   private:
    std::unique_ptr<native::TensorT> tensor(const Tensor& from);
    std::unique_ptr<native::TypeT> type(const Type& from);
    std::unique_ptr<native::EncodingT> encoding(const Encoding& from);
    std::unique_ptr<native::ValueT> value(const Value& from);
    std::unique_ptr<native::AttrT> attr(const std::string& name, const Attr& from);
    std::unique_ptr<native::NodeT> node(const Node& from, const std::vector<uint32_t>& numbers);
    std::unique_ptr<native::GraphT> graph(const Graph& from, const std::vector<uint32_t>& outer_numbers);
    uint32_t op(const Op& op);

    Blobs blobs_;
    std::vector<std::unique_ptr<native::OpT>> ops_;
    std::map<const Op*, uint32_t> op_numbers_;
};

std::unique_ptr<native::TensorT> Packer::tensor(const Tensor& from) {
    if (!from.defined()) return nullptr;
    auto out = std::make_unique<native::TensorT>();
    out->dtype = code_of(from.dtype);
    out->dims = from.dims;
    out->blob = blobs_.add(from.data);
    return out;
}

std::unique_ptr<native::TypeT> Packer::type(const Type& from) {
    auto out = std::make_unique<native::TypeT>();
    out->kind = static_cast<uint8_t>(from.kind);
    out->dtype = code_of(from.dtype);
    out->ranked = from.shape.ranked;
    for (const Dim& dim : from.shape.dims) {
        auto packed = std::make_unique<native::DimT>();
        packed->value = dim.value;
        packed->symbol = dim.symbol;
        out->dims.push_back(std::move(packed));
    }
    if (from.element) out->element = type(*from.element);
    return out;
}

std::unique_ptr<native::EncodingT> Packer::encoding(const Encoding& from) {
    auto out = std::make_unique<native::EncodingT>();
    out->dynamic = from.is_dynamic();
    out->storage = code_of(from.storage);
    out->real = code_of(from.real);
    out->qmin = from.qmin;
    out->qmax = from.qmax;
    out->axis = from.axis;
    out->block = from.block;
    out->scale = tensor(from.scale);
    out->zero = tensor(from.zero);
    out->min = tensor(from.min);
    if (from.format) out->format = from.format->name;
    return out;
}

std::unique_ptr<native::ValueT> Packer::value(const Value& from) {
    auto out = std::make_unique<native::ValueT>();
    out->name = from.name;
    out->type = type(from.type);
    if (from.enc) out->encoding = encoding(*from.enc);
    if (from.data) out->blob = blobs_.add(*from.data);
    out->permutation.assign(from.permutation.begin(), from.permutation.end());
    return out;
}

std::unique_ptr<native::AttrT> Packer::attr(const std::string& name, const Attr& from) {
    auto out = std::make_unique<native::AttrT>();
    out->name = name;
    out->kind = static_cast<uint8_t>(from.index());
    struct Put {
        Packer& packer;
        native::AttrT& to;
        void operator()(int64_t x) const { to.integer = x; }
        void operator()(float x) const {
            to.real = x;
            if (x == 0 && std::signbit(x)) to.reals = {x};
        }
        void operator()(const std::string& x) const { to.texts = {x}; }
        void operator()(const std::vector<int64_t>& x) const { to.integers = x; }
        void operator()(const std::vector<float>& x) const { to.reals = x; }
        void operator()(const std::vector<std::string>& x) const { to.texts = x; }
        void operator()(const Tensor& x) const { to.tensors.push_back(packer.tensor(x)); }
        void operator()(const std::vector<Tensor>& x) const {
            for (const Tensor& tensor : x) to.tensors.push_back(packer.tensor(tensor));
        }
        void operator()(const Type& x) const { to.type = packer.type(x); }
    };
    std::visit(Put{*this, *out}, from);
    return out;
}

uint32_t Packer::op(const Op& op) {
    const auto [entry, fresh] = op_numbers_.emplace(&op, static_cast<uint32_t>(ops_.size()));
    if (!fresh) return entry->second;
    auto out = std::make_unique<native::OpT>();
    out->name = op.name;
    out->domain = op.domain;
    out->unknown = find_op(op.name, op.domain) != &op;
    out->version = op.version;
    ops_.push_back(std::move(out));
    return entry->second;
}

std::vector<uint32_t> numbers_of(std::span<const ValueId> ids, const std::vector<uint32_t>& numbers) {
    std::vector<uint32_t> out;
    for (const ValueId id : ids) out.push_back(id == ValueId::none ? no_index : numbers[index_of(id)]);
    return out;
}

std::unique_ptr<native::NodeT> Packer::node(const Node& from, const std::vector<uint32_t>& numbers) {
    auto out = std::make_unique<native::NodeT>();
    out->op = op(*from.op);
    out->name = from.name;
    out->scope = from.scope;
    for (const auto& [name, item] : from.attrs) out->attrs.push_back(attr(name, item));
    out->in = numbers_of(from.in, numbers);
    out->out = numbers_of(from.out, numbers);
    for (const Graph& body : from.bodies) out->bodies.push_back(graph(body, numbers));
    out->body_names = from.body_names;
    for (const auto& [name, item] : from.internal) {
        auto named = std::make_unique<native::NamedEncodingT>();
        named->name = name;
        named->encoding = encoding(item);
        out->internal.push_back(std::move(named));
    }
    out->device = from.device;
    return out;
}

std::unique_ptr<native::GraphT> Packer::graph(const Graph& from, const std::vector<uint32_t>& outer_numbers) {
    auto out = std::make_unique<native::GraphT>();
    out->name = from.name;
    std::vector<uint32_t> numbers(from.value_count(), no_index);
    for (size_t i = 0; i < from.value_count(); ++i) {
        const Value& item = from.value(static_cast<ValueId>(i));
        if (item.erased) continue;
        numbers[i] = static_cast<uint32_t>(out->values.size());
        out->values.push_back(value(item));
    }
    for (const NodeId id : from.order()) out->nodes.push_back(node(from.node(id), numbers));
    out->inputs = numbers_of(from.inputs, numbers);
    out->outputs = numbers_of(from.outputs, numbers);
    for (const Graph::Capture& capture : from.captures) {
        auto packed = std::make_unique<native::CaptureT>();
        packed->inner = numbers[index_of(capture.inner)];
        packed->outer = outer_numbers[index_of(capture.outer)];
        out->captures.push_back(std::move(packed));
    }
    return out;
}

native::ModelT Packer::model(const Model& model) {
    native::ModelT out;
    out.graph = graph(model.graph, {});
    for (const auto& [key, text] : model.graph.metadata) {
        auto entry = std::make_unique<native::EntryT>();
        entry->key = key;
        entry->value = text;
        out.metadata.push_back(std::move(entry));
    }
    out.lineage = model.lineage.text();
    for (const auto& [kind, json] : model.facts) {
        auto fact = std::make_unique<native::FactT>();
        fact->kind = kind;
        fact->blob = blobs_.add(Bytes::borrow(json.data(), json.size()));
        out.facts.push_back(std::move(fact));
    }
    out.ops = std::move(ops_);
    out.blobs = std::move(blobs_.table);
    return out;
}

// The least version whose reader loses nothing.
uint32_t least_minor(const Graph& graph) {
    bool formats = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i) {
            const Value& value = part.value(static_cast<ValueId>(i));
            formats |= !value.erased && value.enc && value.enc->format;
        }
    });
    return formats ? 1 : 0;
}

}  // namespace

void write(const Model& model, const std::string& path, const WriteOptions& options) {
    if (options.tell) options.tell(model.graph);
    OutputFile file = options.outputs->open(path);
    write(model, file);
    file.commit();
}

void write(const Model& model, OutputFile& file) {
    Header header;
    header.minor = least_minor(model.graph);
    file.write(&header, sizeof header);
    const native::ModelT packed = Packer(file).model(model);
    flatbuffers::FlatBufferBuilder builder;
    builder.Finish(native::Model::Pack(builder, &packed));
    file.pad_to(alignment);
    Trailer trailer;
    trailer.minor = header.minor;
    trailer.offset = file.position();
    trailer.size = builder.GetSize();
    const std::string digest = Digest().update(builder.GetBufferPointer(), builder.GetSize()).hex();
    std::memcpy(trailer.digest, digest.data(), sizeof trailer.digest);
    file.write(builder.GetBufferPointer(), builder.GetSize());
    file.pad_to(alignment);
    file.write(&trailer, sizeof trailer);
}

}  // namespace quern::native_format
