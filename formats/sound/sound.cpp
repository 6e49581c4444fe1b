#include "formats/sound/sound.h"

#include "formats/media/media.h"
#include "libcore/base/error.h"

namespace quern {

bool is_sound(const Bytes& bytes) {
    const std::string_view text = bytes.text();
    return text.size() >= 12 && text.starts_with("RIFF") && text.substr(8, 4) == "WAVE";
}

std::unique_ptr<SoundFile> open_sound_file(const Bytes& bytes) {
    if (!is_sound(bytes)) throw bad_input("is not a WAV file");
    return media_decoders().wav(bytes);
}

}  // namespace quern
