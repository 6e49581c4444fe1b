#include "formats/onnx/skeleton.h"

#include <array>

#include "formats/wire/wire.h"
#include "libcore/base/error.h"

namespace quern::onnx_format {
namespace {

constexpr size_t payload_threshold = 1024;
constexpr int depth_limit = 64;

enum class Message : uint8_t { model, graph, node, attribute, tensor, sparse, function, leaf };

// The fields of a message that can hold tensors.
Message inside(Message message, uint32_t field) {
    switch (message) {
        case Message::model: return field == 7 ? Message::graph : field == 25 ? Message::function : Message::leaf;
        case Message::graph:
            return field == 1 ? Message::node : field == 5 ? Message::tensor : field == 15 ? Message::sparse : Message::leaf;
        case Message::node: return field == 5 ? Message::attribute : Message::leaf;
        case Message::attribute:
            return field == 5 || field == 10   ? Message::tensor
                   : field == 6 || field == 11 ? Message::graph
                   : field == 22               ? Message::sparse
                                               : Message::leaf;
        case Message::sparse: return field <= 2 ? Message::tensor : Message::leaf;
        case Message::function: return field == 7 ? Message::node : field == 11 ? Message::attribute : Message::leaf;
        default: return Message::leaf;
    }
}

// Texts for people and training parts, which are not read.
bool dropped(Message message, uint32_t field) {
    switch (message) {
        case Message::model: return field == 20;
        case Message::graph: return field == 10 || field == 14;
        case Message::node: return field == 6;
        case Message::attribute: return field == 13;
        case Message::tensor: return field == 12;
        case Message::function: return field == 8;
        default: return false;
    }
}

void put_varint(std::string& to, uint64_t value) {
    for (; value > 127; value >>= 7) to += static_cast<char>((value & 127) | 128);
    to += static_cast<char>(value);
}

void put_field(std::string& to, uint32_t field, std::string_view contents) {
    put_varint(to, field << 3 | 2);
    put_varint(to, contents.size());
    to += contents;
}

class Walker {
   public:
    Walker(const Bytes& file, Skeleton& out) : file_(file), text_(file.text()), out_(out) {}

    std::string copy(Message message, size_t begin, size_t end, int depth) {
        if (depth > depth_limit) throw bad_input("offset {}: nested deeper than {} messages", begin, depth_limit);
        std::string to;
        const Cuts cuts = message == Message::tensor ? find_cuts(begin, end) : Cuts{};
        for (size_t at = begin; at < end;) {
            const WireSpan field = next(at, end);
            at = field.end;
            if (dropped(message, field.number)) continue;
            if (is_cut(cuts, field)) {
                put_payload(to, field);
                continue;
            }
            const Message inner = field.kind == WireSpan::Kind::bytes ? inside(message, field.number) : Message::leaf;
            if (inner == Message::leaf)
                to += text_.substr(field.start, field.end - field.start);
            else
                put_field(to, field.number, copy(inner, field.body, field.end, depth + 1));
        }
        return to;
    }

   private:
    // How often each payload field of a tensor occurs: one that is split into parts is left to protobuf.
    using Cuts = std::array<int, 16>;

    static bool is_payload(const WireSpan& field) {
        return field.kind == WireSpan::Kind::bytes && (field.number == 9 || field.number == 4 || field.number == 10);
    }

    static bool is_cut(const Cuts& cuts, const WireSpan& field) {
        return is_payload(field) && field.end - field.body > payload_threshold && cuts[field.number] == 1;
    }

    Cuts find_cuts(size_t begin, size_t end) const {
        Cuts cuts{};
        for (size_t at = begin; at < end;) {
            const WireSpan field = next(at, end);
            at = field.end;
            if (field.number < cuts.size()) ++cuts[field.number];
        }
        return cuts;
    }

    void put_payload(std::string& to, const WireSpan& field) {
        std::string entry;
        put_field(entry, 1, payload_key);
        put_field(entry, 2, std::to_string(out_.payloads.size()));
        put_field(to, 13, entry);
        out_.payloads.push_back(file_.slice(field.body, field.end - field.body));
    }

    WireSpan next(size_t at, size_t end) const {
        return at_place([&] { return fmt::format("offset {}", at); }, [&] { return wire_span(text_, at, end); });
    }

    const Bytes& file_;
    std::string_view text_;
    Skeleton& out_;
};

Skeleton skeleton_of(const Bytes& file, Message message) {
    Skeleton out;
    out.message = Walker(file, out).copy(message, 0, file.size(), 0);
    return out;
}

}  // namespace

Skeleton skeleton_of_model(const Bytes& file) { return skeleton_of(file, Message::model); }
Skeleton skeleton_of_tensor(const Bytes& file) { return skeleton_of(file, Message::tensor); }

}  // namespace quern::onnx_format
