// Generators: what codegen turns a model into. One row each in generators.cpp; plugin.cpp makes rows of plugins.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "formats/format.h"

namespace quern {

enum class Preference : uint8_t { usual, speed, size };
enum class Diagnostic : uint8_t { error, warning, information };

struct GeneratorOption {
    std::string_view name, doc;
};

struct GenerateRequest {
    Model model;             // shapes as the user fixed them
    std::string model_path;  // as given; "-": standard input
    std::string output;      // "": where the generator puts it by itself
    Preference preference = Preference::usual;
    std::map<std::string, std::string> options;  // names are among those of the row
    // Takes what a plugin says while it works, on the thread that generates; empty: warnings and errors go to standard error.
    std::function<void(Diagnostic level, const std::string& text)> diagnose = {};
};

// What came out: the files, what was decided that nobody asked for, and other lines for the user (sizes).
struct Generated {
    std::vector<std::string> files, decided, notes;
};

struct Generator {
    std::string_view name, doc;
    std::string_view input;          // which models it takes, in words
    std::string_view product = {};   // what it makes, "{}" standing for the model's name: "{}.qctx"; "": "{}.NAME"
    std::string_view suffixes = {};  // of products that ask for it where no generator is named: ".onnx .bin"; "": none
    std::string_view runtime = {};   // of a target whose products alone those are; "": any
    std::string_view format = {};    // that the model is written in, whose runtime's rules its encodings should follow; "": none
    std::span<const GeneratorOption> options = {};
    bool has_preference = false;  // another preference changes what comes out
    // Throws Exit::unsupported with a line per node for what it cannot generate.
    std::function<Generated(const GenerateRequest& request)> generate = {};
};

std::span<const Generator> all_generators();
const Generator* find_generator(std::string_view name);  // nullptr if there is none
// The generator that makes a file of this suffix for targets of this runtime; nullptr if none does.
const Generator* generator_by_suffix(const std::string& path, std::string_view runtime);
// The name of what it makes of a model of this name, which has neither folder nor suffix.
std::string product_name(const Generator& generator, std::string_view stem);

// ---- plugins: generators from libraries (plugin.h) ----
// lib<name>-gen.so in each folder of QUERN_CODEGEN_PATH (":" between them), then in quern/codegen beside libquern.so; `name` with a "/" is
// a path, one that ends in "-gen" is a target as onert spells it. nullptr if there is none. Throws Exit::unsupported for a library that is
// not a plugin. Its code runs in child processes only.
std::shared_ptr<const Generator> find_plugin(const std::string& name);
// A generator that is built in, or a plugin; "NAME-gen" is NAME, as onert spells it. Throws Exit::usage, with a suggestion.
std::shared_ptr<const Generator> need_generator(const std::string& name);
std::vector<std::string> plugin_folders();

struct PluginSummary {
    std::string name, path;
    std::shared_ptr<const Generator> generator;  // nullptr: `problem` says why
    std::string problem;
};
std::vector<PluginSummary> installed_plugins();

bool has_option(const Generator& generator, std::string_view name);
// Throws Exit::usage if the generator has no option of this name.
void check_option(const Generator& generator, const std::string& name);
// Of "NAME=TEXT". Throws Exit::usage if it is none, or the generator has no option of this name.
std::pair<std::string, std::string> parse_option(const Generator& generator, const std::string& text);

// ---- for rows ----
// The option's text, `fallback` if it was not given.
std::string option_of(const GenerateRequest& request, std::string_view name, std::string_view fallback = {});
// The file name of the model without folder and suffix, "model" for standard input.
std::string stem_of(const std::string& model_path);
// Where one file goes: --output, or here by product_name().
std::string output_file(const GenerateRequest& request, const Generator& generator);
// Where several files go: --output, or this folder. Throws Exit::usage for standard output.
std::string output_folder(const GenerateRequest& request);
// Throws Exit::usage if a product would take the place of a file of the model: its own, or one with its weights.
void keep_model_files(const GenerateRequest& request, std::span<const std::string> products);
extern const Generator context_generator, c_generator, cpp_generator, tflite_generator, circle_generator, vela_generator,
    qnn_context_generator, dlc_generator;

}  // namespace quern
