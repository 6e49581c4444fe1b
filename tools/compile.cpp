// compile: the whole chain over one session: load, record ranges, quantize, generate code, run what was made.
#include <algorithm>
#include <atomic>
#include <filesystem>
#include <map>
#include <optional>
#include <thread>

#include "formats/samples/results.h"
#include "libcore/api/loaded.h"
#include "libcore/base/text.h"
#include "libcore/cli/api_session.h"
#include "libcore/cli/backend_flags.h"
#include "libcore/cli/named_files.h"
#include "libcore/cli/progress.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/codegen/generator.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/io.h"
#include "libcore/os/output_target.h"
#include "libcore/os/temporary.h"
#include "libcore/os/threads.h"
#include "libcore/place/target.h"
#include "libcore/place/target_file.h"
#include "libcore/quant/types/scheme.h"

using namespace quern;

namespace {

namespace fs = std::filesystem;

// One model, and where its product goes: a name from -o, or nothing: beside the model.
struct Job {
    std::string model, output;
};

// What runs a target's models, by its runtime, in contexts of our own.
constexpr std::pair<std::string_view, std::string_view> devices_of_runtimes[] = {{"qnn", "ort:qnn,soc={}"}};
constexpr std::string_view no_type = "float";

class Compile : public Tool {
    std::string model_ = "-", signature_, type_, target_, quantized_, plugin_, preference_ = "default", output_, backends_,
                backend_options_, isa_, results_, run_list_;
    FixedInputs fixed_;
    SampleFlags samples_;
    std::vector<std::string> others_, options_;
    std::optional<place::Target> known_target_;
    bool type_of_target_ = false;  // nobody asked for it
    static constexpr std::string_view placeholder = "{}";
    bool force_ = false;
    int64_t jobs_ = 1;
    std::optional<int64_t> threads_;
    BackendFlags backend_flags_;

    std::string_view name() const override { return "compile"; }
    std::string_view summary() const override { return "record ranges, quantize, generate code and run, in one command"; }
    std::vector<std::string_view> examples() const override {
        return {"quern compile digits.onnx --type i8 --input 'image=train.u8:u8[1,8,8]*0.0625-0' --rows 100 -p context -o digits.qctx",
                "quern compile digits.onnx --target ethos-u55-128 --input 'image=train.u8:u8[1,8,8]*0.0625-0' -o digits.tflite"};
    }

    void options(Options& add) override {
        static constexpr std::string_view preferences[] = {"default", "speed", "size"};
        static const auto types = [] {
            auto names = scheme_names();
            names.push_back(no_type);
            return names;
        }();
        add.model(model_);
        add.positionals(others_, "MODELS", "more models, each with a product of its own", FileRole::model);
        add.signature(signature_);
        add.shapes(fixed_);
        add.output(output_, "-o,--output", "FILE",
                   "the product: generated code, without --plugin the quantized model (default: beside the model); of several models {} "
                   "stands for the name of each, without its suffix",
                   FileRole::product);
        add.flag(force_, "--force", "overwrite a product that already exists where -o does not name it: beside the model, or by {}");
        add.integer(jobs_, "--jobs", "N", "how many of several models are compiled at the same time (default: 1)", 1, 1000);
        add.group("Quantizing");
        add.choice(type_, "--type", types,
                   "number formats, as quern quantize --list-types lists them; float: none, whatever the target takes (default: the "
                   "target's, else not quantized)");
        add.input(target_, "--target", "TARGET",
                  "take the type and the rules of this target's runtime, a name of place --list-targets or a file; without --plugin the "
                  "suffix of the product tells its generator: of htp .onnx and .bin are QNN's context, .dlc its container, and .qctx a "
                  "context of quern's for any",
                  target_files);
        add.output(quantized_, "--quantized", "FILE", "keep the quantized model that code is generated from", FileRole::product);
        samples_.add(add);
        add.group("Generating");
        add.text(plugin_, "-p,--plugin", "NAME", "the generator, one of quern codegen --list-plugins (default: none)");
        add.texts(options_, "--option", "NAME=TEXT", "an option of the generator; may repeat (default for its soc: the target's chip)");
        add.choice(preference_, "--preference", preferences, "what the product is optimized for");
        add.isa(isa_);
        add.group("Running");
        add.output(results_, "--output-dir", "FOLDER", "run the product on the samples; where results go");
        add.input(run_list_, "--run-list", "FILE", "an input list of other samples to run it on", list_files);
        add.text(backends_, "--backend", "NAME[;NAME]", "back ends in order of preference; cpu takes what none of them runs");
        add.text(backend_options_, "--backend-options", "JSON",
                 "for back ends that are libraries, also those of the generator context, which keeps them: {\"device\": \"npu1\"}");
        backend_flags_.add(add);
        add.integer(threads_, "--threads", "N", "threads of each model (default: the processors of this process, divided among --jobs)", 1,
                    4096);
    }

