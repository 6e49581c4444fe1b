#include "formats/torch/member.h"

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::torch_format {
namespace {

constexpr uint64_t deflated_limit = uint64_t{1} << 30;

}  // namespace

Bytes read_member(const ZipArchive& zip, const ZipArchive::Member& member) {
    return at_place(fmt::format("member \"{}\"", escape(member.name)), [&] {
        return zip.data_of(member, [](const Bytes&, uint64_t size) {
            if (size > deflated_limit)
                throw unsupported("{} deflated bytes, more than {}", size, deflated_limit).with_hint("store it: zip -0");
        });
    });
}

}  // namespace quern::torch_format
