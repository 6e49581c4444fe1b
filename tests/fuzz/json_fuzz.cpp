// The sidecars on any bytes: ranges, rules, quantsim configurations, encodings, profiles. Ranges that are accepted print and read back the
// same; encodings that are accepted have a zero point to every scale.
#include "libcore/base/json.h"
#include "libcore/place/calibrate.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quant/encodings/quantsim.h"
#include "libcore/quant/ranges/ranges_json.h"
#include "libcore/quant/types/rules.h"
#include "tests/fuzz/fuzz.h"

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    using namespace quern;
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    expect_only_refusals([&] { (void)parse_rules(text); });
    expect_only_refusals([&] { (void)place::read_times(parse_json(text)); });
    expect_only_refusals([&] {
        if (is_quantsim(text)) (void)parse_quantsim(text, scheme_named("i8"));
    });
    expect_only_refusals([&] {
        const std::string once = to_json(parse_ranges(text));
        if (to_json(parse_ranges(once)) != once) std::abort();
    });
    expect_only_refusals([&] {
        for (const auto& [name, wanted] : parse_encodings(text))
            if (wanted.scale.size() != wanted.zero.size()) std::abort();
    });
    return 0;
}
