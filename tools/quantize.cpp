// quantize: encodings for a model from its ranges, types and rules; only algorithms that ask for samples run the model.

#include <algorithm>

#include "libcore/base/few.h"
#include "libcore/base/text.h"
#include "libcore/cli/interface_flags.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/cli/verify_flags.h"
#include "libcore/quant/algorithms/choice.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/quantize/quantize_file.h"
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
    QuantizeFileRequest file_;
    std::string method_ = "auto", explain_;
    int64_t threads_ = 0, opset_ = 0;
    InterfaceFlags interface_;
    bool list_types_ = false, list_methods_ = false, json_ = false;
    TypeFlags types_;
    RuleFlags rules_;
    GgufFlags gguf_;
    SampleFlags samples_;
    AlgorithmFlags algorithms_;
    BudgetFlags budget_;
    VerifyFlags verify_;
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
        add.model(file_.model);
        add.signature(file_.signature);
        add.shapes(file_.inputs);
        add.output(file_.output, "-o,--output", "FILE", "where the model goes (default: standard output, native format)",
                   FileRole::product);
        add.text(file_.format, "-f,--format", "FORMAT", "format of the output (default: by the suffix of FILE)");
        add.input(file_.ranges, "--ranges", "FILE", "ranges that minmax-collect made (default: those embedded in the model)");
        add.flag(file_.force, "--force", "accept ranges that were collected on another model");
        add.flag(file_.write.strict, "--strict",
                 "fail if any operator on float values stays float, or has no kernel in the output's runtime");
        types_.add(add);
        add.group("Quantization");
        static const auto methods = method_names();
        add.choice(method_, "--method", methods,
                   fmt::format("how ranges are found (see --list-methods; default: {})", default_method().name));
        static constexpr NumberBounds percent{50, 100, true, "in percent, not as a share: 99.99 keeps all but one value in ten thousand"};
        add.real(file_.quant.search.percentile, "--percentile", "P",
                 fmt::format("share of values that --method percentile keeps, in percent (default: {})", file_.quant.search.percentile),
                 percent);
        add.real(
            file_.quant.search.run_percentile, "--run-percentile", "P",
            fmt::format("percentile of the runs' extremes for --method run-percentile (default: {})", file_.quant.search.run_percentile),
            percent);
        add.flag(file_.quant.full_integer, "--full-integer", "also quantize operators that lose much accuracy in eight bits");
        add.real(file_.quant.min_sqnr_db, "--min-sqnr", "DB",
                 "keep elementwise operators in float when their SQNR would fall below DB (default: 0, none)", {0, 200});
        add.input(file_.overrides, "--overrides", "FILE",
                  "encodings to use as they are: a file of AIMET, QNN, onnxruntime or TensorRT (docs/encodings.md)");
        rules_.add(add);
        algorithms_.add(add);
        add.group("Reports");
        report_.add(add);
        add.output(file_.encodings, "--dump-encodings", "FILE", "all encodings, for other tools and --overrides");
        add.choice(file_.encodings_version, "--encodings-version", encodings_versions,
                   fmt::format("AIMET's version of them, or the form of another tool (default: {})", file_.encodings_version));
        add.flag(file_.allow_missing_encodings, "--allow-missing-encodings", "leave out what their form cannot say");
        add.needs({"--encodings-version", "--allow-missing-encodings"}, "--dump-encodings");
        add.text(explain_, "--explain", "NAME", "print on standard error how the encoding of a value or node was chosen");
        add.group("Output");
        add.integer(opset_, "--opset", "N", "opset of an ONNX output (default: the lowest from 13 on that can express the model)", 7, 999);
        static constexpr std::string_view forms[] = {"qdq", "qoperator"};
        add.choice(file_.write.quant_form, "--form", forms, "how encodings are represented in an ONNX output (default: qdq)");
        add.flag(file_.write.external_data, "--external-data", "put the weights of an ONNX or text output beside it, in FILE.data");
        add.beside("--external-data", [this] { return std::vector{file_.output + ".data"}; });
        interface_.add(add);
        add.threads(threads_);
        add.flag(file_.dry_run, "--dry-run", "write nothing: print what would be written, types and sizes to the byte");
        add.flag(json_, "--json", "print it as JSON");
        add.needs({"--json"}, "--dry-run");
        gguf_.add(add);
        budget_.add(add);
        verify_.add(add);
        samples_.add(add);
        add.group("Lists");
        algorithms_.add_list(add);
        add.flag(list_types_, "--list-types", "print the types and exit");
        add.flag(list_methods_, "--list-methods", "print the methods and exit");
    }

    std::string explained(const QuantReport& report) const {
        std::string text = explain(report, explain_);
        while (text.ends_with('\n')) text.pop_back();  // notice() ends the line
        return text;
    }

    void say_what_is_new(const QuantizeFileOutcome& outcome) const {
        const bool coded = outcome.unchanged && outcome.before.weights().empty();
        if (!outcome.report.values.empty() || (!coded && file_.quant.scheme->full())) return;
        const std::string_view why = !coded               ? ""
                                     : outcome.as_it_came ? ": the model is quantized already, and its file stays as it is"
                                                          : ": the model is quantized already, and its encodings stay as they are";
        notice(fmt::format("--type {} found nothing to quantize{}", types_.name(), why));
    }

    void say_what_stays_float(const QuantReport& report, const Coverage& coverage) const {
        const bool full = file_.quant.scheme->full();  // else results are float as they should be, and weights alone count
        const size_t left = full ? report.float_nodes() : coverage.float_weights.size();
        if (left == 0) {
            if (coverage.weight_bytes > 0 || !report.values.empty()) notice("coverage: " + coverage_text(coverage));
            return;
        }
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

    // Of a model on shorter floats.
    static void say_what_is_wider(DType widened) {
        if (widened != DType::none)
            notice(fmt::format("the model computes in {}: it is quantized as if in float32, which its inputs and outputs are now",
                               name_of(widened)));
    }

    // Of weights that were quantized before.
    void say_what_is_in_blocks(const QuantizedBefore& before, const QuantReport& report) const {
        if (before.weights().empty()) return;
        notice(gguf_.allow_requantize ? before.requantized_text(report)
                                      : before.text() + " stay as they are; --allow-requantize quantizes them again");
    }

    void say_what_is_in_no_blocks(const QuantReport& report) const {
        if (!types_.block()) return;
        const bool any =
            std::ranges::any_of(report.values, [](const ValueReport& v) { return v.role == "weight" && v.encoding.block > 0; });
        const Scheme& scheme = types_.scheme();
        if (!any)
            notice(fmt::format("--block {}: no weight is in blocks", *types_.block()));
        else if (scheme.full() && is_integer(scheme.activation) && bits_of(scheme.activation) == 8)
            notice(fmt::format(
                "--block {}: no kernel multiplies codes of 8 bits with weights in blocks: such products compute in float between them",
                *types_.block()));
    }

    void say_what_never_ran(const QuantReport& report) const {
        if (report.unvisited.empty()) return;
        std::vector<std::string> names;
        for (const std::string& body : report.unvisited) names.push_back(fmt::format("\"{}\"", escape(body)));
        say(fmt::format("no sample ran {}: its operators stay float", join(few_of(std::move(names)), ", ")), {}, "");
    }

    void say_what_is_uneven(const QuantReport& report) const {
        if (report.uneven.empty()) return;
        notice_few(report.uneven);
    }

    void say_what_is_amplified(const QuantReport& report) const {
        if (report.amplified.empty()) return;
        notice_few(report.amplified);
        notice("check shows what that costs the outputs; --set-node-name NAME=w8a16, or NAME=none, keeps more");
    }

    // On a runtime whose floats are shorter.
    void say_what_overflows(const QuantReport& report, const Recipe& recipe) const {
        if (report.overflowing.empty()) return;
        const bool one = report.overflowing.size() == 1;
        say(fmt::format("{} operator{} that stay{} float {} numbers beyond {:.0f}, infinite in the floats of {}", report.overflowing.size(),
                        one ? "" : "s", one ? "s" : "", one ? "has" : "have", recipe.greatest_float, recipe.doc),
            report.overflowing, "; see -v for which");
    }

    void say_what_is_unapplied(const QuantReport& report, size_t overrides) const {
        if (report.unapplied.empty()) return;
        std::vector<std::string> names;
        for (const std::string& name : report.unapplied) names.push_back(escape(name));
        say(fmt::format("{} of {} overrides are not applied: their values are not stored as codes", report.unapplied.size(), overrides),
            report.unapplied, ": " + join(few_of(std::move(names)), ", "));
    }

    static void say_what_is_unmatched(const QuantReport& report) { notice_few(report.unmatched); }

    // An error with --strict, else a notice; with `which` things are meant where they are wanted.
    void say(std::string message, std::vector<std::string> which, std::string_view how_to_see) const {
        if (file_.write.strict) throw Error(Exit::no, message).with_details(std::move(which));
        if (verbosity() <= 1) return notice(message + std::string(how_to_see));
        for (const std::string& line : which) message += "\n  " + printable(line);
        notice(message);
    }

    void check_what_samples_are_for(bool algorithms) const {
        const bool samples = samples_.options().given();
        budget_.check_usage(samples);
        if (algorithms && budget_.given()) throw usage_error("a budget compares types as they are without algorithms: give one of both");
        static constexpr std::string_view of_samples[] = {"--rows", "--skip-rows", "--native-io"};
        if (!samples) given_.refuse(of_samples, "is for samples");
    }

    // Of a method that neither the flags nor, as far as is known, a rule names.
    void check_percentiles(bool rules) const {
        for (const std::string_view option : {"--percentile", "--run-percentile"})
            if (!rules && method_ != option.substr(2) && given_.has(option))
                throw usage_error("{} is for --method {}", option, option.substr(2));
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
        if (file_.dry_run && (report_.given() || !file_.encodings.empty()))
            throw usage_error("--dry-run writes nothing, --report and --dump-encodings do");
        const std::vector<const Algorithm*> chosen = algorithms_.chosen();
        const bool to_gguf = file_.format == "gguf" || (file_.format.empty() && file_.output.ends_with(".gguf"));
        types_.choose();
        if (const gguf::Mix* mix = gguf::mix_named(types_.name()); mix && (to_gguf || !types_.is_ours())) {
            check_ggml();
            return quantize_gguf(*mix, gguf_,
                                 {.model = file_.model,
                                  .output = file_.output,
                                  .report = report_.file(),
                                  .threads = static_cast<int>(threads_),
                                  .dry_run = file_.dry_run,
                                  .json = json_});
        }
        if (gguf_.given())
            throw usage_error(
                "--pure, --imatrix, --tensor-type, --allow-fallback and --allow-missing-importance are for types of ggml (--list-types)");
        return quantize(chosen);
    }

    // To a type of ours.
    Exit quantize(const std::vector<const Algorithm*>& chosen) {
        file_.write.opset = static_cast<int>(opset_);
        file_.write.io = interface_.io();
        report_.check_usage();
        std::optional<Rules> rules = rules_.read(types_.scheme());
        types_.add_rules(rules);
        const AlgorithmChoice choice(chosen, rules ? &*rules : nullptr);
        algorithms_.check_usage(choice, given_);
        check_percentiles(rules.has_value());
        check_what_samples_are_for(choice.any());
        complete_request(rules ? &*rules : nullptr, chosen);
        verify_.begin(written_format(), file_.output, file_.dry_run, samples_.options().given());
        std::optional<Evaluation> evaluation;
        const bool chooses = !chosen.empty() || (!choice.any() && (budget_.given() || !verify_.given()));
        if (samples_.options().given() && chooses)
            file_.choose = [&](const Model& model, const Ranges* ranges, const QuantRequest& request, ThreadPool& pool) {
                BudgetFlags::Met met = budget_.meet({model, ranges, request, file_.algorithms, samples_, pool, file_.threads,
                                                     given_.has("--method"), written_format(), file_.write});
                evaluation = std::move(met.evaluation);
                return std::move(met.chosen);
            };
        if (choice.any() && chosen.empty() && samples_.options().given())
            file_.samples = [&](const std::vector<InputSpec>& specs) { return open_for_algorithms(samples_, specs); };
        file_.review = [&](QuantizeFileOutcome& outcome) { say_what_was_done(outcome); };
        QuantizeFileOutcome outcome = quantize_file(file_);
        if (outcome.dry_run) print(json_ ? dry_run_json(*outcome.dry_run) : dry_run_text(*outcome.dry_run));
        if (report_.given()) report_.write(std::move(outcome), file_.quant, file_.output, evaluation);
        return verify_.given() ? verify_.verify(file_.output, samples_, file_.threads) : Exit::ok;
    }

    std::string_view written_format() const {
        return types_.format().empty() ? format_for_writing(file_.output, file_.format).name : types_.format();
    }

    void complete_request(const Rules* rules, const std::vector<const Algorithm*>& chosen) {
        file_.quant.destination = destination_of(written_format(), types_.runtime());
        file_.quant.scheme = &types_.scheme();
        file_.static_for = types_.static_for();
        file_.quant.per_tensor = types_.per_tensor();
        file_.quant.search.method = &method_named(method_);
        file_.quant.search.optimum = report_.given() || !explain_.empty();
        file_.quant.rules = rules;
        file_.quant.allow_unmatched = rules_.allow_unmatched();
        file_.quant.measured = report_.given() || !explain_.empty() || gguf_.allow_requantize;
        file_.algorithms = algorithms_.options(chosen);
        file_.requantize = gguf_.allow_requantize;
        file_.threads = static_cast<int>(threads_);
    }

    void say_what_was_done(QuantizeFileOutcome& outcome) const {
        QuantReport& report = outcome.report;
        if (outcome.loss_unknown) notice("without --ranges the accuracy that each product loses by rounding its input is not known");
        for (const std::string& line : outcome.taken) notice(line);
        say_what_is_wider(outcome.widened);
        if (gguf_.allow_requantize) outcome.before.note(report);
        say_what_is_in_blocks(outcome.before, report);
        if (!explain_.empty()) notice(explained(report));
        say_what_is_unmatched(report);
        notice_few(report.idle_rules());
        say_what_algorithms_did(report);
        say_what_never_ran(report);
        say_what_is_new(outcome);
        say_what_is_in_no_blocks(report);
        say_what_is_uneven(report);
        say_what_is_amplified(report);
        if (const std::string lost = weights_lost_text(report); !lost.empty()) notice(lost);
        say_what_stays_float(report, *report.coverage);
        say_what_computes_in_float(report, *report.coverage);
        say_what_overflows(report, *outcome.recipe);
        say_what_is_unapplied(report, outcome.overrides);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Quantize tool;
    return tool_main(tool, argc, argv);
}
