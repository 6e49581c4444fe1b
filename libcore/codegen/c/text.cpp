#include "libcore/codegen/c/text.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cctype>

#include "libcore/base/text.h"
#include "libcore/codegen/c/columns.h"

namespace quern::cgen {
namespace {

constexpr int arena_alignment = 8;

bool is_of_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// Code for speed copies the kernels into each call, so that the compiler knows every length there.
std::string_view optimization(Preference preference) {
    switch (preference) {
        case Preference::speed:
            return "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"O3\")\n#endif\n"
                   "#if defined(__GNUC__)\n#define KERNEL static inline __attribute__((always_inline, unused))\n"
                   "#else\n#define KERNEL static inline\n#endif\n";
        case Preference::size: return "#if defined(__GNUC__) && !defined(__clang__)\n#pragma GCC optimize(\"Os\")\n#endif\n";
        case Preference::usual: break;
    }
    return {};
}

std::string kernels_text(const Source& source, Preference preference) {
    std::string text = source.kernels();
    if (preference != Preference::speed) return text;
    std::string out;
    for (const std::string& line : split(text, '\n')) {
        const bool function = line.starts_with("static ") && line.find('(') != line.npos;
        out += (function ? "KERNEL" + line.substr(6) : line) + "\n";
    }
    return out;
}

// What a part of the file is, in a line of its own.
std::string title(std::string_view what) {
    const std::string text = fmt::format("/* ---- {} ", what);
    return text + std::string(columns - text.size() - 3, '-') + " */\n\n";
}

// The functions of the model around its steps.
std::string entries(const Text& t, Function& function) {
    std::vector<std::string> names = function.input_names();
    names.insert(names.end(), function.output_names().begin(), function.output_names().end());
    const auto steps = [&](const std::string& arena) {
        std::vector<std::string> all{arena};
        all.insert(all.end(), names.begin(), names.end());
        return fmt::format("    {}_steps({});\n", t.names.stem, fmt::join(all, ", "));
    };
    const auto call = [&](const std::string& name, const std::string& first) {
        const std::string rest = t.listed();
        return fmt::format("{}{}({}{}{});\n}}\n", t.names.stem, name, first, first.empty() || rest.empty() ? "" : ", ", rest);
    };
    const std::string unused = t.in.empty() ? "    (void)inputs;\n" : "";
    std::string text = t.run_in() + " {\n";
    if (t.arena.bytes > 0)
        text += fmt::format(
            "    if (arena_bytes < {0}_ARENA_BYTES) return {0}_ARENA_TOO_SMALL;\n"
            "    if ((uintptr_t)arena % {0}_ARENA_ALIGNMENT != 0) return {0}_ARENA_MISALIGNED;\n",
            t.names.macro);
    else
        text += "    (void)arena_bytes; /* none is needed */\n";
    text += steps("(unsigned char*)arena") + "    return 0;\n}\n\n";
    text += t.invoke_in() + " {\n" + unused + "    return " + call("_run_in", "arena, arena_bytes") + "\n";
    text += "#ifndef QUERN_NO_STATIC_ARENA\n";
    if (t.arena.bytes > 0)
        text += fmt::format("static int64_t {}_arena[{}] QUERN_ARENA_SECTION;\n\n", t.names.stem, (t.arena.bytes + 7) / 8);
    text += t.run() + " {\n" + steps(t.arena.bytes > 0 ? "(unsigned char*)" + t.names.stem + "_arena" : "0") + "}\n\n";
    return text + t.invoke() + " {\n" + unused + "    " + call("_run", "") + "#endif\n";
}

// Where a linker script puts constants and the arena.
constexpr std::string_view sections =
    "/* Attributes for arrays of constants and for the static arena, say\n   __attribute__((section(\"name\"))). */\n"
    "#ifndef QUERN_WEIGHTS_SECTION\n#define QUERN_WEIGHTS_SECTION\n#endif\n"
    "#ifndef QUERN_ARENA_SECTION\n#define QUERN_ARENA_SECTION\n#endif\n\n";

}  // namespace

std::string Text::list(const std::string& first) const {
    std::vector<std::string> all;
    if (!first.empty()) all.push_back(first);
    for (const Port& port : in) all.push_back(port.declaration);
    for (const Port& port : out) all.push_back(port.declaration);
    return fmt::format("{}", fmt::join(all, ", "));
}

std::string Text::needs() const {
    if (libm) return "math.h (-lm)";
    return memory ? "memcpy and memset, no other library" : "no library";
}

std::string Text::run() const { return fmt::format("void {}_run({})", names.stem, list()); }

std::string Text::run_in() const { return fmt::format("int {}_run_in({})", names.stem, list(of_caller)); }

std::string Text::invoke() const { return fmt::format("void {}_invoke({})", names.stem, lists); }

std::string Text::invoke_in() const { return fmt::format("int {}_invoke_in({}, {})", names.stem, of_caller, lists); }

std::string Text::listed() const {
    std::vector<std::string> arguments;
    for (size_t i = 0; i < in.size(); ++i) arguments.push_back(fmt::format("(const {}*)inputs[{}]", in[i].type, i));
    for (size_t i = 0; i < out.size(); ++i) arguments.push_back(fmt::format("({}*)outputs[{}]", out[i].type, i));
    return fmt::format("{}", fmt::join(arguments, ", "));
}

std::unordered_set<std::string_view> words_of(std::string_view text) {
    std::unordered_set<std::string_view> words;
    for (auto at = text.begin(); (at = std::find_if(at, text.end(), is_of_word)) != text.end();) {
        const auto end = std::find_if_not(at, text.end(), is_of_word);
        words.emplace(at, end);
        at = end;
    }
    return words;
}

std::string header_text(const Text& t) {
    std::string text = fmt::format("/* Made by quern. {} model; {} bytes of constants; needs {}. */\n", t.integer ? "Integer" : "Float",
                                   t.constants, t.needs());
    text += fmt::format(
        "#ifndef {0}_H\n#define {0}_H\n\n#include <stddef.h>\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
        t.names.macro);
    text += fmt::format(
        "/* Working memory of a run in bytes, and what its address is a multiple of. */\n"
        "#define {0}_ARENA_BYTES {1}\n#define {0}_ARENA_ALIGNMENT {2}\n\n"
        "/* Why nothing was computed; 0: it was. */\n#define {0}_ARENA_TOO_SMALL 1\n#define {0}_ARENA_MISALIGNED 2\n\n",
        t.names.macro, t.arena.bytes, arena_alignment);
    const auto counts = [&](const char* what, const std::vector<Port>& ports) {
        text += fmt::format("#define {}_{}S {}\n", t.names.macro, what, ports.size());
        for (size_t i = 0; i < ports.size(); ++i)
            text += fmt::format("#define {}_{}_{}_COUNT {}\n", t.names.macro, what, i, ports[i].count);
    };
    counts("INPUT", t.in);
    counts("OUTPUT", t.out);
    text +=
        "\n/* Runs the model once, in working memory of the caller: several runs may go on at a time, each in\n"
        " * its own. Arrays are row-major and do not overlap. Returns 0, or why nothing was computed.\n";
    for (const Port& port : t.in) text += " * " + port.comment + "\n";
    for (const Port& port : t.out) text += " * " + port.comment + "\n";
    text += " */\n" + t.run_in() + ";\n\n/* The same with all arrays in two lists. */\n" + t.invoke_in() + ";\n";
    text += "\n#ifndef QUERN_NO_STATIC_ARENA\n/* The same in static memory, which all runs share: one run at a time. */\n" + t.run() +
            ";\n" + t.invoke() + ";\n#endif\n";
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

std::string model_text(const Text& t, Function& function) {
    std::string text =
        fmt::format("static void {}_steps({}) {{\n", t.names.stem, t.list("unsigned char* arena")) + t.arena.declarations + "\n";
    if (t.arena.bytes == 0) text += "    (void)arena;\n";
    const auto words = words_of(function.listing().text);
    for (const std::string& name : function.input_names())
        if (!words.contains(name)) text += "    (void)" + name + "; /* decides nothing */\n";
    for (const std::string& name : function.output_names())
        if (!words.contains(name)) text += "    (void)" + name + "; /* has no elements */\n";
    return text + function.listing().text + "}\n\n" + entries(t, function);
}

std::string source_text(const Text& t, const Source& source, Function& function) {
    std::string text = fmt::format("/* Made by quern: see {}.h. */\n", t.names.stem);
    text += optimization(t.preference);
    text +=
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__) && !defined(__STRICT_ANSI__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n";
    text += fmt::format("#include \"{}.h\"\n\n", t.names.stem);
    if (t.libm) text += "#include <math.h>\n";
    if (t.memory) text += "void* memcpy(void* to, const void* from, size_t count);\nvoid* memset(void* to, int byte, size_t count);\n";
    text += "\n";
    text += sections;
    text += title("kernels") + kernels_text(source, t.preference);
    text += "\n" + title("constants") + source.constants();
    text += "\n" + title("the model");
    return text + model_text(t, function);
}

}  // namespace quern::cgen
