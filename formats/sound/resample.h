// Another rate for sound: J. O. Smith, "Digital Audio Resampling": a sinc of six zero crossings each side under a Hann window, that ends at
// 0.99 of the lower half rate; what torchaudio.functional.resample does by default. Sums in double; any range of results on its own.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "formats/sound/sound.h"

namespace quern {

// Rates are samples a second. Throw Exit::unsupported where one is more than 256 times the other.
int64_t resampled_frames(int64_t frames, int64_t from, int64_t to);

class Resampler {
   public:
    Resampler(int64_t from, int64_t to);

    // As SoundFile::read, of the result.
    std::vector<float> read(SoundFile& file, int64_t first, int64_t count, std::optional<int64_t> channel) const;

   private:
    // What a number of the result is made of: weights of inputs from `first`, relative to its block's.
    struct Phase {
        int64_t first = 0;
        std::vector<double> weights;
    };
    Phase phase(int64_t number) const;

    int64_t from_, to_;          // without common factors: blocks of so many numbers of the input give so many results
    double cutoff_;              // cycles a block
    std::vector<Phase> phases_;  // empty: too many to keep
};

}  // namespace quern
