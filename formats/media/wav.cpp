// WAV by libsndfile.

#include <sndfile.h>

#include <algorithm>
#include <cmath>
#include <cstring>

#include "formats/media/media.h"
#include "libcore/base/error.h"

namespace quern {
namespace {

// The file in memory, as libsndfile asks for it.
struct Reader {
    Bytes bytes;
    sf_count_t at = 0;
    SNDFILE* file = nullptr;

    static Reader& of(void* data) { return *static_cast<Reader*>(data); }
    sf_count_t size() const { return static_cast<sf_count_t>(bytes.size()); }
    sf_count_t seek(sf_count_t offset, int whence) {
        const sf_count_t from = whence == SEEK_CUR ? at : whence == SEEK_END ? size() : 0;
        sf_count_t to = 0;
        if (__builtin_add_overflow(from, offset, &to) || to < 0 || to > size()) return -1;
        return at = to;
    }
    sf_count_t read(void* to, sf_count_t count) {
        const sf_count_t n = std::clamp<sf_count_t>(count, 0, size() - at);
        if (n > 0) std::memcpy(to, bytes.data() + at, static_cast<size_t>(n));
        at += n;
        return n;
    }
};

class WavFile : public SoundFile {
   public:
    explicit WavFile(const Bytes& bytes);
    ~WavFile() override { sf_close(reader_->file); }
    WavFile(const WavFile&) = delete;
    WavFile& operator=(const WavFile&) = delete;
    std::vector<float> read(int64_t first, int64_t count, std::optional<int64_t> channel) override;

   private:
    std::unique_ptr<Reader> reader_;
};

WavFile::WavFile(const Bytes& bytes) : reader_(std::make_unique<Reader>()) {
    reader_->bytes = bytes;
    SF_VIRTUAL_IO io{[](void* r) { return Reader::of(r).size(); },
                     [](sf_count_t offset, int whence, void* r) { return Reader::of(r).seek(offset, whence); },
                     [](void* to, sf_count_t count, void* r) { return Reader::of(r).read(to, count); }, nullptr,
                     [](void* r) { return Reader::of(r).at; }};
    SF_INFO info{};
    reader_->file = sf_open_virtual(&io, SFM_READ, &info, reader_.get());
    if (reader_->file == nullptr) throw bad_input("WAV: {}", sf_strerror(nullptr));
    info_ = {info.frames, info.samplerate, info.channels};
    constexpr int64_t most = int64_t{1} << 40;
    if (info_.frames <= 0 || info_.frames > most || info_.rate <= 0 || info_.channels <= 0 || info_.channels > 1024) {
        sf_close(reader_->file);
        throw bad_input("WAV: {} samples of {} channels at {} Hz", info_.frames, info_.channels, info_.rate);
    }
}

std::vector<float> WavFile::read(int64_t first, int64_t count, std::optional<int64_t> channel) {
    const auto channels = static_cast<size_t>(info_.channels);
    const int64_t there = std::clamp<int64_t>(info_.frames - first, 0, count);
    std::vector<float> values(static_cast<size_t>(count), 0.0F), all(static_cast<size_t>(there) * channels);
    if (sf_seek(reader_->file, first, SEEK_SET) != first || sf_readf_float(reader_->file, all.data(), there) != there)
        throw bad_input("WAV: is cut short between samples {} and {}", first, first + there);
    for (size_t i = 0; i < static_cast<size_t>(there); ++i) {
        const float* frame = &all[i * channels];
        double sum = 0;
        for (size_t c = 0; c < channels; ++c) sum += static_cast<double>(frame[c]);
        values[i] = channel ? frame[*channel] : static_cast<float>(sum / static_cast<double>(channels));
        if (!std::isfinite(values[i])) throw bad_input("WAV: sample {} is not a finite number", first + static_cast<int64_t>(i));
    }
    return values;
}

}  // namespace

std::unique_ptr<SoundFile> wav_sound(const Bytes& bytes) { return std::make_unique<WavFile>(bytes); }

}  // namespace quern
