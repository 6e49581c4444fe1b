#include <bit>
#include <charconv>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/quant/encodings/encodings_form.h"

namespace quern {
namespace {

// What TensorRT checks of a cache: its own version and the calibrator, of which any may have written the scales.
constexpr std::string_view header = "TRT-8601-EntropyCalibration2";

// Of results that have no name in the model.
constexpr std::string_view unnamed = "(Unnamed Layer";

float scale_of(std::string_view hex, size_t line) {
    uint32_t bits = 0;
    const auto [end, error] = std::from_chars(hex.data(), hex.data() + hex.size(), bits, 16);
    if (error != std::errc() || end != hex.data() + hex.size() || hex.size() > 8)
        throw bad_input("line {}: \"{}\" is not the bits of a float32 in hexadecimal", line, escape(std::string(hex)));
    const auto scale = std::bit_cast<float>(bits);
    if (!(scale > 0) || !std::isfinite(scale)) throw bad_input("line {}: {} is {}, need a scale above 0", line, hex, shortest(scale));
    return scale;
}

std::string_view without_blanks(std::string_view text) {
    while (!text.empty() && (text.back() == '\r' || text.back() == ' ')) text.remove_suffix(1);
    return text;
}

}  // namespace

bool is_calibration_cache(std::string_view text) { return text.starts_with("TRT-"); }

Overrides parse_calibration_cache(std::string_view text) {
    Overrides out;
    size_t line = 0, left_out = 0;
    while (!text.empty()) {
        const size_t end = text.find('\n');
        const std::string_view one = without_blanks(text.substr(0, end));
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        if (++line == 1 || one.empty()) continue;
        const size_t colon = one.rfind(": ");
        if (colon == std::string_view::npos || colon == 0) throw bad_input("line {}: need \"NAME: SCALE\"", line);
        const std::string name(one.substr(0, colon));
        Override wanted{.storage = DType::i8, .symmetric = true};
        wanted.scale.push_back(scale_of(one.substr(colon + 2), line));
        wanted.zero.push_back(0);
        if (name.starts_with(unnamed))
            ++left_out;
        else if (!out.emplace(name, std::move(wanted)).second)
            throw bad_input("line {}: \"{}\" has a scale already", line, escape(name));
    }
    if (left_out)
        say_notice(fmt::format("left out, as they are of layers that TensorRT made and no name of the model: {} of {} scales", left_out,
                               left_out + out.size()));
    return out;
}

bool implied_by_tensorrt(const EncodingEntry& entry) { return entry.param; }

std::string unsaid_by_tensorrt(const EncodingEntry& entry) {
    const Encoding& e = entry.encoding;
    if (e.storage != DType::i8)
        return is_integer(e.storage) ? fmt::format("codes of {}", name_of(e.storage)) : std::string(name_of(e.storage));
    if (!e.per_tensor() || e.block > 0) return "several scales";
    return e.symmetric() ? "" : "zero points";
}

void put_calibration_cache(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to) {
    to(fmt::format("{}\n", header));
    for (const EncodingEntry& one : entries) {
        const EncodingEntry entry = one.filled();
        to(fmt::format("{}: {:08x}\n", entry.key, std::bit_cast<uint32_t>(entry.scale.at(0))));
    }
}

}  // namespace quern
