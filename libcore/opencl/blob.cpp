#include "libcore/opencl/blob.h"

#include <algorithm>
#include <cstring>

#include "libcore/opencl/failure.h"

namespace quern::opencl {
namespace {

constexpr char magic[] = "QUERNOCL1";
constexpr size_t alignment = 64;
constexpr size_t max_rank = 16;

class Writer {
   public:
    template <class T>
    void number(T x) {
        const auto* from = reinterpret_cast<const std::byte*>(&x);
        bytes.insert(bytes.end(), from, from + sizeof x);
    }
    template <class T>
    void list(const std::vector<T>& items) {
        number(static_cast<uint32_t>(items.size()));
        for (const T& item : items) number(item);
    }
    void text(const std::string& text) { list(std::vector<char>(text.begin(), text.end())); }
    void align() { bytes.resize((bytes.size() + alignment - 1) / alignment * alignment); }

    std::vector<std::byte> bytes;
};

class Reader {
   public:
    explicit Reader(std::span<const std::byte> bytes) : bytes_(bytes) {}

    std::span<const std::byte> take(size_t size) {
        if (size > bytes_.size() - at_) throw broken("the blob ends at byte {}", bytes_.size());
        at_ += size;
        return bytes_.subspan(at_ - size, size);
    }
    template <class T>
    T number() {
        T out;
        std::memcpy(&out, take(sizeof out).data(), sizeof out);
        return out;
    }
    template <class T>
    std::vector<T> list() {
        const auto count = number<uint32_t>();
        const auto from = take(count * sizeof(T));
        std::vector<T> out(count);
        if (count > 0) std::memcpy(out.data(), from.data(), from.size());
        return out;
    }
    std::string text() {
        const auto letters = list<char>();
        return {letters.begin(), letters.end()};
    }
    // A count of things that take at least `size` bytes each.
    uint32_t count(size_t size) {
        const auto out = number<uint32_t>();
        if (out > (bytes_.size() - at_) / size) throw broken("the blob has {} bytes, too few for {} entries", bytes_.size(), out);
        return out;
    }
    void align() { take((alignment - at_ % alignment) % alignment); }
    size_t rest() const { return bytes_.size() - at_; }

