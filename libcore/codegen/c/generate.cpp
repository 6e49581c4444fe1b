// The generator `c`: a model as one .c and one .h file of freestanding C99.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <list>

#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/codegen/c/bodies.h"
#include "libcore/codegen/c/check.h"
#include "libcore/codegen/c/columns.h"
#include "libcore/codegen/c/emit.h"
#include "libcore/codegen/c/package.h"
#include "libcore/codegen/c/report.h"
#include "libcore/codegen/c/text.h"
#include "libcore/exec/meaning.h"
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
bool keeps_codes(const Graph& graph, const Profile* asked) {
    const bool hybrid = asked || graph.metadata.contains(std::string(profile_key));
    bool found = false;
    for_each_graph(graph, [&](const Graph& g, const std::string&) {
        for (size_t i = 0; i < g.value_count(); ++i)
            if (const Value& value = g.value(static_cast<ValueId>(i)); !value.erased)
                found |= hybrid ? value.enc.has_value() : has_codes(value);
    });
    return found;
}

// Another arithmetic than the model names, as of `run --arithmetic`.
const Profile* profile_of(const GenerateRequest& request) {
    const std::string name = option_of(request, "arithmetic");
    std::vector<std::string> names;
    for (const Profile& profile : all_profiles()) names.emplace_back(profile.name);
    if (!name.empty() && std::ranges::find(names, name) == names.end())
        throw usage_error("option arithmetic is \"{}\", need one of {}", escape(name), join(names, ", "));
    return profile_named(name);
}

std::shared_ptr<const CompiledGraph> compiled(const GenerateRequest& request, std::vector<std::string>& decided) {
    Graph graph = request.model.graph;
    std::ranges::move(make_static(graph, "generated code"), std::back_inserter(decided));
    graph = as_folded(std::move(graph));
    settle_bodies(graph);
    const Profile* profile = profile_of(request);
    const std::string mode = option_of(request, "mode");
    if (!mode.empty() && mode != "float" && mode != "int") throw usage_error("option mode is \"{}\", need float or int", escape(mode));
    CompileOptions options{.mode = mode == "int" || (mode.empty() && keeps_codes(graph, profile)) ? Mode::integer : Mode::floating,
                           .reference = true};
    if (options.mode == Mode::floating) run_passes(graph, default_passes());
    if (options.mode == Mode::integer) options.profile = profile ? profile : own_profile(graph);
    if (options.mode == Mode::floating && profile)
        throw usage_error("option arithmetic is of models that compute on codes, which this one does not");
    return std::make_shared<CompiledGraph>(std::move(graph), options, "");
}

// About what a product that is copied into its call takes, for Cortex-M and x86-64, by GCC 12.
constexpr size_t bytes_of_dot_product = 2048;

struct Emitted {
    Preference preference;  // what it became
    Source source;
    Function function;
    Emitted(const CompiledGraph& program, Preference asked)
        : preference(asked), source(asked == Preference::speed), function(program, source) {
        emit_steps(function);
        Listing& listing = function.listing();
        if (!listing.refusals.empty())
            throw unsupported("{} of {} nodes cannot be generated as C", listing.refusals.size(), listing.nodes)
                .with_details(listing.refusals);
        listing.find_floats(DeclaredFunctions(source.kernels(), {}, false).in_float());
        function.copy_outputs();
    }
};

// Where nobody asked, products of codes are computed for speed if that adds less (code, and constants that it wants wider) than the
// constants take otherwise.
std::unique_ptr<Emitted> emitted(const CompiledGraph& program, Preference preference, std::vector<std::string>& decided) {
    if (preference != Preference::usual) return std::make_unique<Emitted>(program, preference);
    auto fast = std::make_unique<Emitted>(program, Preference::speed);
    const size_t count = fast->source.dot_products(), wider = fast->source.constant_bytes();
    if (count == 0) fast->preference = Preference::usual;
    if (count == 0) return fast;
    auto usual = std::make_unique<Emitted>(program, Preference::usual);
    const size_t constants = usual->source.constant_bytes(), more = count * bytes_of_dot_product + wider - std::min(constants, wider);
    if (more < constants) return fast;
    decided.push_back(fmt::format("--preference speed computes {} several times as fast, for about {} KB more beside {} bytes of constants",
                                  count > 1 ? fmt::format("{} products", count) : "1 product", more / 1024, constants));
    return usual;
}

// Of a model that has codes. Floats are not silent: many a microcontroller has no unit for them.
void say_floats(const Listing& listing, std::vector<std::string>& decided) {
    std::vector<Choice> real;
    for (const Layer& layer : listing.layers)
        if (!layer.real.empty()) real.push_back({.node = layer.name, .op = layer.op, .kernel = {}, .refusals = {}, .real = layer.real});
    if (real.empty()) return;
    const size_t all = listing.layers.size();
    decided.push_back(fmt::format("{} of {} operator{} compute{} in float: {}", real.size(), all, all == 1 ? "" : "s",
                                  real.size() == 1 ? "s" : "", join(few_of(real_operators(real)), ", ")));
}

// Arena offsets, as long as each buffer is needed.
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

// A header of the model must not be found where one of C is looked for.
constexpr std::array headers_of_c{"assert", "complex", "ctype",  "errno",  "fenv",   "float",  "inttypes", "iso646",
                                  "limits", "locale",  "math",   "setjmp", "signal", "stdarg", "stdbool",  "stddef",
                                  "stdint", "stdio",   "stdlib", "string", "tgmath", "time",   "wchar",    "wctype"};

