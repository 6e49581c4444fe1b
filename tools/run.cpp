// quern run: a model or context over samples, with scores, profiles and explanations.
#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <numeric>

#include "formats/read.h"
#include "formats/samples/input_list.h"
#include "formats/samples/results.h"
#include "libcore/backend/builtin.h"
#include "libcore/backend/client.h"
#include "libcore/backend/custom_op.h"
#include "libcore/base/few.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/check/input_scale.h"
#include "libcore/cli/backend_flags.h"
#include "libcore/cli/named_files.h"
#include "libcore/cli/progress.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/deploy/context_reference.h"
#include "libcore/exec/meaning.h"
#include "libcore/kernels/isa.h"
#include "libcore/ops/integer/profile.h"
#include "libcore/runs/metric_command.h"
#include "libcore/runs/run_report.h"
#include "tools/run/language.h"

using namespace quern;

namespace {

constexpr std::array<std::string_view, 4> modes{"float", "fake", "int", "auto"};  // as Mode has them, and the default
constexpr std::array<std::string_view, 6> arithmetics{"onnx", "tflite", "tflm", "one", "ggml", "nnpa"};
constexpr std::array<std::string_view, 1> fallbacks{"cpu"};

class Run : public Tool {
    std::string model_ = "-", signature_, output_, format_ = "raw", mode_ = "auto", arithmetic_, labels_, score_output_, metric_;
    SampleFlags samples_;
    std::vector<std::string> states_;
    FixedInputs fixed_;
    int64_t threads_ = 0, runs_ = 1, warmup_ = 0, label_offset_ = 0;
    bool reference_ = false, check_codes_ = false, parallel_ = false, stateful_ = false, explain_ = false, json_ = false, strict_ = false;
    std::string profile_, trace_;  // profile: "-" for the report
    std::string backends_, backend_options_, fallback_, target_, graph_, verify_model_;
    bool list_backends_ = false, verify_ = false;
    Verification verification_;
    BackendFlags backend_flags_;
    LanguageFlags language_;
    GivenOptions given_;

    std::string_view name() const override { return "run"; }
    std::string_view summary() const override { return "run a model over samples: results, times, scores"; }
    std::vector<std::string_view> examples() const override {
        return {"quern run digits.onnx --input 'image=test.u8:u8[1,8,8]*0.0625-0' --labels test.labels",
                "quern run digits.onnx --random 1 --num-runs 100 --warmup-runs 10 --profile"};
    }

