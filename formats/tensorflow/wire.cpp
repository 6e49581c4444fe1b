#include "formats/tensorflow/wire.h"

#include <bit>
#include <cstring>

#include "libcore/base/error.h"

namespace quern::tensorflow_format {
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

}  // namespace

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

uint64_t WireReader::varint() {
    uint64_t value = 0;
    for (unsigned shift = 0; shift < 64; shift += 7) {
        if (at_ >= message_.size()) break;
        const auto byte = static_cast<uint8_t>(message_.data()[at_++]);
        value |= static_cast<uint64_t>(byte & 127) << shift;
        if (byte < 128) return value;
    }
    throw bad_input("a number at byte {} of a message of {} does not end", at_, message_.size());
}

uint64_t WireReader::fixed(size_t size) {
    if (message_.size() - at_ < size) throw bad_input("a message of {} bytes ends inside of a number", message_.size());
    uint64_t value = 0;
    std::memcpy(&value, message_.data() + at_, size);
    at_ += size;
    return value;
}

std::optional<WireField> WireReader::next() {
    if (at_ == message_.size()) return std::nullopt;
    const uint64_t tag = varint();
    WireField field;
    if (tag >> 3 == 0 || tag >> 3 > 0x1fffffff) throw bad_input("a field at byte {} of a message has number {}", at_, tag >> 3);
    field.number = static_cast<uint32_t>(tag >> 3);
    field.kind = static_cast<WireField::Kind>(tag & 7);
    switch (tag & 7) {
        case 0: field.value = varint(); break;
        case 1: field.value = fixed(8); break;
        case 2: {
            const uint64_t size = varint();
            if (size > message_.size() - at_)
                throw bad_input("field {} says {} bytes, its message has {} more", field.number, size, message_.size() - at_);
            field.bytes = message_.slice(at_, size);
            at_ += size;
            break;
        }
        case 5: field.value = fixed(4); break;
        default: throw bad_input("field {} has wire type {}", field.number, tag & 7);
    }
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

}  // namespace quern::tensorflow_format
