// The table of decoders (media.h) that libquern_media.so exports.
#include "formats/media/media.h"

extern "C" const quern::PictureDecoders* quern_picture_decoders() {
    using namespace quern;
    static const PictureDecoders decoders{jpeg_size, jpeg_picture, png_size, png_picture};
    return &decoders;
}

extern "C" const quern::SoundDecoders* quern_sound_decoders() {
    static const quern::SoundDecoders decoders{quern::wav_sound};
    return &decoders;
}
