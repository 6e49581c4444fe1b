#include "libcore/quant/ranges/ranges_json.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

// ---- writing: consecutive bins and samples share a segment [first, [...]] ----------------------------------------------

std::string histogram_text(const Histogram& histogram) {
    std::string out = "[";
    uint32_t next = std::numeric_limits<uint32_t>::max();
    for (const auto& [bin, count] : histogram.bins) {
        if (bin == next)
            out += fmt::format(",{}", count);
        else
            out += fmt::format("{}[{},[{}", out.size() > 1 ? "]]," : "", bin, count);
        next = bin + 1u;
    }
    return out += out.size() > 1 ? "]]]" : "]";
}

std::string runs_text(const RunExtremes& runs) {
    std::string out = "[";
    std::vector<float> least, greatest;
    uint64_t first = 0;
    const auto flush = [&] {
        if (least.empty()) return;
        out += fmt::format("{}[{},{},{}]", out.size() > 1 ? "," : "", first, json_numbers(least), json_numbers(greatest));
        least.clear();
        greatest.clear();
    };
    for (const auto& [sample, extremes] : runs) {
        if (sample != first + least.size()) flush();
        if (least.empty()) first = sample;
        least.push_back(extremes.first);
        greatest.push_back(extremes.second);
    }
    flush();
    return out += "]";
}

// Sums are the totals of what they are in each array: float64 rounds what is left of them.
std::string sums_text(const std::vector<ExactSum>& sums) {
    std::vector<std::vector<double>> parts;
    size_t levels = 1;
    for (const ExactSum& sum : sums) levels = std::max(levels, parts.emplace_back(sum.parts()).size());
    std::string out = "[";
    for (size_t level = 0; level < levels; ++level) {
        out += level ? ",[" : "[";
        for (size_t i = 0; i < parts.size(); ++i) out += (i ? "," : "") + json_number(level < parts[i].size() ? parts[i][level] : 0.0);
        out += "]";
    }
    return out += "]";
}

std::string value_text(const ValueRange& value) {
    std::string out = "{";
    if (value.axis >= 0)
        out += fmt::format("\"axis\":{},\"channel_max\":{},\"channel_min\":{},", value.axis, json_numbers(value.channel_max),
                           json_numbers(value.channel_min));
    if (!value.channel_sum.empty()) out += fmt::format("\"channel_sum\":{},", sums_text(value.channel_sum));
    out += fmt::format("\"count\":{},", value.count);
    if (!value.histogram.bins.empty()) out += fmt::format("\"histogram\":{},", histogram_text(value.histogram));
    out += fmt::format("\"max\":{},\"min\":{}", json_number(value.max), json_number(value.min));
    if (!value.runs.empty()) out += fmt::format(",\"runs\":{}", runs_text(value.runs));
    if (value.runs_left_out > 0) out += fmt::format(",\"runs_left_out\":{}", value.runs_left_out);
    return out += "}";
}

// ---- reading ------------------------------------------------------------------------------------------------------

bool finite_bin(uint64_t bin) { return bin <= 0xffff && (bin & 0x7fff) < 0x7f80; }

Histogram read_histogram(const JsonView& json, uint64_t count) {
    Histogram histogram;
    uint64_t total = 0;
    for (size_t s = 0; s < json.size(); ++s) {
        const JsonView segment = json.at(s);
        const uint64_t first = segment.at(0).natural();
        const std::vector<uint64_t> counts = segment.at(1).naturals();
        for (size_t i = 0; i < counts.size(); ++i) {
            const uint64_t bin = first + i;
            if (first > 0xffff || !finite_bin(bin)) segment.fail(fmt::format("bin {} holds no finite float", bin));
            if (counts[i] == 0) continue;
            if (!histogram.bins.append(static_cast<uint16_t>(bin), counts[i]))
                segment.fail(fmt::format("bin {} twice or out of order", bin));
            if (counts[i] > count - total) json.fail(fmt::format("counts more than the {} elements seen", count));
            total += counts[i];
        }
    }
    if (total != count) json.fail(fmt::format("counts {} of the {} elements seen", total, count));
    return histogram;
}

RunExtremes read_runs(const JsonView& json) {
    RunExtremes runs;
    for (size_t s = 0; s < json.size(); ++s) {
        const JsonView segment = json.at(s);
        const uint64_t first = segment.at(0).natural();
        const std::vector<float> least = segment.at(1).reals32(), greatest = segment.at(2).reals32();
        if (least.size() != greatest.size()) segment.fail(fmt::format("{} minima and {} maxima", least.size(), greatest.size()));
        if (first > std::numeric_limits<uint64_t>::max() - least.size()) segment.fail("sample index is too large");
        for (size_t i = 0; i < least.size(); ++i) {
            if (least[i] > greatest[i]) segment.fail(fmt::format("sample {}: minimum above maximum", first + i));
            if (!runs.emplace(first + i, std::pair(least[i], greatest[i])).second) segment.fail(fmt::format("sample {} twice", first + i));
        }
    }
    return runs;
}

