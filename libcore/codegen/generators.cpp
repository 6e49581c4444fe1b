// The table of generators (generator.h): one row each, those of formats among them.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <filesystem>

#include "formats/shared/interface.h"
#include "libcore/base/text.h"
#include "libcore/codegen/generator.h"
#include "libcore/os/mapped.h"
#include "libcore/os/output_target.h"

namespace quern {
namespace {

Generated written(const GenerateRequest& request, const Generator& generator) {
    const std::string path = output_file(request, generator);
    keep_model_files(request, std::array{path});
    const std::string strict = option_of(request, "strict", "no");
    if (strict != "yes" && strict != "no") throw usage_error("option strict is {}, need yes or no", escape(strict));
    const InterfaceRequest ends{option_of(request, "io"), option_of(request, "input-type"), option_of(request, "output-type")};
    write_model(request.model, path, std::string(generator.name), {.io = ends.io("option "), .strict = strict == "yes"});
    return {{path}, {}, {}};
}

constexpr std::array writer_options{
    GeneratorOption{"io", "how inputs and outputs are stored: float32, int8, uint8 or int16 (default: as encoded)"},
    GeneratorOption{"input-type", "how inputs are stored"}, GeneratorOption{"output-type", "how outputs are stored"},
    GeneratorOption{"strict", "yes: what the format's runtime has no kernel for is an error (default: no)"}};

}  // namespace

const Generator tflite_generator{
    .name = "tflite",
    .doc = "a TensorFlow Lite file",
    .input = "any model that model-convert -f tflite writes",
    .format = "tflite",
    .options = writer_options,
    .generate = [](const GenerateRequest& request) { return written(request, tflite_generator); },
};

const Generator circle_generator{
    .name = "circle",
    .doc = "a Circle file, the format of Samsung's ONE",
    .input = "any model that model-convert -f circle writes",
    .format = "circle",
    .options = writer_options,
    .generate = [](const GenerateRequest& request) { return written(request, circle_generator); },
};

std::span<const Generator> all_generators() {
    static const std::array rows{context_generator, c_generator,    cpp_generator,         tflite_generator,
                                 circle_generator,  vela_generator, qnn_context_generator, dlc_generator};
    return rows;
}

const Generator* find_generator(std::string_view name) {
    for (const Generator& row : all_generators())
        if (row.name == name) return &row;
    return nullptr;
}

std::string option_of(const GenerateRequest& request, std::string_view name, std::string_view fallback) {
    const auto found = request.options.find(std::string(name));
    return found == request.options.end() ? std::string(fallback) : found->second;
}

const Generator* generator_by_suffix(const std::string& path, std::string_view runtime) {
    const std::string suffix = std::filesystem::path(path).extension().string();
    for (const Generator& row : all_generators()) {
        const auto suffixes = split(row.suffixes, ' ');
        if (!suffix.empty() && (row.runtime.empty() || row.runtime == runtime) && std::ranges::find(suffixes, suffix) != suffixes.end())
            return &row;
    }
    return nullptr;
}

std::string product_name(const Generator& generator, std::string_view stem) {
    if (generator.product.empty()) return fmt::format("{}.{}", stem, generator.name);
    return fmt::format(fmt::runtime(generator.product), stem);
}

std::string output_file(const GenerateRequest& request, const Generator& generator) {
    return request.output.empty() ? product_name(generator, stem_of(request.model_path)) : request.output;
}

bool has_option(const Generator& generator, std::string_view name) {
    return std::ranges::any_of(generator.options, [&](const GeneratorOption& option) { return option.name == name; });
}

void check_option(const Generator& generator, const std::string& name) {
    if (has_option(generator, name)) return;
    std::vector<std::string> names;
    for (const GeneratorOption& option : generator.options) names.emplace_back(option.name);
    throw usage_error("generator {} has no option \"{}\"{}", generator.name, escape(name), did_you_mean(name, names))
        .with_hint(names.empty() ? "it has none" : "it has " + join(names, ", "));
}

std::pair<std::string, std::string> parse_option(const Generator& generator, const std::string& text) {
    const size_t equals = text.find('=');
    if (equals == std::string::npos) throw usage_error("--option {}: need NAME=TEXT", escape(text));
    check_option(generator, text.substr(0, equals));
    return {text.substr(0, equals), text.substr(equals + 1)};
}

std::string stem_of(const std::string& model_path) {
    const std::string stem = std::filesystem::path(model_path).stem().string();
    return model_path == "-" || stem.empty() ? "model" : stem;
}

std::string output_folder(const GenerateRequest& request) {
    if (request.output == "-") throw usage_error("-o -: the product is several files, need a folder");
    return request.output.empty() ? "." : request.output;
}

void keep_model_files(const GenerateRequest& request, std::span<const std::string> products) {
    for (const std::string& product : products) {
        keep_model(product, request.model_path, "--output");
        if (product == "-" || !is_mapped(product)) continue;
        throw usage_error("{}: the output is a file of the model", escape(product)).with_hint("--output says where the product goes");
    }
}

std::shared_ptr<const Generator> need_generator(const std::string& name) {
    const std::string_view plain = std::string_view(name).substr(0, name.ends_with("-gen") ? name.size() - 4 : name.size());
    if (const Generator* row = find_generator(plain)) return {std::shared_ptr<void>(), row};
    if (auto found = find_plugin(name)) return found;
    if (name.find('/') != std::string::npos) throw usage_error("there is no plugin \"{}\"", escape(name));
    std::vector<std::string> names;
    for (const Generator& row : all_generators()) names.emplace_back(row.name);
    throw usage_error("unknown plugin \"{}\"{}", escape(name), did_you_mean(plain, names))
        .with_hint(fmt::format("quern codegen --list-plugins names them; lib{}-gen.so is looked for in {}", printable(plain),
                               join(plugin_folders(), ", ")));
}

}  // namespace quern
