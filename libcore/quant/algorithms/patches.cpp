#include "libcore/quant/algorithms/patches.h"

#include <cstring>

#include "libcore/ops/shared/conv.h"
#include "libcore/ops/shared/spatial.h"

namespace quern {

Patches::Patches(const Graph& graph, const Layer& layer, const Dims& input) : layer_(layer) {
    if (!layer.convolution) {
        count_ = static_cast<size_t>(count_of(input)) / layer.depth;
        return;
    }
    const Dims first = layer.channels_last ? to_channels_first(input) : input;
    Dims filter = *graph.value(layer.weight).type.shape.concrete();
    if (layer.channels_last) filter = to_channels_first(filter);
    in_space_.assign(first.begin() + 2, first.end());
    std::vector<Dim> spatial;
    for (const int64_t length : in_space_) spatial.push_back(Dim::of(length));
    const NodeView view(graph.node(layer.node));
    const auto kernel = space_of(filter);
    if (layer.transposed) {
        Spread spread = spread_of(view, spatial, Dims(kernel.begin(), kernel.end()));
        window_ = std::move(spread.window);
        for (const Dim& length : spread.out) out_space_.push_back(length.value);
    } else {
        window_ = window_of(view, spatial, kernel);
        for (size_t i = 0; i < window_.rank(); ++i) out_space_.push_back(window_count(window_, i, spatial[i]).value);
    }
    space_ = static_cast<size_t>(count_of(out_space_));
    taps_ = static_cast<size_t>(count_of(window_.kernel));
    channels_ = layer.in_channels(graph);
    count_ = static_cast<size_t>(first[0]) * space_;
}

int64_t Patches::input_position(size_t position, size_t tap) const {
    int64_t at = 0, step = 1;
    for (size_t i = window_.rank(); i-- > 0;) {
        const auto out = static_cast<int64_t>(position) % out_space_[i], kernel = static_cast<int64_t>(tap) % window_.kernel[i];
        position /= static_cast<size_t>(out_space_[i]);
        tap /= static_cast<size_t>(window_.kernel[i]);
        int64_t in = out * window_.stride[i] + kernel * window_.dilation[i] - window_.before[i];
        if (layer_.transposed) {
            in = out + window_.before[i] - kernel * window_.dilation[i];
            if (in % window_.stride[i] != 0) return -1;
            in /= window_.stride[i];
        }
        if (in < 0 || in >= in_space_[i]) return -1;
        at += in * step;
        step *= in_space_[i];
    }
    return at;
}

void Patches::row(const float* input, size_t r, float* to) const {
    if (layer_.convolution) return window_row(input, r, to);
    std::memcpy(to, input + r * layer_.depth, layer_.depth * sizeof(float));
}

void Patches::window_row(const float* input, size_t r, float* to) const {
    const auto inputs = static_cast<size_t>(count_of(in_space_));
    const size_t each = channels_ / layer_.groups;
    const float* image = input + (r / space_) * channels_ * inputs;
    for (size_t tap = 0; tap < taps_; ++tap) {
        const int64_t at = input_position(r % space_, tap);
        for (size_t channel = 0; channel < channels_; ++channel) {
            const size_t group = channel / each, c = channel % each;
            float& place = to[group * layer_.depth + (layer_.channels_last && !layer_.transposed ? tap * each + c : c * taps_ + tap)];
            const auto position = static_cast<size_t>(at);
            place = at < 0 ? 0.0f : image[layer_.channels_last ? position * channels_ + channel : channel * inputs + position];
        }
    }
}

}  // namespace quern
