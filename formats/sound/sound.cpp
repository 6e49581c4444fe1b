#include "formats/sound/sound.h"

#include "libcore/base/error.h"
#include "libcore/base/little_endian.h"
#include "libcore/os/own_library.h"

namespace quern {

bool is_sound(const Bytes& bytes) {
    const std::string_view text = bytes.text();
    return text.size() >= 12 && text.starts_with("RIFF") && text.substr(8, 4) == "WAVE";
}

// What is written to a pipe does not know its length: 0, or all bits set.
static void check_length(const Bytes& bytes) {
    const uint32_t said = little_endian(bytes.text(), 4, 4);
    if (said != 0 && said != UINT32_MAX && bytes.size() < uint64_t{said} + 8)
        throw bad_input("WAV: is cut short: got {} bytes, need {}", bytes.size(), uint64_t{said} + 8);
}

std::unique_ptr<SoundFile> open_sound_file(const Bytes& bytes) {
    if (!is_sound(bytes)) throw bad_input("is not a WAV file");
    check_length(bytes);
    static const SoundDecoders& decoders = own_table<SoundDecoders>("libquern_media.so", "quern_sound_decoders");
    return decoders.wav(bytes);
}

}  // namespace quern
