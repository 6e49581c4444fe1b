#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/notice.h"
#include "libcore/base/text.h"
#include "libcore/graph/grid.h"
#include "libcore/os/io.h"
#include "libcore/quant/encodings/encodings_form.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quant/types/two_level.h"

namespace quern {
namespace {

using Sink = EncodingsForm::Sink;
using Entry = EncodingEntry;

// Before 2.0.0 codes count from 0. Weights always have the usual offset: their least code is there, used or not.
int64_t offset_of(const Entry& entry, size_t i) {
    const int64_t half = entry.is_signed() ? int64_t{1} << (entry.bits() - 1) : 0;
    const bool narrow = entry.symmetric() && !entry.param && entry.encoding.qmin == 1 - half;
    return narrow ? 1 - half : -(entry.zero[i] + half);
}

// What of an encoding no version before 2.0.0 says, or none at all.
std::string unsaid(const Entry& entry, bool old) {
    const Encoding& e = entry.encoding;
    if (e.min.defined()) return "a minimum of each block, as its zero points are whole numbers";
    if (is_scaled(e.storage) && is_float(e.storage)) return old ? std::string(name_of(e.storage)) : "";
    if (is_float(e.storage)) {
        const bool known = !old || e.storage == DType::f16 || e.storage == DType::f32;
        return bits_of(e.storage) < 16 || !known ? std::string(name_of(e.storage)) : "";
    }
    return !is_integer(e.storage) || entry.bits() < 4 || entry.bits() > 32 ? fmt::format("codes of {}", name_of(e.storage)) : "";
}

std::string unsaid_in_maps(const Entry& entry) {
    const std::string what = unsaid(entry, true);
    return what.empty() && entry.encoding.block > 0 ? "blocks" : what;
}
std::string unsaid_in_lists(const Entry& entry) { return unsaid(entry, true); }
std::string unsaid_by_onnx(const Entry& entry) { return unsaid(entry, false); }

bool none_implied(const Entry&) { return false; }

// What a file does not hold: values whose encoding its form cannot say, and others that are never listed.
struct LeftOut {
    std::vector<std::string> unsaid, implied, dynamic, second;
};

// `allow`: values that cannot be said are no error.
std::vector<Entry> entries_of(const Graph& graph, const EncodingsForm& form, bool allow, LeftOut& left_out) {
    EncodingEntries all = encoding_entries(graph);
    std::vector<Entry> entries;
    for (Entry& entry : all.entries) {
        if (form.implied(entry))
            left_out.implied.push_back(entry.key);
        else if (const std::string what = form.unsaid(entry); what.empty())
            entries.push_back(std::move(entry));
        else if (allow)
            left_out.unsaid.push_back(entry.key);
        else
            throw unsupported("value \"{}\": encodings {} cannot say {}", escape(entry.key), form.name, what)
                .with_hint("--allow-missing-encodings leaves such values out of the file");
    }
    left_out.dynamic = std::move(all.dynamic);
    left_out.second = std::move(all.second);
    return entries;
}

// Items one a line, between the lines of their list.
template <class Keep, class Fn>
void put_list(const std::vector<Entry>& entries, const Keep& keep, const Fn& text_of, const Sink& to) {
    bool any = false;
    for (const Entry& entry : entries) {
        if (!keep(entry)) continue;
        to(any ? ",\n" : "\n");
        to(text_of(entry.filled()));
        any = true;
    }
    if (any) to("\n");
}

bool is_param(const Entry& entry) { return entry.param; }
bool is_activation(const Entry& entry) { return !entry.param; }

// ---- 0.6.1 -------------------------------------------------------------------------------------------------------------

std::string old_entry(const Entry& entry) {
    std::string out = json_text(entry.key) + ":[";
    if (is_float(entry.encoding.storage)) return out + fmt::format("{{\"bitwidth\":{},\"dtype\":\"float\"}}]", entry.bits());
    const double greatest = std::ldexp(1.0, entry.bits()) - 1;
    for (size_t i = 0; i < entry.scale.size(); ++i) {
        const auto scale = static_cast<double>(entry.scale[i]), offset = static_cast<double>(offset_of(entry, i));
        out += fmt::format(
            "{}{{\"bitwidth\":{},\"dtype\":\"int\",\"is_symmetric\":\"{}\",\"max\":{},\"min\":{},\"offset\":{},\"scale\":{}}}",
            i ? "," : "", entry.bits(), entry.symmetric() ? "True" : "False", json_number(static_cast<float>((offset + greatest) * scale)),
            json_number(static_cast<float>(offset * scale)), offset_of(entry, i), json_number(entry.scale[i]));
    }
    return out + "]";
}

// What most of the entries have; int32 is for biases.
int usual_bits(const std::vector<Entry>& entries, bool params) {
    std::array<size_t, 33> counts{};
    for (const Entry& entry : entries)
        if (entry.param == params && entry.bits() < 32) ++counts[static_cast<size_t>(entry.bits())];
    const auto most = std::max_element(counts.begin(), counts.end());
    return *most ? static_cast<int>(most - counts.begin()) : 32;
}

void put_old_file(const std::vector<Entry>& entries, const Sink& to) {
    const auto weight = [](const Entry& entry) { return entry.param && entry.bits() < 32; };
    const bool symmetric =
        std::all_of(entries.begin(), entries.end(), [&](const Entry& entry) { return !weight(entry) || entry.symmetric(); });
    const bool channels =
        std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return weight(entry) && entry.encoding.per_channel(); });
    to("{\"activation_encodings\":{");
    put_list(entries, is_activation, old_entry, to);
    to("},\n\"param_encodings\":{");
    put_list(entries, is_param, old_entry, to);
    to(
        fmt::format("}},\n\"quantizer_args\":{{\"activation_bitwidth\":{},\"dtype\":\"int\",\"is_symmetric\":{},\"param_bitwidth\":{},"
                    "\"per_channel_quantization\":{},\"quant_scheme\":\"post_training_tf\"}},\n\"version\":\"0.6.1\"}}\n",
                    usual_bits(entries, false), symmetric, usual_bits(entries, true), channels));
}

