// Plugins as generators: probed, and run, in child processes.
#include <fmt/format.h>

#include <array>
#include <cstdio>
#include <filesystem>

#include "formats/foreign/child.h"
#include "include/quern/plugin.h"
#include "libcore/backend/library_place.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/codegen/product.h"
#include "libcore/exec/program.h"
#include "libcore/graph/edit.h"
#include "libcore/os/standard_error.h"
#include "libcore/passes/pipelines.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

constexpr LibraryPlace plugins{"QUERN_CODEGEN_PATH", "quern/codegen", "lib", "-gen.so"};

// By QUERN_INPUT_...; of the graph itself there is no file.
struct InputForm {
    std::string_view format, suffix, doc;
};
constexpr std::array<InputForm, 5> forms{{{"", "", "any model"},
                                          {"native", ".qn", "any model, in the native format"},
                                          {"onnx", ".onnx", "any model that model-convert -f onnx writes"},
                                          {"circle", ".circle", "any model that model-convert -f circle writes"},
                                          {"tflite", ".tflite", "any model that model-convert -f tflite writes"}}};

// What a probe finds out about a library (tools/foreign/plugin_jobs.cpp says it).
struct Facts {
    bool onert = false, has_preference = false;
    std::string name, doc;
    int input = QUERN_INPUT_CIRCLE, product = QUERN_PRODUCT_PATH;
    std::vector<std::pair<std::string, std::string>> options;
};

Facts probe(const std::string& path) {
    const int seconds = child_seconds("QUERN_CODEGEN_TIMEOUT");
    const Json json = parse_json(run_in_child({.job = "plugin-table", .request = {path}, .seconds = seconds}).text());
    Facts facts;
    if (json.contains("onert")) {
        facts.onert = true;
        facts.doc = "a plugin for onert: what it makes of a Circle file";
        return facts;
    }
    facts.name = json["name"].get<std::string>();
    facts.doc = json["doc"].get<std::string>();
    facts.input = json["input"].get<int>();
    facts.product = json["product"].get<int>();
    facts.has_preference = json["preferences"].get<bool>();
    for (const Json& option : json["options"])
        facts.options.emplace_back(option["name"].get<std::string>(), option["doc"].get<std::string>());
    return facts;
}

// What the plugin says: shown as it comes.
void show(const GenerateRequest& request, std::string_view plugin, int level, const std::string& text) {
    const Diagnostic kind = level == QUERN_LOG_ERROR     ? Diagnostic::error
                            : level == QUERN_LOG_WARNING ? Diagnostic::warning
                                                         : Diagnostic::information;
    const std::string line = fmt::format("plugin \"{}\": {}", plugin, printable(text));
    if (request.diagnose)
        request.diagnose(kind, line);
    else if (kind != Diagnostic::information)
        write_standard_error(fmt::format("quern: {}\n", line));
}

int32_t c_preference(Preference preference) {
    switch (preference) {
        case Preference::speed: return QUERN_PREFER_SPEED;
        case Preference::size: return QUERN_PREFER_SIZE;
        default: return QUERN_PREFER_DEFAULT;
    }
}

// One plugin, and the row that stands for it.
class Plugin {
   public:
    Plugin(std::string name, std::string path) : name_(std::move(name)), path_(std::move(path)) {
        at_place(place(), [&] { facts_ = probe(path_); });
        if (!facts_.onert && facts_.name != name_)
            throw unsupported("plugin \"{}\": its table has the name \"{}\"", escape(name_), escape(facts_.name));
        for (const auto& [option, doc] : facts_.options) options_.push_back({option, doc});
        row_ = {.name = name_,
                .doc = facts_.doc,
                .input = forms.at(static_cast<size_t>(facts_.input)).doc,
                .options = options_,
                .has_preference = facts_.has_preference,
                .generate = [this](const GenerateRequest& request) { return generate(request); }};
    }
    Plugin(const Plugin&) = delete;
    Plugin& operator=(const Plugin&) = delete;
    const Generator& row() const { return row_; }

   private:
    std::string place() const { return fmt::format("plugin \"{}\"", escape(name_)); }

