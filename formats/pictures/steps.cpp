#include "formats/pictures/steps.h"

#include <cmath>

namespace quern {
namespace {

using Kind = PictureMove::Kind;

// "224", "320x240" (width, height), or nothing.
bool take_move(PictureSteps& steps, Kind kind, std::string_view value) {
    PictureMove move{kind, {}};
    if (!value.empty()) {
        const size_t by = value.find('x');
        const auto width = step_integer(value.substr(0, by), 1, 65535);
        const auto height = by == value.npos ? width : step_integer(value.substr(by + 1), 1, 65535);
        if (!width || !height) return false;
        move.size = {*width, by == value.npos && kind == Kind::resize ? 0 : *height};
    }
    steps.moves.push_back(move);
    return true;
}

template <class T, size_t N>
bool take_word(T& to, std::string_view value, const std::array<std::pair<std::string_view, T>, N>& words) {
    for (const auto& [word, meaning] : words)
        if (word == value) return to = meaning, true;
    return false;
}

bool take_text(std::string& to, std::string_view value, std::initializer_list<std::string_view> words) {
    to = value;
    return std::ranges::find(words, value) != words.end();
}

bool take_numbers(std::vector<float>& to, std::string_view value, bool zero_too) {
    const auto numbers = step_numbers(value);
    if (!numbers || (numbers->size() != 1 && numbers->size() != 3)) return false;
    to = *numbers;
    return zero_too || std::ranges::find(to, 0.0F) == to.end();
}

bool take_range(PictureSteps& steps, std::string_view value) {
    const auto numbers = step_numbers(value);
    if (!numbers || numbers->size() != 2) return false;
    steps.range = {(*numbers)[0], (*numbers)[1]};
    return true;
}

bool take_fill(PictureSteps& steps, std::string_view value) {
    const auto fill = step_integer(value, 0, 255);
    steps.fill = fill.value_or(0);
    return fill.has_value();
}

bool take_method(PictureSteps& steps, std::string_view value) {
    using enum ResizeMethod;
    return take_word(
        steps.method, value,
        std::array<std::pair<std::string_view, ResizeMethod>, 3>{{{"bilinear", bilinear}, {"bicubic", bicubic}, {"nearest", nearest}}});
}

bool take_dtype(PictureSteps& steps, std::string_view value) {
    return take_word(steps.dtype, value,
                     std::array<std::pair<std::string_view, DType>, 5>{
                         {{"f32", DType::f32}, {"u8", DType::u8}, {"i8", DType::i8}, {"i16", DType::i16}, {"i32", DType::i32}}});
}

constexpr std::string_view needs_size = "a size: 224, 320x240 (width and height), or none for the model's";
using Row = StepRow<PictureSteps>;
constexpr std::array rows{
    Row{"resize", needs_size, [](PictureSteps& s, std::string_view v) { return take_move(s, Kind::resize, v); }},
    Row{"crop", needs_size, [](PictureSteps& s, std::string_view v) { return take_move(s, Kind::crop, v); }},
    Row{"pad", needs_size, [](PictureSteps& s, std::string_view v) { return take_move(s, Kind::pad, v); }},
    Row{"letterbox", needs_size, [](PictureSteps& s, std::string_view v) { return take_move(s, Kind::letterbox, v); }},
    Row{"method", "bilinear, bicubic or nearest", take_method},
    Row{"fill", "a number from 0 to 255", take_fill},
    Row{"range", "the numbers of black and white: 0/1, -1/1, 0/255", take_range},
    Row{"mean", "one number or three: 0.485/0.456/0.406",
        [](PictureSteps& s, std::string_view v) { return take_numbers(s.mean, v, true); }},
    Row{"std", "one number or three, none of them 0: 0.229/0.224/0.225",
        [](PictureSteps& s, std::string_view v) { return take_numbers(s.deviation, v, false); }},
    Row{"layout", "nchw or nhwc",
        [](PictureSteps& s, std::string_view v) {
            return take_text(s.layout, v, {"nchw", "nhwc"});
        }},
    Row{"channels", "rgb, bgr or gray",
        [](PictureSteps& s, std::string_view v) {
            return take_text(s.channels, v, {"rgb", "bgr", "gray"});
        }},
    Row{"dtype", "f32, u8, i8, i16 or i32", take_dtype},
    Row{"upright", "no value", [](PictureSteps& s, std::string_view v) { return s.upright = true, v.empty(); }},
};

int64_t rounded(double value) { return static_cast<int64_t>(std::nearbyint(value)); }  // half to even, as Python's round

// The largest picture of this form that fits.
PictureSize fitted(const PictureSize& from, const PictureSize& into) {
    const double ratio = std::min(static_cast<double>(into.width) / static_cast<double>(from.width),
                                  static_cast<double>(into.height) / static_cast<double>(from.height));
    return {std::max<int64_t>(rounded(static_cast<double>(from.width) * ratio), 1),
            std::max<int64_t>(rounded(static_cast<double>(from.height) * ratio), 1)};
}

// torchvision's corner of a crop in the middle; of what is too small, the smaller part of the border comes first.
int64_t middle(int64_t from, int64_t to) { return from >= to ? rounded(static_cast<double>(from - to) / 2) : -((to - from) / 2); }

Picture in_middle(const Picture& picture, const PictureSize& size, int64_t fill) {
    return window_of(picture, middle(picture.size.width, size.width), middle(picture.size.height, size.height), size,
                     static_cast<uint8_t>(fill));
}

std::optional<int64_t> known(const Dim& dim) { return dim.known() ? std::optional(dim.value) : std::nullopt; }

Error misfit(const InputSpec& spec, std::string_view why) {
    return unsupported("pictures do not fit input \"{}\" ({}{}): {}", escape(spec.name), name_of(spec.type.dtype),
                       to_string(spec.type.shape), why);
}

// The two dims of a shape that may be the channels: before the rows, or behind the columns.
struct ChannelDims {
    ChannelDims(const Shape& shape, int64_t wanted)
        : first(known(shape.dims[shape.rank() == 4 ? 1 : 0]).value_or(0)), last(known(shape.dims.back()).value_or(0)), asked(wanted) {}

