// Generator context: models compiled for their back ends, in one file that starts at once; alone or in an EPContext node.

#include <algorithm>
#include <array>
#include <filesystem>
#include <set>

#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/deploy/context.h"
#include "libcore/exec/meaning.h"
#include "libcore/exec/program.h"
#include "libcore/kernels/context_isa.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/os/output_target.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

constexpr std::array context_options{
    GeneratorOption{"mode", "float, fake or int: what run computes (default: int if its activations are encoded, else float)"},
    GeneratorOption{"arithmetic",
                    "profile of integer runs: onnx, tflite, tflm, one, ggml or nnpa (default: what the model names, else onnx)"},
    GeneratorOption{"backend", "NAME[;NAME]: every node goes to the first that runs it (default: the device where it is placed)"},
    GeneratorOption{"prefer", "NAME[;NAME]: nodes without device go to the first that runs it, or to cpu (default: all to cpu)"},
    GeneratorOption{"backend-options",
                    "JSON for back ends that are libraries, now and wherever the context is loaded: {\"device\": \"npu1\"}"},
    GeneratorOption{"target", "whose devices name their back ends"},
    GeneratorOption{"cache", "folder that keeps what was compiled, so that only changed partitions are compiled again"},
    GeneratorOption{
        "isa", "base, avx2, avx512 or aarch64: for another machine, which packs weights of float kernels itself (default: for this one)"},
    GeneratorOption{"graphs", "NAME=FILE[;NAME=FILE]: more models for the same file, run by --graph NAME"},
    GeneratorOption{"name", "of the model's own graph (default: main)"},
    GeneratorOption{"embed", "yes: an .onnx output has the context inside, not beside it"},
};

Mode mode_for(const GenerateRequest& request, const Graph& graph) {
    const std::string mode = option_of(request, "mode");
    if (mode == "float") return Mode::floating;
    if (mode == "fake") return Mode::fake;
    if (mode == "int") return Mode::integer;
    if (!mode.empty()) throw usage_error("--option mode={}: need float, fake or int", escape(mode));
    return own_mode(graph, profile_named(option_of(request, "arithmetic")));
}

// "": this machine's.
std::string other_isa(const GenerateRequest& request) {
    std::string isa = option_of(request, "isa");
    const std::vector<std::string> known(context_isas.begin(), context_isas.end());
    if (!isa.empty() && std::ranges::find(known, isa) == known.end())
        throw usage_error("--option isa={}: need one of {}", escape(isa), join(known, ", "));
    return isa == context_isa() ? std::string() : isa;
}

ContextSource compiled(const GenerateRequest& request, std::string name, const Model& model, Generated& made) {
    MixedOptions options;
    options.compile.mode = mode_for(request, model.graph);
    options.compile.profile = profile_named(option_of(request, "arithmetic"));
    options.isa = other_isa(request);
    options.backends = backend_names(option_of(request, "backend"));
    options.preferred = backend_names(option_of(request, "prefer"));
    options.backend_options = option_of(request, "backend-options");
    options.target = option_of(request, "target");
    options.cache = option_of(request, "cache");
    options.note = [&](const std::string& text) { made.decided.push_back(text); };
    ContextSource source{std::move(name), MixedProgram::compile(model.graph, options), model.lineage.text()};
    if (const auto tokenizer = model.facts.find("tokenizer"); tokenizer != model.facts.end()) source.facts.insert(*tokenizer);
    return source;
}

std::string output_path(const GenerateRequest& request) { return output_file(request, context_generator); }

// Where the product goes, or the two that may be it.
std::array<std::string, 2> product_paths(const GenerateRequest& request) {
    const std::string path = output_path(request);
    return {path, fs::path(path).replace_extension(".qctx").string()};
}

std::vector<ContextSource> sources(const GenerateRequest& request, Generated& made) {
    std::vector<ContextSource> all;
    std::set<std::string> names;
    const auto add = [&](const std::string& name, const Model& model) {
        if (name.empty() || !names.insert(name).second) throw usage_error("two graphs are named \"{}\", or one has no name", escape(name));
        all.push_back(compiled(request, name, model, made));
    };
    add(option_of(request, "name", "main"), request.model);
    for (const std::string& pair : split(option_of(request, "graphs"), ';')) {
        const size_t equals = pair.find('=');
        if (equals == std::string::npos) throw usage_error("--option graphs: \"{}\": need NAME=FILE", escape(pair));
        const std::string file = pair.substr(equals + 1);
        for (const std::string& product : product_paths(request)) keep_model(product, file, "--output");
        add(pair.substr(0, equals), read_model(file));
    }
    return all;
}

void write_file(const std::vector<ContextSource>& graphs, const std::string& path, Generated& made) {
    refuse_terminal(path);
    OutputFile file(path);
    write_context(graphs, file);
    file.commit();
    made.files.push_back(path);
}

// The model `path` around the context, which is inside or beside it.
void write_wrapper(const std::vector<ContextSource>& graphs, const std::string& path, bool embed, Generated& made) {
    std::string payload = fs::path(path).stem().string() + ".qctx";
    SpoolFile spool;
    write_context(graphs, spool.file());
    const Bytes bytes = spool.finish();
    if (embed) {
        payload = bytes.text();
    } else {
        if (is_stream(path)) throw usage_error("-o -: an EPContext model has its context beside it; --option embed=yes puts it inside");
        write_file(graphs, (fs::path(path).parent_path() / payload).string(), made);
    }
    write_model(wrap_context(Context(bytes).graphs().front(), payload, embed), path, "onnx");
    made.files.push_back(path);
}

Generated generate(const GenerateRequest& request) {
    const std::string path = output_path(request);
    const std::string embed = option_of(request, "embed", "no");
    if (embed != "yes" && embed != "no") throw usage_error("--option embed={}: need yes or no", escape(embed));
    const bool wrapped = fs::path(path).extension() == ".onnx";
    if (embed == "yes" && !wrapped) throw usage_error("--option embed=yes needs an output that ends in .onnx");
    keep_model_files(request, product_paths(request));
    Generated made;
    const auto graphs = sources(request, made);
    wrapped ? write_wrapper(graphs, path, embed == "yes", made) : write_file(graphs, path, made);
    return made;
}

}  // namespace

const Generator context_generator{
    .name = "context",
    .doc = "a compiled context: what run starts at once, mapped; with -o NAME.onnx in an EPContext node",
    .input = "any model that run runs",
    .product = "{}.qctx",
    .suffixes = ".qctx",
    .options = context_options,
    .generate = generate,
};

}  // namespace quern
