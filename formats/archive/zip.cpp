#include "formats/archive/zip.h"

#include <zlib.h>

#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"

namespace quern {

// Deflated data, inflated part after part.
class Inflater {
   public:
    explicit Inflater(Bytes packed) : packed_(std::move(packed)) {
        if (inflateInit2(&stream_, -MAX_WBITS) != Z_OK) throw io_error("out of memory");
    }
    ~Inflater() { inflateEnd(&stream_); }
    Inflater(const Inflater&) = delete;
    Inflater& operator=(const Inflater&) = delete;

    // The next `size` bytes.
    void inflate_to(std::byte* to, uint64_t size) {
        for (uint64_t made = 0; made < size;) {
            const uint64_t fresh = step(to + made, size - made);
            made += fresh;
            if (made < size && (fresh == 0 || (state_ != Z_OK && state_ != Z_BUF_ERROR))) fail();
        }
    }
    // Nothing must be behind them.
    void need_end() {
        while (state_ == Z_OK) step(nullptr, 0);  // each takes something, or is Z_BUF_ERROR
        if (state_ != Z_STREAM_END) fail();
    }

   private:
    [[noreturn]] static void fail() { throw bad_input("deflated data is broken"); }
    uint64_t step(std::byte* to, uint64_t room) {
        constexpr uint64_t most = 1 << 30;
        const auto in = static_cast<uInt>(std::min<uint64_t>(most, packed_.size() - stream_.total_in)),
                   out = static_cast<uInt>(std::min(most, room));
        std::byte none{};
        stream_.next_in = reinterpret_cast<Bytef*>(const_cast<std::byte*>(packed_.data() + stream_.total_in));
        stream_.avail_in = in;
        stream_.next_out = reinterpret_cast<Bytef*>(out ? to : &none);
        stream_.avail_out = out;
        state_ = inflate(&stream_, Z_NO_FLUSH);
        return out - stream_.avail_out;
    }

    Bytes packed_;
    z_stream stream_{};
    int state_ = Z_OK;
};

namespace {

constexpr uint64_t inflate_ratio = 1032;        // what deflate can reach at most
constexpr uint64_t head_size = (1 << 20) + 64;  // holds the header of any array

// Little-endian numbers of a byte run, every access checked.
class Reader {
   public:
    explicit Reader(std::string_view bytes) : bytes_(bytes) {}
    uint64_t number(uint64_t at, size_t size) const {
        const std::string_view field = text(at, size);
        uint64_t value = 0;
        for (size_t i = size; i-- > 0;) value = value << 8 | static_cast<unsigned char>(field[i]);
        return value;
    }
    std::string_view text(uint64_t at, uint64_t size) const {
        if (at > bytes_.size() || size > bytes_.size() - at) throw bad_input("ZIP archive is cut short at byte {}", at);
        return bytes_.substr(at, size);
    }