    bool none() const { return !fits(first) && !fits(last); }
    bool undecided() const { return fits(first) == fits(last) && (first == 3) == (last == 3); }
    bool come_first() const { return fits(first) && (!fits(last) || first == 3); }  // 3 are surely channels

    int64_t first, last;  // 0: open
    int64_t asked;        // 0: as the model has them

   private:
    bool fits(int64_t count) const { return (count == 1 || count == 3) && (asked == 0 || count == asked); }
};

}  // namespace

PictureSteps picture_steps(const NamedSteps& named) {
    return read_steps<PictureSteps>(named, rows, "pictures", [](std::string_view name) {
        return name == "resize" || name == "crop" || name == "pad" || name == "letterbox";
    });
}

PicturePlan::PicturePlan(PictureSteps steps, const InputSpec& spec, bool native) : steps_(std::move(steps)) {
    settle_layout(spec);
    settle_size(spec);
    settle_numbers(spec, native);
}

void PicturePlan::settle_layout(const InputSpec& spec) {
    const Shape& shape = spec.type.shape;
    if (!shape.ranked || shape.rank() < 2 || shape.rank() > 4) throw misfit(spec, "need 2 to 4 dims");
    rank_ = shape.rank();
    const ChannelDims dims(shape, steps_.channels.empty() ? 0 : steps_.channels == "gray" ? 1 : 3);
    const bool plain = rank_ == 2 || (rank_ == 3 && steps_.layout.empty() && dims.none());
    if (plain || !steps_.layout.empty()) {
        first_ = steps_.layout == "nchw";
    } else {
        if (dims.undecided())
            throw misfit(spec, dims.none() ? "no dim of 1 or 3 for the channels" : "channels may come first or last")
                .with_hint("say layout=nchw or layout=nhwc");
        first_ = dims.come_first();
        take(first_ ? "layout=nchw" : "layout=nhwc");
    }
    settle_channels(spec, plain ? 1 : first_ ? dims.first : dims.last, dims.asked);
    const size_t row = plain ? rank_ - 2 : rank_ - 3 + (first_ ? 1 : 0);
    height_ = known(shape.dims[row]);
    width_ = known(shape.dims[row + 1]);
    if (plain && rank_ == 3) first_ = true;  // [N, H, W] is [N, 1, H, W] without its channel: `dims` puts 1 first
}

void PicturePlan::settle_channels(const InputSpec& spec, int64_t own, int64_t asked) {
    if (own == 0 && asked == 0) throw misfit(spec, "its channels are open").with_hint("say channels=rgb, bgr or gray");
    channels_ = static_cast<int>(asked == 0 ? own : asked);
    if ((own != 0 && own != channels_) || (channels_ != 1 && channels_ != 3))
        throw misfit(spec, fmt::format("{} channels where the picture has {}", own, asked == 0 ? "1 or 3" : std::to_string(asked)));
    if (steps_.channels.empty()) take(channels_ == 1 ? "channels=gray" : "channels=rgb");
}

void PicturePlan::settle_size(const InputSpec& spec) {
    const auto need = [&](std::string_view step) {
        if (!width_ || !height_)
            throw usage_error("{} needs a size: input \"{}\" is {}{}", step, escape(spec.name), name_of(spec.type.dtype),
                              to_string(spec.type.shape));
        return PictureSize{*width_, *height_};
    };
    for (PictureMove& move : steps_.moves)
        if (move.size.width == 0) move.size = need(rows[static_cast<size_t>(move.kind)].name);
    if (steps_.moves.empty() && width_ && height_) {
        steps_.moves.push_back({Kind::resize, {*width_, *height_}});
        take(fmt::format("resize={}", to_string(steps_.moves[0].size)));
    }
}

void PicturePlan::settle_numbers(const InputSpec& spec, bool native) {
    const DType raw = spec.raw_dtype(native);
    dtype_ = steps_.dtype != DType::none ? steps_.dtype : raw == DType::none || is_float(raw) ? DType::f32 : raw;
    if (!is_float(dtype_) && !is_integer(dtype_))
        throw unsupported("pictures do not fit input \"{}\": its elements are {}", escape(spec.name), name_of(dtype_));
    if (!steps_.range) {
        steps_.range = is_float(dtype_)      ? std::pair(0.0F, 1.0F)
                       : dtype_ == DType::i8 ? std::pair(-128.0F, 127.0F)
                                             : std::pair(0.0F, 255.0F);
        take(fmt::format("range={}/{}", steps_.range->first, steps_.range->second));
    }
    for (const auto* numbers : {&steps_.mean, &steps_.deviation})
        if (numbers->size() > 1 && channels_ == 1) throw usage_error("{} numbers for mean or std of a gray picture", numbers->size());
    table_.resize(static_cast<size_t>(channels_));
    for (size_t c = 0; c < table_.size(); ++c)
        for (int level = 0; level < 256; ++level) table_[c][static_cast<size_t>(level)] = number_of(c, level);
}

float PicturePlan::number_of(size_t channel, int level) const {
    const auto [black, white] = *steps_.range;
    const float span = white - black;
    float value = static_cast<float>(level);
    if (span != 255.0F) value = value / 255.0F * span;
    value += black;
    const auto of = [&](const std::vector<float>& numbers) { return numbers[numbers.size() == 1 ? 0 : channel]; };
    if (!steps_.mean.empty()) value -= of(steps_.mean);
    if (!steps_.deviation.empty()) value /= of(steps_.deviation);
    if (!std::isfinite(value)) throw usage_error("range, mean and std give no finite numbers");
    if (is_float(dtype_)) return value;
    const IntRange range = int_range(dtype_);
    const double whole = std::nearbyint(static_cast<double>(value));
    if (whole < static_cast<double>(range.min) || whole > static_cast<double>(range.max))
        throw usage_error("range, mean and std give {}, which {} cannot represent", whole, name_of(dtype_));
    return static_cast<float>(whole);
}

PictureSize PicturePlan::moved(const PictureMove& move, const PictureSize& from) const {
    if (move.kind == Kind::resize && move.size.height == 0) {
        const int64_t side = move.size.width, shorter = std::min(from.width, from.height), longer = std::max(from.width, from.height);
        const int64_t other = side * longer / shorter;
        return from.width <= from.height ? PictureSize{side, other} : PictureSize{other, side};
    }
    if (move.kind == Kind::pad && (from.width > move.size.width || from.height > move.size.height))
        throw bad_input("is {}, more than pad={}", to_string(from), to_string(move.size));
    return move.size;
}

PictureSize PicturePlan::result(const PictureSize& size) const {
    PictureSize result = size;
    for (const PictureMove& move : steps_.moves) {
        result = moved(move, result);
        check_picture_size(result);
    }
    if ((width_ && *width_ != result.width) || (height_ && *height_ != result.height))
        throw bad_input("is {}, its steps give {}, need {}x{}", to_string(size), to_string(result), width_ ? std::to_string(*width_) : "?",
                        height_ ? std::to_string(*height_) : "?")
            .with_hint("resize, crop, pad or letterbox without a number give the model's size");
    return result;
}

Dims PicturePlan::dims(const PictureSize& result) const {
    const int64_t h = result.height, w = result.width, c = channels_;
    if (rank_ == 2) return {h, w};
    Dims item = first_ ? Dims{c, h, w} : Dims{h, w, c};
    if (rank_ == 3) return item;
    Dims dims{1};
    dims.insert(dims.end(), item.begin(), item.end());
    return dims;
}

Tensor PicturePlan::apply(Picture picture) const {
    picture = with_channels(std::move(picture), channels_);
    for (const PictureMove& move : steps_.moves) {
        const PictureSize size = moved(move, picture.size);
        if (move.kind == Kind::resize) picture = resized(picture, size, steps_.method);
        if (move.kind == Kind::letterbox) picture = resized(picture, fitted(picture.size, size), steps_.method);
        if (move.kind != Kind::resize) picture = in_middle(picture, size, steps_.fill);
    }
    const auto channels = static_cast<size_t>(channels_), pixels = picture.bytes.size() / channels;
    std::vector<float> values(picture.bytes.size());
    for (size_t c = 0; c < channels; ++c) {
        const std::array<float, 256>& table = table_[c];
        const uint8_t* from = picture.bytes.data() + (steps_.channels == "bgr" ? channels - 1 - c : c);
        float* to = values.data() + (first_ ? c * pixels : c);
        const size_t stride = first_ ? 1 : channels;
        for (size_t i = 0; i < pixels; ++i, from += channels, to += stride) *to = table[*from];
    }
    const Dims shape = dims(picture.size);
    if (is_float(dtype_)) return from_floats(dtype_, shape, values);
    std::vector<int64_t> whole(values.begin(), values.end());
    return from_ints(dtype_, shape, whole);
}

}  // namespace quern
