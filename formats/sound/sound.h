// WAV files.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "libcore/base/bytes.h"

namespace quern {

struct SoundInfo {
    int64_t frames = 0;  // samples of each channel
    int64_t rate = 0;    // of them in a second
    int64_t channels = 0;
};

bool is_sound(const Bytes& bytes);

class SoundFile {
   public:
    virtual ~SoundFile() = default;
    const SoundInfo& info() const { return info_; }
    // `count` numbers from -1 to 1 beginning at `first`, zeros behind the end; of one channel, or the mean of all.
    virtual std::vector<float> read(int64_t first, int64_t count, std::optional<int64_t> channel) = 0;

   protected:
    SoundInfo info_;
};
// What libquern_media.so has (formats/media), and what it is asked by: throws Exit::bad_input, Exit::io if that library is not there.
struct SoundDecoders {
    std::unique_ptr<SoundFile> (*wav)(const Bytes& bytes);
};
std::unique_ptr<SoundFile> open_sound_file(const Bytes& bytes);

}  // namespace quern
