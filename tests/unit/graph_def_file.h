// A GraphDef written by hand, node by node.
#pragma once

#include <cstdint>
#include <cstring>
#include <initializer_list>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern::test {

// A message of protobuf.
class Message {
   public:
    Message& number(int field, int64_t item) {
        varint(static_cast<uint64_t>(field) << 3);
        varint(static_cast<uint64_t>(item));
        return *this;
    }
    Message& real(int field, float item) {
        varint(static_cast<uint64_t>(field) << 3 | 5);
        text_.append(reinterpret_cast<const char*>(&item), sizeof item);
        return *this;
    }
    Message& fixed(int field, uint32_t item) {
        varint(static_cast<uint64_t>(field) << 3 | 5);
        text_.append(reinterpret_cast<const char*>(&item), sizeof item);
        return *this;
    }
    Message& bytes(int field, const std::string& item) {
        varint(static_cast<uint64_t>(field) << 3 | 2);
        varint(item.size());
        text_ += item;
        return *this;
    }
    Message& message(int field, const Message& item) { return bytes(field, item.text_); }
    const std::string& text() const { return text_; }

   private:
    void varint(uint64_t item) {
        for (; item >= 128; item >>= 7) text_ += static_cast<char>(item | 128);
        text_ += static_cast<char>(item);
    }

    std::string text_;
};

using NamedAttr = std::pair<std::string, Message>;
inline NamedAttr attr_i(const std::string& name, int64_t item) { return {name, Message().number(3, item)}; }
inline NamedAttr attr_f(const std::string& name, float item) { return {name, Message().real(4, item)}; }
inline NamedAttr attr_b(const std::string& name, bool item) { return {name, Message().number(5, item)}; }
inline NamedAttr attr_s(const std::string& name, const std::string& item) { return {name, Message().bytes(2, item)}; }
inline NamedAttr attr_type(const std::string& name, int code) { return {name, Message().number(6, code)}; }
inline NamedAttr attr_ints(const std::string& name, const std::vector<int64_t>& items) {
    Message list;
    for (const int64_t item : items) list.number(3, item);
    return {name, Message().message(1, list)};
}

inline NamedAttr attr_function(const std::string& name, const std::string& function) {
    return {name, Message().message(10, Message().bytes(1, function))};
}

inline NamedAttr attr_texts(const std::string& name, const std::vector<std::string>& items) {
    Message list;
    for (const std::string& item : items) list.bytes(2, item);
    return {name, Message().message(1, list)};
}

class GraphDefFile {
   public:
    static constexpr int f32 = 1, i32 = 3, i64 = 9, boolean = 10;

    static Message node_of(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                           const std::vector<NamedAttr>& attrs = {}) {
        Message node;
        node.bytes(1, name).bytes(2, op);
        for (const std::string& input : inputs) node.bytes(3, input);
        for (const auto& [key, value] : attrs) node.message(5, Message().bytes(1, key).message(2, value));
        return node;
    }
    GraphDefFile& node(const std::string& name, const std::string& op, const std::vector<std::string>& inputs,
                       const std::vector<NamedAttr>& attrs = {}) {
        graph_.message(1, node_of(name, op, inputs, attrs));
        return *this;
    }
    // A function of float32 arguments; `results`: each output's name, and what it is.
    GraphDefFile& function(const std::string& name, const std::vector<std::string>& inputs,
                           const std::vector<std::pair<std::string, std::string>>& results, const std::vector<Message>& nodes) {
        Message signature, function;
        signature.bytes(1, name);
        for (const std::string& input : inputs) signature.message(2, Message().bytes(1, input).number(3, f32));
        for (const auto& [output, from] : results) signature.message(3, Message().bytes(1, output).number(3, f32));
        function.message(1, signature);
        for (const Message& node : nodes) function.message(3, node);
        for (const auto& [output, from] : results) function.message(4, Message().bytes(1, output).bytes(2, from));
        graph_.message(2, Message().message(1, function));
        return *this;
    }
    GraphDefFile& placeholder(const std::string& name, const std::vector<int64_t>& dims, int code = f32) {
        return node(name, "Placeholder", {}, {attr_type("dtype", code), {"shape", Message().message(7, shape(dims))}});
    }
    template <class T>
    GraphDefFile& constant(const std::string& name, const std::vector<int64_t>& dims, const std::vector<T>& items, int code) {
        std::string content(items.size() * sizeof(T), '\0');
        if (!items.empty()) std::memcpy(content.data(), items.data(), content.size());
        Message tensor;
        tensor.number(1, code).message(2, shape(dims)).bytes(4, content);
        return node(name, "Const", {}, {attr_type("dtype", code), {"value", Message().message(8, tensor)}});
    }
    GraphDefFile& floats(const std::string& name, const std::vector<int64_t>& dims, const std::vector<float>& items) {
        return constant(name, dims, items, f32);
    }
    GraphDefFile& ints(const std::string& name, const std::vector<int32_t>& items) {
        return constant(name, {static_cast<int64_t>(items.size())}, items, i32);
    }
    static Message texts_of(const std::string& name, const std::vector<std::string>& items) {
        constexpr int string = 7;
        Message tensor;
        tensor.number(1, string).message(2, shape({static_cast<int64_t>(items.size())}));
        for (const std::string& item : items) tensor.bytes(8, item);
        return node_of(name, "Const", {}, {attr_type("dtype", string), {"value", Message().message(8, tensor)}});
    }
    GraphDefFile& one(const std::string& name, int32_t item) { return constant(name, {}, std::vector{item}, i32); }

    Bytes bytes() const { return Bytes::copy_of(std::span(graph_.text())); }
    const Message& message() const { return graph_; }

    static Message shape(const std::vector<int64_t>& dims) {
        Message message;
        for (const int64_t dim : dims) message.message(2, Message().number(1, dim));
        return message;
    }

   private:
    Message graph_;
};

}  // namespace quern::test