// ---- 1.0.0 -------------------------------------------------------------------------------------------------------------

// LPBQ: codes of compressed_bw bits, which the integers of the blocks make ones of bw bits.
std::string two_level_entry(const Entry& entry, const TwoLevel& levels) {
    const std::vector<std::string> offsets(levels.channels.size(), "-128");
    return fmt::format(
        "{{\"block_size\":{},\"bw\":8,\"compressed_bw\":4,\"dtype\":\"INT\",\"enc_type\":\"LPBQ\",\"is_sym\":true,\"name\":{},"
        "\"offset\":[{}],\"per_block_int_scale\":[{}],\"scale\":{}}}",
        entry.encoding.block, json_text(entry.key), join(offsets, ","), fmt::join(levels.integers, ","), json_numbers(levels.channels));
}

std::string list_entry(const Entry& entry) {
    if (is_float(entry.encoding.storage))
        return fmt::format("{{\"bw\":{},\"dtype\":\"FLOAT\",\"enc_type\":\"PER_TENSOR\",\"name\":{}}}", entry.bits(), json_text(entry.key));
    const Encoding& e = entry.encoding;
    if (const auto levels = two_level_of(e, entry.scale)) return two_level_entry(entry, *levels);
    std::vector<std::string> offsets;
    for (size_t i = 0; i < entry.scale.size(); ++i) offsets.push_back(std::to_string(offset_of(entry, i)));
    return fmt::format("{{{}\"bw\":{},\"dtype\":\"INT\",\"enc_type\":\"{}\",\"is_sym\":{},\"name\":{},\"offset\":[{}],\"scale\":{}}}",
                       e.block > 0 ? fmt::format("\"block_size\":{},", e.block) : "", entry.bits(),
                       e.block > 0       ? "PER_BLOCK"
                       : !e.per_tensor() ? "PER_CHANNEL"
                                         : "PER_TENSOR",
                       entry.symmetric(), json_text(entry.key), join(offsets, ","), json_numbers(entry.scale));
}

void put_list_file(const std::vector<Entry>& entries, const Sink& to) {
    to("{\"activation_encodings\":[");
    put_list(entries, is_activation, list_entry, to);
    to("],\n\"param_encodings\":[");
    put_list(entries, is_param, list_entry, to);
    to("],\n\"version\":\"1.0.0\"}\n");
}

// ---- 2.0.0 -------------------------------------------------------------------------------------------------------------

// Lists nested as `dims` say, of the numbers from `next` on.
template <class Fn>
std::string nested(const Dims& dims, size_t level, size_t& next, const Fn& number) {
    if (level == dims.size()) return number(next++);
    std::string out = "[";
    for (int64_t i = 0; i < dims[level]; ++i) out += (i ? "," : "") + nested(dims, level + 1, next, number);
    return out + "]";
}