    // At the same time.
    size_t lanes(size_t models) const { return std::min(static_cast<size_t>(jobs_), models); }
    int32_t threads() const {
        const auto lanes = static_cast<int>(this->lanes(others_.size() + 1));
        return static_cast<int32_t>(threads_.value_or(std::max(1, default_threads() / lanes)));
    }

    // What the target says where nobody else does.
    void take_target() {
        if (!target_.empty()) {
            known_target_ = place::load_target(target_);
            type_of_target_ = type_.empty() && !known_target_->type.empty();
            if (type_of_target_) type_ = known_target_->type;
            if (plugin_.empty())
                if (const Generator* made = generator_by_suffix(output_, known_target_->runtime)) plugin_ = made->name;
        }
        if (type_ == no_type) type_.clear();
    }

    void check() {
        take_target();
        if (type_.empty() && plugin_.empty())
            throw usage_error("nothing to make").with_hint("--type quantizes, --plugin generates code, both do both");
        if (is_stream(output_)) throw usage_error("-o {}: the product is loaded after it is made, need the name of a file", output_);
        check_many();
        if (model_ == "-" && output_.empty()) throw usage_error("a model from standard input needs -o FILE");
        if (is_stream(quantized_)) throw usage_error("--quantized {}: code is generated from it, need the name of a file", quantized_);
        if (!quantized_.empty() && (type_.empty() || plugin_.empty()))
            throw usage_error("--quantized is for --type with --plugin: else the quantized model goes to -o");
        if (!isa_.empty() && !results_.empty())
            throw usage_error("--output-dir runs the product, which --isa {} makes for another machine", isa_);
        if (!run_list_.empty() && results_.empty()) throw usage_error("--run-list needs --output-dir");
        if (!plugin_.empty()) check_options(*need_generator(plugin_));
        if (plugin_.empty() && !options_.empty()) throw usage_error("--option is for a generator: give --plugin");
        if (!type_.empty() && plugin_.empty() && !output_.empty()) check_quantized_path(output_);
        if (samples_.random() && !type_.empty() && scheme_named(type_).full())
            throw usage_error("--random: ranges of random inputs make a model of no accuracy")
                .with_hint("give samples by --input-list or --input; --run-list names others to run; onert_run records random inputs");
        if (samples_.options().given() && results_.empty() && (type_.empty() || !scheme_named(type_).full()))
            notice("the samples have no effect: no range is recorded and nothing is run");
        if (!results_.empty() && run_list_.empty() && !samples_.options().given())
            throw usage_error("no samples").with_hint("give --input-list, --input, --random or --run-list");
    }

    void check_options(const Generator& generator) const {
        for (const std::string& text : options_) parse_option(generator, text);
    }

    void check_many() const {
        if (others_.empty()) return;
        if (is_stream(model_) || std::ranges::any_of(others_, [](const std::string& path) { return is_stream(path); }))
            throw usage_error("several models are read from files, none from standard input");
        if (!output_.empty() && !by_pattern())
            throw usage_error("-o {}: of several models each needs a product of its own", output_)
                .with_hint("{} stands for the name of each: -o 'out/{}.onnx'");
        if (!quantized_.empty()) throw usage_error("--quantized is for one model");
        if (!results_.empty()) throw usage_error("--output-dir is for one model");
    }

    bool by_pattern() const { return output_.find(placeholder) != output_.npos; }

    std::vector<Job> jobs() const {
        std::vector<Job> jobs{{model_, output_}};
        for (const std::string& other : others_) jobs.push_back({other, output_});
        if (!by_pattern()) return jobs;
        std::map<std::string, std::string> made, read;
        for (const Job& job : jobs) read.emplace(input_key(job.model), job.model);
        for (Job& job : jobs) {
            job.output = replaced(output_, fs::path(job.model).stem().string());
            const std::string key = output_key(job.output);
            if (const auto other = read.find(key); other != read.end() && other->second != job.model)
                throw usage_error("-o {}: {}, the product of {}, is the model {}", output_, job.output, job.model, other->second);
            const auto [earlier, is_new] = made.emplace(key, job.model);
            if (!is_new)
                throw usage_error("-o {}: {} would be the product of {} and of {}", output_, job.output, earlier->second, job.model);
        }
        return jobs;
    }

