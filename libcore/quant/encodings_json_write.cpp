#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"
#include "libcore/quant/encodings_json.h"

namespace quern {
namespace {

struct Entry {
    std::string key;
    bool param;
    const Encoding* encoding;
    std::vector<float> scale;
    std::vector<int64_t> zero;

    int bits() const { return bits_of(encoding->storage); }
    bool is_signed() const { return kind_of(encoding->storage) == NumberKind::signed_int; }
    bool symmetric() const { return is_signed() && encoding->symmetric(); }
    // Before 2.0.0 codes count from 0. Weights always have the usual offset: their least code is there, used or not.
    int64_t offset(size_t i) const {
        const int64_t half = is_signed() ? int64_t{1} << (bits() - 1) : 0;
        const bool narrow = symmetric() && !param && encoding->qmin == 1 - half;
        return narrow ? 1 - half : -(zero[i] + half);
    }
};

[[noreturn]] void refuse(const Entry& entry, std::string_view version, std::string_view what) {
    throw unsupported("value \"{}\": encodings {} cannot say {}", escape(entry.key), version, what);
}

void check(const Entry& entry, std::string_view version) {
    const Encoding& e = *entry.encoding;
    const bool old = version != "2.0.0";
    if (e.min.defined()) refuse(entry, version, "a minimum of each block");
    if (is_float(e.storage)) {
        if (bits_of(e.storage) < 16) refuse(entry, version, name_of(e.storage));
        if (old && e.storage != DType::f16 && e.storage != DType::f32) refuse(entry, version, name_of(e.storage));
        return;
    }
    if (!is_integer(e.storage) || entry.bits() < 4 || entry.bits() > 32)
        refuse(entry, version, fmt::format("codes of {}", name_of(e.storage)));
    if (version == "0.6.1" && e.block > 0) refuse(entry, version, "blocks");
}

// The key under which a value's encoding is known: the name of its source for the first fixed Recode of a value without an encoding
// of its own, as such files know no Recode; empty for other Recodes, which nothing can be said of.
std::string key_of(const Graph& graph, const std::string& path, ValueId id, std::set<ValueId>& recoded) {
    const Value& value = graph.value(id);
    const bool made = value.producer != NodeId::none && graph.node(value.producer).is(ops::own::Recode);
    if (!made) return path + value.name;
    const ValueId source = graph.node(value.producer).in[0];
    if (graph.value(source).enc || !recoded.insert(source).second) return {};
    return path + graph.value(source).name;
}

Entry entry_of(const Value& value, std::string key, std::string_view version) {
    Entry entry{std::move(key), value.constant(), &*value.enc, {}, {}};
    check(entry, version);
    if (is_integer(value.enc->storage)) {
        entry.scale = to_floats(value.enc->scale);
        entry.zero = value.enc->zeros();
    }
    return entry;
}

std::vector<Entry> entries_of(const Graph& graph, std::string_view version) {
    std::vector<Entry> entries;
    for_each_graph(graph, [&](const Graph& part, const std::string& path) {
        std::set<ValueId> recoded;
        for (size_t i = 0; i < part.value_count(); ++i) {
            const auto id = static_cast<ValueId>(i);
            const Value& value = part.value(id);
            if (value.erased || !value.enc || value.enc->is_dynamic()) continue;
            if (std::string key = key_of(part, path, id, recoded); !key.empty())
                entries.push_back(entry_of(value, std::move(key), version));
        }
    });
    std::sort(entries.begin(), entries.end(), [](const Entry& a, const Entry& b) { return a.key < b.key; });
    return entries;
}

// Items one a line, between the lines of their list.
std::string lines_of(const std::vector<std::string>& items) { return items.empty() ? "" : "\n" + join(items, ",\n") + "\n"; }

template <class Fn>
std::string part_of(const std::vector<Entry>& entries, bool params, const Fn& fn) {
    std::vector<std::string> items;
    for (const Entry& entry : entries)
        if (entry.param == params) items.push_back(fn(entry));
    return lines_of(items);
}

// ---- 0.6.1 -------------------------------------------------------------------------------------------------------------

std::string old_entry(const Entry& entry) {
    std::string out = json_text(entry.key) + ":[";
    if (is_float(entry.encoding->storage)) return out + fmt::format("{{\"bitwidth\":{},\"dtype\":\"float\"}}]", entry.bits());
    const double greatest = std::ldexp(1.0, entry.bits()) - 1;
    for (size_t i = 0; i < entry.scale.size(); ++i) {
        const auto scale = static_cast<double>(entry.scale[i]), offset = static_cast<double>(entry.offset(i));
        out += fmt::format(
            "{}{{\"bitwidth\":{},\"dtype\":\"int\",\"is_symmetric\":\"{}\",\"max\":{},\"min\":{},\"offset\":{},\"scale\":{}}}",
            i ? "," : "", entry.bits(), entry.symmetric() ? "True" : "False", json_number(static_cast<float>((offset + greatest) * scale)),
            json_number(static_cast<float>(offset * scale)), entry.offset(i), json_number(entry.scale[i]));
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

std::string old_file(const std::vector<Entry>& entries) {
    const auto weight = [](const Entry& entry) { return entry.param && entry.bits() < 32; };
    const bool symmetric =
        std::all_of(entries.begin(), entries.end(), [&](const Entry& entry) { return !weight(entry) || entry.symmetric(); });
    const bool channels =
        std::any_of(entries.begin(), entries.end(), [&](const Entry& entry) { return weight(entry) && entry.encoding->per_channel(); });
    return fmt::format("{{\"activation_encodings\":{{{}}},\n\"param_encodings\":{{{}}},\n", part_of(entries, false, old_entry),
                       part_of(entries, true, old_entry)) +
           fmt::format(
               "\"quantizer_args\":{{\"activation_bitwidth\":{},\"dtype\":\"int\",\"is_symmetric\":{},\"param_bitwidth\":{},"
               "\"per_channel_quantization\":{},\"quant_scheme\":\"post_training_tf\"}},\n\"version\":\"0.6.1\"}}\n",
               usual_bits(entries, false), symmetric, usual_bits(entries, true), channels);
}

// ---- 1.0.0 -------------------------------------------------------------------------------------------------------------

std::string list_entry(const Entry& entry) {
    if (is_float(entry.encoding->storage))
        return fmt::format("{{\"bw\":{},\"dtype\":\"FLOAT\",\"enc_type\":\"PER_TENSOR\",\"name\":{}}}", entry.bits(), json_text(entry.key));
    const Encoding& e = *entry.encoding;
    std::vector<std::string> offsets;
    for (size_t i = 0; i < entry.scale.size(); ++i) offsets.push_back(std::to_string(entry.offset(i)));
    return fmt::format("{{{}\"bw\":{},\"dtype\":\"INT\",\"enc_type\":\"{}\",\"is_sym\":{},\"name\":{},\"offset\":[{}],\"scale\":{}}}",
                       e.block > 0 ? fmt::format("\"block_size\":{},", e.block) : "", entry.bits(),
                       e.block > 0       ? "PER_BLOCK"
                       : !e.per_tensor() ? "PER_CHANNEL"
                                         : "PER_TENSOR",
                       entry.symmetric(), json_text(entry.key), join(offsets, ","), json_numbers(entry.scale));
}

std::string list_file(const std::vector<Entry>& entries) {
    return fmt::format("{{\"activation_encodings\":[{}],\n\"param_encodings\":[{}],\n\"version\":\"1.0.0\"}}\n",
                       part_of(entries, false, list_entry), part_of(entries, true, list_entry));
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
    const Encoding& e = *entry.encoding;
    const std::string tail = fmt::format("\"name\":{},\"output_dtype\":\"{}\"", json_text(entry.key), name_of(e.storage));
    if (is_float(e.storage)) return "{" + tail + "}";
    size_t next = 0;
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

std::string onnx_file(const std::vector<Entry>& entries) {
    std::vector<std::string> items;
    for (const Entry& entry : entries) items.push_back(onnx_entry(entry));
    return fmt::format("{{\"encodings\":[{}],\n\"version\":\"2.0.0\"}}\n", lines_of(items));
}

}  // namespace

std::string write_encodings(const Graph& graph, std::string_view version) {
    if (std::find(encodings_versions.begin(), encodings_versions.end(), version) == encodings_versions.end())
        throw usage_error("encodings version \"{}\" is not known", escape(version)).with_hint("one of 0.6.1, 1.0.0, 2.0.0");
    const std::vector<Entry> entries = entries_of(graph, version);
    if (version == "0.6.1") return old_file(entries);
    return version == "1.0.0" ? list_file(entries) : onnx_file(entries);
}

}  // namespace quern
