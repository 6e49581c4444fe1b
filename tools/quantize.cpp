// quantize: encodings for a model from its ranges, types and rules; only algorithms that ask for samples run the model.

#include "formats/dry_run.h"
#include "formats/format.h"
#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/passes/passes.h"
#include "libcore/quant/algorithms/choice.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quant/report/coverage.h"
#include "libcore/quant/types/recipe.h"
#include "libcore/quantize/quantize_model.h"
#include "libcore/quantize/quantized_before.h"
#include "tools/quantize/algorithms.h"
#include "tools/quantize/budget.h"
#include "tools/quantize/gguf.h"
#include "tools/quantize/report.h"
#include "tools/quantize/rules.h"
#include "tools/quantize/types.h"

using namespace quern;

namespace {

std::vector<std::string_view> method_names() {
    std::vector<std::string_view> names;
    for (const Method& row : all_methods()) names.push_back(row.name);
    return names;
}

class Quantize : public Tool {
    std::string model_ = "-", signature_, output_ = "-", format_, ranges_, method_ = "auto", overrides_, dump_, explain_;
    std::string encodings_version_ = "2.0.0";
    FixedInputs fixed_;
    int64_t threads_ = 0, opset_ = 0;
    bool force_ = false, allow_missing_ = false, strict_ = false, list_types_ = false, list_methods_ = false, dry_run_ = false,
         json_ = false;
    TypeFlags types_;
    RuleFlags rules_;
    QuantRequest quant_;
    WriteOptions write_;
    GgufFlags gguf_;
    SampleFlags samples_;
    AlgorithmFlags algorithms_;
    BudgetFlags budget_;
    ReportFlags report_;
    GivenOptions given_;

    std::string_view name() const override { return "quantize"; }
    std::string_view summary() const override {
        return "quantize a model: encodings from measured ranges, quantized weights, and a report with reasons";
    }
    std::vector<std::string_view> examples() const override {
        return {"quern quantize digits.onnx --ranges ranges.json --type i8 --report report.html -o digits-i8.onnx",
                "quern quantize digits.onnx --dynamic --op-types Gemm -o digits-dynamic.onnx"};
    }

    void options(Options& add) override {
        add.given(given_);
        add.model(model_);
        add.signature(signature_);
        add.shapes(fixed_);
        add.output(output_, "-o,--output", "FILE", "where the model goes (default: standard output, native format)", FileRole::product);
        add.text(format_, "-f,--format", "FORMAT", "format of the output (default: by the suffix of FILE)");
        add.input(ranges_, "--ranges", "FILE", "ranges that minmax-collect made (default: those embedded in the model)");
        add.flag(force_, "--force", "accept ranges that were collected on another model");
        add.flag(strict_, "--strict", "fail if any operator on float values stays float, or has no kernel in the output's runtime");
        types_.add(add);
        add.group("Quantization");
        static const auto methods = method_names();
        add.choice(method_, "--method", methods,
                   fmt::format("how ranges are found (see --list-methods; default: {})", default_method().name));
        static constexpr NumberBounds percent{50, 100, true, "in percent, not as a share: 99.99 keeps all but one value in ten thousand"};
        add.real(quant_.search.percentile, "--percentile", "P",
                 fmt::format("share of values that --method percentile keeps, in percent (default: {})", quant_.search.percentile),
                 percent);
        add.real(quant_.search.run_percentile, "--run-percentile", "P",
                 fmt::format("percentile of the runs' extremes for --method run-percentile (default: {})", quant_.search.run_percentile),
                 percent);
        add.flag(quant_.full_integer, "--full-integer", "also quantize operators that lose much accuracy in eight bits");
        add.real(quant_.min_sqnr_db, "--min-sqnr", "DB",
                 "keep elementwise operators in float when their SQNR would fall below DB (default: 0, none)", {0, 200});
        add.input(overrides_, "--overrides", "FILE",
                  "encodings to use as they are: a file of AIMET, QNN, onnxruntime or TensorRT (docs/encodings.md)");
        rules_.add(add);
        algorithms_.add(add);
        add.group("Reports");
        report_.add(add);
        add.output(dump_, "--dump-encodings", "FILE", "all encodings, for other tools and --overrides");
        add.choice(encodings_version_, "--encodings-version", encodings_versions,
                   fmt::format("AIMET's version of them, or the form of another tool (default: {})", encodings_version_));
        add.flag(allow_missing_, "--allow-missing-encodings", "leave out what their form cannot say");
        add.text(explain_, "--explain", "NAME", "print on standard error how the encoding of a value or node was chosen");
        add.group("Output");
        add.integer(opset_, "--opset", "N", "opset of an ONNX output (default: the lowest from 13 on that can express the model)", 7, 999);
        static constexpr std::string_view forms[] = {"qdq", "qoperator"};
        add.choice(write_.quant_form, "--form", forms, "how encodings are represented in an ONNX output (default: qdq)");
        add.flag(write_.external_data, "--external-data", "put the weights of an ONNX or text output beside it, in FILE.data");
        add.beside("--external-data", [this] { return std::vector{output_ + ".data"}; });
        add.choice(write_.io, "--io", io_types, "how a TFLite or Circle file stores inputs and outputs (default: as encoded)");
        add.threads(threads_);
        add.flag(dry_run_, "--dry-run", "write nothing: print what would be written, types and sizes to the byte");
        add.flag(json_, "--json", "print it as JSON");
        gguf_.add(add);
        budget_.add(add);
        samples_.add(add);
        add.group("Lists");
        algorithms_.add_list(add);
        add.flag(list_types_, "--list-types", "print the types and exit");
        add.flag(list_methods_, "--list-methods", "print the methods and exit");
    }