   private:
    std::string_view bytes_;
};

struct Directory {
    uint64_t offset, count;
};

Directory find_directory(const Reader& zip, std::string_view bytes) {
    const size_t tail = std::min<size_t>(bytes.size(), 65535 + 22);
    const std::string mark = "PK\x05\x06";
    const size_t found = bytes.substr(bytes.size() - tail).rfind(mark);
    if (found == std::string_view::npos && !bytes.starts_with("PK")) refuse_other_kind(bytes);
    if (found == std::string_view::npos) throw bad_input("not a ZIP archive");
    const uint64_t end = bytes.size() - tail + found;
    Directory directory{zip.number(end + 16, 4), zip.number(end + 10, 2)};
    if (end >= 20 && zip.number(end - 20, 4) == zip_locator64_signature) {
        const uint64_t end64 = zip.number(end - 20 + 8, 8);
        if (zip.number(end64, 4) != zip_end64_signature) throw bad_input("ZIP archive has a broken ZIP64 end record");
        directory = {zip.number(end64 + 48, 8), zip.number(end64 + 32, 8)};
    }
    if (directory.count > bytes.size() / 46) throw bad_input("ZIP archive claims {} members", directory.count);
    return directory;
}

// Sizes and offset of a central entry that overflow 32 bits are in its ZIP64 extra field, in this order.
void read_zip64(const Reader& zip, uint64_t at, uint64_t size, std::initializer_list<uint64_t*> fields) {
    const uint64_t end = at + size;
    while (at + 4 <= end) {
        const uint64_t id = zip.number(at, 2), length = zip.number(at + 2, 2);
        if (id == 1) {
            uint64_t item = at + 4;
            for (uint64_t* field : fields) {
                if (*field != zip_in_64) continue;
                if (item + 8 > at + 4 + length) throw bad_input("ZIP archive has a short ZIP64 field");
                *field = zip.number(item, 8);
                item += 8;
            }
        }
        at += 4 + length;
    }
}

// The first `size` bytes; with `whole`, there must not be more.
Bytes inflate_some(const Bytes& packed, uint64_t size, bool whole) {
    MutableBytes out(size);
    Inflater inflater(packed);
    inflater.inflate_to(out.data(), size);
    if (whole) inflater.need_end();
    return std::move(out).freeze();
}

void check_claim(const Bytes& packed, uint64_t size) {
    if (size > packed.size() * inflate_ratio + 64) throw bad_input("claims {} bytes from {} deflated ones", size, packed.size());
}

Bytes inflate_all(const Bytes& packed, uint64_t size, const ZipArchive::Guard& guard) {
    check_claim(packed, size);
    if (size > head_size) guard(inflate_some(packed, head_size, false), size);
    return inflate_some(packed, size, true);
}

}  // namespace

uint32_t crc32_of(const Bytes& bytes, uint32_t start) {
    uLong crc = start;
    for (size_t at = 0; at < bytes.size();) {
        const size_t step = std::min<size_t>(bytes.size() - at, 1u << 30);
        crc = ::crc32(crc, reinterpret_cast<const Bytef*>(bytes.data() + at), static_cast<uInt>(step));
        at += step;
    }
    return static_cast<uint32_t>(crc);
}

ZipArchive::ZipArchive(Bytes bytes) : bytes_(std::move(bytes)) {
    const Reader zip(bytes_.text());
    const Directory directory = find_directory(zip, bytes_.text());
    uint64_t at = directory.offset;
    for (uint64_t i = 0; i < directory.count; ++i) {
        if (zip.number(at, 4) != zip_central_signature) throw bad_input("ZIP archive has a broken directory");
        const uint64_t flags = zip.number(at + 8, 2), name_size = zip.number(at + 28, 2), extra_size = zip.number(at + 30, 2);
        std::string name(zip.text(at + 46, name_size));
        uint64_t size = zip.number(at + 24, 4), packed = zip.number(at + 20, 4), offset = zip.number(at + 42, 4);
        read_zip64(zip, at + 46 + name_size, extra_size, {&size, &packed, &offset});
        if (flags & 1) throw unsupported("ZIP member \"{}\" is encrypted", escape(name));
        by_name_.emplace(name, members_.size());
        members_.push_back({std::move(name), offset, packed, size, static_cast<uint32_t>(zip.number(at + 16, 4)),
                            static_cast<uint16_t>(zip.number(at + 10, 2))});
        at += 46 + name_size + extra_size + zip.number(at + 32, 2);
    }
}

const ZipArchive::Member* ZipArchive::find(std::string_view name) const {
    const auto found = by_name_.find(name);
    return found == by_name_.end() ? nullptr : &members_[found->second];
}

Bytes ZipArchive::packed_of(const Member& member) const {
    const Reader zip(bytes_.text());
    if (zip.number(member.offset, 4) != zip_local_signature) throw bad_input("ZIP member has no header");
    const uint64_t start = member.offset + 30 + zip.number(member.offset + 26, 2) + zip.number(member.offset + 28, 2);
    zip.text(start, member.packed_size);  // inside the file
    if (member.method != 0 && member.method != 8) throw unsupported("ZIP method {}", member.method);
    if (member.method == 0 && member.size != member.packed_size)
        throw bad_input("stored ZIP member of {} bytes claims {}", member.packed_size, member.size);
    return bytes_.slice(start, member.packed_size);
}

Bytes ZipArchive::data_of(const Member& member, const Guard& guard) const {
    const Bytes packed = packed_of(member);
    return member.method == 8 ? inflate_all(packed, member.size, guard) : packed;
}

// ---- parts of a member ---------------------------------------------------------------------------------------------------

ZipStream::ZipStream(const ZipArchive& archive, const ZipArchive::Member& member) : member_(member), packed_(archive.packed_of(member)) {
    check_claim(packed_, member.size);
}

ZipStream::~ZipStream() = default;

void ZipStream::restart() {
    inflater_ = std::make_unique<Inflater>(packed_);
    at_ = 0;
    crc_ = 0;
}

void ZipStream::inflate_to(std::byte* to, uint64_t size) {
    inflater_->inflate_to(to, size);
    crc_ = crc32_of(Bytes::borrow(to, size), crc_);
    at_ += size;
    if (at_ == member_.size && crc_ != member_.crc) throw bad_input("checksum differs: the file is damaged");
}

Bytes ZipStream::read(uint64_t at, uint64_t size) {
    if (at > member_.size || size > member_.size - at) throw bad_input("member ends at byte {}", member_.size);
    if (member_.method == 0) {
        if (!checked_ && crc32_of(packed_) != member_.crc) throw bad_input("checksum differs: the file is damaged");
        checked_ = true;
        return packed_.slice(at, size);
    }
    if (!inflater_ || at < at_) restart();
    std::vector<std::byte> passed(std::min<uint64_t>(at - at_, 1 << 20));
    while (at_ < at) inflate_to(passed.data(), std::min<uint64_t>(passed.size(), at - at_));
    MutableBytes out(size);
    inflate_to(out.data(), size);
    if (at_ == member_.size) inflater_.reset();  // some tens of kilobytes, of each of a long list of files
    return std::move(out).freeze();
}

}  // namespace quern