    void options(Options& add) override {
        add.given(given_);
        add.model(model_);
        add.signature(signature_);
        add.shapes(fixed_);
        samples_.add(add);
        add.group("Running");
        add.choice(
            mode_, "--mode", modes,
            "in float, in float with every value rounded to its encoding, or on quantized values; auto, the default: int if activations "
            "are encoded, else float");
        add.choice(arithmetic_, "--arithmetic", arithmetics,
                   "arithmetic profile of integer runs (default: what the model names, else onnx)");
        add.flag(reference_, "--reference", "reference kernels only");
        add.flag(check_codes_, "--check-codes", "integer runs: compute every step by its reference, too; end with 70 if a code differs");
        add.flag(strict_, "--strict", "fail if an operator of an integer run has to compute in float");
        add.flag(stateful_, "--stateful", "carry state from sample to sample: recurrent operators, outputs and inputs of similar names");
        add.texts(states_, "--state", "IN=OUT", "feed output OUT back to input IN");
        add.flag(parallel_, "--parallel", "run samples in parallel, each on one thread");
        add.threads(threads_);
        add.isa();
        add.text(graph_, "--graph", "NAME", "of a context: the graph to run (default: the first)");
        add.group("Devices");
        add.text(backends_, "--backend", "NAME[;NAME]",
                 "run every node on the first of these back ends that can (default: on the device where it is placed)");
        add.text(backend_options_, "--backend-options", "JSON",
                 "for back ends that are libraries: {\"device\": \"npu1\"}; of a context: beside those that it was made with");
        add.choice(fallback_, "--fallback", fallbacks,
                   "where nodes run that the back end of their device refuses (default: nowhere, that is an error)");
        backend_flags_.add(add);
        add.flag(verify_, "--verify-backend",
                 "run each partition on ref, too: end with 1 where a value differs, with 4 where a back end writes outside its outputs");
        add.input(verify_model_, "--verify-model", "FILE", "of a context: the model that it was made of, for --verify-backend");
        add.real(verification_.tolerance, "--verify-tolerance", "X",
                 "what float values may differ by, of the largest in their output (default: 0.001)", {0, 1});
        add.integer(verification_.steps, "--verify-steps", "N", "what quantized values may differ by (default: 0)", 0, 65535);
        add.needs({"--verify-tolerance", "--verify-steps"}, "--verify-backend");
        add.input(target_, "--target", "TARGET", "target whose devices name their back ends, as in quern-place(1)", target_files);
        add.flag(list_backends_, "--list-backends", "print the back ends with their devices, and exit");
        add.group("Results");
        add.output(output_, "-o,--output-dir", "PATH", "where results go: a folder, for npz and stream a file or -");
        add.choice(format_, "--format", result_formats, "Result_<i>/<tensor>.raw or .npy, one .npz, or a framed stream");
        add.input(labels_, "--labels", "FILE[:COLUMN]",
                  "score top-1 and top-5 against a CSV column of classes (default: label), or next-token", label_files);
        add.integer(label_offset_, "--label-offset", "N", "add N to each label (default: 0)", -1000000, 1000000);
        add.text(score_output_, "--score-output", "NAME", "the output with the scores (default: the first)");
        add.needs({"--label-offset", "--score-output"}, "--labels");
        add.text(metric_, "--metric", "COMMAND",
                 "the metric of the task: a command for sh that finds the outputs in $QUERN_OUTPUTS and prints a number");
        language_.add(add);
        add.group("Report");
        add.integer(runs_, "--num-runs", "N", "run each sample N times", 1);
        add.integer(warmup_, "--warmup-runs", "N", "run the first sample N times beforehand, not measured");
        add.output_flag(profile_, "--profile", "FILE.html", "-",
                        "time of each node; with a file, as a page: by operator, over a run, by node");
        add.output(trace_, "--trace", "FILE.json", "what ran when, as the trace events that Perfetto and Chrome show");
        add.flag(explain_, "--explain", "which kernel runs each node, and why faster ones do not");
        add.flag(json_, "--json", "report as JSON");
    }

    size_t scored_output(const std::vector<InputSpec>& outputs) const {
        for (size_t i = 0; i < outputs.size(); ++i)
            if (outputs[i].name == score_output_ || score_output_.empty()) return i;
        throw usage_error("--score-output: the model has no output \"{}\"", score_output_);
    }

    const Profile* profile() const { return profile_named(arithmetic_); }

    Mode mode_for(const Graph& graph) const {
        if (mode_ == "auto") return own_mode(graph, profile());
        return static_cast<Mode>(std::ranges::find(modes, mode_) - modes.begin());
    }

    RunSettings settings(Mode mode) const {
        return {{.mode = mode, .reference = reference_, .profile = profile(), .check_codes = check_codes_},
                static_cast<int>(threads_),
                static_cast<uint64_t>(runs_),
                static_cast<uint64_t>(warmup_),
                timed(),
                [this](const std::vector<Choice>& choices) { say_what_is_real(choices); },
                parallel_,
                {},
                {},
                false,
                profiled() || !trace_.empty() ? max_logged_events : 0};
    }

    bool listed() const { return profile_ == "-"; }                   // times of nodes in the report
    bool profiled() const { return !profile_.empty() && !listed(); }  // in a file
    bool timed() const { return !profile_.empty() || !trace_.empty(); }

