#include "tools/model-info/gguf.h"

#include <algorithm>

#include "formats/gguf/file/metadata_json.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "tools/model-info/row.h"

namespace quern {
namespace {

constexpr size_t shown_characters = 80;
constexpr uint64_t shown_elements = 6;

// "general.name"; "" if there is none, or if it is not a text.
std::string text_of(const gguf::File& file, std::string_view key) {
    const gguf::MetaValue* value = file.metadata.find(key);
    return value && !value->array && value->element == gguf::ValueType::string ? std::string(value->texts().front()) : "";
}

// At most so many characters of the text, whole ones.
std::string shortened(std::string_view text) {
    if (text.size() <= shown_characters) return escape(text);
    size_t end = shown_characters;
    while (end > 0 && (text[end] & 0xC0) == 0x80) --end;
    return escape(text.substr(0, end)) + " ...";
}

std::vector<std::string> element_texts(const gguf::MetaValue& value) {
    std::vector<std::string> parts;
    if (value.element == gguf::ValueType::string)
        for (const std::string_view text : value.texts()) {
            if (parts.size() == shown_elements) break;
            parts.push_back(shortened(text));
        }
    else if (value.element == gguf::ValueType::f32)
        for (uint64_t i = 0; i < std::min(value.count, shown_elements); ++i)
            parts.push_back(shortest(static_cast<float>(value.real_at(i))));
    else
        for (uint64_t i = 0; i < std::min(value.count, shown_elements); ++i) parts.push_back(json_line(gguf::number_json(value, i)));
    return parts;
}

std::string value_text(const gguf::MetaValue& value) {
    const auto parts = element_texts(value);
    if (!value.array) return parts.front();
    const bool more = value.count > shown_elements;
    return fmt::format("{} of {}: {}{}", value.count, row_of(value.element).name, join(parts, ", "), more ? ", ..." : "");
}

std::string type_row(std::string_view name, const GgufTypeCount& count) {
    return fmt::format("{:<8}{:>6} tensors {:>15} elements {:>15} bytes {:>8.4f} bits each", name, count.tensors, count.elements,
                       count.bytes, count.bits());
}

void print_types(const gguf::File& file) {
    const auto counts = type_counts(file);
    std::string_view what = "types";
    for (const GgufTypeCount& count : counts) {
        row(what, type_row(ggml_name(*count.format), count));
        what = "";
    }
    if (counts.size() > 1) row("", type_row("all", total(counts)));
}

void print_tensors(const gguf::File& file) {
    size_t width = 0;
    for (const gguf::TensorInfo& info : file.tensors) width = std::max(width, escape(info.name).size());
    std::string_view what = "tensors";
    for (const gguf::TensorInfo& info : file.tensors) {
        row(what,
            fmt::format("{:<{}}  {:<8}{:<16} {:>12} bytes at {}{}", escape(info.name), width, ggml_name(*info.format), to_string(info.dims),
                        info.stored.size(), info.offset, file.shards > 1 ? fmt::format(" of shard {}", info.shard + 1) : ""));
        what = "";
    }
}

void print_table(const gguf::File& file) {
    row("file", fmt::format("GGUF {}, {}-endian, alignment {}, {} bytes{}", file.version, file.big_endian ? "big" : "little",
                            file.alignment, file.size, file.shards > 1 ? fmt::format(" in {} shards", file.shards) : ""));
    if (const std::string text = text_of(file, "general.architecture"); !text.empty()) row("architecture", " " + shortened(text));
    if (const std::string text = text_of(file, "general.name"); !text.empty()) row("name", shortened(text));
    row("parameters", fmt::format("{}", total(type_counts(file)).elements));
    print_types(file);
    size_t width = 0;
    for (const auto& [key, value] : file.metadata.entries()) width = std::max(width, std::min<size_t>(key.size(), 48));
    std::string_view what = "metadata";
    for (const auto& [key, value] : file.metadata.entries()) {
        row(what, fmt::format("{:<{}}  {:<8} {}", escape(key), width, row_of(value.array ? gguf::ValueType::array : value.element).name,
                              value_text(value)));
        what = "";
    }
    print_tensors(file);
}

}  // namespace

std::vector<GgufTypeCount> type_counts(const gguf::File& file) {
    std::vector<GgufTypeCount> counts;
    for (const gguf::TensorInfo& info : file.tensors) {
        auto found = std::ranges::find(counts, info.format, &GgufTypeCount::format);
        if (found == counts.end()) found = counts.insert(counts.end(), {.format = info.format});
        ++found->tensors;
        found->elements += static_cast<uint64_t>(info.elements());
        found->bytes += info.stored.size();
    }
    std::ranges::stable_sort(counts, std::greater<>(), &GgufTypeCount::bytes);
    return counts;
}

GgufTypeCount total(const std::vector<GgufTypeCount>& counts) {
    GgufTypeCount all{.format = nullptr};
    for (const GgufTypeCount& count : counts) {
        all.tensors += count.tensors;
        all.elements += count.elements;
        all.bytes += count.bytes;
    }
    return all;
}

void show_gguf(const gguf::File& file, const GgufQuestion& question) {
    if (!question.metadata.empty()) return print_metadata(file, question);
    if (!question.tensor.empty()) return print_tensor(file, question);
    if (!question.json) return print_table(file);
    print(json_document(gguf_json(file)));
}

}  // namespace quern
