// codegen: a model as what a target compiles or loads.
#include <algorithm>

#include "libcore/base/text.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/cli/verify_flags.h"
#include "libcore/codegen/c/package.h"
#include "libcore/codegen/generator.h"
#include "libcore/exec/meaning.h"
#include "libcore/os/standard_error.h"
#include "libcore/quant/types/followed.h"

using namespace quern;

namespace {

class Codegen : public Tool {
    std::string model_ = "-", output_, plugin_, preference_ = "default", cxx_, cache_, backend_options_, isa_, package_, report_;
    std::vector<std::string> options_;
    FixedInputs fixed_;
    SampleFlags samples_;
    VerifyFlags verify_;
    int64_t threads_ = 0;
    bool list_plugins_ = false, library_ = false;

    std::string_view name() const override { return "codegen"; }
    std::string_view summary() const override { return "turn a model into what a target compiles or loads"; }
    std::vector<std::string_view> examples() const override {
        return {"quern codegen digits.onnx -p c -o c_digits", "quern codegen digits.onnx -p context -o digits.qctx"};
    }

    void options(Options& add) override {
        static constexpr std::string_view preferences[] = {"default", "speed", "size"};
        add.model(model_);
        add.text(plugin_, "-p,--plugin", "NAME", "the generator, one of --list-plugins, or the path of a plugin");
        add.output(output_, "-o,--output", "PATH",
                   "where the product goes: a file, or a folder where it is several (default: here; of a plugin: beside the model)");
        add.choice(preference_, "--preference", preferences, "what the product is optimized for");
        add.texts(options_, "--option", "NAME=TEXT", "an option of the generator; may repeat");
        add.choice(package_, "--package", cgen::package_names(),
                   "put what the generator c writes into a library for these, with a program that runs it and checks the outputs");
        add.output(report_, "--report", "FILE",
                   "sizes, stack and layers of what the generator c writes, as text; JSON if FILE ends in .json");
        add.flag(library_, "--lib", "compile what the generator cpp writes into libNAME.so, which run and the other tools read");
        add.text(cxx_, "--cxx", "COMPILER", "the compiler for --lib, with flags if need be; may be a cross compiler (default: c++)");
        add.output(cache_, "--cache", "DIR",
                   "keep what the generator context compiles in a folder, so that only changed partitions are compiled again");
        add.text(backend_options_, "--backend-options", "JSON",
                 "for back ends that are libraries, kept in the context of the generator context: {\"device\": \"npu1\"}");
        add.isa(isa_);
        add.shapes(fixed_);
        verify_.add(add);
        samples_.add(add);
        add.threads(threads_);
        add.group("Lists");
        add.flag(list_plugins_, "--list-plugins", "print the generators, what they take and their options, and exit");
    }

    static void list_generator(const Generator& row) {
        print(fmt::format("{:<12}{}\n{:<12}takes {}\n", row.name, printable(row.doc), "", row.input));
        for (const GeneratorOption& option : row.options)
            print(fmt::format("{:<12}--option {}=...: {}\n", "", printable(option.name), printable(option.doc)));
    }

    static Exit list_plugins() {
        for (const Generator& row : all_generators()) list_generator(row);
        for (const PluginSummary& plugin : installed_plugins()) {
            if (find_generator(plugin.name))
                print(fmt::format("{:<12}is hidden by the built-in generator of this name: --plugin PATH finds it\n", plugin.name));
            else if (plugin.generator)
                list_generator(*plugin.generator);
            else
                print(fmt::format("{:<12}cannot be used: {}\n", plugin.name, plugin.problem));
            print(fmt::format("{:<12}is {}\n", "", printable(plugin.path)));
        }
        return Exit::ok;
    }

    std::shared_ptr<const Generator> chosen() const {
        if (plugin_.empty()) throw usage_error("--plugin is missing").with_hint("quern codegen --list-plugins names them");
        return need_generator(plugin_);
    }