    template <class Parse>
    static auto read_sidecar(const std::string& path, Parse&& parse) {
        const Bytes bytes = map_input(path);
        return at_place(display_name(path), [&] { return parse(bytes.text()); });
    }

    std::string explained(const QuantReport& report) const {
        std::string text = explain(report, explain_);
        while (text.ends_with('\n')) text.pop_back();  // notice() ends the line
        return text;
    }

    void say_what_stays_float(const QuantReport& report, const Coverage& coverage) const {
        if (report.values.empty() && !quant_.scheme->full()) notice(fmt::format("--type {} found nothing to quantize", types_.name()));
        const bool full = quant_.scheme->full();  // else results are float as they should be, and weights alone count
        const size_t left = full ? report.float_nodes() : coverage.float_weights.size();
        if (left == 0) return;
        std::vector<std::string> which;
        for (const NodeReport& node : report.nodes) {
            const std::string share = float_weights_text(coverage, node.key);
            if (!node.quantized && (full || !share.empty()))
                which.push_back(fmt::format("{} ({}): {}{}", node.key, node.op, node.reason, share));
        }
        const std::string all =
            full ? fmt::format("{} operators", report.nodes.size()) : fmt::format("{} operators with weights", coverage.weighted_operators);
        say(fmt::format("{} of {} stay float: {}", left, all, weights_and_macs_text(coverage)), std::move(which),
            "; see -v or --report for which and why");
    }

    // Of operators that no runtime multiplies codes in.
    void say_what_computes_in_float(const QuantReport& report, const Coverage& coverage) const {
        std::vector<std::string> nodes, which;
        for (const NodeReport& node : report.nodes) {
            if (!node.quantized || node.reason.empty()) continue;
            nodes.push_back(node.key);
            which.push_back(fmt::format("{} ({}): {}", node.key, node.op, node.reason));
        }
        if (nodes.empty()) return;
        say(fmt::format("{} of {} operators compute{} in float on weights that are codes: {}", nodes.size(), report.nodes.size(),
                        nodes.size() == 1 ? "s" : "", share_text(coverage, nodes)),
            std::move(which), "; see -v or --report for which and why");
    }

    // Of weights that were quantized before.
    void say_what_is_in_blocks(const QuantizedBefore& in_blocks, const QuantReport& report) const {
        if (in_blocks.weights().empty()) return;
        notice(gguf_.allow_requantize ? in_blocks.requantized_text(report)
                                      : in_blocks.text() + " stay as they are; --allow-requantize quantizes them again");
    }

    void say_what_never_ran(const QuantReport& report) const {
        if (report.unvisited.empty()) return;
        std::vector<std::string> names;
        for (const std::string& body : report.unvisited) names.push_back(fmt::format("\"{}\"", escape(body)));
        say(fmt::format("no sample ran {}: its operators stay float", join(few_of(std::move(names)), ", ")), {}, "");
    }

    // On a runtime whose floats are shorter.
    void say_what_overflows(const QuantReport& report, const Recipe& recipe) const {
        if (report.overflowing.empty()) return;
        say(fmt::format("{} operator{} that stay{} float {} numbers beyond {:.0f}, infinite in the floats of {}", report.overflowing.size(),
                        report.overflowing.size() == 1 ? "" : "s", report.overflowing.size() == 1 ? "s" : "",
                        report.overflowing.size() == 1 ? "has" : "have", recipe.greatest_float, recipe.doc),
            report.overflowing, "; see -v for which");
    }

