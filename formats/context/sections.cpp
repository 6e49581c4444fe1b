#include "formats/context/sections.h"

#include <algorithm>
#include <cstring>

#include "formats/context/layout.h"
#include "libcore/base/digest.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::context_format {
namespace {

constexpr uint32_t most_sections = 4096;

size_t padded(size_t size) { return (size + alignment - 1) / alignment * alignment; }

std::string digest_of(const void* data, size_t size) { return Digest().update(data, size).hex(); }

// Zeros between its parts; none behind the last: a back end gets its blob as it was.
uint64_t size_of(const Section& section) {
    uint64_t size = 0;
    for (const Bytes& part : section.parts) size = padded(size) + part.size();
    return size;
}

// How many sections make up the one at `i`: it, and those that it goes on with.
size_t run_of(const std::vector<Section>& sections, size_t i) {
    size_t count = 1;
    while (sections[i + count - 1].goes_on) ++count;
    return count;
}

std::string digest_of(const std::vector<Section>& sections, size_t first) {
    constexpr char zeros[alignment] = {};
    Digest digest;
    size_t size = 0;
    for (size_t i = first; i < first + run_of(sections, first); ++i)
        for (const Bytes& part : sections[i].parts) {
            digest.update(zeros, padded(size) - size);
            digest.update(part);
            size = part.size();
        }
    return digest.hex();
}

}  // namespace

void write_sections(std::string_view magic, const std::vector<Section>& sections, OutputFile& file) {
    std::vector<Entry> table;
    uint64_t at = sizeof(Header) + sections.size() * sizeof(Entry);
    for (size_t i = 0; i < sections.size(); ++i) {
        const Section& section = sections[i];
        Entry entry{};
        std::memcpy(entry.kind, section.kind.data(), std::min(section.kind.size(), sizeof entry.kind));
        entry.index = section.index;
        entry.on_demand = section.on_demand ? 1 : 0;
        at += section.gap;
        entry.offset = at;
        at += padded(size_of(section));
        for (size_t k = i; k < i + run_of(sections, i); ++k) entry.size = padded(entry.size) + size_of(sections[k]);
        std::memcpy(entry.digest, digest_of(sections, i).data(), sizeof entry.digest);
        table.push_back(entry);
    }
    Header header{{}, major_version, minor_version, static_cast<uint32_t>(sections.size()), 0, at, {}};
    std::memcpy(header.magic, magic.data(), sizeof header.magic);
    std::memcpy(header.digest, digest_of(table.data(), table.size() * sizeof(Entry)).data(), sizeof header.digest);
    file.write(&header, sizeof header);
    file.write(table.data(), table.size() * sizeof(Entry));
    for (const Section& section : sections)
        for (const Bytes& part : section.elsewhere ? std::vector<Bytes>() : section.parts) {
            file.write(part);
            file.pad_to(alignment);
            part.release();
        }
}

bool has_magic(const Bytes& bytes, std::string_view magic) {
    return bytes.size() >= magic.size() && bytes.text().substr(0, magic.size()) == magic;
}

Sections::Sections(std::string_view magic, const Bytes& bytes) {
    Header header;
    if (!has_magic(bytes, magic)) throw bad_input("does not begin with \"{}\"", magic);
    if (bytes.size() < sizeof header) throw bad_input("is cut off: {} bytes", bytes.size());
    std::memcpy(&header, bytes.data(), sizeof header);
    if (header.major != major_version || header.minor > minor_version)
        throw unsupported("is of version {}.{}, this program reads version {}.{}", header.major, header.minor, major_version, minor_version)
            .with_hint("make it again with this version of quern");
    if (header.size != bytes.size()) throw bad_input("has {} bytes, its header says {}", bytes.size(), header.size);
    if (header.sections > most_sections || header.sections * sizeof(Entry) > bytes.size() - sizeof header)
        throw bad_input("its table of {} sections is not inside the file", header.sections);
    std::vector<Entry> table(header.sections);
    if (!table.empty()) std::memcpy(table.data(), bytes.data() + sizeof header, table.size() * sizeof(Entry));
    if (digest_of(table.data(), table.size() * sizeof(Entry)) != std::string_view(header.digest, sizeof header.digest))
        throw bad_input("the table of sections differs from its digest");
    for (const Entry& entry : table) {
        const std::string kind(entry.kind, ::strnlen(entry.kind, sizeof entry.kind));
        if (entry.offset % alignment != 0 || entry.offset > bytes.size() || entry.size > bytes.size() - entry.offset)
            throw bad_input("section \"{}\" at byte {} with {} bytes is not inside the file", escape(kind), entry.offset, entry.size);
        rows_.push_back({kind, entry.index, entry.on_demand != 0, std::string(entry.digest, sizeof entry.digest),
                         bytes.slice(entry.offset, entry.size)});
        if (!rows_.back().on_demand) check(rows_.back());
    }
}

void Sections::check(const Row& row) const {
    if (digest_of(row.bytes.data(), row.bytes.size()) != row.digest)
        throw bad_input("section \"{}\" {} differs from its digest", escape(row.kind), row.index);
}

Bytes Sections::need(std::string_view kind, uint32_t index) const {
    for (const Row& row : rows_)
        if (row.kind == kind && row.index == index) return row.bytes;
    throw bad_input("section \"{}\" {} is missing", kind, index);
}

uint32_t Sections::count(std::string_view kind) const {
    return static_cast<uint32_t>(std::count_if(rows_.begin(), rows_.end(), [&](const Row& row) { return row.kind == kind; }));
}

void Sections::check_on_demand(std::set<std::pair<const std::byte*, size_t>>& checked) const {
    for (const Row& row : rows_)
        if (row.on_demand && checked.insert({row.bytes.data(), row.bytes.size()}).second) check(row);
}

void Sections::check_digests() const {
    for (const Row& row : rows_) {
        check(row);
        row.bytes.release();
    }
}

}  // namespace quern::context_format
