// The numbers of one tensor, with statistics.
#include <cmath>
#include <limits>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "tools/model-info/gguf.h"
#include "tools/model-info/row.h"

namespace quern {
namespace {

struct Statistics {
    uint64_t count = 0, zeros = 0, nans = 0, infinities = 0;
    double min = std::numeric_limits<double>::infinity(), max = -min, sum = 0, squares = 0;

    void add(float number) {
        ++count;
        if (std::isnan(number)) {
            ++nans;
            return;
        }
        min = std::min(min, static_cast<double>(number));
        max = std::max(max, static_cast<double>(number));
        if (std::isinf(number)) {
            ++infinities;
            return;
        }
        zeros += number == 0;
        sum += number;
        squares += static_cast<double>(number) * number;
    }
    // Of the finite ones.
    double finite() const { return static_cast<double>(count - nans - infinities); }
    double mean() const { return sum / finite(); }
    double rms() const { return std::sqrt(squares / finite()); }
};

struct Numbers {
    Statistics statistics;
    std::vector<float> first;
};

Numbers read_numbers(const gguf::TensorInfo& info, uint64_t shown) {
    constexpr size_t blocks_at_once = 512;
    const BlockFormat& format = *info.format;
    const Bytes data = info.data();
    Numbers numbers;
    std::vector<float> part;
    for (size_t at = 0; at < data.size();) {
        const size_t blocks = std::min(blocks_at_once, (data.size() - at) / format.bytes);
        part.resize(blocks * static_cast<size_t>(format.elements));
        format.decode(data.data() + at, blocks, part.data());
        for (const float number : part) {
            numbers.statistics.add(number);
            if (numbers.first.size() < shown) numbers.first.push_back(number);
        }
        at += blocks * format.bytes;
    }
    return numbers;
}

Json number_json(double number) { return std::isfinite(number) ? Json(number) : Json(); }

Json as_json(const gguf::TensorInfo& info, const Numbers& numbers) {
    const Statistics& s = numbers.statistics;
    Json values = Json::array();
    for (const float number : numbers.first) values.push_back(number_json(number));
    return {{"name", info.name},
            {"type", ggml_name(*info.format)},
            {"shape", info.dims},
            {"bytes", info.stored.size()},
            {"offset", info.offset},
            {"min", number_json(s.min)},
            {"max", number_json(s.max)},
            {"mean", number_json(s.mean())},
            {"rms", number_json(s.rms())},
            {"zeros", s.zeros},
            {"nan", s.nans},
            {"inf", s.infinities},
            {"values", std::move(values)}};
}

// Eight numbers per line, a row of the tensor on lines of its own.
void print_values(const gguf::TensorInfo& info, const std::vector<float>& numbers) {
    constexpr size_t across = 8;
    const auto columns = static_cast<size_t>(info.dims.empty() ? 1 : info.dims.back());
    for (size_t at = 0; at < numbers.size();) {
        const size_t column = at % columns;
        const size_t count = std::min({across, columns - column, numbers.size() - at});
        std::string line;
        for (size_t i = 0; i < count; ++i) line += fmt::format(" {:>13}", shortest(numbers[at + i]));
        row(at == 0 ? "values" : "", fmt::format("[{},{}]{}", at / columns, column, line));
        at += count;
    }
    if (numbers.size() < static_cast<size_t>(info.elements()))
        row("", fmt::format("and {} more", static_cast<size_t>(info.elements()) - numbers.size()));
}

void print_table(const gguf::TensorInfo& info, const Numbers& numbers) {
    const Statistics& s = numbers.statistics;
    row("tensor", escape(info.name));
    row("type", fmt::format("{}{}, {} bytes at {}", ggml_name(*info.format), to_string(info.dims), info.stored.size(), info.offset));
    row("statistics", fmt::format("min {:.6g}, max {:.6g}, mean {:.6g}, rms {:.6g}", s.min, s.max, s.mean(), s.rms()));
    row("", fmt::format("{} of {} are 0, {} NaN, {} infinite", s.zeros, s.count, s.nans, s.infinities));
    print_values(info, numbers.first);
}

const gguf::TensorInfo& need_tensor(const gguf::File& file, const std::string& name) {
    if (const gguf::TensorInfo* info = file.find(name)) return *info;
    std::vector<std::string> names;
    for (const gguf::TensorInfo& info : file.tensors) names.push_back(info.name);
    throw usage_error("there is no tensor \"{}\"{}", escape(name), did_you_mean(name, names));
}

}  // namespace

void print_tensor(const gguf::File& file, const GgufQuestion& question) {
    const gguf::TensorInfo& info = need_tensor(file, question.tensor);
    const Numbers numbers = read_numbers(info, static_cast<uint64_t>(question.values));
    if (!question.json) return print_table(info, numbers);
    print(json_document(as_json(info, numbers)));
}

}  // namespace quern