    void say_what_is_unapplied(const QuantReport& report) const {
        if (report.unapplied.empty()) return;
        say(fmt::format("{} of {} overrides are not applied: their values are not stored as codes", report.unapplied.size(),
                        quant_.overrides->size()),
            report.unapplied, "; see -v for which");
    }

    static void say_what_is_unmatched(const QuantReport& report) { notice_few(report.unmatched); }

    // An error with --strict, else a notice; with `which` things are meant where they are wanted.
    void say(std::string message, std::vector<std::string> which, std::string_view how_to_see) const {
        if (strict_) throw Error(Exit::no, message).with_details(std::move(which));
        if (verbosity() <= 1) return notice(message + std::string(how_to_see));
        for (const std::string& line : which) message += "\n  " + printable(line);
        notice(message);
    }

    void check_what_samples_are_for(bool algorithms) const {
        const bool samples = samples_.options().given();
        budget_.check_usage(samples);
        if (algorithms && budget_.given()) throw usage_error("a budget compares types as they are without algorithms: give one of both");
        if (samples && !algorithms && !budget_.given())
            throw usage_error(
                "samples are for --algorithms and budgets (--max-drop, --min-output-sqnr, --min-agreement, --max-macs-float, --max-bytes)")
                .with_hint("minmax-collect makes ranges of them");
    }

    // What nothing would read.
    void check_unused(bool rules) const {
        const auto unless = [&](bool read, std::initializer_list<std::string_view> names, std::string_view why) {
            if (!read) given_.refuse(std::span(names.begin(), names.size()), why);
        };
        unless(method_ == "percentile" || rules, {"--percentile"}, "is for --method percentile");
        unless(method_ == "run-percentile" || rules, {"--run-percentile"}, "is for --method run-percentile");
        unless(!dump_.empty(), {"--encodings-version", "--allow-missing-encodings"}, "is for --dump-encodings");
        unless(given_.has("--labels"), {"--label-offset", "--score-output"}, "is for --labels");
        unless(samples_.options().given(), {"--rows", "--skip-rows", "--native-io"}, "is for samples");
    }

    // Types of ggml are written without a run, tensor by tensor.
    void check_ggml() const {
        static constexpr std::string_view read[] = {"--output",
                                                    "--format",
                                                    "--type",
                                                    "--report",
                                                    "--threads",
                                                    "--dry-run",
                                                    "--json",
                                                    "--pure",
                                                    "--imatrix",
                                                    "--tensor-type",
                                                    "--allow-fallback",
                                                    "--allow-requantize",
                                                    "--allow-missing-importance"};
        given_.refuse_others(read, "is not for types of ggml");
    }

    void check_trial() const {
        if (json_ && !dry_run_) throw usage_error("--json is for --dry-run");
        if (dry_run_ && (report_.given() || !dump_.empty()))
            throw usage_error("--dry-run writes nothing, --report and --dump-encodings do");
    }

    static Exit list_types() {
        for (const Scheme& row : all_schemes()) print(fmt::format("{:<14}{}\n", row.name, row.doc));
        list_gguf_types();
        list_spellings();
        return Exit::ok;
    }
    static Exit list_methods() {
        for (const Method& row : all_methods()) print(fmt::format("{:<16}{}\n", row.name, row.doc));
        return Exit::ok;
    }

    Exit run() override {
        if (list_types_) return list_types();
        if (list_methods_) return list_methods();
        if (algorithms_.list()) return list_algorithms();
        check_trial();
        const std::vector<const Algorithm*> chosen = algorithms_.chosen();
        const bool to_gguf = format_ == "gguf" || (format_.empty() && output_.ends_with(".gguf"));
        types_.choose();
        if (const gguf::Mix* mix = gguf::mix_named(types_.name()); mix && (to_gguf || !types_.is_ours())) {
            check_ggml();
            return quantize_gguf(*mix, gguf_, {model_, output_, report_.file(), static_cast<int>(threads_), dry_run_, json_});
        }
        if (gguf_.given())
            throw usage_error(
                "--pure, --imatrix, --tensor-type, --allow-fallback and --allow-missing-importance are for types of ggml (--list-types)");
        return quantize(chosen);
    }

