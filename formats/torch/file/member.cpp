#include "formats/torch/file/member.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

// PyTorch stores its members. Deflated by others, the JSON of a program becomes a 20th to a 40th.
constexpr uint64_t deflated_ratio = 64, deflated_free = 4 << 20;

void check_deflated(const ZipArchive& zip) {
    uint64_t packed = 0, size = 0;
    for (const ZipArchive::Member& member : zip.members()) {
        if (member.method == 0) continue;
        packed += member.packed_size;
        if (__builtin_add_overflow(size, member.size, &size)) size = ~uint64_t{0} >> 1;
    }
    if (size > deflated_free && (size - deflated_free) / deflated_ratio > packed)
        throw unsupported("its archive deflates {} bytes to {}, more than {} to one", size, packed, deflated_ratio)
            .with_hint("if the file is to be trusted, store what is in it: unzip it, then zip -0 -r");
}

}  // namespace

Bytes read_member(const ZipArchive& zip, const ZipArchive::Member& member) {
    return at_place(fmt::format("member \"{}\"", escape(member.name)), [&] {
        if (member.method != 0) check_deflated(zip);
        return zip.data_of(member, [](const Bytes&, uint64_t) {});
    });
}

const Bytes& Members::read(const std::string& name) {
    if (const auto found = read_.find(name); found != read_.end()) return found->second;
    return read_[name] = read_member(zip_, *zip_.find(name));
}

}  // namespace quern::torch_format