std::string onnx_entry(const Entry& entry) {
    const Encoding& e = entry.encoding;
    const std::string tail = fmt::format("\"name\":{},\"output_dtype\":\"{}\"", json_text(entry.key), name_of(e.storage));
    if (!is_scaled(e.storage)) return "{" + tail + "}";
    size_t next = 0;
    if (const auto levels = two_level_of(e, entry.scale)) {
        Dims channels = e.scale.dims;
        channels[static_cast<size_t>(e.axis)] = 1;
        const std::string floats = nested(channels, 0, next, [&](size_t i) { return json_number(levels->channels[i]); });
        next = 0;
        const std::string integers = nested(e.scale.dims, 0, next, [&](size_t i) { return std::to_string(levels->integers[i]); });
        return fmt::format("{{\"axis\":{},\"block_size\":{},{},\"per_block_int_scale\":{},\"per_channel_float_scale\":{}}}", e.axis,
                           e.block, tail, integers, floats);
    }
    const std::string scale = nested(e.scale.dims, 0, next, [&](size_t i) { return json_number(entry.scale[i]); });
    std::string out = "{";
    if (!e.per_tensor()) out += fmt::format("\"axis\":{},", e.axis);
    if (e.block > 0) out += fmt::format("\"block_size\":{},", e.block);
    out += fmt::format("{},\"y_scale\":{}", tail, scale);
    if (!e.symmetric()) {
        next = 0;
        out += ",\"y_zero_point\":" + nested(e.scale.dims, 0, next, [&](size_t i) { return std::to_string(entry.zero[i]); });
    }
    return out + "}";
}

void put_onnx_file(const std::vector<Entry>& entries, const Sink& to) {
    to("{\"encodings\":[");
    put_list(
        entries, [](const Entry&) { return true; }, onnx_entry, to);
    to("],\n\"version\":\"2.0.0\"}\n");
}

constexpr EncodingsForm maps_form{"0.6.1", unsaid_in_maps, none_implied, put_old_file};
constexpr EncodingsForm lists_form{"1.0.0", unsaid_in_lists, none_implied, put_list_file};
constexpr EncodingsForm onnx_form{"2.0.0", unsaid_by_onnx, none_implied, put_onnx_file};
constexpr std::array forms{&maps_form, &lists_form, &onnx_form, &ort_form, &tensorrt_form, &qnn_form};

const EncodingsForm& form_named(std::string_view name) {
    check_encodings_version(name);
    return **std::ranges::find(forms, name, &EncodingsForm::name);
}

LeftOut put_encodings(const Graph& graph, const EncodingsForm& form, bool allow, const Sink& to) {
    LeftOut left_out;
    form.put(entries_of(graph, form, allow, left_out), to);
    return left_out;
}

// "12 values, which are left out: a, b and 10 more".
std::string counted(const std::vector<std::string>& keys) {
    constexpr size_t most = 10;
    std::vector<std::string> shown;
    for (size_t i = 0; i < std::min(keys.size(), most); ++i) shown.push_back(escape(keys[i]));
    return fmt::format("{} {} left out: {}{}", keys.size(), keys.size() == 1 ? "value, which is" : "values, which are", join(shown, ", "),
                       keys.size() > most ? fmt::format(" and {} more", keys.size() - most) : "");
}

}  // namespace

void check_encodings_version(std::string_view version) {
    if (std::ranges::find(encodings_versions, version) == encodings_versions.end())
        throw usage_error("encodings version \"{}\" is not known", escape(version))
            .with_hint(fmt::format("one of {}", fmt::join(encodings_versions, ", ")));
}

std::string write_encodings(const Graph& graph, std::string_view version) {
    std::string out;
    put_encodings(graph, form_named(version), false, [&](std::string_view text) { out += text; });
    return out;
}

void write_encodings(const Graph& graph, std::string_view version, const std::string& path, bool allow_missing) {
    const EncodingsForm& form = form_named(version);
    OutputFile file(path);
    const LeftOut left_out = put_encodings(graph, form, allow_missing, [&](std::string_view text) { file.write(text); });
    file.commit();
    if (!left_out.unsaid.empty()) say_notice(fmt::format("encodings {} cannot say those of {}", version, counted(left_out.unsaid)));
    if (!left_out.implied.empty())
        say_notice(fmt::format("encodings {} leave it to their readers to find those of {}", version, counted(left_out.implied)));
    if (!left_out.dynamic.empty())
        say_notice(fmt::format("encodings say no scales that are computed at run time, those of {}", counted(left_out.dynamic)));
    if (!left_out.second.empty())
        say_notice(fmt::format("encodings name a value once, not the second ones of {}", counted(left_out.second)));
}

}  // namespace quern
