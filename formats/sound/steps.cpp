#include "formats/sound/steps.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace quern {
namespace {

constexpr int64_t most_samples = int64_t{1} << 24;

template <auto Member>
bool take_integer(SoundSteps& steps, std::string_view value) {
    return (steps.*Member = step_integer(value, 1, most_samples)).has_value();
}

template <auto Member>
bool take_number(SoundSteps& steps, std::string_view value) {
    const auto numbers = step_numbers(value);
    if (!numbers || numbers->size() != 1 || (*numbers)[0] < 0) return false;
    steps.*Member = (*numbers)[0];
    return true;
}

using Row = StepRow<SoundSteps>;
constexpr std::string_view needs_count = "a number from 1 to 16777216", needs_number = "a number, not below 0";
constexpr std::array rows{
    Row{"rate", needs_count, take_integer<&SoundSteps::rate>},
    Row{"window", needs_count, take_integer<&SoundSteps::window>},
    Row{"hop", needs_count, take_integer<&SoundSteps::hop>},
    Row{"mono", "no value", [](SoundSteps& s, std::string_view v) { return s.mono = true, v.empty(); }},
    Row{"channel", "a number from 0 to 1023",
        [](SoundSteps& s, std::string_view v) { return (s.channel = step_integer(v, 0, 1023)).has_value(); }},
    Row{"scale", needs_number, take_number<&SoundSteps::scale>},
    Row{"mel", "a number of bands from 1 to 4096",
        [](SoundSteps& s, std::string_view v) { return (s.mel = step_integer(v, 1, 4096)).has_value(); }},
    Row{"frame", "a number from 2 to 65536",
        [](SoundSteps& s, std::string_view v) { return (s.frame = step_integer(v, 2, 65536)).has_value(); }},
    Row{"stride", needs_count, take_integer<&SoundSteps::stride>},
    Row{"low", needs_number, take_number<&SoundSteps::low>},
    Row{"high", needs_number, take_number<&SoundSteps::high>},
    Row{"bands", "first or last",
        [](SoundSteps& s, std::string_view v) { return s.bands_first = v == "first", v == "first" || v == "last"; }},
};

// The last `count` dims of more than 1, or open; the last of all where there are none.
std::vector<size_t> long_dims(const Shape& shape, size_t count) {
    std::vector<size_t> places;
    for (size_t i = shape.rank(); i-- > 0 && places.size() < count;)
        if (!shape.dims[i].known() || shape.dims[i].value > 1) places.insert(places.begin(), i);
    for (size_t i = shape.rank(); i-- > 0 && places.size() < count;)
        if (std::ranges::find(places, i) == places.end()) places.push_back(i);
    std::ranges::sort(places);
    return places;
}

}  // namespace

SoundSteps sound_steps(const NamedSteps& named) {
    const auto steps = read_steps<SoundSteps>(named, rows, "WAV files", [](std::string_view) { return false; });
    if (steps.mono && steps.channel) throw usage_error("mono and channel are two ways to one channel");
    if (!steps.mel && (steps.frame || steps.stride || steps.low || steps.high || steps.bands_first))
        throw usage_error("frame, stride, low, high and bands need mel");
    return steps;
}

SoundPlan::SoundPlan(SoundSteps steps, const SoundInfo& first, const InputSpec& spec, bool native) : steps_(steps), rate_(first.rate) {
    const Shape& shape = spec.type.shape;
    const DType raw = spec.raw_dtype(native);
    const size_t need = steps_.mel ? 2 : 1;
    if (!shape.ranked || shape.rank() < need || (!is_float(raw) && !is_integer(raw)))
        throw unsupported("sound does not fit input \"{}\" ({})", escape(spec.name), to_string(spec.type));
    dtype_ = is_float(raw) ? DType::f32 : raw;
    rank_ = shape.rank();
    places_ = long_dims(shape, need);
    if (steps_.rate)
        rate_ = *steps_.rate;
    else
        take(fmt::format("rate={}", rate_));
    scale_ = steps_.scale.value_or(dtype_ == DType::i16 ? 32768.0F : 1.0F);
    if (steps_.mel) settle_mel(spec);
    settle_window(spec, first);
    hop_ = steps_.hop.value_or(window_);
}

