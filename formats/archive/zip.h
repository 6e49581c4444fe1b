// A ZIP archive: members stored or deflated, also ZIP64. What .npz files and PyTorch's packages are.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

class Inflater;

class ZipArchive {
   public:
    struct Member {
        std::string name;
        uint64_t offset, packed_size, size;  // of the local header; of the data
        uint32_t crc;
        uint16_t method;  // 0: stored, 8: deflated
    };
    // Looks at the beginning of a deflated member of `size` bytes before memory is taken for all of it, and throws if it must not be so
    // large.
    using Guard = std::function<void(const Bytes& head, uint64_t size)>;

    // The directory is checked, members are read when asked for. Errors: Exit::bad_input, Exit::unsupported (encryption).
    explicit ZipArchive(Bytes bytes);

    const std::vector<Member>& members() const { return members_; }  // in the order of the directory
    const Member* find(std::string_view name) const;                 // nullptr: there is none
    // A stored member is a slice of the archive. Errors as above, for other methods, too.
    Bytes data_of(const Member& member, const Guard& guard) const;

    // The bytes of a member as they are in the archive.
    Bytes packed_of(const Member& member) const;

   private:
    Bytes bytes_;
    std::vector<Member> members_;
    std::map<std::string, size_t, std::less<>> by_name_;  // the first of each name
};

// A member of which parts are read: forward without taking memory for the whole, backward from the beginning again. Throws Exit::bad_input
// where its data is broken, or when its end is reached and its checksum differs. One read at a time.
class ZipStream {
   public:
    ZipStream(const ZipArchive& archive, const ZipArchive::Member& member);
    ~ZipStream();
    ZipStream(const ZipStream&) = delete;
    ZipStream& operator=(const ZipStream&) = delete;
    // At least one byte, inside the member.
    Bytes read(uint64_t at, uint64_t size);

   private:
    void restart();
    void inflate_to(std::byte* to, uint64_t size);

    ZipArchive::Member member_;
    Bytes packed_;
    std::unique_ptr<Inflater> inflater_;
    uint64_t at_ = 0;
    uint32_t crc_ = 0;
    bool checked_ = false;
};

// CRC-32 as ZIP has it, of bytes that follow others of the CRC `start`.
uint32_t crc32_of(const Bytes& bytes, uint32_t start = 0);

constexpr uint32_t zip_local_signature = 0x04034b50, zip_central_signature = 0x02014b50, zip_end_signature = 0x06054b50;
constexpr uint32_t zip_end64_signature = 0x06064b50, zip_locator64_signature = 0x07064b50;
constexpr uint32_t zip_in_64 = 0xffffffff;  // a field whose number is in the ZIP64 field

}  // namespace quern