    // An error with --strict, else a notice.
    void say_what_is_real(const std::vector<Choice>& choices) const {
        const auto count = std::count_if(choices.begin(), choices.end(), [](const Choice& choice) { return !choice.real.empty(); });
        if (count == 0) return;
        const std::vector<std::string> which = real_operators(choices);
        const std::string what =
            fmt::format("{} operator{} on codes compute{} on real numbers", count, count == 1 ? "" : "s", count == 1 ? "s" : "");
        if (strict_) throw Error(Exit::no, what).with_details(which);
        notice(fmt::format("{}: {}", what, join(few_of(which), ", ")));
    }

    // By --backend, by onert's variable BACKENDS=a;b, or by the devices of the graph.
    std::optional<MixedOptions> mixed(const Graph& graph) const {
        MixedOptions options;
        options.backends = backend_names(backends_);
        if (const char* list = std::getenv("BACKENDS"); list && options.backends.empty()) options.preferred = backend_names(list);
        if (options.backends.empty() && options.preferred.empty() && !is_placed(graph)) {
            if (verify_)
                throw usage_error("--verify-backend: no node is placed on a back end").with_hint("--backend \"NAME;cpu\" names one");
            return {};
        }
        if (verify_) options.verify = verification_;
        options.backend_options = backend_options_;
        options.target = target_;
        options.fall_back = !fallback_.empty();
        options.note = [this](const std::string& text) { notice(fmt::format("{}: {}", display_name(model_), text)); };
        return options;
    }

    void say_unused_options() const {
        if (!backend_options_.empty()) notice(fmt::format("{}: {}", display_name(model_), backend_options_unused(backend_options_)));
    }

    // Operators of libraries that --backend and BACKENDS name must be known before the model is read.
    void add_operators() const {
        const char* list = std::getenv("BACKENDS");
        for (const std::string& name : backend_names(!backends_.empty() ? backends_ : list ? list : ""))
            if (!builtin_backend(name) && Backend::exists(name)) load_op_package(name, "back end");
    }

    Exit list_backends() const {
        Json list = Json::array();
        for (const BackendSummary& b : all_backends()) {
            Json devices = Json::array();
            std::string text = fmt::format("{:<12} {:<10} {}\n", b.name, b.version, b.problem.empty() ? b.doc : b.problem);
            for (const DeviceInfo& d : b.devices) {
                devices.push_back({{"name", d.name}, {"doc", d.doc}, {"memory_bytes", d.memory_bytes}, {"simulated", d.simulated}});
                text += fmt::format("  {:<10} {}{}\n", d.name, d.doc, d.simulated ? " (simulated)" : "");
            }
            if (!json_) print(text);
            list.push_back(
                {{"name", b.name}, {"version", b.version}, {"doc", b.doc}, {"path", b.path}, {"problem", b.problem}, {"devices", devices}});
        }
        if (json_) print(json_document(list));
        return Exit::ok;
    }

    // The context that the file is, or has inside or beside it; empty: none.
    Bytes context_of(const Bytes& bytes, const Model& model) const {
        const bool others = !backends_.empty() && holds_others_context(model.graph);  // a node as any, for a back end
        Bytes file = is_context(bytes) ? bytes : others ? Bytes() : unwrap_context(model.graph, model_);
        if (!file.empty() && verify_ && verify_model_.empty())
            throw usage_error("is a context: --verify-backend needs the model that it was made of").with_hint("--verify-model names it");
        if (file.empty() && !verify_model_.empty()) throw usage_error("--verify-model is for contexts");
        if (!file.empty() && (mode_ != "auto" || fixed_.given() || reference_ || !arithmetic_.empty() || stateful_ || !backends_.empty()))
            throw usage_error(
                "is a context: --mode, --shape, --pin, --reference, --arithmetic, --stateful and --backend were decided when it was made");
        return file;
    }

