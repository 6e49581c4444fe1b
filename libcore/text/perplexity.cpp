#include "libcore/text/perplexity.h"

#include <algorithm>
#include <cmath>

#include "libcore/ops/shared/portable_math.h"
#include "libcore/text/estimate.h"

namespace quern {

double surprise(std::span<const float> logits, int32_t token) {
    const double max = static_cast<double>(*std::ranges::max_element(logits));
    double sum = 0;
    for (const float logit : logits) sum += portable::exp(static_cast<double>(logit) - max);
    return portable::log(sum) + max - static_cast<double>(logits[static_cast<size_t>(token)]);
}

std::span<const float> window_logits(LanguageModel& model, const TokenWindows& windows, int64_t window) {
    model.rewind();
    return model.feed(windows.fed(window));
}

Perplexity perplexity(LanguageModel& model, const TokenWindows& windows, const std::function<void()>& step) {
    MeanOf surprises;
    for (int64_t w = 0; w < windows.count(); ++w) {
        const std::span<const float> logits = window_logits(model, windows, w);
        const auto width = static_cast<size_t>(model.vocabulary());
        for (size_t i = windows.first_scored(); i < windows.last_scored(); ++i)
            surprises.add(surprise(logits.subspan(i * width, width), windows.behind(w, i)));
        step();
    }
    const double value = portable::exp(surprises.mean());
    return {value, value * surprises.error(), surprises.count()};
}

}  // namespace quern
