#include <cmath>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/grid.h"
#include "libcore/quant/encodings/encodings_form.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quant/types/two_level.h"

namespace quern {
namespace {

// ---- parts of entries ----------------------------------------------------------------------------------------------

DType integer_storage(const JsonView& place, int64_t bits, bool is_signed) {
    switch (bits) {
        case 4: return is_signed ? DType::i4 : DType::u4;
        case 8: return is_signed ? DType::i8 : DType::u8;
        case 16: return is_signed ? DType::i16 : DType::u16;
        case 32: return is_signed ? DType::i32 : DType::u32;
        default: break;
    }
    if (bits < 4 || bits > 32) place.fail(fmt::format("is {}, need 4 to 32", bits));
    throw unsupported("{}: integers of {} bits, need 4, 8, 16 or 32", place.place(), bits);
}

DType float_storage(const JsonView& place, int64_t bits) {
    if (bits == 16) return DType::f16;
    if (bits == 32) return DType::f32;
    throw unsupported("{}: floats of {} bits, need 16 or 32", place.place(), bits);
}

// How codes of entries before 2.0.0 are stored, found from the flag and an offset.
struct Codes {
    DType storage;
    bool symmetric;  // the least code is not used
    int64_t zero;
    bool any_sign = false;
};

Codes codes_of(const JsonView& place, int64_t bits, bool symmetric, int64_t offset, bool reaches_below_zero) {
    Codes codes{integer_storage(place, bits, symmetric), false, -offset, !symmetric};
    const int64_t half = int64_t{1} << (bits - 1);
    if (symmetric && offset == 0 && !reaches_below_zero) {
        codes.storage = integer_storage(place, bits, false);  // of numbers that are never negative
    } else if (symmetric) {
        if (offset != 0 && offset != -half && offset != 1 - half)
            place.fail(fmt::format("offset of a symmetric encoding is {}, need {}, {} or 0", offset, -half, 1 - half));
        codes = {codes.storage, offset == 1 - half, 0};
    }
    check_zero(place, codes.storage, codes.zero);
    return codes;
}

void add(Overrides& to, const JsonView& place, const std::string& name, Override entry) {
    if (!to.emplace(name, std::move(entry)).second) place.fail(fmt::format("\"{}\" has an encoding already", escape(name)));
}

// ---- before 1.0.0: {"activation_encodings": {name: [entry, one each channel]}, "param_encodings": ...} --------------

struct OldEntry {
    Codes codes;
    float scale = 0;  // 0: not given
};

// Entries with min and max alone have the grid over them.
OldEntry grid_entry(const JsonView& json, int64_t bits, bool symmetric) {
    const float min = json["min"].real32(), max = json["max"].real32();
    if (!(min <= 0 && max >= 0 && min < max)) json.fail(fmt::format("range is {} to {}, need one around 0", shortest(min), shortest(max)));
    const Grid grid = grid_of({min, max}, grid_spec(integer_storage(json, bits, symmetric), symmetric));
    return {{integer_storage(json, bits, symmetric), symmetric, symmetric ? 0 : grid.zero, !symmetric}, grid.scale};
}

// All three are written; a scale that gives another range by more than a tenth was put in beside an older one.
void check_range(const JsonView& json, int64_t bits) {
    if (!json.has("min") || !json.has("max")) return;
    const double range = static_cast<double>(json["max"].real32()) - static_cast<double>(json["min"].real32());
    const double steps = std::ldexp(1.0, static_cast<int>(bits)) - 1, by_scale = static_cast<double>(scale_at(json["scale"])) * steps;
    const double least = range * (1 - 2 / steps) / 1.1;  // of a symmetric grid one end may be missing
    if (range > 0 && (by_scale < least || by_scale > range * 2.2))
        json["scale"].fail(fmt::format("is {}, which makes a range of {:.6g} of {} bits; min and max say {:.6g}",
                                       shortest(scale_at(json["scale"])), by_scale, bits, range));
}

OldEntry old_entry(const JsonView& json, int64_t bits) {
    const bool symmetric = json.has("is_symmetric") && truth_at(json["is_symmetric"]);
    if (json.has("scale") && json.has("offset")) {
        check_range(json, bits);
        const bool below = json.has("min") && json["min"].real32() < 0;
        return {codes_of(json, bits, symmetric, whole_at(json["offset"]), below), scale_at(json["scale"])};
    }
    if (json.has("min") || json.has("max") || json.has("scale") || json.has("offset")) return grid_entry(json, bits, symmetric);
    return {{integer_storage(json["bitwidth"], bits, symmetric), symmetric, 0, !symmetric}, 0};
}

bool is_float_entry(const JsonView& json, std::string_view key) {
    if (!json.has(key)) return false;
    const std::string& dtype = json[key].text();
    if (dtype != "int" && dtype != "float" && dtype != "INT" && dtype != "FLOAT")
        json[key].fail(fmt::format("is \"{}\", need int or float", escape(dtype)));
    return dtype == "float" || dtype == "FLOAT";
}

Override old_value(const JsonView& list) {
    if (list.json().is_object() && (list.has("input") || list.has("output")))
        throw unsupported("{}: are encodings by modules of PyTorch", list.place())
            .with_hint("AIMET writes those by values of the exported model beside them");
    if (list.size() == 0) list.fail("is empty");
    Override out;
    for (size_t i = 0; i < list.size(); ++i) {
        const JsonView json = list.at(i);
        const int64_t bits = json["bitwidth"].integer();
        if (is_float_entry(json, "dtype")) {
            if (list.size() > 1) json.fail("is a float among several entries");
            out.storage = float_storage(json["bitwidth"], bits);
            return out;
        }
        const OldEntry entry = old_entry(json, bits);
        if (i == 0) {
            out.storage = entry.codes.storage;
            out.symmetric = entry.codes.symmetric;
            out.any_sign = entry.codes.any_sign;
        } else if (out.storage != entry.codes.storage || out.symmetric != entry.codes.symmetric) {
            json.fail("differs from the first channel in its bits or symmetry");
        }
        if (entry.scale > 0) {
            out.scale.push_back(entry.scale);
            out.zero.push_back(entry.codes.zero);
        }
    }
    if (!out.scale.empty() && out.scale.size() != list.size()) list.fail("gives a scale for some channels only");
    if (out.scale.empty() && list.size() > 1) list.fail("has several entries without a scale");
    return out;
}

// ---- 1.0.0: lists of {"name", "enc_type", "dtype", "bw", "is_sym", "scale": [], "offset": []} ------------------------

float integer_at(const JsonView& json, int64_t most) {
    const int64_t number = json.integer();
    if (number < 1 || number > most) json.fail(fmt::format("is {}, need 1 to {}", number, most));
    return static_cast<float>(number);
}

int64_t block_size_at(const JsonView& json, int64_t least) {
    const int64_t block = json.integer();
    if (block < least || block > (int64_t{1} << 31)) json.fail("is not a block size");
    return block;
}

// Which axis the blocks lie along is not said: channels and integers stay apart until the weight is known.
Override two_level_list_value(const JsonView& json) {
    const int64_t bits = json["compressed_bw"].integer(), wide = json["bw"].integer();
    Override out;
    out.storage = integer_storage(json["compressed_bw"], bits, true);
    if (wide < bits || wide > 32) json["bw"].fail(fmt::format("is {}, need {} to 32", wide, bits));
    if (!truth_at(json["is_sym"])) json["is_sym"].fail("is false, LPBQ is symmetric");
    const JsonView scales = json["scale"], integers = json["per_block_int_scale"], offsets = json["offset"];
    if (scales.size() == 0 || integers.size() == 0 || integers.size() % scales.size() != 0)
        integers.fail(fmt::format("has {} items for {} scales", integers.size(), scales.size()));
    if (offsets.size() != scales.size()) json.fail(fmt::format("{} scales and {} offsets", scales.size(), offsets.size()));
    for (size_t i = 0; i < scales.size(); ++i) {
        out.channels.push_back(scale_at(scales.at(i)));
        if (whole_at(offsets.at(i)) != -(int64_t{1} << (wide - 1)))
            offsets.at(i).fail(fmt::format("is {}, need {}", whole_at(offsets.at(i)), -(int64_t{1} << (wide - 1))));
    }
    for (size_t i = 0; i < integers.size(); ++i) out.scale.push_back(integer_at(integers.at(i), int64_t{1} << (wide - bits)));
    out.zero.assign(out.scale.size(), 0);
    out.block = block_size_at(json["block_size"], 1);
    return out;
}

Override list_value(const JsonView& json) {
    const std::string type = json.has("enc_type") ? json["enc_type"].text() : "PER_TENSOR";
    if (type == "LPBQ") return two_level_list_value(json);
    if (type != "PER_TENSOR" && type != "PER_CHANNEL" && type != "PER_BLOCK" && type != "VECTOR")
        json["enc_type"].fail(fmt::format("is \"{}\", need PER_TENSOR, PER_CHANNEL, PER_BLOCK, LPBQ or VECTOR", escape(type)));
    const int64_t bits = json["bw"].integer();
    Override out;
    if (is_float_entry(json, "dtype")) {
        out.storage = float_storage(json["bw"], bits);
        return out;
    }
    const bool symmetric = json.has("is_sym") && truth_at(json["is_sym"]);
    out.storage = integer_storage(json["bw"], bits, symmetric);
    out.symmetric = symmetric;
    out.any_sign = !symmetric;
    if (!json.has("scale")) return out;
    const JsonView scales = json["scale"], offsets = json["offset"];
    if (scales.size() == 0) scales.fail("is empty");
    if (scales.size() != offsets.size()) json.fail(fmt::format("{} scales and {} offsets", scales.size(), offsets.size()));
    if (type == "PER_TENSOR" && scales.size() != 1) scales.fail(fmt::format("has {} items, need 1", scales.size()));
    for (size_t i = 0; i < scales.size(); ++i) {
        const Codes codes = codes_of(json, bits, symmetric, whole_at(offsets.at(i)), false);
        if (i > 0 && (codes.storage != out.storage || codes.symmetric != out.symmetric))
            offsets.at(i).fail("differs in kind from the first");
        out.storage = codes.storage;
        out.symmetric = codes.symmetric;
        out.scale.push_back(scale_at(scales.at(i)));
        out.zero.push_back(codes.zero);
    }
    if (type == "PER_BLOCK" || (type == "VECTOR" && json.has("block_size"))) out.block = block_size_at(json["block_size"], 1);
    return out;
}

// ---- 2.0.0: {"encodings": [{"name", "output_dtype", "y_scale", "y_zero_point", "axis", "block_size"}]} ---------------

using Extents = std::vector<size_t>;

Extents extents_of(const JsonView& json) {
    Extents extents;
    const Json* level = &json.json();
    for (; level->is_array(); level = &level->front()) {
        if (level->empty()) json.fail("holds an empty list");
        extents.push_back(level->size());
    }
    return extents;
}

// Calls fn for each number of nested lists, which must be regular.
template <class Fn>
void each_number(const JsonView& json, const Extents& extents, size_t level, const Fn& fn) {
    if (level == extents.size()) return fn(json);
    if (json.size() != extents[level]) json.fail(fmt::format("has {} items, need {}", json.size(), extents[level]));
    for (size_t i = 0; i < extents[level]; ++i) each_number(json.at(i), extents, level + 1, fn);
}

// Scales that are products of the integers of blocks and the scales of channels, which have one item along the axis.
Override two_level_value(const JsonView& json) {
    Override out;
    out.storage = integer_storage(json["output_dtype"], bits_of(*dtype_named(json["output_dtype"].text())), true);
    const JsonView integers = json["per_block_int_scale"], floats = json["per_channel_float_scale"];
    const Extents extents = extents_of(integers);
    Extents channels = extents;
    const int64_t axis = json["axis"].integer();
    if (axis < 0 || static_cast<size_t>(axis) >= extents.size())
        json["axis"].fail(fmt::format("is {}, need 0 to {}", axis, extents.empty() ? 0 : extents.size() - 1));
    channels[static_cast<size_t>(axis)] = 1;
    if (extents_of(floats) != channels) floats.fail("has another shape than per_block_int_scale with one item along the axis");
    std::vector<float> scales;
    each_number(floats, channels, 0, [&](const JsonView& number) { scales.push_back(scale_at(number)); });
    constexpr int64_t most = 1 << 16;
    each_number(integers, extents, 0, [&](const JsonView& number) { out.scale.push_back(integer_at(number, most)); });
    const Dims dims(extents.begin(), extents.end());
    for (size_t i = 0; i < out.scale.size(); ++i) out.scale[i] *= scales[channel_of_block(dims, static_cast<int>(axis), i)];
    out.zero.assign(out.scale.size(), 0);
    out.axis = static_cast<int>(axis);
    out.block = block_size_at(json["block_size"], 1);
    return out;
}

Override onnx_value(const JsonView& json) {
    const JsonView dtype = json["output_dtype"];
    const auto storage = dtype_named(dtype.text());
    if (!storage || !(is_integer(*storage) || is_float(*storage)))
        dtype.fail(fmt::format("is \"{}\", need a type of numbers", escape(dtype.text())));
    Override out;
    out.storage = *storage;
    if (!is_scaled(*storage)) return out;
    if (bits_of(*storage) < 4 || bits_of(*storage) > 32) throw unsupported("{}: codes of {}", dtype.place(), name_of(*storage));
    if (json.has("per_block_int_scale")) return two_level_value(json);
    if (!json.has("y_scale")) return out;
    const JsonView scale = json["y_scale"];
    const Extents extents = extents_of(scale);
    each_number(scale, extents, 0, [&](const JsonView& number) { out.scale.push_back(scale_at(number)); });
    if (json.has("y_zero_point") && !json["y_zero_point"].json().is_null()) {
        const JsonView zero = json["y_zero_point"];
        if (extents_of(zero) != extents) zero.fail("has another shape than y_scale");
        each_number(zero, extents, 0, [&](const JsonView& number) {
            out.zero.push_back(whole_at(number));
            check_zero(number, out.storage, out.zero.back());
        });
    } else {
        out.zero.assign(out.scale.size(), 0);
    }
    if (!extents.empty() && json.has("axis") && !json["axis"].json().is_null()) {
        const int64_t axis = json["axis"].integer();
        if (axis < 0 || axis > 64) json["axis"].fail(fmt::format("is {}, need 0 or more", axis));
        out.axis = static_cast<int>(axis);
    }
    if (json.has("block_size") && !json["block_size"].json().is_null()) {
        out.block = block_size_at(json["block_size"], 0);
    }
    if (out.block == 0 && extents.size() > 1) scale.fail("is nested, but there is no block_size");
    return out;
}

// ---- whole files ---------------------------------------------------------------------------------------------------

void read_list(const JsonView& list, Override (*read)(const JsonView&), Overrides& to) {
    for (size_t i = 0; i < list.size(); ++i) {
        const JsonView json = list.at(i);
        add(to, json, json["name"].text(), read(json));
    }
}

void check_version(const JsonView& json, char major) {
    if (!json.has("version")) return;
    const std::string& version = json["version"].text();
    if (version.size() < 2 || version[1] != '.' || version[0] < '0' || version[0] > '2')
        json["version"].fail(fmt::format("is \"{}\", need 0.4.0 to 2.0.0", escape(version)));
    if (version[0] != major)
        json["version"].fail(fmt::format("is \"{}\", but the encodings are those of {}", escape(version),
                                         major == '0'   ? "0.6.1"
                                         : major == '1' ? "1.0.0"
                                                        : "2.0.0"));
}

}  // namespace

float scale_at(const JsonView& json) {
    const float scale = json.real32();
    if (!(scale > 0)) json.fail(fmt::format("is {}, need a scale above 0", shortest(scale)));
    return scale;
}

// Offsets are integers, which some writers spell "-128.0".
int64_t whole_at(const JsonView& json) {
    const double number = json.real();
    if (!(std::abs(number) <= 4294967296.0) || number != std::nearbyint(number)) json.fail("is not a 32-bit integer");
    return static_cast<int64_t>(number);
}

void check_zero(const JsonView& place, DType storage, int64_t zero) {
    const auto [min, max] = is_float(storage) ? IntRange{0, 0} : int_range(storage);
    if (zero < min || zero > max) place.fail(fmt::format("means zero point {}, need {} to {}", zero, min, max));
}

bool truth_at(const JsonView& json) {
    if (!json.json().is_string()) return json.boolean();
    const std::string& text = json.text();
    if (text != "True" && text != "False" && text != "true" && text != "false")
        json.fail(fmt::format("is \"{}\", need True or False", escape(text)));
    return text == "True" || text == "true";
}

bool is_encodings(std::string_view text) {
    const size_t first = text.find_first_not_of(" \t\r\n");
    return first != std::string_view::npos && (text[first] == '{' || is_calibration_cache(text));
}

Overrides parse_encodings(std::string_view text) {
    if (is_calibration_cache(text)) return parse_calibration_cache(text);
    const Json document = parse_json(text);
    const JsonView json(document);
    Overrides out;
    if (json.has("encodings")) {
        check_version(json, '2');
        read_list(json["encodings"], onnx_value, out);
        return out;
    }
    const bool aimet = json.has("activation_encodings") || json.has("param_encodings");
    if (!aimet && is_qnn_graph(json)) return parse_qnn_graph(json);
    if (!aimet && is_ort_overrides(json)) return parse_ort_overrides(json);
    if (!aimet) json.fail("holds no encodings: \"encodings\" or \"activation_encodings\" is missing");
    for (const std::string_view key : {"activation_encodings", "param_encodings"}) {
        if (!json.has(key)) continue;
        const JsonView part = json[key];
        check_version(json, part.json().is_array() ? '1' : '0');
        if (part.json().is_array())
            read_list(part, list_value, out);
        else
            part.each([&](const std::string& name, const JsonView& list) { add(out, list, name, old_value(list)); });
    }
    return out;
}

}  // namespace quern
