// Decoders of others, in a library of its own beside libquern.so that is loaded for the first file: theirs bring a dozen more, which no
// other run has to wait for.
#pragma once

#include "formats/pictures/picture.h"
#include "formats/sound/sound.h"

namespace quern {

PictureSize jpeg_size(const Bytes& bytes);
Picture jpeg_picture(const Bytes& bytes);
PictureSize png_size(const Bytes& bytes);
Picture png_picture(const Bytes& bytes);
std::unique_ptr<SoundFile> wav_sound(const Bytes& bytes);

}  // namespace quern