   private:
    std::span<const std::byte> bytes_;
    size_t at_ = 0;
};

void write(Writer& to, const Value& value) {
    to.text(value.name);
    to.number(value.dtype);
    to.list(value.dims);
    to.number<uint8_t>(value.encoding ? 1 : 0);
    if (value.encoding) {
        to.number(value.encoding->storage);
        to.number(value.encoding->qmin);
        to.number(value.encoding->qmax);
        to.number(value.encoding->axis);
        to.list(value.encoding->scale);
        to.list(value.encoding->zero);
    }
    to.number<uint8_t>(value.constant ? 1 : 0);
    if (value.constant) to.number<uint64_t>(value.data.size());
}

Encoding read_encoding(Reader& from, const Value& value) {
    Encoding e;
    e.storage = from.number<quern_dtype>();
    e.qmin = from.number<int64_t>();
    e.qmax = from.number<int64_t>();
    e.axis = from.number<int32_t>();
    e.scale = from.list<float>();
    e.zero = from.list<int64_t>();
    const bool whole = e.storage != QUERN_BOOL && e.storage >= QUERN_INT8 && e.storage <= QUERN_UINT2;
    const auto axis = static_cast<size_t>(e.axis);
    const size_t wanted = e.axis < 0 ? 1 : axis < value.dims.size() ? static_cast<size_t>(value.dims[axis]) : 0;
    if (!whole || e.axis < -1 || e.scale.size() != e.zero.size() || e.scale.size() != wanted || e.qmin > e.qmax)
        throw broken("the encoding of \"{}\" is none", value.name);
    return e;
}

Value read_value(Reader& from) {
    Value value;
    value.name = from.text();
    value.dtype = from.number<quern_dtype>();
    value.dims = from.list<int64_t>();
    if (bits_of(value.dtype) == 0) throw broken("\"{}\" has element type {}", value.name, value.dtype);
    if (value.dims.size() > max_rank) throw broken("\"{}\" has rank {}", value.name, value.dims.size());
    if (count_of(value.dims) > INT64_MAX / 64) throw broken("\"{}\" is {}", value.name, text_of(value.dims));
    if (from.number<uint8_t>() != 0) value.encoding = read_encoding(from, value);
    value.constant = from.number<uint8_t>() != 0;
    if (!value.constant) return value;
    const quern_dtype stored = value.encoding ? value.encoding->storage : value.dtype;
    if (from.number<uint64_t>() != bytes_of(stored, count_of(value.dims))) throw broken("constant \"{}\" has another size", value.name);
    return value;
}

void write(Writer& to, const Node& node) {
    to.text(node.name);
    to.text(node.op);
    to.text(node.domain);
    to.number(node.unit);
    to.number(static_cast<uint32_t>(node.attributes.size()));
    for (const Attribute& attribute : node.attributes) {
        to.text(attribute.name);
        to.list(attribute.integers);
        to.list(attribute.reals);
        to.number(static_cast<uint32_t>(attribute.texts.size()));
        for (const std::string& text : attribute.texts) to.text(text);
    }
    to.list(node.inputs);
    to.list(node.outputs);
}

Node read_node(Reader& from) {
    Node node;
    node.name = from.text();
    node.op = from.text();
    node.domain = from.text();
    node.unit = from.number<int32_t>();
    node.attributes.resize(from.count(16));
    for (Attribute& attribute : node.attributes) {
        attribute.name = from.text();
        attribute.integers = from.list<int64_t>();
        attribute.reals = from.list<float>();
        attribute.texts.resize(from.count(4));
        for (std::string& text : attribute.texts) text = from.text();
    }
    node.inputs = from.list<int32_t>();
    node.outputs = from.list<int32_t>();
    return node;
}

// Values are constants or inputs, or one node makes them before others read them.
void check(const Net& net) {
    std::vector<bool> made(net.values.size());
    const auto at = [&](int32_t value) {
        if (value < 0 || static_cast<size_t>(value) >= made.size()) throw broken("value {} of {}", value, made.size());
        return static_cast<size_t>(value);
    };
    const auto make = [&](int32_t value) {
        if (made[at(value)]) throw broken("\"{}\" is made twice", net.values[at(value)].name);
        made[at(value)] = true;
    };
    for (size_t i = 0; i < made.size(); ++i) made[i] = net.values[i].constant;
    for (const int32_t in : net.inputs) make(in);
    for (const Node& node : net.nodes) {
        for (const int32_t in : node.inputs)
            if (in != none && !made[at(in)]) throw broken("node \"{}\" reads \"{}\" before it is made", node.name, net.values[at(in)].name);
        for (const int32_t out : node.outputs)
            if (out != none) make(out);
    }
    for (const int32_t out : net.outputs)
        if (!made[at(out)]) throw broken("output \"{}\" is never made", net.values[at(out)].name);
}

}  // namespace

std::vector<std::byte> blob_of(const Net& net) {
    Writer to;
    for (const char letter : magic) to.number(letter);
    to.number<uint8_t>(net.integer ? 1 : 0);
    to.number(static_cast<uint32_t>(net.values.size()));
    for (const Value& value : net.values) write(to, value);
    to.number(static_cast<uint32_t>(net.nodes.size()));
    for (const Node& node : net.nodes) write(to, node);
    to.list(net.inputs);
    to.list(net.outputs);
    for (const Value& value : net.values)
        if (value.constant) {
            to.align();
            to.bytes.insert(to.bytes.end(), value.data.begin(), value.data.end());
        }
    return std::move(to.bytes);
}

Net net_of_blob(std::span<const std::byte> bytes) {
    Reader from(bytes);
    const auto begin = from.take(std::min(bytes.size(), sizeof magic));
    if (begin.size() < sizeof magic || std::memcmp(begin.data(), magic, sizeof magic) != 0) throw broken("is not a blob of this back end");
    Net net;
    net.integer = from.number<uint8_t>() != 0;
    const uint32_t value_count = from.count(16);
    for (uint32_t i = 0; i < value_count; ++i) net.values.push_back(read_value(from));
    const uint32_t node_count = from.count(24);
    for (uint32_t i = 0; i < node_count; ++i) net.nodes.push_back(read_node(from));
    net.inputs = from.list<int32_t>();
    net.outputs = from.list<int32_t>();
    for (Value& value : net.values)
        if (value.constant) {
            from.align();
            value.data = from.take(bytes_of(value.encoding ? value.encoding->storage : value.dtype, count_of(value.dims)));
        }
    if (from.rest() != 0) throw broken("the blob has {} bytes more than it says", from.rest());
    check(net);
    return net;
}

}  // namespace quern::opencl