    static std::string replaced(std::string pattern, const std::string& name) {
        for (size_t at = 0; (at = pattern.find(placeholder, at)) != pattern.npos; at += name.size())
            pattern.replace(at, placeholder.size(), name);
        return pattern;
    }

    // A context of ours holds what the target's own runtime compiles.
    std::string backends() const {
        if (!backends_.empty() || plugin_ != context_generator.name || !known_target_ || known_target_->soc.empty()) return backends_;
        for (const auto& [runtime, device] : devices_of_runtimes)
            if (runtime == known_target_->runtime) return fmt::format(fmt::runtime(device), known_target_->soc);
        return backends_;
    }

    void load(const ApiSession& session, const Job& job) const {
        session(quern_set_threads, threads());
        session(quern_set_signature, signature_.c_str());
        if (const std::string names = backends(); !names.empty()) session(quern_set_available_backends, names.c_str());
        if (!backend_options_.empty()) session(quern_set_backend_options, backend_options_.c_str());
        session(quern_load_model_from_file, job.model.c_str());
        for (const std::string& shape : fixed_.shapes) fix_shape(session, shape);
        for (const std::string& pin : fixed_.pins) session(quern_pin_input, pin.c_str());
    }

    // Where -o does not name the product, what is there already stays.
    void keep_others(const ApiSession& session, const Job& job) const {
        if (!job.output.empty() && !by_pattern()) return;
        LoadedModel loaded;
        loaded.path = quantized_.empty() ? session.text(quern_model_path) : quantized_;
        loaded.beside = job.model;
        const std::string path = !job.output.empty() ? job.output
                                 : plugin_.empty()   ? quern::quantized_path(loaded, scheme_named(type_))
                                                     : generated_path(loaded, *need_generator(plugin_));
        if (!force_ && file_exists(path))
            throw usage_error("{}: is there already", path).with_hint("--force writes over it, -o names another file");
    }

    static void fix_shape(const ApiSession& session, const std::string& text) {
        const size_t equals = text.rfind('=');
        if (equals == text.npos) throw usage_error("--shape {}: need NAME=DIMS", escape(text));
        std::vector<std::string> names;
        for (const InputSpec& spec : session.inputs()) names.push_back(spec.name);
        const std::string name = text.substr(0, equals);
        const auto found = std::ranges::find(names, name);
        if (found == names.end())
            throw usage_error("--shape: no input \"{}\"{}", escape(name), did_you_mean(name, names))
                .with_hint(fmt::format("its inputs: {}", printable(join(names, ", "))));
        Dims dims;
        for (const std::string& dim : split(text.substr(equals + 1), ',')) {
            dims.push_back(parse_int(dim).value_or(-1));
            if (dims.back() < 0) throw usage_error("--shape {}: \"{}\" is not a dimension", escape(text), escape(dim));
        }
        session(quern_set_input_shape, static_cast<size_t>(found - names.begin()), static_cast<int32_t>(dims.size()), dims.data());
    }

    // Runs every sample; `consume` sees its outputs.
    static void run_all(const ApiSession& session, const SampleFlags& samples, const SampleOptions& options, std::string_view what,
                        const std::function<void(const SampleSource&, uint64_t)>& consume) {
        const std::vector<InputSpec> specs = session.inputs();
        const auto source = samples.open(specs, options);
        Progress progress(what, source->count());
        for (uint64_t sample = 0; sample < source->count(); ++sample) {
            const std::vector<Tensor> tensors = source->sample(sample);
            at_place(source->place(sample), [&] {
                for (size_t i = 0; i < specs.size(); ++i) {
                    const Dims& dims = tensors[i].dims;
                    if (!specs[i].type.shape.fixed()) session(quern_set_input_shape, i, static_cast<int32_t>(dims.size()), dims.data());
                    session.set_input(i, tensors[i]);
                }
                session(quern_run);
            });
            consume(*source, sample);
            progress.step();
        }
    }

    void quantize(const ApiSession& session, const std::string& path) const {
        if (!type_of_target_) session(quern_set_quantization_type, type_.c_str());
        if (!target_.empty()) session(quern_set_quantization_target, target_.c_str());
        session(quern_set_quantized_model_path, path.c_str());
        SampleOptions options = samples_.options();
        options.repeat_padding = true;
        if (options.given() && scheme_named(type_).full()) {
            session(quern_prepare);
            session(quern_set_execute_config, QUERN_RECORD_MINMAX);
            run_all(session, samples_, options, "recording", [](const SampleSource&, uint64_t) {});
            session(quern_reset_execute_config);
        }
        try {
            session(quern_quantize);
        } catch (Error& error) {
            if (error.message().ends_with("no run was recorded")) error.with_hint("--input-list and --input give samples");
            throw;
        }
    }

