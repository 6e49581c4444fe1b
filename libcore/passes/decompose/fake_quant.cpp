#include "libcore/passes/decompose/fake_quant.h"

#include <cmath>

namespace quern::decompose {

NudgedRange nudged_range(float low, float high, int bits, bool narrow) {
    const float least = narrow ? 1.0f : 0.0f, most = static_cast<float>((1 << bits) - 1), scale = (high - low) / (most - least);
    const float from = least - low / scale, zero = from < least ? least : from > most ? most : std::round(from);
    return {(least - zero) * scale, (most - zero) * scale, scale};
}

Term fake_quantized(const Term& x, std::span<const NudgedRange> ranges, bool channels) {
    const auto each = [&](float (*number)(const NudgedRange&), std::string_view what) {
        std::vector<float> items;
        for (const NudgedRange& range : ranges) items.push_back(number(range));
        const Dims dims = channels ? Dims{static_cast<int64_t>(items.size())} : Dims{};
        return Term{x.to, x.to->constant(from_floats(DType::f32, dims, items), what)};
    };
    const Term bottom = each([](const NudgedRange&range) { return range.bottom; }, "bottom"),
               top = each([](const NudgedRange&range) { return range.top; }, "top"),
               scale = each([](const NudgedRange&range) { return range.scale; }, "scale"),
               inverse = each([](const NudgedRange&range) { return 1.0f / range.scale; }, "inverse");
    const Term clipped = channels ? of(ops::Min, of(ops::Max, x, bottom), top) : Term{x.to, x.to->add(ops::Clip, {x, bottom, top})};
    return of(ops::Floor, (clipped - bottom) * inverse + 0.5) * scale + bottom;
}

}  // namespace quern::decompose
