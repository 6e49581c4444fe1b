#include "libcore/ops/integer/hybrid.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/integer/dynamic.h"

namespace quern {
namespace {

template <class Code>
float rounded_by(float (*kernel)(const float*, Code*, int32_t), std::span<const float> items, std::span<int32_t> codes) {
    std::vector<Code> own(items.size());
    const float scale = kernel(items.data(), own.data(), static_cast<int32_t>(items.size()));
    std::ranges::copy(own, codes.begin());
    return scale;
}

}  // namespace

float round_slice(std::span<const float> items, std::span<int32_t> codes, bool symmetric) {
    if (std::ranges::any_of(items, [](float item) { return std::isinf(item); })) throw bad_input("activations hold an infinite number");
    return symmetric ? rounded_by(symmetric_codes, items, codes) : rounded_by(asymmetric_codes, items, codes);
}

Rounded rounded(std::span<const float> items, int64_t slices, bool symmetric) {
    Rounded out{std::vector<int32_t>(items.size(), 0), std::vector<float>(static_cast<size_t>(slices), 1.0f)};
    const size_t length = slices > 0 ? items.size() / static_cast<size_t>(slices) : 0;
    for (size_t s = 0; s < out.scales.size(); ++s) {
        const auto from = items.subspan(s * length, length);
        const std::span to(out.codes.data() + s * length, length);
        out.scales[s] = round_slice(from, to, symmetric);
    }
    return out;
}

}  // namespace quern