    // Its program; none if `bytes` and `model` are none.
    std::shared_ptr<const MixedProgram> open_context(const Bytes& bytes, const Model& model) const {
        const Bytes file = context_of(bytes, model);
        if (file.empty() && !graph_.empty()) throw usage_error("--graph is for contexts");
        if (file.empty()) return nullptr;
        const Context context(file);
        if (const auto own = std::find(isa_names.begin(), isa_names.end(), context.isa());
            own < isa_names.begin() + static_cast<int>(isa()))
            limit_isa(static_cast<Isa>(own - isa_names.begin()));
        ContextGraph graph = graph_.empty() ? wrapped_graph(model.graph, context) : context.graph(graph_);
        select_outputs(graph.values, listed_outputs(samples_.options().list, graph.values, graph.nodes));
        if (std::ranges::all_of(graph.parts, [](const ContextPart& part) { return builtin_backend(part.backend) != nullptr; }))
            say_unused_options();
        if (!verify_) return context.load(graph, backend_options_);
        const Model source = read_model(verify_model_, signature_);
        const ContextReference reference = at_place(display_name(verify_model_), [&] { return ContextReference(source, graph); });
        return context.load(graph, backend_options_,
                            [&](const ContextPart& part, std::shared_ptr<Executable> own, const std::string& place) {
                                const auto beside = at_place(display_name(verify_model_), [&] { return reference.part(part); });
                                return part.backend == "ref" ? own : verified(std::move(own), beside, verification_, place);
                            });
    }

    // With the shapes and outputs that are asked for.
    Graph asked(Graph graph, const std::vector<std::string>& outputs) const {
        at_place(display_name(model_), [&] { fix_inputs(graph, fixed_); });
        select_outputs(graph, outputs);
        return as_encoded(std::move(graph));
    }

    void say_mode(RunReport& report, const Graph& graph, const RunSettings& how) const {
        const CompileOptions& options = how.compile;
        report.mode = modes[static_cast<size_t>(options.mode)];
        const bool plain = !how.ready && !is_quantized(graph);
        if (!plain) report.computed = computed_text(graph, options.mode, options.profile);
        if (plain && options.mode != Mode::floating)
            notice(fmt::format("{}: nothing in it is quantized: --mode {} computes in float", display_name(model_), mode_));
    }

    Exit run_text(const Bytes& bytes, const Model& model) const {
        context_of(bytes, model);  // refuses what contexts do not take
        const LanguageSettings how{[this](const Graph& graph) { return settings(mode_for(graph)).compile; }, backend_options_,
                                   static_cast<int>(threads_)};
        return run_language(language_source(bytes, model, model_, how), language_, {json_, listed()});
    }

    // Of language models the row's tokens say what is right.
    static void score(const Labels& labels, const Result& result, size_t scored, Score& to) {
        const auto tokens = std::find_if(result.inputs.begin(), result.inputs.end(), [](const Tensor& t) { return is_integer(t.dtype); });
        labels.add(to, result.row, result.outputs[scored], tokens == result.inputs.end() ? nullptr : &*tokens);
    }

    std::string model_name() const { return is_stream(model_) ? "" : std::filesystem::path(model_).filename().string(); }

    void check_profile() const {
        static constexpr std::string_view traces[] = {".json"};
        if (profiled() && !profile_.ends_with(".html"))
            throw usage_error("--profile: got \"{}\", need a file that ends in .html, or nothing", escape(profile_));
        check_suffix("--trace", trace_, traces);
        if (language_.given() && (profiled() || !trace_.empty()))
            throw usage_error("--profile with a file and --trace are about runs over samples: of texts, --profile alone");
    }

    void write_profile(const RunReport& report) const {
        if (profiled()) write_output(profile_, profile_html(report));
        if (!trace_.empty()) write_output(trace_, trace_json(report));
    }

    void check_metric() const {
        if (metric_ == cosine_metric || metric_ == iou_metric || metric_ == iou_center_metric)
            throw usage_error("--metric {} compares two models: see check", metric_);
        if (metric_ == top5_metric) throw usage_error("--metric {} is for check: --labels alone shows it here", metric_);
    }

    bool is_report_wanted() const {
        const bool wanted = output_.empty() || !labels_.empty() || !metric_.empty() || json_ || listed() || explain_ || runs_ > 1;
        return wanted && !is_standard_output(output_);
    }

