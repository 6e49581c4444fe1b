// The generator `c`: a model as one .c and one .h file of freestanding C99.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

#include "libcore/base/text.h"
#include "libcore/codegen/c/bodies.h"
#include "libcore/codegen/c/emit.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/graph/summary.h"
#include "libcore/memory/plan.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"

namespace quern::cgen {
namespace {

bool has_codes(const Value& value) { return value.enc && (!value.constant() || value.enc->is_dynamic()); }

// As own_mode; and weights alone of a profile's model stay codes, which are smaller.
bool keeps_codes(const Graph& graph) {
    const bool hybrid = graph.metadata.contains(std::string(profile_key));
    bool found = false;
    for_each_graph(graph, [&](const Graph& g, const std::string&) {
        for (size_t i = 0; i < g.value_count(); ++i)
            if (const Value& value = g.value(static_cast<ValueId>(i)); !value.erased)
                found |= hybrid ? value.enc.has_value() : has_codes(value);
    });
    return found;
}

std::shared_ptr<const CompiledGraph> compiled(const GenerateRequest& request, std::vector<std::string>& decided) {
    Graph graph = request.model.graph;
    std::ranges::move(make_static(graph, "generated code"), std::back_inserter(decided));
    graph = as_folded(std::move(graph));
    settle_bodies(graph);
    const std::string mode = option_of(request, "mode");
    if (!mode.empty() && mode != "float" && mode != "int") throw usage_error("option mode is \"{}\", need float or int", escape(mode));
    CompileOptions options{.mode = mode == "int" || (mode.empty() && keeps_codes(graph)) ? Mode::integer : Mode::floating,
                           .reference = true};
    if (options.mode == Mode::floating) run_passes(graph, default_passes());
    if (options.mode == Mode::integer) options.profile = own_profile(graph);
    return std::make_shared<CompiledGraph>(std::move(graph), options, "");
}

void emit_all(Function& function, const GenerateRequest& request) {
    emit_steps(function, request);
    const Listing& listing = function.listing();
    if (listing.refusals.empty()) return function.copy_outputs();
    throw unsupported("{} of {} nodes cannot be generated as C", listing.refusals.size(), listing.nodes).with_details(listing.refusals);
}

bool is_of_word(char c) { return c == '_' || std::isalnum(static_cast<unsigned char>(c)) != 0; }

// The names and numbers in a text.
std::unordered_set<std::string_view> words_of(std::string_view text) {
    std::unordered_set<std::string_view> words;
    for (auto at = text.begin(); (at = std::find_if(at, text.end(), is_of_word)) != text.end();) {
        const auto end = std::find_if_not(at, text.end(), is_of_word);
        words.emplace(at, end);
        at = end;
    }
    return words;
}

// Arena offsets, as long as each buffer is needed.
struct Arena {
    size_t bytes = 0;
    std::string declarations;
};

Arena lay_out(const Listing& listing) {
    std::vector<Buffer> used;  // those of values without elements are not
    std::vector<Lifetime> placed;
    const auto words = words_of(listing.text);
    for (const Buffer& buffer : listing.buffers) {
        if (buffer.bytes > 0 && !words.contains(buffer.name)) continue;
        used.push_back(buffer);
        if (buffer.bytes > 0) placed.push_back({buffer.bytes, buffer.born, buffer.last + 1});
    }
    const Plan plan = plan_memory(placed);
    Arena arena{plan.bytes, {}};
    size_t next = 0;
    for (const Buffer& buffer : used) {
        std::string line = buffer.declaration;
        if (const size_t mark = line.find("@offset@"); mark != std::string::npos)
            line.replace(mark, 8, fmt::format("{}", plan.offsets[next++]));
        arena.declarations += "    " + line + "\n";
    }
    return arena;
}

constexpr int arena_alignment = 8;

struct Names {
    std::string stem, macro;
};

// A header of the model must not be found where one of C is looked for.
constexpr std::array headers_of_c{"assert", "complex", "ctype",  "errno",  "fenv",   "float",  "inttypes", "iso646",
                                  "limits", "locale",  "math",   "setjmp", "signal", "stdarg", "stdbool",  "stddef",
                                  "stdint", "stdio",   "stdlib", "string", "tgmath", "time",   "wchar",    "wctype"};

Names names_of(const GenerateRequest& request) {
    std::string stem = slug(option_of(request, "name", stem_of(request.model_path)));
    if (std::ranges::find(headers_of_c, stem) != headers_of_c.end()) stem += "_model";
    std::string macro = stem;
    std::ranges::transform(macro, macro.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return {stem, macro};
}

// "const int8_t *in_x" and what it means.
struct Port {
    std::string declaration, type, comment;
    int64_t count;
};

std::vector<Port> ports(Function& function, const std::vector<ValueId>& ids, const std::vector<std::string>& names, bool input) {
    std::vector<Port> out;
    for (size_t i = 0; i < ids.size(); ++i) {
        const Value& value = function.program().graph().value(ids[i]);
        const std::string type(c_type(function.held(ids[i])));
        const Encoding* e = function.encoding(ids[i]);
        out.push_back({fmt::format("{}{} *{}", input ? "const " : "", type, names[i]), type,
                       fmt::format("{}: \"{}\", {}{}", names[i], comment_text(value.name), comment_text(to_string(value.type)),
                                   e ? ", as " + comment_text(to_string(*e)) : ""),
                       count_of(function.dims(ids[i]))});
    }
    return out;
}

struct Text {
    Names names;
    std::vector<Port> in, out;
    Arena arena;
    bool libm, memory, integer;
    size_t constants;
    std::string list(const std::string& first = "") const {  // of parameters
        std::vector<std::string> all;
        if (!first.empty()) all.push_back(first);
        for (const Port& port : in) all.push_back(port.declaration);
        for (const Port& port : out) all.push_back(port.declaration);
        return fmt::format("{}", fmt::join(all, ", "));
    }
    // The functions of the model: with the arena of the file, and with the caller's.
    std::string run() const { return fmt::format("void {}_run({})", names.stem, list()); }
    std::string run_in() const { return fmt::format("int {}_run_in({})", names.stem, list(of_caller)); }
    std::string invoke() const { return fmt::format("void {}_invoke({})", names.stem, lists); }
    std::string invoke_in() const { return fmt::format("int {}_invoke_in({}, {})", names.stem, of_caller, lists); }
    // The items of the two lists as arguments.
    std::string listed() const {
        std::vector<std::string> arguments;
        for (size_t i = 0; i < in.size(); ++i) arguments.push_back(fmt::format("(const {} *)inputs[{}]", in[i].type, i));
        for (size_t i = 0; i < out.size(); ++i) arguments.push_back(fmt::format("({} *)outputs[{}]", out[i].type, i));
        return fmt::format("{}", fmt::join(arguments, ", "));
    }
    static constexpr const char* of_caller = "void *arena, size_t arena_bytes";
    static constexpr const char* lists = "const void *const inputs[], void *const outputs[]";
};

std::string header(const Text& t) {
    std::string text =
        fmt::format("/* Made by quern. {} model; {} bytes of constants; needs {}. */\n", t.integer ? "Integer" : "Float", t.constants,
                    t.libm     ? "math.h (-lm)"
                    : t.memory ? "memcpy and memset, no other library"
                               : "no library");
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
        "\n/* Runs the model once, in working memory of the caller: several runs may go on at a time, each in its own. Arrays are "
        "row-major\n"
        " * and do not overlap. Returns 0, or why nothing was computed.\n";
    for (const Port& port : t.in) text += " * " + port.comment + "\n";
    for (const Port& port : t.out) text += " * " + port.comment + "\n";
    text += " */\n" + t.run_in() + ";\n\n/* The same with all arrays in two lists. */\n" + t.invoke_in() + ";\n";
    text += "\n#ifndef QUERN_NO_STATIC_ARENA\n/* The same in static memory, which all runs share: one run at a time. */\n" + t.run() +
            ";\n" + t.invoke() + ";\n#endif\n";
    return text + "\n#ifdef __cplusplus\n}\n#endif\n\n#endif\n";
}

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
    std::string text = t.run_in() + "\n{\n";
    if (t.arena.bytes > 0)
        text += fmt::format(
            "    if (arena_bytes < {0}_ARENA_BYTES) return {0}_ARENA_TOO_SMALL;\n"
            "    if ((uintptr_t)arena % {0}_ARENA_ALIGNMENT != 0) return {0}_ARENA_MISALIGNED;\n",
            t.names.macro);
    else
        text += "    (void)arena_bytes; /* none is needed */\n";
    text += steps("(unsigned char *)arena") + "    return 0;\n}\n\n";
    text += t.invoke_in() + "\n{\n" + unused + "    return " + call("_run_in", "arena, arena_bytes") + "\n";
    text += "#ifndef QUERN_NO_STATIC_ARENA\n";
    if (t.arena.bytes > 0)
        text += fmt::format(
            "static union {{\n    int64_t align;\n    unsigned char bytes[{}_ARENA_BYTES];\n}} {}_arena QUERN_ARENA_SECTION;\n\n",
            t.names.macro, t.names.stem);
    text += t.run() + "\n{\n" + steps(t.arena.bytes > 0 ? t.names.stem + "_arena.bytes" : "0") + "}\n\n";
    return text + t.invoke() + "\n{\n" + unused + "    " + call("_run", "") + "#endif\n";
}

// Where a linker script puts constants and the arena.
constexpr std::string_view sections =
    "/* Attributes for arrays of constants and for the static arena, __attribute__((section(\"name\"))) say. */\n"
    "#ifndef QUERN_WEIGHTS_SECTION\n#define QUERN_WEIGHTS_SECTION\n#endif\n"
    "#ifndef QUERN_ARENA_SECTION\n#define QUERN_ARENA_SECTION\n#endif\n\n";

std::string source_text(const Text& t, const Source& source, Function& function, Preference preference) {
    std::string text = fmt::format("/* Made by quern: see {}.h. */\n", t.names.stem);
    text += optimization(preference);
    text +=
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__) && !defined(__STRICT_ANSI__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n";
    text += fmt::format("#include \"{}.h\"\n\n", t.names.stem);
    if (t.libm) text += "#include <math.h>\n";
    if (t.memory) text += "void *memcpy(void *to, const void *from, size_t count);\nvoid *memset(void *to, int byte, size_t count);\n";
    text += "\n";
    text += sections;
    text += "/* ---- kernels " + std::string(100, '-') + " */\n\n" + kernels_text(source, preference);
    text += "\n/* ---- constants " + std::string(98, '-') + " */\n\n" + source.constants();
    text += "\n/* ---- the model " + std::string(98, '-') + " */\n\n";
    text += fmt::format("static void {}_steps({})\n{{\n", t.names.stem, t.list("unsigned char *arena")) + t.arena.declarations + "\n";
    if (t.arena.bytes == 0) text += "    (void)arena;\n";
    const auto words = words_of(function.listing().text);
    for (const std::string& name : function.input_names())
        if (!words.contains(name)) text += "    (void)" + name + "; /* decides nothing */\n";
    for (const std::string& name : function.output_names())
        if (!words.contains(name)) text += "    (void)" + name + "; /* has no elements */\n";
    return text + function.listing().text + "}\n\n" + entries(t, function);
}

Generated generate(const GenerateRequest& request) {
    std::vector<std::string> decided;
    const auto program = compiled(request, decided);
    Source source;
    Function function(*program, source);
    emit_all(function, request);
    const Graph& graph = program->graph();
    Text text{names_of(request),
              ports(function, graph.inputs, function.input_names(), true),
              ports(function, graph.outputs, function.output_names(), false),
              {},
              false,
              false,
              program->options().mode == Mode::integer,
              0};
    text.arena = lay_out(function.listing());
    text.libm = source.uses_libm();
    text.memory = source.uses_memory();
    text.constants = source.constant_bytes();
    const std::string folder = output_folder(request);
    const ProductFolder made(folder);
    const std::string base = folder + "/" + text.names.stem;
    keep_model_files(request, std::array{base + ".c", base + ".h"});
    OutputFile code(base + ".c"), declarations(base + ".h");
    code.write(source_text(text, source, function, request.preference));
    declarations.write(header(text));
    commit_together({&code, &declarations});
    if (const size_t count = source.products_for_speed(); count > 0)
        decided.push_back(fmt::format(
            "--preference speed computes {} several times as fast, for up to 20 KB more code and the bytes of their weights again",
            count > 1 ? fmt::format("{} products", count) : "1 product"));
    return {{base + ".c", base + ".h"},
            decided,
            {fmt::format("{} bytes of constants, {} bytes of working memory, {}", text.constants, text.arena.bytes,
                         text.libm ? "needs math.h" : "freestanding")}};
}

constexpr std::array options{
    GeneratorOption{"name", "prefix of the functions and name of the files (default: the model's file name)"},
    GeneratorOption{"mode", "float or int (default: int if the model has codes)"},
};

}  // namespace
}  // namespace quern::cgen

namespace quern {

const Generator c_generator{
    .name = "c",
    .doc = "one .c and one .h file of C99 for microcontrollers: no malloc, a static arena or the caller's, bit-exact with run --mode int",
    .input = "float and quantized models (8 and 16 bits) with fixed shapes",
    .product = "{}_c",
    .options = cgen::options,
    .has_preference = true,
    .generate = cgen::generate,
};

}  // namespace quern
