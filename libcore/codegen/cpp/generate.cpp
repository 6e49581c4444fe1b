// The generator `cpp`: readable C++ that builds the graph through the builder of include/quern/builder.h, its weights, and a JSON that
// Netron shows; with `lib` compiled into a library that every tool reads as a model.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <filesystem>

#include "libcore/base/text.h"
#include "libcore/codegen/c/source.h"
#include "libcore/codegen/cpp/embedded.h"
#include "libcore/codegen/cpp/literal.h"
#include "libcore/codegen/cpp/net_json.h"
#include "libcore/codegen/generator.h"
#include "libcore/codegen/product.h"
#include "libcore/graph/op.h"
#include "libcore/os/child.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"
#include "libcore/os/temporary.h"

namespace quern::cppgen {
namespace {

// The functions of one graph and its bodies: one per node, one that calls them.
class GraphText {
   public:
    GraphText(Weights& weights, std::string& out) : weights_(weights), out_(out) {}

    // The name of the function that builds `graph`.
    std::string add(const Graph& graph, const Graph* outer) {
        std::string own = fmt::format("graph_{}", graphs_++);
        const std::string folder = outer ? own + "/" : "";  // names of bodies may be those of other graphs'

        std::string tensors;
        for (size_t i = 0; i < graph.value_count(); ++i)
            if (!graph.value(static_cast<ValueId>(i)).erased) tensors += tensor(graph.value(static_cast<ValueId>(i)), folder);
        out_ += fmt::format("// Inputs, weights and results of graph \"{}\".\nvoid {}_tensors(Graph& g) {{\n{}}}\n\n",
                            cgen::comment_text(graph.name), own, tensors);
        std::vector<std::string> calls;
        for (const NodeId id : graph.order()) {
            const std::string name = fmt::format("{}_node_{}", own, calls.size());
            node(graph, graph.node(id), name);
            calls.push_back(name);
        }
        out_ += fmt::format("void {0}(Graph& g) {{\n    {0}_tensors(g);\n", own);
        for (const std::string& call : calls) out_ += fmt::format("    {}(g);\n", call);
        for (const auto& capture : graph.captures)
            out_ += fmt::format("    g.capture({}, {});\n", literal(graph.value(capture.inner).name),
                                literal(outer->value(capture.outer).name));
        const auto names = [&](const std::vector<ValueId>& ids) {
            std::vector<std::string> texts;
            texts.reserve(ids.size());
            for (const ValueId id : ids) texts.push_back(literal(graph.value(id).name));
            return fmt::format("{{{}}}", fmt::join(texts, ", "));
        };
        out_ += fmt::format("    g.interface({}, {}, {});\n", literal(graph.name), names(graph.inputs), names(graph.outputs));
        for (const auto& [key, value] : graph.metadata) out_ += fmt::format("    g.metadata({}, {});\n", literal(key), literal(value));
        out_ += "}\n\n";
        return own;
    }

   private:
    std::string tensor(const Value& value, const std::string& folder) {
        std::string text = fmt::format("    g.add(Tensor({}, {})", literal(value.name), type_text(value.type));
        if (value.enc) text += fmt::format("\n              .encoding({})", encoding_text(*value.enc, weights_));
        if (value.data) text += fmt::format(".data({}, {})", weights_.place(*value.data, folder + value.name), value.data->size());
        if (!value.permutation.empty()) text += fmt::format(".permutation({{{}}})", fmt::join(value.permutation, ", "));
        return text + ");\n";
    }

    void node(const Graph& graph, const Node& node, const std::string& own) {
        std::vector<std::string> bodies;
        for (const Graph& body : node.bodies) bodies.push_back(add(body, &graph));
        std::string text =
            fmt::format("// {} \"{}\"\nvoid {}(Graph& g) {{\n", cgen::comment_text(node.op->name), cgen::comment_text(node.name), own);
        text += fmt::format("    g.add(Node({}, {})", literal(node.op->name), literal(node.name));
        const bool known = find_op(node.op->name, node.op->domain) == node.op;
        if (!node.op->domain.empty() || !known)
            text += fmt::format(".domain({}{})", literal(node.op->domain), known ? "" : fmt::format(", {}", std::max(node.op->version, 1)));
        if (!node.scope.empty()) text += fmt::format(".scope({})", literal(node.scope));
        if (!node.device.empty()) text += fmt::format(".device({})", literal(node.device));
        const auto name = [&](ValueId id) { return id == ValueId::none ? std::string("\"\"") : literal(graph.value(id).name); };
        for (const ValueId id : node.in) text += fmt::format("\n              .in({})", name(id));
        for (const ValueId id : node.out) text += fmt::format("\n              .out({})", name(id));
        for (const auto& [key, attr] : node.attrs) text += "\n              " + attribute_text(key, attr, weights_);
        for (const auto& [key, e] : node.internal)
            text += fmt::format("\n              .internal({}, {})", literal(key), encoding_text(e, weights_));
        text += ");\n";
        for (size_t i = 0; i < bodies.size(); ++i)
            text += fmt::format("    {{\n        Graph body = g.body({}, {}, {});\n        {}(body);\n        g.joined(body);\n    }}\n",
                                literal(node.name), literal(node.body_names[i]), literal(node.bodies[i].name), bodies[i]);
        out_ += text + "}\n\n";
    }

