#include "formats/tensorflow/file/sorted_table.h"

#include <cstring>

#include "formats/tensorflow/file/crc32c.h"
#include "libcore/base/error.h"

namespace quern::tensorflow_format {
namespace {

constexpr size_t footer_size = 48, trailer_size = 5;  // of a block: its compression and its checksum
constexpr std::string_view magic("\x57\xfb\x80\x8b\x24\x75\x47\xdb", 8);

using Entries = std::vector<std::pair<std::string, Bytes>>;

class Cursor {
   public:
    explicit Cursor(const Bytes& bytes) : bytes_(bytes) {}
    bool done() const { return at_ == bytes_.size(); }
    uint64_t number() {
        uint64_t value = 0;
        for (unsigned shift = 0; shift < 64 && at_ < bytes_.size(); shift += 7) {
            const auto byte = static_cast<uint8_t>(bytes_.data()[at_++]);
            value |= static_cast<uint64_t>(byte & 127) << shift;
            if (byte < 128) return value;
        }
        throw bad_input("a number in a block of the index does not end");
    }
    Bytes take(uint64_t size) {
        if (size > bytes_.size() - at_) throw bad_input("{} bytes in a block of the index, it has {} more", size, bytes_.size() - at_);
        at_ += size;
        return bytes_.slice(at_ - size, size);
    }

   private:
    const Bytes& bytes_;
    size_t at_ = 0;
};

uint32_t fixed32(const std::byte* at) {
    uint32_t value = 0;
    std::memcpy(&value, at, sizeof value);  // little endian
    return value;
}

struct Handle {
    uint64_t offset, size;
};
Handle handle_of(Cursor& cursor) {
    const uint64_t offset = cursor.number();
    return {offset, cursor.number()};
}

Bytes block_at(const Bytes& file, Handle handle) {
    if (handle.size > file.size() || handle.offset > file.size() - handle.size || file.size() - handle.size - handle.offset < trailer_size)
        throw bad_input("a block of {} bytes at offset {} of an index of {}", handle.size, handle.offset, file.size());
    const Bytes with_type = file.slice(handle.offset, handle.size + 1);
    const uint32_t said = fixed32(with_type.data() + with_type.size()), sum = masked_crc32c(with_type);
    if (sum != said) throw bad_input("the block at offset {} has the checksum {:08x}, the index says {:08x}", handle.offset, sum, said);
    if (with_type.data()[handle.size] != std::byte{0}) throw unsupported("the index is compressed");
    return file.slice(handle.offset, handle.size);
}

// Keys share their beginnings with those before; behind them are places where they do not.
Entries entries_of(const Bytes& block) {
    if (block.size() < 4) throw bad_input("a block of the index has {} bytes", block.size());
    const uint64_t restarts = fixed32(block.data() + block.size() - 4);
    if (restarts > (block.size() - 4) / 4) throw bad_input("a block of the index has {} restarts in {} bytes", restarts, block.size());
    const Bytes contents = block.slice(0, block.size() - 4 - 4 * restarts);
    Entries entries;
    std::string key;
    for (Cursor cursor(contents); !cursor.done();) {
        const uint64_t shared = cursor.number(), rest = cursor.number(), size = cursor.number();
        if (shared > key.size()) throw bad_input("a key of the index shares {} bytes with one of {}", shared, key.size());
        key.resize(shared);
        key += cursor.take(rest).text();
        entries.emplace_back(key, cursor.take(size));
    }
    return entries;
}

}  // namespace

Entries read_sorted_table(const Bytes& file) {
    if (file.size() < footer_size || file.text().substr(file.size() - magic.size()) != magic)
        throw bad_input("is not an index of a checkpoint");
    const Bytes footer = file.slice(file.size() - footer_size, footer_size - magic.size());
    Cursor cursor(footer);
    handle_of(cursor);  // of what describes the table
    Entries all;
    for (const auto& [last, place] : entries_of(block_at(file, handle_of(cursor)))) {
        Cursor handle(place);
        for (auto& entry : entries_of(block_at(file, handle_of(handle)))) all.push_back(std::move(entry));
    }
    return all;
}

}  // namespace quern::tensorflow_format
