#include "formats/media/media.h"

extern "C" const quern::MediaDecoders* quern_media_decoders() {
    using namespace quern;
    static const MediaDecoders decoders{jpeg_size, jpeg_picture, png_size, png_picture, wav_sound};
    return &decoders;
}
