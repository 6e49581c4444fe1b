#include "formats/wire/wire.h"

#include <bit>
#include <cstring>

#include "libcore/base/error.h"

namespace quern {
namespace {

[[noreturn]] void wrong_kind(const WireField& field) {
    throw bad_input("field {} has wire type {}", field.number, static_cast<int>(field.kind));
}

template <class T>
void append_fixed(const WireField& field, WireField::Kind single, std::vector<T>& to) {
    if (field.kind == single) {
        T item;
        std::memcpy(&item, &field.value, sizeof item);  // little endian
        to.push_back(item);
        return;
    }
    const Bytes& packed = field.message();
    if (packed.size() % sizeof(T) != 0) throw bad_input("field {} has {} bytes of packed numbers", field.number, packed.size());
    const size_t before = to.size();
    to.resize(before + packed.size() / sizeof(T));
    if (!packed.empty()) std::memcpy(to.data() + before, packed.data(), packed.size());
}

uint64_t varint(std::string_view bytes, size_t& at, size_t end) {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at >= end) throw bad_input("ends inside a number");
        const auto byte = static_cast<uint8_t>(bytes[at++]);
        value |= static_cast<uint64_t>(byte & 127) << shift;
        if (byte < 128) return value;
    }
    throw bad_input("a number of more than 10 bytes");
}

}  // namespace

WireSpan wire_span(std::string_view bytes, size_t at, size_t end) {
    WireSpan span{.start = at};
    const uint64_t tag = varint(bytes, at, end);
    if (tag >> 3 == 0 || tag >> 32 != 0) throw bad_input("not a field of protobuf (tag {})", tag);
    span.number = static_cast<uint32_t>(tag >> 3);
    span.kind = static_cast<WireSpan::Kind>(tag & 7);
    uint64_t size = 0;
    switch (tag & 7) {
        case 0: span.value = varint(bytes, at, end); break;
        case 1: size = 8; break;
        case 2: size = varint(bytes, at, end); break;
        case 5: size = 4; break;
        default: throw bad_input("field {} has unknown wire type {}", span.number, tag & 7);
    }
    if (size > end - at) throw bad_input("field {} is {} bytes long, only {} are left", span.number, size, end - at);
    if (span.kind != WireSpan::Kind::bytes) std::memcpy(&span.value, bytes.data() + at, size);  // little endian
    span.body = at;
    span.end = at + size;
    return span;
}

const Bytes& WireField::message() const {
    if (kind != Kind::bytes) wrong_kind(*this);
    return bytes;
}

int64_t WireField::integer() const {
    if (kind != Kind::varint) wrong_kind(*this);
    return static_cast<int64_t>(value);
}

float WireField::real() const {
    if (kind != Kind::fixed32) wrong_kind(*this);
    return std::bit_cast<float>(static_cast<uint32_t>(value));
}

std::optional<WireField> WireReader::next() {
    if (at_ == message_.size()) return std::nullopt;
    WireField field{wire_span(message_.text(), at_, message_.size()), {}};
    at_ = field.end;
    if (field.kind == WireField::Kind::bytes) field.bytes = message_.slice(field.body, field.end - field.body);
    return field;
}

void append_integers(const WireField& field, std::vector<int64_t>& to) {
    if (field.kind != WireField::Kind::bytes) return to.push_back(field.integer());
    // A packed run reads as one number after another.
    uint64_t value = 0;
    unsigned shift = 0;
    for (const std::byte byte : field.bytes.span()) {
        if (shift > 63) throw bad_input("a number in field {} does not end", field.number);
        value |= (static_cast<uint64_t>(byte) & 127) << shift;
        shift += 7;
        if ((static_cast<uint8_t>(byte) & 128) != 0) continue;
        to.push_back(static_cast<int64_t>(value));
        value = 0;
        shift = 0;
    }
    if (shift != 0) throw bad_input("a number in field {} does not end", field.number);
}

void append_reals(const WireField& field, std::vector<float>& to) { append_fixed(field, WireField::Kind::fixed32, to); }
void append_reals(const WireField& field, std::vector<double>& to) { append_fixed(field, WireField::Kind::fixed64, to); }

}  // namespace quern
