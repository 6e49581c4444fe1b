#include "libcore/check/compare_weights.h"

#include <cmath>

#include "formats/gguf/file/open.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

gguf::File open_gguf(const std::string& path) {
    const Bytes bytes = map_input(path);
    if (!gguf::has_magic(bytes)) throw usage_error("{}: --weights is for GGUF files", display_name(path));
    return at_place(display_name(path), [&] { return gguf::open(bytes, path); });
}

// A tensor's numbers, in parts of whole blocks of any format.
class Numbers {
   public:
    static constexpr int64_t at_once = 1 << 16;

    explicit Numbers(const gguf::TensorInfo& info) : format_(*info.format), left_(info.elements()), data_(info.data()) {}

    Tensor next() {
        const int64_t count = std::min(left_, at_once);
        std::vector<float> numbers(static_cast<size_t>(count));
        format_.decode(data_.data() + at_, static_cast<size_t>(count / format_.elements), numbers.data());
        at_ += format_.row_bytes(count);
        left_ -= count;
        return Tensor::vector<float>(numbers);
    }
    bool done() const { return left_ == 0; }

   private:
    const BlockFormat& format_;
    int64_t left_;
    Bytes data_;
    size_t at_ = 0;
};

Difference difference(const gguf::TensorInfo& a, const gguf::TensorInfo& b) {
    Difference out;
    if (a.dims != b.dims) {
        out.mismatch = fmt::format("shapes {} and {}", to_string(a.dims), to_string(b.dims));
        return out;
    }
    Numbers first(a), second(b);
    while (!first.done() && out.mismatch.empty()) out.add(first.next(), second.next());
    a.stored.release();
    b.stored.release();
    return out;
}

double percent(const Difference& d) { return d.noise() == 0 ? 0 : 100 * std::sqrt(d.noise() / d.signal()); }

// All that can be compared, as one.
Difference all_of(const Comparison& comparison) {
    Difference all;
    for (const ComparedValue& value : comparison.values) {
        const Difference& d = value.difference;
        if (d.mismatch.empty()) all.join(d);
    }
    return all;
}

std::string weights_row(const Difference& d, std::string_view name, std::string_view note) {
    const bool comparable = d.mismatch.empty();
    return fmt::format("{:>9} {:>9} {:>12.6g} {:>12.6g}  {}{}{}\n", comparable ? fmt::format("{:.4f}", percent(d)) : "-",
                       !comparable      ? "-"
                       : d.noise() == 0 ? "equal"
                                        : fmt::format("{:.2f}", d.sqnr()),
                       d.max_error, d.max_reference, name, note, comparable ? "" : ": " + d.mismatch);
}

Json finite(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json weights_row_json(const Difference& d) {
    Json row{{"count", d.count()},       {"identical", d.identical()}, {"percent", finite(percent(d))},
             {"sqnr", finite(d.sqnr())}, {"max_error", d.max_error},   {"max_reference", d.max_reference}};
    if (!d.mismatch.empty()) row["mismatch"] = d.mismatch;
    return row;
}

}  // namespace

Comparison compare_weights(const std::string& first, const std::string& second) {
    const gguf::File a = open_gguf(first), b = open_gguf(second);
    Comparison out;
    for (const gguf::TensorInfo& info : a.tensors) {
        const gguf::TensorInfo* other = b.find(info.name);
        if (!other) {
            out.only_first.push_back(info.name);
            continue;
        }
        out.values.push_back({info.name, false, difference(info, *other)});
        out.values.back().note = fmt::format("{}, {}", ggml_name(*info.format), ggml_name(*other->format));
    }
    for (const gguf::TensorInfo& info : b.tensors)
        if (!a.find(info.name)) out.only_second.push_back(info.name);
    return out;
}

std::string weights_text(const Comparison& comparison, double threshold) {
    std::string out = fmt::format("{:>9} {:>9} {:>12} {:>12}  {}\n", "diff %", "SQNR dB", "max error", "max |ref|", "tensor");
    for (const ComparedValue& value : comparison.values)
        out += weights_row(value.difference, escape(value.key), fmt::format(" ({})", value.note));
    out += weights_row(all_of(comparison), "all", "");
    out += only_in_text("first", comparison.only_first) + only_in_text("second", comparison.only_second);
    if (const ComparedValue* bad = comparison.first_below(threshold, false))
        out += fmt::format("first below {} dB: {}\n", threshold, escape(bad->key));
    return out;
}

std::string weights_json(const Comparison& comparison, double threshold) {
    const ComparedValue* bad = comparison.first_below(threshold, false);
    Json json{{"only_first", comparison.only_first},
              {"only_second", comparison.only_second},
              {"tensors", Json::array()},
              {"all", weights_row_json(all_of(comparison))},
              {"first_below", bad ? Json(bad->key) : Json()}};
    for (const ComparedValue& value : comparison.values) {
        Json row = weights_row_json(value.difference);
        row["name"] = value.key;
        row["types"] = value.note;
        json["tensors"].push_back(std::move(row));
    }
    return json_document(json);
}

}  // namespace quern
