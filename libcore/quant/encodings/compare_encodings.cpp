#include "libcore/quant/encodings/compare_encodings.h"

#include <algorithm>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/grid.h"
#include "libcore/quant/encodings/encoding_entry.h"

namespace quern {
namespace {

// Zero point i counted from the least code, whatever the sign of codes.
int64_t level(const Override& o, size_t i) { return is_float(o.storage) ? o.zero[i] : o.zero[i] - int_range(o.storage).min; }

// Computed at run time, or left to the reader.
bool no_scale(const Override& o) { return is_scaled(o.storage) && o.scale.empty(); }

// Are all zero points in the middle of the codes?
bool symmetric(const Override& o) {
    if (!is_integer(o.storage) || o.zero.empty()) return false;
    const int64_t half = int64_t{1} << (bits_of(o.storage) - 1);
    for (size_t i = 0; i < o.zero.size(); ++i)
        if (level(o, i) != half) return false;
    return true;
}

bool is_signed(const Override& o) { return kind_of(o.storage) == NumberKind::signed_int; }

void compare_numbers(ComparedEncoding& to) {
    const Override &a = to.first, &b = to.second;
    for (size_t i = 0; i < a.scale.size(); ++i) {
        const double ratio = static_cast<double>(b.scale[i]) / static_cast<double>(a.scale[i]);
        to.least_ratio = i ? std::min(to.least_ratio, ratio) : ratio;
        to.greatest_ratio = i ? std::max(to.greatest_ratio, ratio) : ratio;
        const int64_t away = level(b, i) - level(a, i);
        if (std::abs(away) > std::abs(to.zero_difference)) to.zero_difference = away;
    }
    if (a.scale != b.scale || a.channels != b.channels) to.differs.emplace_back("scale");
}

ComparedEncoding compared(const std::string& key, const Override& a, const Override& b) {
    ComparedEncoding out{key, a, b};
    const auto differs = [&](bool do_they, const char* what) {
        if (do_they) out.differs.emplace_back(what);
    };
    if (a.storage != b.storage && (!is_integer(a.storage) || !is_integer(b.storage))) {
        differs(true, "type");
        return out;
    }
    if (!is_scaled(a.storage)) return out;
    const bool same_bits = bits_of(a.storage) == bits_of(b.storage);
    differs(!same_bits, "bits");
    differs(!a.any_sign && !b.any_sign && is_signed(a) != is_signed(b), "sign");
    differs(!no_scale(a) && !no_scale(b) && symmetric(a) != symmetric(b), "symmetric");
    differs(a.axis >= 0 && b.axis >= 0 && a.axis != b.axis, "axis");
    differs(a.block != b.block, "block");
    if (a.scale.size() != b.scale.size())
        differs(true, "scales");
    else
        compare_numbers(out);
    if (!same_bits) out.zero_difference = 0;
    differs(out.zero_difference != 0, "zero point");
    return out;
}

std::string type_text(const Override& o) {
    std::string out(name_of(o.storage));
    if (no_scale(o)) return out + " without a scale";
    if (symmetric(o)) out += " symmetric";
    if (o.scale.size() > 1) out += fmt::format(" {} scales", o.scale.size());
    return o.block > 0 ? out + fmt::format(" of blocks of {}", o.block) : out;
}

// Are the scales steps of the same kind?
bool comparable(const ComparedEncoding& value) {
    const DType a = value.first.storage, b = value.second.storage;
    return !value.first.scale.empty() && value.first.scale.size() == value.second.scale.size() &&
           (a == b || (is_integer(a) && is_integer(b)));
}

std::string ratio_text(const ComparedEncoding& value) {
    if (!comparable(value)) return "-";
    if (value.first.scale == value.second.scale) return "equal";
    if (value.least_ratio == value.greatest_ratio) return fmt::format("{:.6g}", value.least_ratio);
    return fmt::format("{:.6g}..{:.6g}", value.least_ratio, value.greatest_ratio);
}

std::string zero_text(const ComparedEncoding& value) {
    if (!comparable(value)) return "-";
    if (bits_of(value.first.storage) != bits_of(value.second.storage)) return "-";
    return value.zero_difference ? fmt::format("{:+}", value.zero_difference) : "equal";
}

std::string only_text(std::string_view where, const std::vector<std::string>& keys) {
    std::string out;
    for (const std::string& key : keys) out += fmt::format("only in the {}: {}\n", where, escape(key));
    return out;
}

Json side_json(const Override& o) {
    Json out{{"type", name_of(o.storage)}, {"symmetric", symmetric(o)}, {"scales", o.scale.size()}};
    if (is_scaled(o.storage)) out["bits"] = bits_of(o.storage);
    if (o.axis >= 0) out["axis"] = o.axis;
    if (o.block > 0) out["block"] = o.block;
    if (o.scale.size() == 1) {
        out["scale"] = o.scale[0];
        out["zero_point"] = o.zero[0];
    }
    return out;
}

}  // namespace

Overrides overrides_of(const Graph& graph) {
    Overrides out;
    for (const EncodingEntry& outline : encoding_entries(graph).entries) {
        if (outline.encoding.min.defined())
            throw unsupported("value \"{}\": blocks with a minimum each are not compared", escape(outline.key))
                .with_hint("--weights compares the tensors of GGUF files");
        EncodingEntry entry = outline.filled();
        Override o;
        o.storage = entry.encoding.storage;
        o.axis = entry.encoding.axis;
        o.block = entry.encoding.block;
        o.scale = std::move(entry.scale);
        o.zero = std::move(entry.zero);
        out.emplace(entry.key, std::move(o));
    }
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        for (size_t i = 0; i < part.value_count(); ++i) {
            const Value& value = part.value(static_cast<ValueId>(i));
            if (!value.erased && value.enc && value.enc->is_dynamic()) out[path + value.name].storage = value.enc->storage;
        }
    });
    return out;
}