    // Beside the model, its suffix replaced: another path than the model's, which stays what it is.
    std::string output_for(const GenerateRequest& request) const {
        const bool piped = request.model_path == "-";
        const fs::path folder = piped ? fs::path() : fs::path(request.model_path).parent_path();
        std::string output =
            request.output.empty() ? (folder / fmt::format("{}.{}", stem_of(request.model_path), name_)).string() : request.output;
        keep_model_files(request, std::array{output});
        return output;
    }

    Generated generate(const GenerateRequest& given) const {
        GenerateRequest request = given;
        std::vector<std::string> decided = take_open_dims_as_one(request.model.graph, OpenDims::batch);
        if (facts_.input == QUERN_INPUT_GRAPH) request.model.graph = as_folded(std::move(request.model.graph));
        const std::string output = output_for(request);
        refuse_terminal(output);
        const TemporaryFolder folder;
        const std::string stem = stem_of(request.model_path);
        const InputForm& form = forms.at(static_cast<size_t>(facts_.input));
        const std::string model = form.format.empty() ? "" : fmt::format("{}/{}{}", folder.path(), percent_escape(stem), form.suffix);
        if (!model.empty()) write_model(request.model, model, form.format);
        Generated made = at_place(place(), [&] {
            return facts_.product == QUERN_PRODUCT_STREAM ? stream(request, model, output) : file(request, model, output);
        });
        made.decided = std::move(decided);
        return made;
    }

    Generated stream(const GenerateRequest& request, const std::string& model, const std::string& output) const {
        const Bytes bytes = run(request, model, "");
        if (bytes.size() == 0) throw unsupported("said that it is done, but wrote nothing");
        OutputFile file(output);
        file.write(bytes);
        file.commit();
        return {{output}, {}, {}};
    }

    Generated file(const GenerateRequest& request, const std::string& model, const std::string& output) const {
        StagedProduct product(output, fmt::format("{}.{}", percent_escape(stem_of(request.model_path)), name_));
        run(request, model, product.output());
        return {product.deliver(), {}, {}};
    }

    // In a child process; what goes to the sink.
    Bytes run(const GenerateRequest& request, const std::string& model, const std::string& output) const {
        std::vector<std::string> words{path_, stem_of(request.model_path), model, output, std::to_string(c_preference(request.preference))};
        for (const auto& [name, text] : request.options) words.insert(words.end(), {name, text});
        return run_in_child({.job = "plugin",
                             .request = std::move(words),
                             .graph = facts_.input == QUERN_INPUT_GRAPH ? &request.model.graph : nullptr,
                             .log = [&](int level, const std::string& text) { show(request, escape(name_), level, text); }});
    }

    std::string name_, path_;
    Facts facts_;
    std::vector<GeneratorOption> options_;
    Generator row_;
};

// "abc" of "x/libabc-gen.so", else the whole file name.
std::string name_of(const std::string& path) {
    const std::string file = fs::path(path).filename();
    const size_t around = plugins.prefix.size() + plugins.suffix.size();
    const bool usual = file.size() > around && file.starts_with(plugins.prefix) && file.ends_with(plugins.suffix);
    return usual ? file.substr(plugins.prefix.size(), file.size() - around) : fs::path(path).stem().string();
}

std::shared_ptr<const Generator> open_plugin(const std::string& name, const std::string& path) {
    const auto plugin = std::make_shared<Plugin>(name, path);
    return {plugin, &plugin->row()};
}

}  // namespace

std::vector<std::string> plugin_folders() { return library_folders(plugins); }

std::shared_ptr<const Generator> find_plugin(const std::string& name) {
    if (const std::string path = library_path(plugins, name); !path.empty())
        return open_plugin(name.find('/') == name.npos ? name : name_of(name), path);
    constexpr std::string_view target = "-gen";
    if (name.size() <= target.size() || !name.ends_with(target) || name.find('/') != name.npos) return nullptr;
    return find_plugin(name.substr(0, name.size() - target.size()));
}

std::vector<PluginSummary> installed_plugins() {
    std::vector<PluginSummary> out;
    for (const LibraryFile& file : installed_libraries(plugins)) {
        PluginSummary line{file.name, file.path, nullptr, {}};
        try {
            line.generator = open_plugin(file.name, file.path);
        } catch (const Error& error) {
            line.problem = error.message();
        }
        out.push_back(std::move(line));
    }
    return out;
}

}  // namespace quern