void SoundPlan::settle_mel(const InputSpec& spec) {
    const int64_t frame = steps_.frame.value_or(rate_ / 40), stride = steps_.stride.value_or(rate_ / 100);
    const double half = static_cast<double>(rate_) / 2;
    form_ = {*steps_.mel,
             frame,
             stride,
             rate_,
             static_cast<double>(steps_.low.value_or(0)),
             steps_.high ? static_cast<double>(*steps_.high) : half};
    if (frame < 2 || frame > 65536 || stride < 1) throw usage_error("frames of {} every {} samples: need 2 to 65536", frame, stride);
    if (form_.high > half || form_.low >= form_.high)
        throw usage_error("bands from {} to {} Hz: need a range within 0 to {}", form_.low, form_.high, half);
    if (!steps_.frame) take(fmt::format("frame={}", frame));
    if (!steps_.stride) take(fmt::format("stride={}", stride));
    const Dim& bands = spec.type.shape.dims[places_[steps_.bands_first ? 0 : 1]];
    if (bands.known() && bands.value != form_.bands)
        throw usage_error("mel={}: input \"{}\" is {}", form_.bands, escape(spec.name), to_string(spec.type))
            .with_hint("bands=first has the bands before the frames");
    mel_.emplace(form_);
}

void SoundPlan::settle_window(const InputSpec& spec, const SoundInfo& first) {
    const Dim& time = spec.type.shape.dims[places_[steps_.mel && steps_.bands_first ? 1 : 0]];
    if (steps_.window) {
        window_ = *steps_.window;
    } else {
        window_ = !time.known() ? frames(first) : steps_.mel ? form_.length + (time.value - 1) * form_.stride : time.value;
        take(fmt::format("window={}", window_));
    }
    const int64_t result = steps_.mel ? form_.frames(window_) : window_;
    if (window_ < 1 || window_ > most_samples || result < 1) throw usage_error("a window of {} samples", window_);
    if (time.known() && time.value != result)
        throw usage_error("a window of {} samples gives {}, input \"{}\" is {}", window_, result, escape(spec.name), to_string(spec.type));
}

void SoundPlan::check(const SoundInfo& info) const {
    if (info.rate != rate_ && !steps_.rate)
        throw bad_input("has {} samples a second, the first file has {}", info.rate, rate_).with_hint("rate=HZ resamples what has another");
    if (steps_.channel && *steps_.channel >= info.channels)
        throw bad_input("has {} channels, no channel {}", info.channels, *steps_.channel);
    if (info.channels > 1 && !steps_.mono && !steps_.channel)
        throw bad_input("has {} channels, need one", info.channels).with_hint("mono is their mean, channel=0 the first");
}

void SoundPlan::take_in(const SoundInfo& info) {
    check(info);
    if (info.rate != rate_) resamplers_.try_emplace(info.rate, info.rate, rate_);
}

int64_t SoundPlan::frames(const SoundInfo& info) const {
    return info.rate == rate_ ? info.frames : resampled_frames(info.frames, info.rate, rate_);
}

int64_t SoundPlan::windows(const SoundInfo& info) const {
    const int64_t all = frames(info);
    return all <= window_ ? 1 : (all - window_) / hop_ + 1;
}

Dims SoundPlan::dims() const {
    Dims dims(rank_, 1);
    if (!mel_) return dims[places_[0]] = window_, dims;
    dims[places_[steps_.bands_first ? 1 : 0]] = form_.frames(window_);
    dims[places_[steps_.bands_first ? 0 : 1]] = form_.bands;
    return dims;
}

Tensor SoundPlan::read(SoundFile& file, int64_t window) const {
    check(file.info());
    const std::optional<int64_t> channel = steps_.mono ? std::nullopt : std::optional(steps_.channel.value_or(0));
    const bool resampled = file.info().rate != rate_;
    const auto resampler = resamplers_.find(file.info().rate);
    if (resampled && resampler == resamplers_.end()) throw bad_input("has changed while it was in use");
    std::vector<float> values =
        resampled ? resampler->second.read(file, window * hop_, window_, channel) : file.read(window * hop_, window_, channel);
    for (float& value : values) value *= scale_;
    if (mel_) {
        values = mel_->of(values);
        if (steps_.bands_first) {
            const auto bands = static_cast<size_t>(form_.bands), frames = values.size() / bands;
            std::vector<float> turned(values.size());
            for (size_t i = 0; i < values.size(); ++i) turned[i % bands * frames + i / bands] = values[i];
            values = std::move(turned);
        }
    }
    if (is_float(dtype_)) return from_floats(dtype_, dims(), values);
    std::vector<int64_t> whole;
    const IntRange range = int_range(dtype_);
    for (const float value : values) {
        double number = std::nearbyint(static_cast<double>(value));
        if (resampled) number = std::clamp(number, static_cast<double>(range.min), static_cast<double>(range.max));
        if (!(number >= static_cast<double>(range.min) && number <= static_cast<double>(range.max)))
            throw bad_input("a sample is {}, which {} cannot represent", number, name_of(dtype_));
        whole.push_back(static_cast<int64_t>(number));
    }
    return from_ints(dtype_, dims(), whole);
}

}  // namespace quern
