// From a file's picture to a model's input: resize=256,crop=224,mean=0.485/0.456/0.406,std=0.229/0.224/0.225 (quern-samples(7)).
#pragma once

#include <array>
#include <optional>
#include <utility>

#include "formats/pictures/resize.h"
#include "formats/tensors/fit.h"
#include "formats/tensors/named_steps.h"

namespace quern {

// resize, crop, pad or letterbox; a width without height of resize is the shorter side's; neither: the size of the model's input.
struct PictureMove {
    enum class Kind { resize, crop, pad, letterbox } kind = Kind::resize;
    PictureSize size;
};

struct PictureSteps {
    std::vector<PictureMove> moves;
    ResizeMethod method = ResizeMethod::bilinear;
    int64_t fill = 0;
    std::optional<std::pair<float, float>> range;  // of black and white
    std::vector<float> mean, deviation;
    std::string layout;    // nchw, nhwc, "": the model's
    std::string channels;  // rgb, bgr, gray, "": the model's
    DType dtype = DType::none;
    bool upright = false;  // turned as Exif says, before all else
};
// Throws Exit::usage.
PictureSteps picture_steps(const NamedSteps& named);

// The steps with all that they left open taken from an input: what is done to each picture.
class PicturePlan {
   public:
    // Throws Exit::usage for steps that do not fit the input, Exit::unsupported for an input that no picture fits.
    PicturePlan(PictureSteps steps, const InputSpec& spec, bool native);

    // What a picture of this size becomes. Throws if that is not what the input has.
    PictureSize result(const PictureSize& size) const;
    Dims dims(const PictureSize& result) const;
    Tensor apply(Picture picture) const;
    // The steps that were taken from the input, as they are written: "resize=224x224,layout=nchw"; "" if all were said.
    const std::string& taken() const { return taken_; }
    bool upright() const { return steps_.upright; }

   private:
    void settle_layout(const InputSpec& spec);
    void settle_channels(const InputSpec& spec, int64_t own, int64_t asked);
    void settle_size(const InputSpec& spec);
    void settle_numbers(const InputSpec& spec, bool native);
    void take(const std::string& step) { taken_ += (taken_.empty() ? "" : ",") + step; }
    float number_of(size_t channel, int level) const;
    PictureSize moved(const PictureMove& move, const PictureSize& from) const;

    PictureSteps steps_;
    size_t rank_ = 0;
    int channels_ = 0;
    bool first_ = false;                     // channels before rows
    std::optional<int64_t> width_, height_;  // of the input
    DType dtype_ = DType::f32;
    std::vector<std::array<float, 256>> table_;  // by channel
    std::string taken_;
};

}  // namespace quern
