#include "libcore/codegen/cpp/weights.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "libcore/base/digest.h"
#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::cppgen {
namespace {

constexpr size_t tar_block = 512, small = 4096, alignment = 64;

// A header of POSIX's ustar: fields of text and of octal digits, and the sum of all bytes.
class TarHeader {
   public:
    TarHeader(std::string_view prefix, std::string_view name, uint64_t size) {
        if (size >= uint64_t{1} << 33) throw unsupported("a weight of {} bytes: the file's form ends at 8 GiB", size);
        put(0, name);
        put(100, "0000644");
        put(108, "0000000");
        put(116, "0000000");
        put(124, fmt::format("{:011o}", size));
        put(136, "00000000000");
        put(148, "        ");
        put(156, "0");
        put(257, "ustar");
        put(263, "00");
        put(345, prefix);
        unsigned sum = 0;
        for (const char c : bytes_) sum += static_cast<unsigned char>(c);
        put(148, fmt::format("{:06o}", sum));
        bytes_[154] = 0;
    }
    std::string_view bytes() const { return {bytes_.data(), bytes_.size()}; }

   private:
    void put(size_t at, std::string_view text) { text.copy(bytes_.data() + at, text.size()); }
    std::array<char, tar_block> bytes_{};
};

// Can `name` be an entry's, in two parts if it is long? One that leads out of a folder cannot.
std::optional<std::pair<std::string_view, std::string_view>> parts_of(std::string_view name) {
    if (name.find('\0') != name.npos || name.find("..") != name.npos) return std::nullopt;
    if (name.size() <= 100) return std::pair(std::string_view(), name);
    for (size_t cut = name.find('/', name.size() - 101); cut != name.npos && cut <= 155; cut = name.find('/', cut + 1))
        if (cut > 0) return std::pair(name.substr(0, cut), name.substr(cut + 1));
    return std::nullopt;
}

}  // namespace

size_t Weights::add_entry(const std::string& name, std::string_view bytes) {
    const std::string plain = fmt::format("tensor_{}.raw", entries_++), wish = name + ".raw";
    const auto parts = parts_of(wish).value_or(std::pair(std::string_view(), std::string_view(plain)));
    file_.write(TarHeader(parts.first, parts.second, bytes.size()).bytes());
    const size_t offset = file_.position();
    file_.write(bytes);
    const std::string padding((tar_block - bytes.size() % tar_block) % tar_block, '\0');
    file_.write(padding);
    return offset;
}

std::string Weights::place(const Bytes& bytes, std::string_view name) {
    const auto [found, added] = by_digest_.emplace(std::pair(Digest().update(bytes).hex(), bytes.size()), "");
    if (!added) return found->second;
    if (name.empty() && bytes.size() < small) {
        found->second = fmt::format("parameters + {}", parameters_.size());
        parameters_ += bytes.text();
        parameters_.resize((parameters_.size() + alignment - 1) / alignment * alignment);
    } else {
        found->second = fmt::format("weights + {}", add_entry(std::string(name), bytes.text()));
    }
    return found->second;
}

size_t Weights::finish() {
    const size_t offset = parameters_.empty() ? 0 : add_entry("quern_parameters", parameters_);
    file_.write(std::string(2 * tar_block, '\0'));
    return offset;
}

}  // namespace quern::cppgen
