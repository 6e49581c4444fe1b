#include "libcore/quant/ranges/minmax_bin.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <set>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::onert {
namespace {

constexpr uint32_t magic = 0x4F4D4D44, version = 1;
constexpr size_t record_size = 20;

class Cursor {
   public:
    explicit Cursor(const Bytes& bytes) : bytes_(bytes) {}

    size_t left() const { return bytes_.size() - at_; }
    uint32_t word(std::string_view what) {
        if (left() < 4) throw bad_input("ends at byte {}, need {}", bytes_.size(), what);
        uint32_t out = 0;
        for (size_t i = 0; i < 4; ++i) out |= std::to_integer<uint32_t>(bytes_.data()[at_ + i]) << (8 * i);
        at_ += 4;
        return out;
    }
    std::vector<MinmaxRecord> records(uint32_t count, std::string_view what) {
        if (count > left() / record_size) throw bad_input("says {} {} at byte {}, {} bytes are left", count, what, at_, left());
        std::vector<MinmaxRecord> out(count);
        for (MinmaxRecord& record : out)
            record = {word(what), word(what), word(what), std::bit_cast<float>(word(what)), std::bit_cast<float>(word(what))};
        return out;
    }

   private:
    const Bytes& bytes_;
    size_t at_ = 0;
};

void put(std::string& out, uint32_t word) {
    for (int i = 0; i < 4; ++i) out.push_back(static_cast<char>(word >> (8 * i) & 0xff));
}

void put(std::string& out, const MinmaxRecord& record) {
    for (const uint32_t word : {record.model, record.subgraph, record.index}) put(out, word);
    put(out, std::bit_cast<uint32_t>(record.min));
    put(out, std::bit_cast<uint32_t>(record.max));
}

class Reader {
   public:
    Reader(Ranges& ranges, const Places& places) : ranges_(ranges), places_(places) {}

    // The number of records that are not of the main graph.
    size_t add(const MinmaxRun& run) {
        size_t other = 0, own = 0;
        seen_.clear();
        const auto take = [&](const std::vector<MinmaxRecord>& records, const std::vector<std::string>& names, const char* what) {
            for (const MinmaxRecord& record : records) {
                if (record.model != 0) throw bad_input("{} {} of model {}: only one model is known", what, record.index, record.model);
                if (record.subgraph != 0) {
                    ++other;
                    continue;
                }
                ++own;
                at_place(fmt::format("{} {}", what, record.index), [&] { add(record, names); });
            }
        };
        take(run.operators, places_.operators, "operator");
        take(run.inputs, places_.inputs, "input");
        if (own > 0) ++ranges_.samples;
        return other;
    }

   private:
    void add(const MinmaxRecord& record, const std::vector<std::string>& names) {
        if (record.index >= names.size() || names[record.index].empty())
            throw bad_input("the model has none there that is recorded")
                .with_hint("the file may be of another model: it does not say which");
        if (!std::isfinite(record.min) || !std::isfinite(record.max) || record.min > record.max)
            throw bad_input("runs from {} to {}", record.min, record.max);
        const std::string& name = names[record.index];
        if (!seen_.insert(name).second) throw bad_input("is recorded twice in one run");
        ValueRange& value = ranges_.values[name];
        value.min = value.count ? std::min(value.min, record.min) : record.min;
        value.max = value.count ? std::max(value.max, record.max) : record.max;
        ++value.count;
        value.runs[ranges_.samples] = {record.min, record.max};
    }

    Ranges& ranges_;
    const Places& places_;
    std::set<std::string> seen_;
};

}  // namespace

std::vector<MinmaxRun> parse_minmax(const Bytes& bytes) {
    Cursor cursor(bytes);
    if (const uint32_t found = cursor.word("a header"); found != magic)
        throw bad_input("begins with 0x{:08x}, need 0x{:08x} of minmax.bin", found, magic);
    if (const uint32_t found = cursor.word("a version"); found != version) throw bad_input("is version {}, need {}", found, version);
    const uint32_t count = cursor.word("a run count");
    if (count > cursor.left() / 8) throw bad_input("says {} runs, {} bytes are left", count, cursor.left());
    std::vector<MinmaxRun> runs(count);
    for (size_t i = 0; i < count; ++i)
        at_place(fmt::format("run {}", i), [&] {
            const uint32_t operators = cursor.word("an operator count"), inputs = cursor.word("an input count");
            runs[i].operators = cursor.records(operators, "operators");
            runs[i].inputs = cursor.records(inputs, "inputs");
        });
    if (cursor.left() > 0) throw bad_input("has {} bytes behind its last run", cursor.left());
    return runs;
}

std::string write_minmax(const std::vector<MinmaxRun>& runs) {
    std::string out;
    for (const uint32_t word : {magic, version, static_cast<uint32_t>(runs.size())}) put(out, word);
    for (const MinmaxRun& run : runs) {
        put(out, static_cast<uint32_t>(run.operators.size()));
        put(out, static_cast<uint32_t>(run.inputs.size()));
        for (const MinmaxRecord& record : run.operators) put(out, record);
        for (const MinmaxRecord& record : run.inputs) put(out, record);
    }
    return out;
}

Ranges ranges_of_minmax(const std::vector<MinmaxRun>& runs, const Places& places, size_t& skipped) {
    Ranges ranges;
    Reader reader(ranges, places);
    skipped = 0;
    for (size_t i = 0; i < runs.size(); ++i) at_place(fmt::format("run {}", i), [&] { skipped += reader.add(runs[i]); });
    if (ranges.samples == 0) throw bad_input("holds no run of the main graph");
    return ranges;
}

std::vector<MinmaxRun> minmax_of_ranges(const Ranges& ranges, const Places& places) {
    std::vector<MinmaxRun> runs(ranges.samples);
    const auto add = [&](const std::vector<std::string>& names, auto member) {
        for (size_t index = 0; index < names.size(); ++index) {
            if (names[index].empty()) continue;
            const auto found = ranges.values.find(names[index]);
            const size_t known = found == ranges.values.end() ? 0 : found->second.runs.size();
            if (known != runs.size())
                throw bad_input("value \"{}\" has the extremes of {} of {} runs", escape(names[index]), known, runs.size());
            auto run = runs.begin();
            for (const auto& [sample, ends] : found->second.runs)
                ((*run++).*member).push_back({0, 0, static_cast<uint32_t>(index), ends.first, ends.second});
        }
    };
    add(places.operators, &MinmaxRun::operators);
    add(places.inputs, &MinmaxRun::inputs);
    return runs;
}

}  // namespace quern::onert