bool EncodingsComparison::same() const {
    return only_first.empty() && only_second.empty() &&
           std::ranges::all_of(values, [](const ComparedEncoding& value) { return value.differs.empty(); });
}

EncodingsComparison compare_encodings(const Overrides& first, const Overrides& second) {
    EncodingsComparison out;
    for (const auto& [key, encoding] : first) {
        const auto other = second.find(key);
        if (other == second.end())
            out.only_first.push_back(key);
        else
            out.values.push_back(compared(key, encoding, other->second));
    }
    for (const auto& [key, encoding] : second)
        if (!first.contains(key)) out.only_second.push_back(key);
    return out;
}

std::string encodings_comparison_text(const EncodingsComparison& comparison, bool all) {
    std::string out;
    size_t differ = 0;
    for (const ComparedEncoding& value : comparison.values) {
        differ += value.differs.empty() ? 0 : 1;
        if (value.differs.empty() && !all) continue;
        const std::string first = type_text(value.first), second = type_text(value.second);
        out += fmt::format("{:>20} {:>10}  {}: {}{}\n", ratio_text(value), zero_text(value), escape(value.key),
                           first == second ? first : fmt::format("{} / {}", first, second),
                           value.differs.empty() ? "" : fmt::format(" ({})", join(value.differs, ", ")));
    }
    if (!out.empty()) out = fmt::format("{:>20} {:>10}  {}\n", "scale ratio", "zero point", "value") + out;
    out += only_text("first", comparison.only_first) + only_text("second", comparison.only_second);
    return out + fmt::format("{} equal, {} different, {} only in the first, {} only in the second\n", comparison.values.size() - differ,
                             differ, comparison.only_first.size(), comparison.only_second.size());
}

std::string encodings_comparison_json(const EncodingsComparison& comparison) {
    Json json{{"same", comparison.same()},
              {"only_first", comparison.only_first},
              {"only_second", comparison.only_second},
              {"values", Json::array()}};
    for (const ComparedEncoding& value : comparison.values)
        json["values"].push_back({{"name", value.key},
                                  {"first", side_json(value.first)},
                                  {"second", side_json(value.second)},
                                  {"differs", value.differs},
                                  {"least_scale_ratio", value.least_ratio},
                                  {"greatest_scale_ratio", value.greatest_ratio},
                                  {"zero_point_difference", value.zero_difference}});
    return json_document(json);
}

}  // namespace quern
