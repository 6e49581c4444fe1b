#include "libcore/codegen/c/declared.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <optional>
#include <span>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::cgen {
namespace {

// What a call saves and spills beside what is declared, rounded up: sixteen registers. Compilers keep most of what is declared in
// registers, so that it is mostly enough for what is spilled, too (tests/codegen/stack).
constexpr size_t saved_bytes = 64;
constexpr size_t word = 4;

bool of_name(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

size_t end_of_directive(std::string_view text, size_t at) {
    size_t end = text.find('\n', at);
    while (end != text.npos && end > 0 && text[end - 1] == '\\') end = text.find('\n', end + 1);
    return std::min(end, text.size());
}

using Tokens = std::span<const std::string_view>;

bool opens(std::string_view token) { return token == "(" || token == "[" || token == "{"; }
bool closes(std::string_view token) { return token == ")" || token == "]" || token == "}"; }

// Behind the bracket that closes the one at `at`.
size_t behind_brackets(Tokens tokens, size_t at) {
    size_t depth = 0;
    for (; at < tokens.size(); ++at) {
        depth += opens(tokens[at]);
        depth -= closes(tokens[at]);
        if (depth == 0) return at + 1;
    }
    return at;
}

// The next of `ends` that is not inside brackets.
size_t next_of(Tokens tokens, size_t at, std::string_view ends) {
    while (at < tokens.size() && ends.find(tokens[at]) == ends.npos) at = opens(tokens[at]) ? behind_brackets(tokens, at) : at + 1;
    return at;
}

// int8x16_t: 16.
std::optional<size_t> size_of_vector(std::string_view name) {
    const size_t digits = name.find_first_of("123456789"), cross = name.find('x', std::min(digits, name.size()));
    if (digits == name.npos || cross == name.npos || !name.ends_with("_t")) return std::nullopt;
    const auto bits = parse_int(name.substr(digits, cross - digits)), lanes = parse_int(name.substr(cross + 1, name.size() - cross - 3));
    if (!bits || !lanes) return std::nullopt;
    return static_cast<size_t>(*bits * *lanes / 8);
}

// On processors of 32 bits: the vectors of x86 are none.
std::optional<size_t> size_of_type(std::string_view name) {
    struct Size {
        std::string_view type;
        size_t bytes;
    };
    static constexpr std::array sizes{
        Size{"int8_t", 1},   Size{"uint8_t", 1}, Size{"char", 1},     Size{"int16_t", 2},   Size{"uint16_t", 2},    Size{"int32_t", 4},
        Size{"uint32_t", 4}, Size{"int", 4},     Size{"unsigned", 4}, Size{"size_t", 4},    Size{"float", 4},       Size{"int64_t", 8},
        Size{"uint64_t", 8}, Size{"double", 8},  Size{"weight_t", 1}, Size{"uintptr_t", 4}, Size{"mve_pred16_t", 2}};
    for (const Size& size : sizes)
        if (size.type == name) return size.bytes;
    return size_of_vector(name);
}

// Of a product of numbers between brackets.
size_t length_of(Tokens tokens) {
    size_t length = 1;
    for (const std::string_view token : tokens) {
        if (token == "*") continue;
        const auto number = parse_int(token);
        if (!number) throw bug("generated C with an array of length {}", token);
        length *= static_cast<size_t>(*number);
    }
    return length;
}

size_t rounded_up(size_t bytes, size_t to) { return (bytes + to - 1) / to * to; }

struct Layout {
    size_t bytes = 0, alignment = 1;
    void add(size_t item, size_t count, size_t aligned) {
        alignment = std::max(alignment, item);
        bytes = rounded_up(bytes, std::max(item, aligned)) + item * count;
    }
};

// Adds what is declared from its type at `at` on; returns what follows it. `alignment`: what an object's address is a multiple of.
size_t add_declaration(Layout& layout, Tokens tokens, size_t at, size_t type_bytes, size_t alignment) {
    const size_t end = next_of(tokens, at, ";");
    while (at < end) {
        const size_t stop = next_of(tokens.first(end), at, ",");
        size_t bytes = type_bytes, count = 1;
        for (; at < stop && tokens[at] != "="; at = opens(tokens[at]) ? behind_brackets(tokens, at) : at + 1) {
            if (tokens[at] == "*") bytes = word;
            if (tokens[at] == "[") count *= length_of(tokens.subspan(at + 1, behind_brackets(tokens, at) - at - 2));
        }
        layout.add(bytes, count, alignment);
        at = stop + 1;
    }
    return end + 1;
}

// Declarations among statements.
size_t bytes_declared(Tokens tokens, size_t alignment) {
    Layout layout;
    bool start = true;
    for (size_t at = 0; at < tokens.size();) {
        if (start && tokens[at] == "const") ++at;
        const auto bytes = start && at + 1 < tokens.size() && tokens[at + 1] != "(" ? size_of_type(tokens[at]) : std::nullopt;
        if (bytes) {
            at = add_declaration(layout, tokens, at + 1, *bytes, alignment);
            continue;
        }
        start = tokens[at] == ";" || tokens[at] == "{" || tokens[at] == "}" || (tokens[at] == "(" && at > 0 && tokens[at - 1] == "for");
        ++at;
    }
    return rounded_up(layout.bytes, std::max(layout.alignment, alignment));
}

// Each takes a register or more.
size_t bytes_of_parameters(Tokens tokens) {
    size_t bytes = 0;
    for (size_t at = 0; at < tokens.size();) {
        const size_t end = next_of(tokens, at, ",");
        const Tokens one = tokens.subspan(at, end - at);
        const bool pointer = std::ranges::any_of(one, [](std::string_view token) { return token == "*" || token == "["; });
        const size_t type = !one.empty() && one[0] == "const" ? 1 : 0;
        const auto size = type < one.size() ? size_of_type(one[type]) : std::nullopt;
        bytes += pointer ? word : rounded_up(size.value_or(0), word);
        at = end + 1;
    }
    return bytes;
}

bool has_floats(Tokens tokens) {
    return std::ranges::any_of(tokens, [](std::string_view token) { return token == "float" || token == "double"; });
}

std::map<std::string, size_t> calls_of(Tokens tokens) {
    std::map<std::string, size_t> calls;
    for (size_t at = 0; at + 1 < tokens.size(); ++at)
        if (of_name(tokens[at][0]) && tokens[at + 1] == "(") ++calls[std::string(tokens[at])];
    return calls;
}

}  // namespace

std::vector<std::string_view> tokens_of(std::string_view text) {
    std::vector<std::string_view> tokens;
    for (size_t at = 0; at < text.size();) {
        size_t end = at + 1;
        if (text[at] == '#') {
            at = end_of_directive(text, at);
        } else if (text.substr(at, 2) == "/*") {
            at = text.find("*/", at) + 2;
        } else if (text[at] == '"') {
            at = text.find('"', at + 1) + 1;
        } else if (of_name(text[at])) {
            while (end < text.size() && of_name(text[end])) ++end;
            tokens.push_back(text.substr(at, end - at));
            at = end;
        } else {
            if (std::isspace(static_cast<unsigned char>(text[at])) == 0) tokens.push_back(text.substr(at, 1));
            at = end;
        }
    }
    return tokens;
}

std::map<std::string, size_t> calls_in(std::string_view text) { return calls_of(tokens_of(text)); }

size_t size_of_struct(std::string_view text) {
    const auto tokens = tokens_of(text);
    const auto open = static_cast<size_t>(std::ranges::find(tokens, "{") - tokens.begin());
    return bytes_declared(Tokens(tokens).subspan(open, behind_brackets(tokens, open) - open), 1);
}

DeclaredFunctions::DeclaredFunctions(std::string_view kernels, std::string_view model, bool copies) : functions_(functions_of(kernels)) {
    Functions callers = functions_of(model);
    if (copies)
        for (auto& [name, function] : callers) {
            function.bytes += bytes_of_copies(function);
            std::erase_if(function.calls, [&](const auto& call) { return functions_.contains(call.first); });
        }
    functions_.merge(callers);
}

// Of each kernel the deepest calls, without what a call saves.
size_t DeclaredFunctions::bytes_of_copies(const Function& function) const {
    size_t bytes = 0;
    for (const auto& [name, count] : function.calls)
        if (functions_.contains(name))
            for (const StackFrame& call : deepest(name)) bytes += count * (call.bytes - saved_bytes);
    return bytes;
}

DeclaredFunctions::Functions DeclaredFunctions::functions_of(std::string_view text) {
    Functions functions;
    const auto all = tokens_of(text);
    const Tokens tokens(all);
    for (size_t at = 0; at < tokens.size();) {
        if (!opens(tokens[at])) {
            ++at;
            continue;
        }
        const size_t end = behind_brackets(tokens, at);
        if (tokens[at] != "(" || at == 0 || end >= tokens.size() || tokens[end] != "{") {
            at = end;
            continue;
        }
        const size_t last = behind_brackets(tokens, end);
        const Tokens body = tokens.subspan(end, last - end);
        Function& function = functions[std::string(tokens[at - 1])];  // of several, one for each machine, the largest
        function.bytes = std::max(function.bytes, bytes_of_parameters(tokens.subspan(at + 1, end - at - 2)) + bytes_declared(body, word));
        function.has_floats |= has_floats(tokens.subspan(at, last - at));
        function.calls.merge(calls_of(body));
        at = last;
    }
    return functions;
}

std::vector<StackFrame> DeclaredFunctions::deepest(const std::string& entry) const {
    const Function& function = functions_.at(entry);
    std::vector<StackFrame> below;
    for (const auto& [name, count] : function.calls) {
        if (name == entry || !functions_.contains(name)) continue;
        std::vector<StackFrame> other = deepest(name);
        if (bytes_of(other) > bytes_of(below)) below = std::move(other);
    }
    below.insert(below.begin(), {entry, function.bytes + saved_bytes});
    return below;
}

std::set<std::string> DeclaredFunctions::in_float() const {
    std::set<std::string> found;
    const auto is_found = [&](const auto& call) { return found.contains(call.first); };
    for (size_t before = 1; before != found.size();) {
        before = found.size();
        for (const auto& [name, function] : functions_)
            if (function.has_floats || std::ranges::any_of(function.calls, is_found)) found.insert(name);
        if (found.empty()) break;
    }
    return found;
}

size_t bytes_of(const std::vector<StackFrame>& calls) {
    size_t bytes = 0;
    for (const StackFrame& call : calls) bytes += call.bytes;
    return bytes;
}

}  // namespace quern::cgen
