#include <algorithm>
#include <array>
#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/quant/encodings/encodings_form.h"

namespace quern {
namespace {

// QuantType of onnxruntime.quantization.
struct QuantType {
    std::string_view name;
    DType storage;
};
constexpr std::array quant_types{QuantType{"QInt4", DType::i4},
                                 QuantType{"QUInt4", DType::u4},
                                 QuantType{"QInt8", DType::i8},
                                 QuantType{"QUInt8", DType::u8},
                                 QuantType{"QInt16", DType::i16},
                                 QuantType{"QUInt16", DType::u16},
                                 QuantType{"QFLOAT8E4M3FN", DType::f8e4m3fn}};

constexpr std::array<std::string_view, 9> keys{"quant_type", "scale",        "zero_point", "rmin",   "rmax",
                                               "symmetric",  "reduce_range", "axis",       "convert"};

DType storage_of(const JsonView& entry) {
    if (!entry.has("quant_type"))
        throw unsupported("{}: has no quant_type, which is left to the call of onnxruntime.quantization", entry.place());
    const JsonView name = entry["quant_type"];
    const auto found = std::ranges::find(quant_types, name.text(), &QuantType::name);
    if (found != quant_types.end()) return found->storage;
    name.fail(fmt::format("is \"{}\", which is not a QuantType", escape(name.text())));
}

bool flag_of(const JsonView& entry, std::string_view key, bool otherwise) {
    return entry.has(key) && !entry[key].json().is_null() ? entry[key].boolean() : otherwise;
}

// A number, or an array of one, as numpy's scalars are written.
JsonView number_of(const JsonView& entry, std::string_view key) {
    JsonView json = entry[key];
    if (!json.json().is_array()) return json;
    if (json.size() != 1) json.fail(fmt::format("has {} items, need 1: each channel has an entry of its own", json.size()));
    return json.at(0);
}

bool both(const JsonView& entry, std::string_view a, std::string_view b) {
    if (entry.has(a) != entry.has(b)) entry.fail(fmt::format("has \"{}\" without \"{}\"", entry.has(a) ? a : b, entry.has(a) ? b : a));
    return entry.has(a);
}

void check_keys(const JsonView& entry) {
    entry.each([&](const std::string& key, const JsonView& member) {
        if (std::ranges::find(keys, key) == keys.end())
            member.fail(fmt::format("is not a key of TensorQuantOverrides{}",
                                    did_you_mean(key, std::vector<std::string>(keys.begin(), keys.end()))));
    });
    if (entry.has("convert")) throw unsupported("{}: a second type for some readers has no form here", entry["convert"].place());
}

// Of a range, as onnxruntime finds it: with 0 in it, symmetric around 0 or not (without the least code above 4 bits), over half of the
// codes with reduce_range.
void set_grid(const JsonView& entry, bool symmetric, Override& to) {
    if (is_float(to.storage))
        throw unsupported("{}: of {} onnxruntime takes the scale from deviations, not from a range", entry["rmin"].place(),
                          name_of(to.storage));
    float min = std::min(0.0f, entry["rmin"].real32()), max = std::max(0.0f, entry["rmax"].real32());
    if (!(min < max)) entry.fail("has an empty range");
    auto [low, high] = int_range(to.storage);
    const bool is_signed = low < 0;
    if (symmetric) max = std::max(max, -min), min = -max;
    if (symmetric && is_signed && bits_of(to.storage) > 4) low = -high;
    if (flag_of(entry, "reduce_range", false)) {
        low = is_signed ? -(high + 1) / 2 : 0;
        high = is_signed ? -low : high / 2;
    }
    const double scale = (static_cast<double>(max) - static_cast<double>(min)) / static_cast<double>(high - low);
    to.scale.push_back(static_cast<float>(scale));
    if (!(to.scale.back() > 0)) entry.fail("has a range that is too narrow for a float32 scale");
    const double zero = symmetric ? static_cast<double>(low + high) / 2 : static_cast<double>(low) - static_cast<double>(min) / scale;
    to.zero.push_back(std::clamp(static_cast<int64_t>(std::nearbyint(zero)), low, high));
}

void add_channel(const JsonView& entry, bool symmetric, Override& to) {
    if (both(entry, "scale", "zero_point")) {
        for (const std::string_view key : {"symmetric", "reduce_range", "rmin", "rmax"})
            if (entry.has(key)) entry[key].fail("stands beside scale and zero_point");
        to.scale.push_back(scale_at(number_of(entry, "scale")));
        const JsonView zero = number_of(entry, "zero_point");
        to.zero.push_back(whole_at(zero));
        check_zero(zero, to.storage, to.zero.back());
    } else if (both(entry, "rmin", "rmax")) {
        set_grid(entry, symmetric, to);
    } else if (flag_of(entry, "reduce_range", false)) {
        throw unsupported("{}: without rmin and rmax it has no form here", entry["reduce_range"].place());
    }
}

void check_same(const JsonView& entry, const JsonView& first, std::string_view key) {
    if (entry.has(key) && (!first.has(key) || entry[key].json() != first[key].json())) entry[key].fail("differs from the first channel");
}

Override value_of(const JsonView& list) {
    const JsonView first = list.at(0);
    Override out;
    out.storage = storage_of(first);
    if (first.has("axis")) {
        const int64_t axis = first["axis"].integer();
        if (axis < 0) throw unsupported("{}: is {}, need 0 or more, as the rank is not known here", first["axis"].place(), axis);
        if (axis > 64) first["axis"].fail(fmt::format("is {}, need 0 to 64", axis));
        out.axis = static_cast<int>(axis);
    } else if (list.size() > 1) {
        first.fail("has no \"axis\", but there are several channels");
    }
    const bool symmetric = flag_of(first, "symmetric", out.axis >= 0);  // onnxruntime's default: channels are
    for (size_t i = 0; i < list.size(); ++i) {
        const JsonView entry = list.at(i);
        check_keys(entry);
        for (const std::string_view key : {"quant_type", "axis", "symmetric", "reduce_range"}) check_same(entry, first, key);
        add_channel(entry, symmetric, out);
    }
    if (out.scale.empty() && out.axis >= 0)
        throw unsupported("{}: without scales it has no form here; --per-channel and rules say what has channels", first["axis"].place());
    if (!out.scale.empty() && out.scale.size() != list.size()) list.fail("gives a grid for some channels only");
    if (out.scale.empty()) out.symmetric = symmetric;
    return out;
}

}  // namespace

bool is_ort_overrides(const JsonView& json) {
    if (!json.json().is_object() || json.json().empty()) return false;
    if (json.has("TensorQuantOverrides")) return true;
    return std::ranges::all_of(json.json(), [](const Json& list) {
        return list.is_array() && std::ranges::all_of(list, [](const Json& entry) { return entry.is_object(); });
    });
}

Overrides parse_ort_overrides(const JsonView& json) {
    Overrides out;
    const JsonView values = json.has("TensorQuantOverrides") ? json["TensorQuantOverrides"] : json;
    values.each([&](const std::string& name, const JsonView& list) {
        if (list.size() > 0 && !list.at(0).json().empty()) out.emplace(name, value_of(list));  // an empty entry overrides nothing
    });
    return out;
}

bool implied_by_ort(const EncodingEntry& entry) { return entry.param && entry.encoding.storage == DType::i32; }

std::string unsaid_by_ort(const EncodingEntry& entry) {
    const Encoding& e = entry.encoding;
    if (e.min.defined()) return "a minimum of each block, as its zero points are whole numbers";
    if (e.block > 0) return "blocks";
    if (std::ranges::find(quant_types, e.storage, &QuantType::storage) == quant_types.end())
        return is_integer(e.storage) ? fmt::format("codes of {}", name_of(e.storage)) : std::string(name_of(e.storage));
    return "";
}

void put_ort_overrides(const std::vector<EncodingEntry>& entries, const EncodingsForm::Sink& to) {
    to("{");
    for (size_t n = 0; n < entries.size(); ++n) {
        const EncodingEntry entry = entries[n].filled();
        const auto type = std::ranges::find(quant_types, entry.encoding.storage, &QuantType::storage);
        const std::string axis = entry.encoding.per_tensor() ? "" : fmt::format("\"axis\":{},", entry.encoding.axis);
        to(fmt::format("{}{}:[", n ? ",\n" : "\n", json_text(entry.key)));
        for (size_t i = 0; i < entry.scale.size(); ++i)
            to(fmt::format("{}{{{}\"quant_type\":\"{}\",\"scale\":{},\"zero_point\":{}}}", i ? "," : "", axis, type->name,
                           json_number(entry.scale[i]), entry.zero[i]));
        to("]");
    }
    to(entries.empty() ? "}\n" : "\n}\n");
}

}  // namespace quern
