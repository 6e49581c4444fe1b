// Tensors: dense<...> as numbers, splat, strings or hex, and #quern.file<"name", offset, size>.
#include <bit>
#include <charconv>

#include "formats/text/parse_attr.h"
#include "libcore/base/text.h"
#include "libcore/os/folder.h"

namespace quern::text {
namespace {

constexpr int64_t splat_limit = 1024;  // elements: a short text must not ask for much memory

// Elements as written, before their type is known.
struct Elements {
    std::vector<std::pair<std::string_view, size_t>> numbers;
    std::vector<std::string> strings;
    Dims dims;

    size_t size() const { return numbers.size() + strings.size(); }
};

void element(Scanner& scan, Elements& to) {
    if (scan.peek() == '"') {
        to.strings.push_back(scan.string());
        return;
    }
    const size_t begin = scan.position();
    if (const std::string_view word = scan.word(); word == "true" || word == "false") {
        to.numbers.emplace_back(word == "true" ? "1" : "0", begin);
    } else if (word.empty()) {
        to.numbers.emplace_back(scan.number(), begin);
    } else {
        throw scan.error(begin, "need a number, true or false");
    }
}

void nested(Scanner& scan, size_t level, Elements& to) {
    const Scanner::Depth depth(scan);
    const size_t begin = scan.position();
    if (!scan.accept("[")) {
        if (level != to.dims.size() && to.size() > 0) throw scan.error(begin, "the lists are not nested evenly");
        return element(scan, to);
    }
    const bool first = level == to.dims.size();
    if (first && to.size() > 0) throw scan.error(begin, "the lists are not nested evenly");
    if (first) to.dims.push_back(-1);
    int64_t count = 0;
    do nested(scan, level + 1, to);
    while (++count, scan.accept(","));
    scan.expect("]");
    if (to.dims[level] == -1) to.dims[level] = count;
    if (to.dims[level] != count)
        throw scan.error(begin, fmt::format("this list has {} elements, the one before it {}", count, to.dims[level]));
}

template <class T>
T parsed(const Scanner& scan, std::string_view digits, size_t position) {
    T value{};
    const bool bits = digits.starts_with("0x");
    if constexpr (std::is_floating_point_v<T>) {
        if (bits) {
            using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
            Bits pattern = 0;
            const auto [end, code] = std::from_chars(digits.data() + 2, digits.data() + digits.size(), pattern, 16);
            if (code != std::errc() || end != digits.data() + digits.size()) throw scan.error(position, "the bit pattern is too long");
            return std::bit_cast<T>(pattern);
        }
    }
    if (digits.starts_with('+')) digits.remove_prefix(1);
    const auto [end, code] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    if (code != std::errc() || end != digits.data() + digits.size())
        throw scan.error(
            position, fmt::format("\"{}\" is not a {} number", digits, std::is_integral_v<T> ? "64-bit integer" : "finite floating-point"));
    return value;
}

template <class T>
std::vector<T> all_parsed(const Scanner& scan, const Elements& elements, size_t count) {
    std::vector<T> out;
    out.reserve(count);
    for (const auto& [digits, position] : elements.numbers) out.push_back(parsed<T>(scan, digits, position));
    while (out.size() < count) out.push_back(out.front());
    return out;
}

void check_range(const Scanner& scan, DType dtype, const std::vector<int64_t>& items, const Elements& elements) {
    if (dtype == DType::i64 || dtype == DType::u64 || !is_integer(dtype)) return;
    const auto [least, most] = int_range(dtype);
    for (size_t i = 0; i < elements.numbers.size(); ++i)
        if (items[i] < least || items[i] > most)
            throw scan.error(elements.numbers[i].second, fmt::format("{} does not fit {}", items[i], name_of(dtype)));
}

Tensor made(const Scanner& scan, size_t position, DType dtype, const Dims& dims, const Elements& elements) {
    const auto count = static_cast<size_t>(count_of(dims));
    const bool splat = elements.dims.empty() && elements.size() == 1;
    if (splat ? static_cast<int64_t>(count) > splat_limit : elements.dims != dims)
        throw scan.error(position,
                         splat ? fmt::format("one number stands for at most {} elements, got {}", splat_limit, count)
                               : fmt::format("the elements have shape {}, the type has {}", to_string(elements.dims), to_string(dims)));
    if (dtype == DType::string) {
        if (elements.strings.size() != elements.size()) throw scan.error(position, "need strings");
        std::vector<std::string> items = elements.strings;
        items.resize(count, items.front());
        return Tensor::strings(dims, items);
    }
    if (!elements.strings.empty()) throw scan.error(position, fmt::format("got strings, need {} numbers", name_of(dtype)));
    if (dtype == DType::f64) return from_doubles(dtype, dims, all_parsed<double>(scan, elements, count));
    if (is_float(dtype)) return from_floats(dtype, dims, all_parsed<float>(scan, elements, count));
    if (!is_integer(dtype) && dtype != DType::boolean)
        throw scan.error(position, fmt::format("{} elements are written in hex", name_of(dtype)));
    const auto items = all_parsed<int64_t>(scan, elements, count);
    check_range(scan, dtype, items, elements);
    return from_ints(dtype, dims, items);
}

Bytes unhexed(std::string_view digits) {
    const auto value = [](char c) { return static_cast<unsigned>(c <= '9' ? c - '0' : (c | 32) - 'a' + 10); };
    MutableBytes out(digits.size() / 2);
    for (size_t i = 0; i < out.size(); ++i) out.data()[i] = static_cast<std::byte>(value(digits[2 * i]) * 16 + value(digits[2 * i + 1]));
    return std::move(out).freeze();
}

}  // namespace

Dims AttrParser::fixed_type(DType& dtype) {
    scan_.expect(":");
    const size_t begin = scan_.position();
    const Type said = type();
    const auto dims = said.shape.concrete();
    if (said.kind != Type::Kind::tensor || !dims || said.dtype == DType::none)
        throw scan_.error(begin, "a tensor's elements need a type with fixed dimensions");
    dtype = said.dtype;
    try {
        const int64_t count = count_of(*dims);
        if (count > (int64_t{1} << 56)) throw bad_input("the tensor is too large");
    } catch (const Error& error) {
        throw scan_.error(begin, error.message());
    }
    return *dims;
}

Item AttrParser::dense() {
    const size_t begin = scan_.position();
    scan_.accept_word("dense");
    scan_.expect("<");
    DType dtype = DType::none;
    if (scan_.accept(">")) {
        const Dims dims = fixed_type(dtype);
        if (count_of(dims) != 0) throw scan_.error(begin, fmt::format("dense<> has no elements, the type has shape {}", to_string(dims)));
        return {begin, dtype == DType::string ? Tensor::strings(dims, {}) : Tensor{dtype, dims, {}}};
    }
    if (!scan_.next_is_hex()) {
        Elements elements;
        nested(scan_, 0, elements);
        scan_.expect(">");
        const Dims dims = fixed_type(dtype);
        return {begin, made(scan_, begin, dtype, dims, elements)};
    }
    const std::string_view digits = scan_.hex();
    scan_.expect(">");
    const Dims dims = fixed_type(dtype);
    if (dtype == DType::string) {  // a string that happens to look like hex
        Elements elements;
        elements.strings.push_back("0x" + std::string(digits));
        return {begin, made(scan_, begin, dtype, dims, elements)};
    }
    const uint64_t need = storage_size(dtype, static_cast<uint64_t>(count_of(dims)));
    if (digits.size() % 2 != 0 || digits.size() / 2 != need)
        throw scan_.error(begin,
                          fmt::format("got {} hex digits, need {} bytes for {} {}", digits.size(), need, name_of(dtype), to_string(dims)));
    return {begin, Tensor{dtype, dims, unhexed(digits)}};
}

Bytes AttrParser::side(const std::string& name, size_t position) {
    if (file_.empty()) throw scan_.error(position, fmt::format("the side file \"{}\" cannot be found from a stream", escape(name)));
    if (name.empty() || name.find('/') != std::string::npos || name == "." || name == ".." || name.find('\0') != std::string::npos)
        throw scan_.error(position, fmt::format("the side file \"{}\" is not in the folder of the text", escape(name)));
    const auto found = sides_.find(name);
    if (found != sides_.end()) return found->second;
    return sides_[name] = map_beside(file_, name);
}

Item AttrParser::side_file() {
    const size_t begin = scan_.position();
    scan_.expect("#quern.file<");
    const std::string name = scan_.string();
    scan_.expect(",");
    const int64_t offset = scan_.integer();
    scan_.expect(",");
    const int64_t size = scan_.integer();
    scan_.expect(">");
    DType dtype = DType::none;
    const Dims dims = fixed_type(dtype);
    if (dtype == DType::string) throw scan_.error(begin, "strings are written in the text, not in a side file");
    const uint64_t need = storage_size(dtype, static_cast<uint64_t>(count_of(dims)));
    if (size < 0 || static_cast<uint64_t>(size) != need)
        throw scan_.error(begin, fmt::format("got {} bytes, need {} for {} {}", size, need, name_of(dtype), to_string(dims)));
    const Bytes file = side(name, begin);
    if (offset < 0 || offset % 64 != 0 || static_cast<uint64_t>(offset) > file.size() || need > file.size() - static_cast<uint64_t>(offset))
        throw scan_.error(begin, fmt::format("bytes {} to {} of \"{}\", which has {}", offset, static_cast<uint64_t>(offset) + need,
                                             escape(name), file.size()));
    return {begin, Tensor{dtype, dims, file.slice(static_cast<size_t>(offset), need)}};
}

}  // namespace quern::text
