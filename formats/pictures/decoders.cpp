#include "formats/media/media.h"
#include "libcore/base/error.h"
#include "libcore/os/own_library.h"

namespace quern {
namespace {

const MediaDecoders& load() {
    const OwnLibrary library = own_library("libquern_media.so");
    if (!library.handle) throw io_error("{}", library.error);
    const auto table = reinterpret_cast<const MediaDecoders* (*)()>(library.find("quern_media_decoders"));
    if (!table) throw io_error("{}: has no table of decoders", library.path);
    return *table();
}

}  // namespace

const MediaDecoders& media_decoders() {
    static const MediaDecoders& loaded = load();
    return loaded;
}

}  // namespace quern
