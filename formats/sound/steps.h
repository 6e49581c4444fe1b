// From WAV files to a model's input: rate=16000,window=16000,hop=8000,mel=40,frame=400,stride=160 (quern-samples(7)).
#pragma once

#include <map>
#include <optional>

#include "formats/sound/log_mel.h"
#include "formats/sound/resample.h"
#include "formats/sound/sound.h"
#include "formats/tensors/fit.h"
#include "formats/tensors/named_steps.h"

namespace quern {

struct SoundSteps {
    std::optional<int64_t> rate, window, hop, channel, mel, frame, stride;
    std::optional<float> scale, low, high;
    bool mono = false;
    bool bands_first = false;
};
// Throws Exit::usage.
SoundSteps sound_steps(const NamedSteps& named);

// The steps with all that they left open taken from an input and from the first file.
class SoundPlan {
   public:
    SoundPlan(SoundSteps steps, const SoundInfo& first, const InputSpec& spec, bool native);

    // Before anything of a file is read. Throws Exit::bad_input for one with another rate, if no step says which is wanted, or with
    // channels that no step chooses.
    void take_in(const SoundInfo& info);
    // Windows of a file: those that are full, or one that is padded with zeros.
    int64_t windows(const SoundInfo& info) const;
    Dims dims() const;
    Tensor read(SoundFile& file, int64_t window) const;
    const std::string& taken() const { return taken_; }

   private:
    void check(const SoundInfo& info) const;
    // A file's length in samples of the wanted rate.
    int64_t frames(const SoundInfo& info) const;
    void settle_mel(const InputSpec& spec);
    void settle_window(const InputSpec& spec, const SoundInfo& first);
    void take(const std::string& step) { taken_ += (taken_.empty() ? "" : ",") + step; }

    SoundSteps steps_;
    int64_t rate_ = 0, window_ = 0, hop_ = 0;
    float scale_ = 1;
    DType dtype_ = DType::f32;
    MelForm form_;
    std::optional<LogMel> mel_;
    std::map<int64_t, Resampler> resamplers_;  // by the rate of files that were taken in
    std::vector<size_t> places_;               // the dims of the input that hold the numbers: of time; of time and bands, or the other way
    size_t rank_ = 0;
    std::string taken_;
};

}  // namespace quern
