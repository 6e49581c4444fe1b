// The generator `c`: a model as one .c and one .h file of freestanding C99.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <unordered_set>

#include "libcore/base/io.h"
#include "libcore/base/text.h"
#include "libcore/codegen/c/bodies.h"
#include "libcore/codegen/c/emit.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/graph/summary.h"
#include "libcore/memory/plan.h"
#include "libcore/ops/integer/profile.h"
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

void fix_shapes(Graph& graph, std::vector<std::string>& decided) {
    for (std::string& line : take_open_dims_as_one(graph, OpenDims::batch)) decided.push_back(std::move(line));
    for (const ValueId id : graph.inputs) {
        const Value& value = graph.value(id);
        if (value.type.shape.fixed()) continue;
        throw unsupported("input \"{}\" is {}: generated code needs fixed shapes", escape(value.name), to_string(value.type))
            .with_hint(fmt::format("--shape {}=... fixes it", escape(value.name)));
    }
}

std::shared_ptr<const CompiledGraph> compiled(const GenerateRequest& request, std::vector<std::string>& decided) {
    Graph graph = request.model.graph;
    fix_shapes(graph, decided);
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
    std::string prototype() const {
        std::vector<std::string> all;
        for (const Port& port : in) all.push_back(port.declaration);
        for (const Port& port : out) all.push_back(port.declaration);
        return fmt::format("void {}_run({})", names.stem, fmt::join(all, ", "));
    }
    std::string invocation() const { return fmt::format("void {}_invoke(const void *const inputs[], void *const outputs[])", names.stem); }
};

std::string header(const Text& t) {
    std::string text =
        fmt::format("/* Made by quern. {} model; {} bytes of constants; needs {}. */\n", t.integer ? "Integer" : "Float", t.constants,
                    t.libm     ? "math.h (-lm)"
                    : t.memory ? "memcpy and memset, no other library"
                               : "no library");
    text += fmt::format("#ifndef {0}_H\n#define {0}_H\n\n#include <stdint.h>\n\n#ifdef __cplusplus\nextern \"C\" {{\n#endif\n\n",
                        t.names.macro);
    text += fmt::format("/* Working memory in bytes: static, shared by all runs, so one run at a time. */\n#define {}_ARENA_BYTES {}\n\n",
                        t.names.macro, t.arena.bytes);
    const auto counts = [&](const char* what, const std::vector<Port>& ports) {
        text += fmt::format("#define {}_{}S {}\n", t.names.macro, what, ports.size());
        for (size_t i = 0; i < ports.size(); ++i)
            text += fmt::format("#define {}_{}_{}_COUNT {}\n", t.names.macro, what, i, ports[i].count);
    };
    counts("INPUT", t.in);
    counts("OUTPUT", t.out);
    text += "\n/* Runs the model once; arrays are row-major and do not overlap.\n";
    for (const Port& port : t.in) text += " * " + port.comment + "\n";
    for (const Port& port : t.out) text += " * " + port.comment + "\n";
    text += " */\n" + t.prototype() + ";\n\n/* The same with all arrays in two lists. */\n" + t.invocation() + ";\n";
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
    const std::string text = source.kernels();
    if (preference != Preference::speed) return text;
    std::string out;
    for (const std::string& line : split(text, '\n')) {
        const bool function = line.starts_with("static ") && line.find('(') != line.npos;
        out += (function ? "KERNEL" + line.substr(6) : line) + "\n";
    }
    return out;
}

std::string source_text(const Text& t, const Source& source, Function& function, Preference preference) {
    std::string text = fmt::format("/* Made by quern: see {}.h. */\n", t.names.stem);
    text += optimization(preference);
    text +=
        "#if defined(__clang__)\n#pragma STDC FP_CONTRACT OFF\n#elif defined(__GNUC__) && !defined(__STRICT_ANSI__)\n"
        "#pragma GCC optimize(\"fp-contract=off\")\n#endif\n\n";
    text += fmt::format("#include \"{}.h\"\n\n", t.names.stem);
    if (t.libm) text += "#include <math.h>\n";
    if (t.memory)
        text +=
            "#include <stddef.h>\n\nvoid *memcpy(void *to, const void *from, size_t count);\nvoid *memset(void *to, int byte, size_t "
            "count);\n";
    text += "\n/* ---- kernels " + std::string(100, '-') + " */\n\n" + kernels_text(source, preference);
    text += "\n/* ---- constants " + std::string(98, '-') + " */\n\n" + source.constants();
    text += "\n/* ---- the model " + std::string(98, '-') + " */\n\n";
    if (t.arena.bytes > 0)
        text += fmt::format("static union {{\n    int64_t align;\n    unsigned char bytes[{}_ARENA_BYTES];\n}} arena;\n\n", t.names.macro);
    text += t.prototype() + "\n{\n" + t.arena.declarations + "\n";
    const auto words = words_of(function.listing().text);
    for (const std::string& name : function.input_names())
        if (!words.contains(name)) text += "    (void)" + name + "; /* decides nothing */\n";
    for (const std::string& name : function.output_names())
        if (!words.contains(name)) text += "    (void)" + name + "; /* has no elements */\n";
    text += function.listing().text + "}\n\n";
    text += t.invocation() + "\n{\n" + (t.in.empty() ? "    (void)inputs;\n" : "") + "    " + t.names.stem + "_run(";
    std::vector<std::string> arguments;
    for (size_t i = 0; i < t.in.size(); ++i) arguments.push_back(fmt::format("(const {} *)inputs[{}]", t.in[i].type, i));
    for (size_t i = 0; i < t.out.size(); ++i) arguments.push_back(fmt::format("({} *)outputs[{}]", t.out[i].type, i));
    return text + fmt::format("{});\n}}\n", fmt::join(arguments, ", "));
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
    make_folder(folder);
    const std::string base = folder + "/" + text.names.stem;
    keep_model_files(request, std::array{base + ".c", base + ".h"});
    write_output(base + ".c", source_text(text, source, function, request.preference));
    write_output(base + ".h", header(text));
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
    .doc = "one .c and one .h file of C99 for microcontrollers: no malloc, a static arena, bit-exact with run --mode int",
    .input = "float and quantized models (8 and 16 bits) with fixed shapes",
    .options = cgen::options,
    .has_preference = true,
    .generate = cgen::generate,
};

}  // namespace quern