void read_channels(const JsonView& json, ValueRange& value) {
    const int64_t axis = json["axis"].integer();
    if (axis < 0 || axis > 64) json["axis"].fail("is not an axis");
    value.axis = static_cast<int>(axis);
    value.channel_min = json["channel_min"].reals32();
    value.channel_max = json["channel_max"].reals32();
    if (value.channel_min.size() != value.channel_max.size())
        json.fail(fmt::format("{} channel minima and {} maxima", value.channel_min.size(), value.channel_max.size()));
    for (size_t i = 0; i < value.channel_min.size(); ++i)
        if (value.channel_min[i] > value.channel_max[i]) json.fail(fmt::format("channel {}: minimum above maximum", i));
}

std::vector<ExactSum> read_sums(const JsonView& json, size_t channels, uint64_t count) {
    const double most = static_cast<double>(count) * static_cast<double>(std::numeric_limits<float>::max());
    std::vector<ExactSum> sums(channels);
    for (size_t level = 0; level < json.size(); ++level) {
        const std::vector<double> parts = json.at(level).reals();
        if (parts.size() != channels) json.at(level).fail(fmt::format("{} sums of {} channels", parts.size(), channels));
        for (size_t i = 0; i < channels; ++i) sums[i].add(parts[i]);
    }
    for (const ExactSum& sum : sums)
        if (!(std::abs(sum.rounded()) <= most)) json.fail(fmt::format("is more than {} float32 numbers can have", count));
    return sums;
}

ValueRange read_value(const JsonView& json) {
    ValueRange value;
    value.count = json["count"].natural();
    if (value.count == 0) json["count"].fail("is 0");
    value.min = json["min"].real32();
    value.max = json["max"].real32();
    if (value.min > value.max) json.fail("minimum above maximum");
    if (json.has("axis")) read_channels(json, value);
    if (json.has("channel_sum")) value.channel_sum = read_sums(json["channel_sum"], value.channel_min.size(), value.count);
    if (json.has("histogram")) value.histogram = read_histogram(json["histogram"], value.count);
    if (json.has("runs")) value.runs = read_runs(json["runs"]);
    if (json.has("runs_left_out")) value.runs_left_out = json["runs_left_out"].natural();
    return value;
}

void read_without_runs(const JsonView& json, Ranges& ranges) {
    for (size_t i = 0; i < json.size(); ++i) {
        const uint64_t first = json.at(i).at(0).natural(), count = json.at(i).at(1).natural();
        if (count == 0 || first > std::numeric_limits<uint64_t>::max() - count) json.at(i).fail("is not a first sample and a count");
        ranges.add_without_runs(first, first + count);
    }
}

}  // namespace

void write_ranges(const Ranges& head, const std::function<void(const RangeVisitor&)>& each, const TextSink& sink) {
    sink(fmt::format("{{\"kind\":\"ranges\",\n\"lineage\":{},\n\"samples\":{},\n\"unvisited\":[", json_text(head.lineage), head.samples));
    for (size_t i = 0; i < head.unvisited.size(); ++i) sink((i ? "," : "") + json_text(head.unvisited[i]));
    sink("],\n\"values\":{");
    const char* separator = "\n";
    each([&](const std::string& key, const ValueRange& value) {
        if (value.count == 0) return;
        sink(separator + json_text(key) + ":");
        sink(value_text(value));
        separator = ",\n";
    });
    sink("},\n\"version\":1");
    const char* before = ",\n\"without_runs\":[";
    for (const auto& [first, end] : head.without_runs) {
        sink(fmt::format("{}[{},{}]", before, first, end - first));
        before = ",";
    }
    sink(head.without_runs.empty() ? "}\n" : "]}\n");
}

void write_ranges(const Ranges& ranges, const TextSink& sink) {
    const auto each = [&](const RangeVisitor& visit) {
        for (const auto& [key, value] : ranges.values) visit(key, value);
    };
    write_ranges(ranges, each, sink);
}

Ranges read_ranges(const JsonView& json) {
    json.check_kind("ranges", 1);
    Ranges ranges;
    ranges.lineage = json["lineage"].text();
    ranges.samples = json["samples"].natural();
    const JsonView unvisited = json["unvisited"];
    for (size_t i = 0; i < unvisited.size(); ++i) ranges.unvisited.push_back(unvisited.at(i).text());
    if (json.has("without_runs")) read_without_runs(json["without_runs"], ranges);
    json["values"].each([&](const std::string& key, const JsonView& value) { ranges.values.emplace(key, read_value(value)); });
    return ranges;
}

Ranges parse_ranges(std::string_view json) { return read_ranges(JsonView(parse_json(json))); }

std::string to_json(const Ranges& ranges) {
    std::string out;
    write_ranges(ranges, [&](std::string_view text) { out += text; });
    return out;
}

}  // namespace quern
