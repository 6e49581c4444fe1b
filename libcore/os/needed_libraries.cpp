#include "libcore/os/needed_libraries.h"

#include <elf.h>

#include <algorithm>
#include <cstring>
#include <optional>

namespace quern {
namespace {

constexpr size_t max_entries = 4096, max_name = 4096;  // of files that mean no harm

template <class T>
std::optional<T> read_at(const Bytes& file, uint64_t at) {
    if (at > file.size() || file.size() - at < sizeof(T)) return std::nullopt;
    T out;
    std::memcpy(&out, file.data() + at, sizeof out);
    return out;
}

std::vector<Elf64_Phdr> segments(const Bytes& file) {
    std::vector<Elf64_Phdr> out;
    const auto head = read_at<Elf64_Ehdr>(file, 0);
    if (!head || std::memcmp(head->e_ident, ELFMAG, SELFMAG) != 0 || head->e_ident[EI_CLASS] != ELFCLASS64) return out;
    for (uint64_t i = 0; i < std::min<size_t>(head->e_phnum, max_entries); ++i) {
        const auto segment = read_at<Elf64_Phdr>(file, head->e_phoff + i * sizeof(Elf64_Phdr));
        if (!segment) break;
        out.push_back(*segment);
    }
    return out;
}

// Where in the file lies what is loaded at `address`?
std::optional<uint64_t> offset_of(const std::vector<Elf64_Phdr>& segments, uint64_t address) {
    for (const Elf64_Phdr& s : segments)
        if (s.p_type == PT_LOAD && address >= s.p_vaddr && address - s.p_vaddr < s.p_filesz) return s.p_offset + (address - s.p_vaddr);
    return std::nullopt;
}

std::string text_at(const Bytes& file, uint64_t at) {
    const std::string_view text = file.text();
    if (at >= text.size()) return "";
    const std::string_view name = text.substr(at, max_name);
    return std::string(name.substr(0, name.find('\0')));
}

}  // namespace

std::vector<std::string> needed_libraries(const Bytes& file) {
    const std::vector<Elf64_Phdr> all = segments(file);
    std::vector<uint64_t> names;
    std::optional<uint64_t> table;
    for (const Elf64_Phdr& segment : all) {
        if (segment.p_type != PT_DYNAMIC || table) continue;
        for (uint64_t i = 0; i < std::min<uint64_t>(segment.p_filesz / sizeof(Elf64_Dyn), max_entries); ++i) {
            const auto entry = read_at<Elf64_Dyn>(file, segment.p_offset + i * sizeof(Elf64_Dyn));
            if (!entry || entry->d_tag == DT_NULL) break;
            if (entry->d_tag == DT_NEEDED) names.push_back(entry->d_un.d_val);
            if (entry->d_tag == DT_STRTAB) table = offset_of(all, entry->d_un.d_ptr);
        }
    }
    std::vector<std::string> out;
    for (const uint64_t name : table ? names : std::vector<uint64_t>{}) out.push_back(text_at(file, *table + name));
    return out;
}

}  // namespace quern