    Weights& weights_;
    std::string& out_;
    size_t graphs_ = 0;
};

constexpr std::string_view weights_text = R"(
// The weights, as they are in the file beside this one, an archive of tar; compile in its folder.
__asm__(
    ".pushsection .rodata\n"
    ".balign 64\n"
    ".hidden quern_model_weights\n"
    ".global quern_model_weights\n"
    "quern_model_weights:\n"
    ".incbin \"@name@.bin\"\n"
    ".byte 0\n"
    ".popsection\n");
extern "C" __attribute__((visibility("hidden"))) const unsigned char quern_model_weights[];

namespace {

using namespace quern_model;

[[maybe_unused]] const unsigned char *const weights = quern_model_weights;
[[maybe_unused]] const unsigned char *const parameters = weights + @parameters@;

)";

std::string source_text(const Model& model, const std::string& name, Weights& weights) {
    std::string functions;
    const std::string root = GraphText(weights, functions).add(model.graph, nullptr);
    std::string text = fmt::format("// Made by quern: builds the model {} from {}.bin through quern_builder.h.\n", name, name);
    text += "#include \"quern_builder.h\"\n";
    std::string embedded(weights_text);
    embedded.replace(embedded.find("@name@"), 6, name);
    embedded.replace(embedded.find("@parameters@"), 12, fmt::format("{}", weights.finish()));
    text += embedded + functions + "}  // namespace\n\n";
    text +=
        "extern \"C\" __attribute__((visibility(\"default\"))) int quern_model_compose(const quern_builder *builder, quern_graph *graph) "
        "{\n"
        "    if (builder->version != QUERN_BUILDER_VERSION || builder->struct_size < sizeof(quern_builder)) return 1;\n"
        "    Graph g(builder, graph);\n";
    text +=
        fmt::format("    {}(g);\n    g.metadata(\"lineage\", {});\n    return g.ok() ? 0 : 1;\n}}\n", root, literal(model.lineage.text()));
    return text;
}

// The words of a compiler's command: `text` is a program, or one and its flags. It runs in another folder.
std::vector<std::string> compiler_words(const std::string& text) {
    std::vector<std::string> words{text};
    if (!on_path(text)) {
        words.clear();
        for (std::string& word : split(text, ' '))
            if (!word.empty()) words.push_back(std::move(word));
    }
    if (words.empty() || !on_path(words[0])) throw unsupported("the compiler {} is not on the PATH", escape(text));
    if (words[0].find('/') != std::string::npos) words[0] = std::filesystem::absolute(words[0]).string();
    return words;
}

void compile(const std::string& folder, const std::string& name, const std::string& cxx, std::vector<std::string> words,
             const TemporaryFolder& temporary) {
    const std::string part = temporary.path() + "/lib" + name + ".so";
    static constexpr std::array flags{"-std=c++17", "-O0", "-fPIC", "-shared", "-fvisibility=hidden", "-o"};
    words.insert(words.end(), flags.begin(), flags.end());
    words.insert(words.end(), {part, name + ".cpp"});
    const ChildResult result = run_child(words, {.folder = folder});
    if (result.status != 0)
        throw unsupported("{} could not compile {}.cpp (exit {})", escape(cxx), name, result.status)
            .with_details(last_lines(result.output, 5))
            .with_hint(fmt::format("the sources stay in {}", escape(folder)));
    if (!file_exists(part))
        throw unsupported("{} said that it is done, but made no lib{}.so", escape(cxx), name).with_details(last_lines(result.output, 5));
    deliver_file(part, folder + "/lib" + name + ".so");
}

Generated generate(const GenerateRequest& request) {
    const std::string folder = output_folder(request);
    const std::string name = cgen::slug(option_of(request, "name", stem_of(request.model_path))), base = folder + "/" + name;
    const std::string cxx = option_of(request, "cxx", "c++");
    const std::string lib = option_of(request, "lib", "no");
    if (lib != "yes" && lib != "no") throw usage_error("--option lib={}: need yes or no", escape(lib));
    const bool library = lib == "yes";
    const std::vector<std::string> compiler = library ? compiler_words(cxx) : std::vector<std::string>();
    if (!library && request.options.contains("cxx")) throw usage_error("--cxx is for --lib, which is not given");
    const std::array files{base + ".cpp", base + ".bin", base + "_net.json", folder + "/quern_builder.h", folder + "/lib" + name + ".so"};
    keep_model_files(request, files);
    std::optional<TemporaryFolder> temporary;
    if (library) temporary.emplace();
    const ProductFolder kept(folder);
    Weights weights(base + ".bin");
    OutputFile source(base + ".cpp"), net(base + "_net.json"), header(folder + "/quern_builder.h");
    source.write(source_text(request.model, name, weights));
    net.write(net_json(request.model, name));
    header.write(builder_header);
    Generated made{{files.begin(), files.end() - 1}, {}, {}};
    made.notes.push_back(fmt::format("{} bytes of weights", weights.size()));
    commit_together({&weights.file(), &source, &net, &header});
    if (!request.model.facts.empty()) made.decided.push_back("facts that travel in the model (ranges) are not in the generated source");
    if (!library) return made;
    compile(folder, name, cxx, compiler, *temporary);
    made.files.push_back(files.back());
    return made;
}

constexpr std::array options{
    GeneratorOption{"name", "name of the files (default: the model's file name)"},
    GeneratorOption{"lib", "compile into libNAME.so, too (the flag --lib)"},
    GeneratorOption{"cxx", "the compiler, which may be a cross compiler (the flag --cxx; default: c++)"},
};

}  // namespace
}  // namespace quern::cppgen

namespace quern {

const Generator cpp_generator{
    .name = "cpp",
    .doc = "C++ that builds the graph through a builder, its weights, and a JSON for Netron; --lib makes a library that run runs",
    .input = "any model",
    .product = "{}_cpp",
    .options = cppgen::options,
    .generate = cppgen::generate,
};

}  // namespace quern