    static void diagnose(Diagnostic level, const std::string& text) {
        if (level == Diagnostic::error) write_standard_error(fmt::format("codegen: error: {}\n", text));
        if (level == Diagnostic::warning) notice(fmt::format("warning: {}", text));
        if (level == Diagnostic::information && verbosity() >= 2) notice(text);
    }

    std::map<std::string, std::string> given_options(const Generator& generator) const {
        std::map<std::string, std::string> out;
        for (const std::string& text : options_) {
            auto [name, value] = parse_option(generator, text);
            out[name] = std::move(value);
        }
        if ((library_ || !cxx_.empty()) && !has_option(generator, "lib"))
            throw usage_error("{} is for the generator cpp, not for {}", library_ ? "--lib" : "--cxx", generator.name);
        if (!cache_.empty() && !has_option(generator, "cache"))
            throw usage_error("--cache is for the generator context, not for {}", generator.name);
        if (!backend_options_.empty() && !has_option(generator, "backend-options"))
            throw usage_error("--backend-options is for the generator context, not for {}", generator.name);
        if (!package_.empty() && !has_option(generator, "package"))
            throw usage_error("--package is for the generator c, not for {}", generator.name);
        if (!report_.empty() && !has_option(generator, "report"))
            throw usage_error("--report is for the generator c, not for {}", generator.name);
        if (!isa_.empty() && !has_option(generator, "isa"))
            throw usage_error("--isa {} is for the generator context, not for {}", isa_, generator.name);
        if (!isa_.empty()) out["isa"] = isa_;
        if (!package_.empty()) out["package"] = package_;
        if (!report_.empty()) out["report"] = report_;
        if (library_) out["lib"] = "yes";
        if (!backend_options_.empty()) out["backend-options"] = backend_options_;
        if (!cache_.empty()) out["cache"] = cache_;
        if (!cxx_.empty()) out["cxx"] = cxx_;
        return out;
    }

    // Operators that compute on real numbers in a model that was quantized by others than the runtime's rules.
    static void say_other_rules(const Graph& graph, const Generator& generator) {
        if (generator.format.empty() || followed_rules(graph) == rules_of(destination_of(generator.format))) return;
        if (const size_t floats = count_float_nodes(as_encoded(graph)))
            notice(
                fmt::format("operators in real numbers: {}; the model was not quantized by the rules of {} files, which quantize follows "
                            "with -o FILE.{} or a --target of that format",
                            floats, generator.format, generator.format));
    }

    Exit run() override {
        if (list_plugins_) return list_plugins();
        const std::shared_ptr<const Generator> found = chosen();
        const Generator& generator = *found;
        static constexpr std::string_view reports[] = {".txt", ".json"};
        check_suffix("--report", report_, reports);
        GenerateRequest request;  // member by member: of a list whose last parts throw g++ 12 destroys the first ones twice
        request.model_path = model_;
        request.output = output_;
        request.options = given_options(generator);
        request.diagnose = diagnose;
        if (preference_ == "speed") request.preference = Preference::speed;
        if (preference_ == "size") request.preference = Preference::size;
        if (request.preference != Preference::usual && !generator.has_preference)
            notice(fmt::format("{} ignores --preference", generator.name));
        const bool samples = samples_.options().given();
        if (samples && !verify_.given()) throw usage_error("samples are for --verify-with");
        verify_.begin(generator.name, verify_.given() ? output_file(request, generator) : "", false, samples);
        request.model = read_model(model_);
        const Generated made = at_place(display_name(model_), [&] {
            fix_inputs(request.model.graph, fixed_);
            return generator.generate(request);
        });
        for (const std::string& line : made.decided) notice(line);
        say_other_rules(request.model.graph, generator);
        if (verbosity() >= 2) {
            for (const std::string& file : made.files) notice(fmt::format("wrote {}", file));
            for (const std::string& line : made.notes) notice(line);
        }
        return verify_.given() ? verify_.verify(made.files.front(), samples_, static_cast<int>(threads_)) : Exit::ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    Codegen tool;
    return tool_main(tool, argc, argv);
}
