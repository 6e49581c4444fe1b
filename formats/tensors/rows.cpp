#include "formats/tensors/rows.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstring>

#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

constexpr size_t release_step = 1 << 16;  // pages of a blob are given back in runs of this size

std::optional<DType> row_dtype(std::string_view name) {
    static constexpr std::array<std::pair<std::string_view, DType>, 5> short_names{
        {{"u8", DType::u8}, {"u16", DType::u16}, {"u32", DType::u32}, {"u64", DType::u64}, {"bool", DType::boolean}}};
    for (const auto& [text, dtype] : short_names)
        if (text == name) return dtype;
    return dtype_named(name);
}

// "1,2,3" at the start of `text`, which is consumed.
template <class T>
std::vector<T> take_numbers(std::string_view& text) {
    std::vector<T> numbers;
    for (;;) {
        T number{};
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
        if (error != std::errc()) throw usage_error("need a number at \"{}\"", escape(text));
        numbers.push_back(number);
        text.remove_prefix(static_cast<size_t>(end - text.data()));
        if (text.empty() || text[0] != ',') return numbers;
        text.remove_prefix(1);
    }
}

Dims transposed(const Dims& dims, const std::vector<size_t>& axes) {
    Dims out;
    for (const size_t axis : axes) out.push_back(dims[axis]);
    return out;
}

RowStep take_step(std::string_view& text, const Dims& dims) {
    RowStep step{text[0], {}, {}};
    text.remove_prefix(1);
    if (step.kind == '@' || step.kind == '~') {
        step.axes = take_numbers<size_t>(text);
        std::vector<size_t> sorted = step.axes;
        std::sort(sorted.begin(), sorted.end());
        bool good = step.kind == '~' ? sorted.size() == 1 && sorted[0] < dims.size() : sorted.size() == dims.size();
        for (size_t i = 0; good && step.kind == '@' && i < sorted.size(); ++i) good = sorted[i] == i;
        if (!good)
            throw usage_error("{}{} does not fit rows of {}", step.kind, to_string(Dims(step.axes.begin(), step.axes.end())),
                              to_string(dims));
        return step;
    }
    if (std::string_view("*/+-").find(step.kind) == std::string_view::npos)
        throw usage_error("unknown step \"{}\" (need one of * / + - @ ~)", escape(std::string(1, step.kind)));
    step.numbers = take_numbers<float>(text);
    for (const float number : step.numbers)
        if (!std::isfinite(number) || (step.kind == '/' && number == 0))
            throw usage_error("{}{} gives no finite numbers", step.kind, number);
    if (step.numbers.size() > 1 && (dims.empty() || static_cast<int64_t>(step.numbers.size()) != dims.back()))
        throw usage_error("{}{} has {} numbers for rows of {}", step.kind, step.numbers[0], step.numbers.size(), to_string(dims));
    return step;
}

void calculate(const RowStep& step, std::vector<float>& values) {
    const size_t n = step.numbers.size();
    for (size_t i = 0; i < values.size(); ++i) {
        const float number = step.numbers[n == 1 ? 0 : i % n];
        switch (step.kind) {
            case '*': values[i] *= number; break;
            case '/': values[i] /= number; break;
            case '+': values[i] += number; break;
            default: values[i] -= number; break;
        }
    }
}

// Moves elements of `width` bytes; `axes` is a permutation, or one axis to reverse.
Tensor move_elements(const Tensor& from, const RowStep& step) {
    const Dims& dims = from.dims;
    std::vector<int64_t> stride(dims.size(), 1);
    for (size_t d = dims.size(); d-- > 1;) stride[d - 1] = stride[d] * dims[d];
    Dims out_dims = dims;
    int64_t offset = 0;
    if (step.kind == '@') {
        out_dims = transposed(dims, step.axes);
        std::vector<int64_t> moved;
        for (const size_t axis : step.axes) moved.push_back(stride[axis]);
        stride = moved;
    } else {
        const size_t axis = step.axes[0];
        offset = stride[axis] * std::max<int64_t>(dims[axis] - 1, 0);
        stride[axis] = -stride[axis];
    }
    const auto width = static_cast<size_t>(bits_of(from.dtype) / 8);
    MutableBytes out(from.data.size());
    std::vector<int64_t> index(dims.size(), 0);
    for (size_t i = 0; i < static_cast<size_t>(from.count()); ++i) {
        std::memcpy(out.data() + i * width, from.data.data() + static_cast<size_t>(offset) * width, width);
        for (size_t d = dims.size(); d-- > 0;) {
            offset += stride[d];
            if (++index[d] < out_dims[d]) break;
            offset -= stride[d] * out_dims[d];
            index[d] = 0;
        }
    }
    return {from.dtype, out_dims, std::move(out).freeze()};
}

}  // namespace

Dims RowSpec::result_dims() const {
    Dims result = dims;
    for (const RowStep& step : steps)
        if (step.kind == '@') result = transposed(result, step.axes);
    return result;
}

std::optional<RowSpec> parse_rows(std::string_view text) {
    const size_t open = text.rfind('[');
    const size_t colon = open == std::string_view::npos ? open : text.rfind(':', open);
    if (colon == std::string_view::npos) return std::nullopt;
    const auto dtype = row_dtype(text.substr(colon + 1, open - colon - 1));
    if (!dtype) {
        const std::string_view element = text.substr(colon + 1, open - colon - 1);
        if (text.ends_with(']') && !file_exists(std::string(text)) && file_exists(std::string(text.substr(0, colon))))
            throw usage_error("{}: unknown element type \"{}\"", escape(text), escape(element));
        return std::nullopt;
    }
    if (file_exists(std::string(text))) return std::nullopt;
    if (bits_of(*dtype) < 8) throw usage_error("rows of {} are not read: need whole bytes", name_of(*dtype));
    RowSpec spec{std::string(text.substr(0, colon)), *dtype, {}, {}};
    return at_place(fmt::format("\"{}\"", escape(text.substr(colon + 1))), [&]() -> std::optional<RowSpec> {
        std::string_view rest = text.substr(open + 1);
        if (rest.empty() || rest[0] != ']') spec.dims = take_numbers<int64_t>(rest);
        if (rest.empty() || rest[0] != ']') throw usage_error("']' is missing");
        rest.remove_prefix(1);
        for (const int64_t dim : spec.dims)
            if (dim <= 0 || dim > (int64_t{1} << 40)) throw usage_error("{} is not a dimension of a row", dim);
        count_of(spec.dims);  // throws on overflow
        while (!rest.empty()) spec.steps.push_back(take_step(rest, spec.result_dims()));
        return spec;
    });
}

Tensor load_row(const RowSpec& spec, const Bytes& blob, uint64_t row) {
    const uint64_t size = spec.row_bytes();
    Tensor tensor{spec.dtype, spec.dims, Bytes::copy(blob.slice(row * size, size).data(), size)};
    const uint64_t end = (row + 1) * size;
    if (end / release_step != row * size / release_step) {
        const uint64_t first = row * size / release_step * release_step;
        blob.slice(first, end - first).release();
    }
    for (const RowStep& step : spec.steps) {
        if (step.kind == '@' || step.kind == '~') {
            tensor = move_elements(tensor, step);
            continue;
        }
        std::vector<float> values = to_floats(tensor);
        calculate(step, values);
        tensor = from_floats(DType::f32, tensor.dims, values);
    }
    return tensor;
}

}  // namespace quern
