// Header, metadata and tensor infos, in the order of the file; each field is checked before the next one is read.
#include "formats/gguf/file/read_shard.h"

#include <limits>

#include "formats/gguf/file/alignment.h"
#include "formats/gguf/file/cursor.h"
#include "formats/gguf/file/layout.h"
#include "formats/gguf/file/read_metadata.h"
#include "libcore/base/text.h"

namespace quern::gguf {
namespace {

uint64_t count(Cursor& cursor, std::string_view what, uint64_t least_bytes, uint64_t limit) {
    const uint64_t at = cursor.at();
    const auto count = cursor.number<uint64_t>(fmt::format("the count of {}", what));
    if (count > cursor.left() / least_bytes)
        throw bad_input("byte {}: the count of {} is {}, which {} bytes cannot hold", at, what, count, cursor.left());
    if (count > limit) throw bad_input("byte {}: the count of {} is {}, at most {} are read", at, what, count, limit);
    return count;
}

// The version tells the byte order, too: of one that fits 16 bits, the upper ones are 0.
Cursor open_frame(const Bytes& bytes, File& file) {
    if (!has_magic(bytes)) throw bad_input("byte 0: need the magic \"GGUF\"");
    Cursor cursor(bytes, magic.size(), false);
    file.version = cursor.number<uint32_t>("the version");
    file.big_endian = file.version != 0 && (file.version & 0xFFFF) == 0;
    if (file.big_endian) {
        cursor = Cursor(bytes, magic.size(), true);
        file.version = cursor.number<uint32_t>("the version");
    }
    if (file.version == 0) throw bad_input("byte {}: the version is 0, need 2 or 3", magic.size());
    if (file.version != 2 && file.version != 3)
        throw unsupported("byte {}: is of GGUF version {}, versions 2 and 3 are read", magic.size(), file.version);
    return cursor;
}

std::string tensor_name(Cursor& cursor) {
    const uint64_t at = cursor.at();
    const Bytes name = cursor.text("the name", tensor_name_limit);
    if (name.empty()) throw bad_input("byte {}: the name is empty", at);
    if (!is_utf8(name.text())) throw bad_input("byte {}: the name \"{}\" is not UTF-8", at, escape(name.text()));
    return std::string(name.text());
}

// Row-major; their product fits int64.
Dims tensor_dims(Cursor& cursor) {
    const uint64_t start = cursor.at();
    const auto rank = cursor.number<uint32_t>("the number of dims");
    if (rank > rank_limit) throw bad_input("byte {}: the number of dims is {}, at most {} are read", start, rank, rank_limit);
    Dims dims(rank);
    int64_t elements = 1;
    for (uint32_t i = 0; i < rank; ++i) {
        const uint64_t at = cursor.at();
        const auto dim = cursor.number<int64_t>("a dim");
        if (dim <= 0) throw bad_input("byte {}: dim {} is {}, need 1 or more", at, i, dim);
        if (__builtin_mul_overflow(elements, dim, &elements)) throw bad_input("byte {}: the elements are more than 2^63", start);
        dims[rank - 1 - i] = dim;
    }
    return dims;
}

const BlockFormat& tensor_format(Cursor& cursor) {
    const uint64_t at = cursor.at();
    const auto type = cursor.number<uint32_t>("the type");
    if (const UnreadType* row = unread_type(type)) throw unsupported("byte {}: the type is {} ({}), {}", at, type, row->name, row->why);
    const BlockFormat* format = block_format_of_ggml(type);
    if (!format) throw bad_input("byte {}: the type {} is unknown", at, type);
    return *format;
}

uint64_t stored_size(const TensorInfo& info, uint64_t at) {
    const BlockFormat& format = *info.format;
    const int64_t columns = info.dims.empty() ? 1 : info.dims.back();
    if (columns % format.elements != 0)
        throw bad_input("byte {}: rows of {} elements are not whole blocks of {}, as type {} needs", at, columns, format.elements,
                        ggml_name(format));
    uint64_t size = 0;
    if (__builtin_mul_overflow(static_cast<uint64_t>(info.elements() / format.elements), uint64_t{format.bytes}, &size) ||
        size > static_cast<uint64_t>(std::numeric_limits<int64_t>::max()))
        throw bad_input("byte {}: the tensor has more than 2^63 bytes", at);
    return size;
}

class TensorReader {
   public:
    TensorReader(Cursor& cursor, File& file) : cursor_(cursor), file_(file) {}

    void read(uint64_t count) {
        for (uint64_t i = 0; i < count; ++i) read_one(i);
        const uint64_t start = align_up(cursor_.at(), file_.alignment);
        for (size_t i = 0; i < places_.size(); ++i) find_data(file_.tensors[i], places_[i], start);
    }

   private:
    struct Place {
        uint64_t field;  // the byte of its offset
        uint64_t size;
    };

    void read_one(uint64_t i) {
        std::string label = fmt::format("tensor {}", i);
        at_place([&] { return label; },
                 [&] {
                     TensorInfo info;
                     const uint64_t start = cursor_.at();
                     info.name = tensor_name(cursor_);
                     label += fmt::format(" \"{}\"", escape(info.name));
                     if (file_.find(info.name)) throw bad_input("byte {}: the name is there already", start);
                     const uint64_t at = cursor_.at();
                     info.dims = tensor_dims(cursor_);
                     info.format = &tensor_format(cursor_);
                     const uint64_t size = stored_size(info, at);
                     places_.push_back({cursor_.at(), size});
                     info.offset = offset(size);
                     info.big_endian = file_.big_endian;
                     file_.add(std::move(info));
                 });
    }

    // Tensors lie in the order in which they are listed, without gaps, as ggml's reader wants it: none overlaps another.
    uint64_t offset(uint64_t size) {
        const uint64_t at = cursor_.at(), whole = cursor_.bytes().size();
        const auto offset = cursor_.number<uint64_t>("the offset");
        if (offset != end_)
            throw bad_input("byte {}: the offset is {}, need {}: behind the tensor before it, at a multiple of {}", at, offset, end_,
                            file_.alignment);
        if (size > whole || end_ > whole)
            throw bad_input("byte {}: the tensor has {} bytes at offset {}, the whole file has {}", at, size, end_, whole);
        end_ = align_up(end_ + size, file_.alignment);
        return offset;
    }

    void find_data(TensorInfo& info, const Place& place, uint64_t start) const {
        info.offset += start;
        const uint64_t whole = cursor_.bytes().size();
        if (info.offset > whole || place.size > whole - info.offset)
            throw bad_input("tensor \"{}\": byte {}: its data are bytes {} to {}, the file ends at {}", escape(info.name), place.field,
                            info.offset, info.offset + place.size, whole);
        info.stored = cursor_.bytes().slice(info.offset, place.size);
    }

    Cursor& cursor_;
    File& file_;
    std::vector<Place> places_;
    uint64_t end_ = 0;  // of the data so far, padded
};

}  // namespace

File read_shard(const Bytes& bytes) {
    File file;
    file.size = bytes.size();
    Cursor cursor = open_frame(bytes, file);
    const uint64_t tensors = count(cursor, "tensors", least_tensor_bytes, tensor_limit);
    const uint64_t keys = count(cursor, "metadata", least_key_bytes, key_limit);
    read_metadata(cursor, keys, file.metadata);
    file.alignment = alignment_of(file.metadata);
    TensorReader(cursor, file).read(tensors);
    return file;
}

}  // namespace quern::gguf
