#include "libcore/codegen/c/source.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <cmath>
#include <unordered_map>

#include "libcore/base/text.h"
#include "libcore/codegen/c/columns.h"
#include "libcore/codegen/c/declared.h"

namespace quern::cgen {
namespace {

bool plain(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9'); }

// What a line of a piece defines: a function, a macro, a type; "": nothing.
std::string_view defined_in(std::string_view line) {
    constexpr std::string_view macro = "#define ";
    if (line.starts_with(macro)) return tokens_of(line.substr(macro.size()))[0];
    const auto last_before = [&](char end) {
        const size_t at = line.find(end);
        return at == line.npos ? std::string_view() : tokens_of(line.substr(0, at)).back();
    };
    if (line.starts_with("static ")) return last_before('(');
    return line.starts_with("typedef ") || line.starts_with("} ") ? last_before(';') : std::string_view();
}

// Pieces by name, and those without words by what they define.
struct Pieces {
    std::unordered_map<std::string_view, const Piece*> named, defining;
    Pieces() {
        for (const Piece& piece : all_pieces()) {
            named.emplace(piece.name, &piece);
            if (piece.text.find("@name@") != piece.text.npos) continue;
            for (std::string_view rest = piece.text; !rest.empty();) {
                const std::string_view line = rest.substr(0, rest.find('\n'));
                if (const std::string_view defined = defined_in(line); !defined.empty()) defining.emplace(defined, &piece);
                rest.remove_prefix(std::min(rest.size(), line.size() + 1));
            }
        }
    }
};

const Pieces& pieces() {
    static const Pieces all;
    return all;
}

const Piece& piece_named(std::string_view name) {
    const auto found = pieces().named.find(name);
    if (found == pieces().named.end()) throw bug("no C kernel is named {}", name);
    return *found->second;
}

std::string integer_text(DType dtype, int64_t item) {
    if (dtype == DType::i64 && item == INT64_MIN) return "INT64_MIN";
    if (dtype == DType::i32 && item == INT32_MIN) return "INT32_MIN";
    if (dtype == DType::u64) return fmt::format("{}ULL", static_cast<uint64_t>(item));
    if (dtype == DType::u32) return fmt::format("{}U", item);
    if (dtype == DType::i64 && (item > INT32_MAX || item < INT32_MIN)) return fmt::format("{}LL", item);
    return fmt::format("{}", item);
}

std::vector<std::string> texts_of(std::span<const int32_t> numbers) {
    std::vector<std::string> texts;
    for (const int32_t number : numbers) texts.push_back(integer_text(DType::i32, number));
    return texts;
}

std::vector<std::string> items_of(const Tensor& tensor) {
    std::vector<std::string> out;
    if (tensor.dtype == DType::f64)
        for (const double item : to_doubles(tensor)) out.push_back(c_double(item));
    else if (tensor.dtype == DType::f32)
        for (const float item : to_floats(tensor)) out.push_back(c_float(item));
    else
        for (const int64_t item : to_ints(tensor)) out.push_back(integer_text(tensor.dtype, item));
    return out;
}

std::string wrapped_list(const std::vector<std::string>& items) {
    std::string out;
    size_t column = 0;
    for (const std::string& item : items) {
        if (column == 0 || column + item.size() + 2 > columns) {
            out += column == 0 ? "    " : "\n    ";
            column = 4;
        } else {
            out += ' ';
            ++column;
        }
        out += item + ",";
        column += item.size() + 1;
    }
    return out;
}

std::string decimal(std::string text, const char* suffix) {
    if (text.find_first_of(".e") == std::string::npos) text += ".0";
    return text + suffix;
}

// Codes of less than 8 bits and short floats have no C type of their own.
Tensor with_bytes(const Tensor& tensor) {
    if (is_short_float(tensor.dtype)) return {DType::u16, tensor.dims, tensor.data};
    if (bits_of(tensor.dtype) >= 8 || !is_integer(tensor.dtype)) return tensor;
    return from_ints(kind_of(tensor.dtype) == NumberKind::signed_int ? DType::i8 : DType::u8, tensor.dims, to_ints(tensor));
}

}  // namespace

std::string replaced(std::string_view text, const Words& words) {
    std::string out;
    while (!text.empty()) {
        const size_t open = text.find('@');
        out += text.substr(0, open);
        if (open == std::string_view::npos) break;
        const size_t close = text.find('@', open + 1);
        const std::string_view word = text.substr(open + 1, close - open - 1);
        const auto found = std::find_if(words.begin(), words.end(), [&](const auto& pair) { return pair.first == word; });
        if (close == std::string_view::npos || found == words.end()) throw bug("C kernel with the unknown word {}", word);
        out += replaced(found->second, words);
        text = text.substr(close + 1);
    }
    return out;
}

bool is_short_float(DType dtype) { return dtype == DType::f16 || dtype == DType::bf16; }

std::string_view c_type(DType dtype) {
    switch (dtype) {
        case DType::i8:
        case DType::i4:
        case DType::i2: return "int8_t";
        case DType::u8:
        case DType::u4:
        case DType::u2:
        case DType::boolean: return "uint8_t";
        case DType::i16: return "int16_t";
        case DType::f16:
        case DType::bf16:
        case DType::u16: return "uint16_t";
        case DType::i32: return "int32_t";
        case DType::u32: return "uint32_t";
        case DType::i64: return "int64_t";
        case DType::u64: return "uint64_t";
        case DType::f32: return "float";
        case DType::f64: return "double";
        default: throw unsupported("elements of type {} in C", name_of(dtype));
    }
}

std::string_view short_name(std::string_view c_type) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 10> names{{{"int8_t", "i8"},
                                                                                          {"uint8_t", "u8"},
                                                                                          {"int16_t", "i16"},
                                                                                          {"uint16_t", "u16"},
                                                                                          {"int32_t", "i32"},
                                                                                          {"uint32_t", "u32"},
                                                                                          {"int64_t", "i64"},
                                                                                          {"uint64_t", "u64"},
                                                                                          {"float", "f32"},
                                                                                          {"double", "f64"}}};
    for (const auto& [type, name] : names)
        if (type == c_type) return name;
    return {};
}

std::string slug(std::string_view name, size_t limit) {
    std::string out;
    for (const char c : name) {
        if (out.size() == limit) break;
        if (plain(c))
            out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
        else if (!out.empty() && out.back() != '_')
            out += '_';
    }
    while (!out.empty() && out.back() == '_') out.pop_back();
    if (out.empty()) return "x";
    return out[0] >= '0' && out[0] <= '9' ? "n" + out : out;
}

std::string slug_of_end(std::string_view name) {
    constexpr size_t limit = 24;
    name = name.substr(0, name.find(';'));
    while (name.size() > limit) {
        const size_t next = name.find_first_of("/.:", 1);
        if (next == std::string_view::npos || next + 1 >= name.size()) break;
        name.remove_prefix(next + 1);
    }
    return slug(name, limit);
}

std::string comment_text(std::string_view name, size_t limit) {
    std::string out;
    for (const char c : name) {
        if (out.size() >= limit) return out + "...";
        const bool shown = c >= 0x20 && c < 0x7f && c != '\\';
        const char last = out.empty() ? ' ' : out.back();
        if ((last == '*' && c == '/') || (last == '/' && c == '*') || (last == '?' && c == '?')) out += ' ';
        out += shown ? c : '.';
    }
    return out;
}

std::string c_float(float value) {
    if (value != value) return "(0.0f / 0.0f)";
    if (std::isinf(value)) return value > 0 ? "(1.0f / 0.0f)" : "(-1.0f / 0.0f)";
    return decimal(shortest(value), "f");
}

std::string c_double(double value) {
    if (value != value) return "(0.0 / 0.0)";
    if (std::isinf(value)) return value > 0 ? "(1.0 / 0.0)" : "(-1.0 / 0.0)";
    return decimal(shortest(value), "");
}

std::string Source::kernel(std::string_view name, const Words& words, std::string_view variant) {
    const Piece& piece = piece_named(name);
    std::string full(name);
    if (!variant.empty()) full += "_" + std::string(variant);
    for (const auto& [word, text] : words)
        if (const auto type = short_name(text); !type.empty()) full += "_" + std::string(type);
    const auto [known, fresh] = kernel_words_.emplace(full, words);
    if (!fresh && known->second != words) throw bug("two kernels are {}", full);
    if (!fresh) return full;
    Words all = words;
    all.emplace_back("name", full);
    std::string text = replaced(piece.text, all);
    std::string all_lines = text;
    std::ranges::replace(all_lines, '#', ' ');  // those of the preprocessor, too
    for (const std::string_view word : tokens_of(all_lines)) {
        memory_ |= word == "memcpy";
        if (const auto need = pieces().defining.find(word); need != pieces().defining.end() && need->second != &piece)
            kernel(need->second->name);
    }
    if (!text.empty() && text[0] == '\n') text.erase(0, 1);
    kernels_.push_back(std::move(text));
    return full;
}

std::string Source::fresh(std::string_view label) {
    std::string name = slug(label, 40);
    constexpr std::array<std::string_view, 6> functions{"run", "invoke", "run_in", "invoke_in", "steps", "arena"};
    if (std::ranges::any_of(functions, [&](std::string_view end) { return name.ends_with(end); })) name += "_";  // of a model "k_..."
    const int count = ++labels_[name];
    return fmt::format("k{}_{}", count == 1 ? "" : std::to_string(count), name);  // no keyword, macro or kernel begins like this
}

std::string Source::constant(const Tensor& given, std::string_view label) {
    const Tensor tensor = with_bytes(given);
    const std::string_view type = c_type(tensor.dtype);
    std::string key = fmt::format("{} {}:", type, tensor.count());
    key.append(tensor.data.text());
    const auto [found, added] = by_text_.emplace(std::move(key), "");
    if (!added) return found->second;
    std::string name = found->second = fresh(label);
    constants_.push_back(fmt::format("static const {} {}[{}] QUERN_WEIGHTS_SECTION = {{\n{}\n}};\n", type, name,
                                     std::max<int64_t>(tensor.count(), 1), tensor.count() ? wrapped_list(items_of(tensor)) : "    0"));
    constant_bytes_ += tensor.data.size();
    return name;
}

std::string Source::list(std::string_view type, const std::vector<std::string>& items, size_t bytes, std::string_view label) {
    const std::string text = wrapped_list(items);
    const auto [found, added] = by_text_.emplace(fmt::format("{} {{ {}", type, text), "");
    if (!added) return found->second;
    constants_.push_back(fmt::format("static const {} {}[{}] QUERN_WEIGHTS_SECTION = {{\n{}\n}};\n", type, found->second = fresh(label),
                                     items.size(), text));
    constant_bytes_ += items.size() * bytes;
    return found->second;
}

std::string Source::structure(std::string_view type, std::string_view fields, std::string_view label) {
    const auto [found, added] = by_text_.emplace(fmt::format("struct {} {}", type, fields), "");
    if (!added) return found->second;
    std::string name = found->second = fresh(label);
    constants_.push_back(fmt::format("static const {} {} = {{\n{}\n}};\n", type, name, fields));
    constant_bytes_ += size_of_struct(piece_named(type).text);
    return name;
}

std::string Source::fields(std::string_view type, std::span<const int32_t> numbers) {
    kernel(type);
    std::string_view text = piece_named(type).text;
    text = text.substr(0, text.find('}'));
    std::string out;
    size_t at = 0;
    for (const std::string& declaration : split(text, ';')) {
        const size_t first = declaration.find("int32_t ");
        if (first == std::string::npos) continue;
        out += out.empty() ? "    " : ",\n    ";
        for (const std::string& field : split(declaration.substr(first + 8), ',')) {
            const std::string_view name = trim(field);
            const bool list = name.ends_with("[3]");
            const size_t count = list ? 3 : 1;
            if (at + count > numbers.size()) throw bug("{} has more than {} fields", type, numbers.size());
            const std::vector<std::string> items = texts_of(numbers.subspan(at, count));
            at += count;
            out += fmt::format("{}.{} = {}", out.ends_with("    ") ? "" : ", ", name.substr(0, name.find('[')),
                               list ? "{" + join(items, ", ") + "}" : items[0]);
        }
    }
    if (at != numbers.size()) throw bug("{} has {} fields, not {}", type, numbers.size(), at);
    return out;
}

std::string Source::kernels() const { return join(kernels_, "\n"); }
std::string Source::constants() const { return join(constants_, "\n"); }

}  // namespace quern::cgen