    // To a type of ours.
    Exit quantize(const std::vector<const Algorithm*>& chosen) {
        write_.opset = static_cast<int>(opset_);
        write_.strict = strict_;
        check_output(output_, format_, write_);
        report_.check_usage();
        std::optional<Rules> rules = rules_.read(types_.scheme());
        types_.add_rules(rules);
        const AlgorithmChoice choice(chosen, rules ? &*rules : nullptr);
        const bool algorithms = choice.any();
        algorithms_.check_usage(choice, given_);
        check_unused(rules.has_value());
        check_what_samples_are_for(algorithms);
        std::optional<Overrides> overrides;
        if (!overrides_.empty()) overrides = read_sidecar(overrides_, parse_encodings);
        set_options(rules ? &*rules : nullptr, overrides ? &*overrides : nullptr);
        Model model = read_model(model_, signature_);
        report_.note_source(model_, model);
        std::optional<WeightLedger> ledger;
        if (dry_run_) ledger.emplace(model);
        at_place(display_name(model_), [&] { fix_inputs(model.graph, fixed_); });
        quant_.destination =
            destination_of(types_.format().empty() ? format_for_writing(output_, format_).name : types_.format(), types_.runtime());
        const QuantWork work(quant_, model.graph);
        const auto ranges = ranges_for(model, ranges_, force_);
        ThreadPool pool(static_cast<int>(threads_));
        const AlgorithmSamples samples(samples_, algorithms, model.graph);
        const QuantizedBefore in_blocks(model.graph);
        if (gguf_.allow_requantize) decode_weights.run(model.graph);
        const auto budgeted = meet_budget(model, ranges ? &*ranges : nullptr, pool);
        if (budgeted) quant_.rules = &budgeted->rules;
        QuantReport report = at_place(display_name(model_), [&] {
            return quantize_model(model, ranges ? &*ranges : nullptr, quant_, pool, display_name(overrides_),
                                  algorithms_.options(chosen, samples));
        });
        if (!ranges && quant_.scheme->activations == Scheme::Activations::dynamic && work.recipe)
            notice("without --ranges the accuracy that each product loses by rounding its input is not known");
        say_what_was_done(in_blocks, report, coverage_of(model.graph), recipe_of(*quant_.scheme, work));
        if (ledger)
            say_what_would_be_written(*ledger, model);
        else
            write(model, std::move(report));
        return Exit::ok;
    }

    void set_options(const Rules* rules, const Overrides* overrides) {
        quant_.overrides = overrides;
        quant_.scheme = &types_.scheme();
        quant_.per_tensor = types_.per_tensor();
        quant_.search.method = &method_named(method_);
        quant_.rules = rules;
        quant_.allow_unmatched = rules_.allow_unmatched();
        quant_.measured = report_.given() || !explain_.empty() || gguf_.allow_requantize;
        quant_.search.optimum = report_.given() || !explain_.empty();
    }

    std::optional<BudgetFlags::Met> meet_budget(const Model& model, const Ranges* ranges, ThreadPool& pool) {
        if (!budget_.given()) return std::nullopt;
        auto met =
            at_place(display_name(model_), [&] { return budget_.meet(model, ranges, quant_, samples_, pool, static_cast<int>(threads_)); });
        report_.note_evaluation(met.evaluation);
        return met;
    }

    void say_what_was_done(const QuantizedBefore& in_blocks, QuantReport& report, const Coverage& coverage, const Recipe& recipe) const {
        if (gguf_.allow_requantize) in_blocks.note(report);
        say_what_is_in_blocks(in_blocks, report);
        if (!explain_.empty()) notice(explained(report));
        say_what_is_unmatched(report);
        say_what_algorithms_did(report);
        say_what_never_ran(report);
        say_what_stays_float(report, coverage);
        say_what_computes_in_float(report, coverage);
        say_what_overflows(report, recipe);
        say_what_is_unapplied(report);
    }

    void say_what_would_be_written(WeightLedger& ledger, const Model& model) const {
        const DryRun plan = ledger.dry_run(model, output_, format_, write_);
        print(json_ ? dry_run_json(plan) : dry_run_text(plan));
    }

    void write(const Model& model, QuantReport report) {
        if (!dump_.empty()) write_encodings(model.graph, encodings_version_, dump_, allow_missing_);
        write_model(model, output_, format_, write_);
        if (report_.given()) report_.write(std::move(report), model.graph, quant_, output_);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Quantize tool;
    return tool_main(tool, argc, argv);
}