    // Code is generated from a file that goes away again, unless it is wanted.
    std::string quantized_path(const Job& job, std::optional<TemporaryFolder>& folder) const {
        if (plugin_.empty()) return job.output;
        if (!quantized_.empty()) return quantized_;
        folder.emplace();
        return (fs::path(folder->path()) / (job.model == "-" ? "model.qn" : fs::path(job.model).stem().string() + ".qn")).string();
    }

    void set_options(const ApiSession& session) const {
        const auto generator = need_generator(plugin_);
        if (known_target_ && !known_target_->soc.empty() && has_option(*generator, "soc"))
            session(quern_set_codegen_option, "soc", known_target_->soc.c_str());
        for (const std::string& text : options_) {
            const auto [name, value] = parse_option(*generator, text);
            session(quern_set_codegen_option, name.c_str(), value.c_str());
        }
    }

    void generate(const ApiSession& session, const Job& job) const {
        set_options(session);
        if (!isa_.empty()) session(quern_set_codegen_option, "isa", isa_.c_str());
        session(quern_set_codegen_model_path, job.output.c_str());
        const quern_preference preference = preference_ == "speed"  ? QUERN_PREFERENCE_SPEED
                                            : preference_ == "size" ? QUERN_PREFERENCE_SIZE
                                                                    : QUERN_PREFERENCE_DEFAULT;
        session(quern_codegen, plugin_.c_str(), preference);
    }

    void write_results(const ApiSession& session) const {
        session(quern_prepare);
        SampleOptions options = samples_.options();
        if (!run_list_.empty()) options = {.list = run_list_, .native = options.native};
        const auto writer = make_result_writer("raw", results_, session.outputs(), options.native);
        uint64_t result = 0;
        run_all(session, samples_, options, "running", [&](const SampleSource& source, uint64_t sample) {
            std::vector<Tensor> outputs;
            outputs.reserve(session.outputs().size());
            for (size_t i = 0; i < session.outputs().size(); ++i) outputs.push_back(session.output(i));
            for (uint64_t k = 0; k < source.results(sample); ++k) {
                std::vector<Tensor> part;
                part.reserve(outputs.size());
                for (const Tensor& tensor : outputs) part.push_back(part_of(tensor, k, source.batch(sample)));
                writer->write(result++, part);
            }
        });
        writer->finish();
    }

    // A model that is quantized already stays as it is where nobody asked for a type.
    bool quantizes(const ApiSession& session) const {
        int32_t before = 0;
        session(quern_is_quantized, &before);
        return !type_.empty() && !(type_of_target_ && before && !plugin_.empty());
    }

    void compile(const Job& job) const {
        std::optional<TemporaryFolder> folder;
        const ApiSession session;
        load(session, job);
        keep_others(session, job);
        if (quantizes(session)) quantize(session, quantized_path(job, folder));
        const std::string before = session.text(quern_model_path);
        if (!plugin_.empty()) generate(session, job);
        const std::string made = job.output.empty() ? session.text(quern_model_path) : job.output;
        const bool told = !plugin_.empty() && made == before;  // it stays loaded beside a product for others, whose place the session tells
        if ((verbosity() >= 2 || job.output.empty()) && !told) notice(fmt::format("made {}", made));
        if (!results_.empty()) write_results(session);
    }

    // A model that fails stops no other; the exit code is that of the first of them.
    Exit compile_all(const std::vector<Job>& jobs) const {
        if (verbosity() >= 2)
            notice(fmt::format("{} models, {} at the same time, threads of each: {}", jobs.size(), lanes(jobs.size()), threads()));
        std::vector<Exit> exits(jobs.size(), Exit::ok);
        std::atomic<size_t> next = 0;
        const auto work = [&] {
            for (size_t i = next++; i < jobs.size(); i = next++) exits[i] = reported(jobs[i].model, [&] { compile(jobs[i]); });
        };
        {
            std::vector<std::jthread> threads;
            for (size_t i = 1; i < lanes(jobs.size()); ++i) threads.emplace_back(work);
            work();
        }
        const auto failed = std::ranges::find_if(exits, [](Exit exit) { return exit != Exit::ok; });
        return failed == exits.end() ? Exit::ok : *failed;
    }

    Exit run() override {
        backend_flags_.apply();
        check();
        const std::vector<Job> all = jobs();
        if (all.size() > 1) return compile_all(all);
        compile(all.front());
        return Exit::ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    Compile tool;
    return tool_main(tool, argc, argv);
}