    Exit run() override {
        backend_flags_.apply();
        if (list_backends_) return list_backends();
        add_operators();
        check_profile();
        check_metric();
        check_language_usage(given_);
        if (parallel_ && (stateful_ || !states_.empty())) throw usage_error("--parallel: samples with state follow one another");
        if (output_.empty() && format_ != "raw") output_ = std::string(1, '-');
        RunReport report{.model = model_name(), .mode = {}, .threads = static_cast<int>(threads_), .timing = listed(), .explain = explain_};
        const Stopwatch watch;
        const Bytes bytes = map_model(model_);
        Model model = is_context(bytes) ? Model() : read_model(bytes, model_, signature_);
        if (!backends_.empty()) at_place(display_name(model_), [&] { embed_others_contexts(model.graph, model_); });
        if (language_.given()) return at_place(display_name(model_), [&] { return run_text(bytes, model); });
        const auto ready = at_place(display_name(model_), [&] { return open_context(bytes, model); });
        model.graph = ready ? ready->graph() : asked(model.graph, listed_outputs(samples_.options().list, model.graph));
        run_rows(model.graph, ready, watch, report);
        write_profile(report);
        if (is_report_wanted()) print(json_ ? report_json(report) : report_text(report));
        return Exit::ok;
    }

    // The places of inputs among those of a sample, where samples say on which scale they are: none of random numbers, and of codes.
    std::vector<size_t> scaled_inputs(const Graph& graph, const std::vector<InputSpec>& fed) const {
        if (samples_.options().random || samples_.options().native || fed.size() != graph.inputs.size()) return {};
        std::vector<size_t> places(fed.size());
        std::iota(places.begin(), places.end(), size_t{0});
        return places;
    }

    // The samples through the graph, or through the context's program, which is of it.
    void run_rows(Graph& graph, const std::shared_ptr<const MixedProgram>& ready, const Stopwatch& watch, RunReport& report) {
        RunSettings how = settings(ready ? ready->mode() : mode_for(graph));
        how.ready = ready;
        how.native = !output_.empty() && samples_.options().native;
        say_mode(report, graph, how);
        const StatePlan states = asked_states(graph, stateful_, states_);
        std::vector<InputSpec> fed = fed_specs(graph, states);
        if (labels_.empty())
            for (InputSpec& spec : fed) spec.open_batch = false;  // an array is run as it is
        const auto source = samples_.open(fed);
        const auto outputs = output_specs(graph);
        const auto writer = output_.empty() ? nullptr : make_result_writer(format_, output_, outputs, samples_.options().native);
        const auto labels = labels_.empty() ? std::nullopt : std::optional<Labels>(std::in_place, labels_, label_offset_);
        const size_t scored = labels ? scored_output(outputs) : 0;
        if (labels) {
            labels->check(*source);
            report.score.emplace();
        }
        const auto metric =
            metric_.empty() ? nullptr : std::make_unique<MetricCommand>(metric_, labels_, [](const std::string& text) { notice(text); });
        const auto files = metric ? std::make_unique<OutputFiles>(outputs) : nullptr;
        report.load = watch.seconds();

        Progress progress("running", source->count());
        InputScale scale(graph, scaled_inputs(graph, fed));
        const auto consume = [&](const Result& result) {
            scale.see(result.inputs);
            if (writer) writer->write(result.number, how.native ? result.stored : result.outputs);
            if (files) files->write(result.number, result.row, result.outputs);
            if (labels) score(*labels, result, scored, *report.score);
        };
        if (!how.ready) how.mixed = mixed(graph);
        if (!how.ready && !how.mixed) say_unused_options();
        report.times = run_samples(graph, *source, states, how, consume, [&] { progress.step(); });
        if (writer) writer->finish();
        for (const std::string& contradiction : scale.contradictions()) notice(fmt::format("{}: {}", display_name(model_), contradiction));
        if (metric) report.metric = metric->number(model_name(), *files, nullptr);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Run tool;
    return tool_main(tool, argc, argv);
}
