#include "libcore/check/input_scale.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/text.h"
#include "libcore/graph/grid.h"

namespace quern {

InputScale::InputScale(const Graph& quantized, const std::vector<size_t>& places) {
    for (size_t i = 0; i < places.size(); ++i) {
        const Value& input = quantized.value(quantized.inputs[i]);
        if (!input.enc || !input.enc->plain_integer()) continue;
        const RealRange limits = limits_at(*input.enc, {to_floats(input.enc->scale)[0], input.enc->zero_at()});
        inputs_.push_back({input.name, places[i], limits.lo, limits.hi});
    }
}

void InputScale::see(const std::vector<Tensor>& sample) {
    for (Input& input : inputs_)
        for (const float x : to_floats(sample[input.place])) {
            if (!std::isfinite(x)) continue;
            input.min = std::min(input.min, static_cast<double>(x));
            input.max = std::max(input.max, static_cast<double>(x));
        }
}

std::vector<std::string> InputScale::contradictions() const {
    constexpr double limit = 16;
    std::vector<std::string> found;
    for (const Input& input : inputs_) {
        const double seen = std::max(-input.min, input.max), meant = std::max(-input.lowest, input.highest);
        if (seen > 0 && meant > 0 && (seen > limit * meant || meant > limit * seen))
            found.push_back(fmt::format("input \"{}\": the samples lie in {:.4g} to {:.4g}, its encoding is for {:.4g} to {:.4g}",
                                        escape(input.name), input.min, input.max, input.lowest, input.highest));
    }
    return found;
}

}  // namespace quern