Names names_of(const GenerateRequest& request) {
    std::string stem = slug(option_of(request, "name", stem_of(request.model_path)));
    if (std::ranges::find(headers_of_c, stem) != headers_of_c.end() || (request.options.contains("package") && is_reserved(stem)))
        stem += "_model";
    std::string macro = stem;
    std::ranges::transform(macro, macro.begin(), [](unsigned char c) { return static_cast<char>(std::toupper(c)); });
    return {stem, macro};
}

std::vector<Port> ports(Function& function, const std::vector<ValueId>& ids, const std::vector<std::string>& names, bool input) {
    std::vector<Port> out;
    for (size_t i = 0; i < ids.size(); ++i) {
        const Value& value = function.program().graph().value(ids[i]);
        const std::string type(c_type(function.held(ids[i])));
        const Encoding* e = function.encoding(ids[i]);
        out.push_back({fmt::format("{}{}* {}", input ? "const " : "", type, names[i]), type,
                       fmt::format("{}: \"{}\", {}{}", names[i], comment_text(value.name), comment_text(to_string(value.type)),
                                   e ? ", as " + comment_text(to_string(*e)) : ""),
                       count_of(function.dims(ids[i])),
                       storage_size(function.held(ids[i]), static_cast<uint64_t>(count_of(function.dims(ids[i]))))});
    }
    return out;
}

Text text_of(const GenerateRequest& request, Emitted& emitted) {
    Function& function = emitted.function;
    const Graph& graph = function.program().graph();
    const Source& source = function.source();
    return {names_of(request),
            ports(function, graph.inputs, function.input_names(), true),
            ports(function, graph.outputs, function.output_names(), false),
            lay_out(function.listing()),
            source.uses_libm(),
            source.uses_memory(),
            function.program().options().mode == Mode::integer,
            source.constant_bytes(),
            emitted.preference};
}

// From the functions that are called from outside, with the static arena or with the caller's.
std::vector<StackFrame> deepest_calls(const Text& text, Function& function) {
    const DeclaredFunctions functions(function.source().kernels(), model_text(text, function), text.preference == Preference::speed);
    auto own = functions.deepest(text.names.stem + "_invoke"), callers = functions.deepest(text.names.stem + "_invoke_in");
    return bytes_of(own) > bytes_of(callers) ? own : callers;
}

CodeReport report_of(const Text& text, Function& function) {
    const auto bytes = [](const std::vector<Port>& ports) {
        size_t sum = 0;
        for (const Port& port : ports) sum += port.bytes;
        return sum;
    };
    return {text.names.stem,          text.needs(),   text.integer,    text.constants,
            text.arena.bytes,         bytes(text.in), bytes(text.out), deepest_calls(text, function),
            function.listing().layers};
}

// The .c file first.
std::vector<ProductFile> product_files(const GenerateRequest& request, const Text& text, Function& function,
                                       const std::shared_ptr<const CompiledGraph>& program) {
    const std::string& name = text.names.stem;
    std::string source = in_columns(source_text(text, function.source(), function)), header = in_columns(header_text(text));
    if (!request.options.contains("package")) return {{name + ".c", std::move(source)}, {name + ".h", std::move(header)}};
    CheckTexts check = check_texts(program, name);
    return package_files(option_of(request, "package"),
                         {name, text.names.macro, std::move(source), std::move(header), in_columns(check.source), in_columns(check.header),
                          text.libm, bytes_of(deepest_calls(text, function))});
}

// All of them or none; their paths.
std::vector<std::string> write_files(const GenerateRequest& request, const std::vector<ProductFile>& files, const CodeReport& report) {
    const std::string folder = output_folder(request), to = option_of(request, "report");
    std::vector<std::string> paths;
    paths.reserve(files.size());
    for (const ProductFile& file : files) paths.push_back(folder + "/" + file.path);
    keep_model_files(request, paths);
    if (!to.empty()) keep_model_files(request, std::array{to});
    ProductFolder made(folder);
    std::list<OutputFile> outputs;
    for (size_t i = 0; i < files.size(); ++i) {
        made.add(paths[i].substr(0, paths[i].rfind('/')));
        outputs.emplace_back(paths[i]).write(files[i].text);
    }
    if (!to.empty()) outputs.emplace_back(to).write(to.ends_with(".json") ? report_json(report) : report_text(report));
    std::vector<OutputFile*> all;
    for (OutputFile& output : outputs) all.push_back(&output);
    commit_together(all);
    return paths;
}

Generated generate(const GenerateRequest& request) {
    std::vector<std::string> decided;
    const auto program = compiled(request, decided);
    if (request.options.contains("package")) check_package(option_of(request, "package"));
    const std::unique_ptr<Emitted> all = emitted(*program, request.preference, decided);
    Function& function = all->function;
    const Text text = text_of(request, *all);
    if (text.integer) say_floats(function.listing(), decided);
    const std::vector<std::string> paths = write_files(request, product_files(request, text, function, program), report_of(text, function));
    return {paths,
            decided,
            {fmt::format("{} bytes of constants, {} bytes of working memory, {}", text.constants, text.arena.bytes,
                         text.libm ? "needs math.h" : "freestanding")}};
}

constexpr std::array options{
    GeneratorOption{"name", "prefix of the functions and name of the files (default: the model's file name)"},
    GeneratorOption{"mode", "float or int (default: int if the model has codes)"},
    GeneratorOption{"arithmetic", "onnx, tflite, tflm, one, ggml or nnpa: whose codes it gives (default: what the model names, else onnx)"},
    GeneratorOption{"package",
                    "a library for cmake, arduino, zephyr or cmsis-pack, with a program that checks it (default: the two files)"},
    GeneratorOption{"report", "a file for sizes and layers: text, or JSON where it ends in .json"},
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
