// check: a quantized model beside its float model: what it is worth, what costs it, and rules that mend it.
#include <algorithm>
#include <filesystem>
#include <limits>

#include "formats/dry_run.h"
#include "formats/format.h"
#include "libcore/base/text.h"
#include "libcore/check/check.h"
#include "libcore/cli/backend_flags.h"
#include "libcore/cli/metric_flags.h"
#include "libcore/cli/named_files.h"
#include "libcore/cli/progress.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/exec/meaning.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/to_float32.h"
#include "libcore/quantize/quantize_model.h"
#include "libcore/quantize/type_choice.h"

using namespace quern;

namespace {

constexpr double usual_sqnr = 25, usual_drop = 0.5;  // what a proposal aims at where nothing is asked for

// Has it numbers of 16 bits?
bool is_halved(const Graph& graph) {
    bool found = false;
    for_each_graph(graph, [&](const Graph& part, const std::string&) {
        for (size_t i = 0; i < part.value_count(); ++i) {
            const Value& value = part.value(static_cast<ValueId>(i));
            found = found || (!value.erased && (value.type.dtype == DType::f16 || value.type.dtype == DType::bf16));
        }
    });
    return found;
}

class Check : public Tool {
    std::string model_ = "-", quantized_, ranges_, rules_, labels_, scored_, propose_, report_, format_, backends_, backend_options_,
                target_;
    std::vector<std::string> types_;
    SampleFlags samples_;
    FixedInputs fixed_;
    BackendFlags backend_flags_;
    double sqnr_ = unset, agreement_ = unset;
    MetricFlags metric_;
    int64_t threads_ = 0, label_offset_ = 0, evaluate_ = 0, top_ = 20;
    bool force_ = false, json_ = false;
    static constexpr double unset = -1000;

    std::string_view name() const override { return "check"; }
    std::string_view summary() const override {
        return "check a quantized model against its float model: scores, which units cost accuracy and why, and rules that mend it";
    }
    std::vector<std::string_view> examples() const override {
        return {
            "quern check digits.onnx --ranges ranges.json --types i8,w8a16 --input 'image=test.u8:u8[1,8,8]*0.0625-0' --labels test.labels",
            "quern check digits.onnx --ranges ranges.json --input 'image=test.u8:u8[1,8,8]*0.0625-0' --min-sqnr 45 --propose rules.json"};
    }

    void options(Options& add) override {
        add.positional(model_, "MODEL", "the float model, of any format", false, FileRole::model);
        add.positional(quantized_, "QUANTIZED", "the quantized model; without it types are tried", false);
        add.shapes(fixed_);
        samples_.add(add);
        add.group("Types to try");
        add.list(types_, "--types", "TYPE[,TYPE]",
                 "quantize MODEL to these (see quantize --list-types) and check each; sensitivities are of the first (default: i8)");
        add.text(format_, "-f,--format", "FORMAT",
                 "the format of the file that will be written, by whose rules types are tried and proposed (default: MODEL's own)");
        add.input(target_, "--target", "TARGET",
                  "try types by the rules of this target's runtime (default: its own type): a name of place --list-targets, or a file",
                  target_files);
        add.input(ranges_, "--ranges", "FILE", "ranges that minmax-collect made (default: those embedded in the model)");
        add.input(rules_, "--rules", "FILE", "rules for parts of the model");
        add.flag(force_, "--force", "accept ranges that were collected on another model");
        add.group("Scores");
        add.input(labels_, "--labels", "FILE[:COLUMN]", "score top-1 against a CSV column of classes (default: label), or next-token",
                  label_files);
        add.integer(label_offset_, "--label-offset", "N", "add N to each label (default: 0)", -1000000, 1000000);
        add.text(scored_, "--score-output", "NAME", "the output with the scores (default: the first)");
        add.real(sqnr_, "--min-sqnr", "DB", "exit with 1 if an output, or its worst part, has less than DB decibel", {-300, 300});
        metric_.add_drop(add,
                         "exit with 1 if top-1 falls by more than POINTS percent points, which needs --labels, or the metric by more than "
                         "N % of the float model's, which needs --metric");
        add.real(agreement_, "--min-agreement", "PERCENT",
                 "exit with 1 if the greatest score is of the same class in less than PERCENT of the samples", {0, 100});
        metric_.add(add, "exit with 1 if the metric is less than X", "exit with 1 if the metric is greater than X");
        add.group("Sensitivities");
        add.integer(evaluate_, "--evaluate", "N", "evaluate the estimates of the N worst units: two runs over the samples each", 0, 10000);
        add.integer(top_, "--top", "N", "rows of the table (default: 20; JSON has all)", 0, 1000000);
        add.output(
            propose_, "--propose", "FILE",
            "write rules for quantize --rules with which the first type keeps what is asked for (default: 25 dB at each output, with "
            "--labels half a point of top-1), evaluated; - is standard output");
        add.output(report_, "--report", "FILE", "a report: one page of HTML, or JSON if FILE ends in .json");
        add.group("Devices");
        add.text(backends_, "--backend", "NAME[;NAME]",
                 "run quantized models on the first of these back ends that can, node by node: scores are of their arithmetic");
        add.text(backend_options_, "--backend-options", "JSON", "for back ends that are libraries: {\"device\": \"npu1\"}");
        backend_flags_.add(add);
        add.group("Running");
        add.threads(threads_);
        add.isa();
        add.flag(json_, "--json", "print JSON");
    }

    Goal goal() const {
        Goal goal;
        if (sqnr_ != unset) goal.min_sqnr_db = sqnr_;
        if (agreement_ != unset) goal.min_agreement = agreement_;
        metric_.add_to(goal);
        return goal;
    }
    Goal proposed_goal() const {
        Goal wanted = goal();
        if (wanted.given()) return wanted;
        wanted.min_sqnr_db = usual_sqnr;
        if (!labels_.empty()) wanted.max_drop_points = usual_drop;
        return wanted;
    }

    void check_usage() const {
        static constexpr std::string_view reports[] = {".html", ".htm", ".json"};
        check_suffix("--report", report_, reports);
        if (!samples_.options().given()) throw usage_error("no samples").with_hint("give --input-list or --input");
        metric_.check_usage(labels_);
        if (!backend_options_.empty() && backends_.empty()) throw usage_error("--backend-options needs --backend");
        if (quantized_.empty()) return;
        if (!types_.empty() || !ranges_.empty() || !rules_.empty() || !propose_.empty() || !format_.empty() || !target_.empty())
            throw usage_error(
                "--types, --target, --format, --ranges, --rules and --propose are for a float model alone, not beside QUANTIZED");
    }

    Model read(const std::string& path) const {
        Model model = read_model(path);
        at_place(display_name(path), [&] { fix_inputs(model.graph, fixed_); });
        return model;
    }

    EvaluateOptions evaluate_options(const Graph& exact, const std::optional<Labels>& labels) const {
        return {.labels = labels ? &*labels : nullptr,
                .scored = scored_,
                .each_row = labels_ == "next-token",
                .threads = static_cast<int>(threads_),
                .mixed = mixed(),
                .metric = metric_.maker(exact, scored_, labels_)};
    }
    std::optional<MixedOptions> mixed() const {
        if (backends_.empty()) return std::nullopt;
        MixedOptions options;
        options.backends = backend_names(backends_);
        options.backend_options = backend_options_;
        options.note = [](const std::string& text) { notice(text); };
        return options;
    }
    CheckOptions check_options() const {
        return {.evaluated_units = static_cast<size_t>(evaluate_), .threads = static_cast<int>(threads_)};
    }

    CheckReport report_of(const Graph& exact, const SampleSource& source) const {
        return {.model = std::filesystem::path(display_name(model_)).filename().string(),
                .backend = backends_,
                .samples = source.count(),
                .exact_bytes = stored_bytes(exact)};
    }

    Exit show(const CheckReport& report) const {
        if (!report_.empty()) write_output(report_, report_.ends_with(".json") ? check_json(report) : check_html(report));
        if (propose_ != "-") print(json_ ? check_json(report) : check_text(report, static_cast<size_t>(top_)));
        bool good = report.proposal ? report.proposal->outcome.met : true;
        if (!report.proposal && goal().given()) good = report.models.front().missed.empty();
        return good ? Exit::ok : Exit::no;
    }

    Exit check_pair(const std::optional<Labels>& labels) const {
        Model exact = read(model_);
        const Model quantized = read(quantized_);
        // What computes in shorter floats is quantized as if in float32: inputs and outputs are, too.
        if (computed_in_half(quantized.graph) == DType::none && computed_in_half(exact.graph) != DType::none &&
            to_float32.run(exact.graph) > 0)
            infer_types(exact.graph);
        const Graph floats = as_encoded(exact.graph), codes = as_encoded(quantized.graph);
        const bool encoded = is_quantized(codes);
        if (!encoded && !is_halved(codes)) throw bad_input("{}: nothing in it is quantized", display_name(quantized_));
        const auto source = samples_.open(input_specs(floats));
        Evaluator evaluator(floats, *source, evaluate_options(floats, labels));
        CheckReport report = report_of(floats, *source);
        at_place(display_name(quantized_), [&] {
            check_model(report, evaluator, display_name(quantized_), codes, goal());
            if (encoded) check_units(report, evaluator, floats, codes, *source, check_options());
        });
        return show(report);
    }

    template <class Parse>
    static auto read_sidecar(const std::string& path, Parse&& parse) {
        const Bytes bytes = map_input(path);
        return at_place(display_name(path), [&] { return parse(bytes.text()); });
    }

    std::string_view written_format(const TypeChoice& choice) const {
        if (!choice.format.empty()) return choice.format;
        return format_.empty() ? "native" : format_named(format_).name;
    }

    Exit check_types(const std::optional<Labels>& labels) {
        const Model model = read(model_);
        std::optional<Rules> rules;
        if (!rules_.empty()) rules = read_sidecar(rules_, parse_rules);
        if (types_.empty()) types_ = {target_.empty() ? "i8" : ""};
        TypeChoice choice;
        std::vector<const Scheme*> types;
        for (const std::string& type : types_) {
            choice = choose_type(type.empty() ? "" : scheme_named(type).name, target_);
            for (const std::string& line : choice.said) notice(line);
            types.push_back(&scheme_named(choice.type));
            if (std::ranges::count(types, types.back()) > 1) throw usage_error("type \"{}\" is named twice", type);
        }
        const QuantRequest request{.scheme = types.front(),
                                   .destination = destination_of(written_format(choice), choice.runtime),
                                   .rules = rules ? &*rules : nullptr};
        const auto ranges = ranges_for(model, ranges_, force_);
        ThreadPool pool(static_cast<int>(threads_));
        const Quantizer quantizer(model, ranges ? &*ranges : nullptr, request, pool);
        return at_place(display_name(model_), [&] { return check_quantizer(quantizer, types, labels, written_format(choice)); });
    }

    Exit check_quantizer(const Quantizer& quantizer, const std::vector<const Scheme*>& types, const std::optional<Labels>& labels,
                         std::string_view format) const {
        const Graph exact = quantizer.exact();
        const auto source = samples_.open(input_specs(exact));
        EvaluateOptions how = evaluate_options(exact, labels);
        how.profile = quantizer.profile();
        if (!types.front()->full()) how.as_read = as_read_again(format);
        Evaluator evaluator(exact, *source, how);
        CheckReport report = report_of(exact, *source);
        for (const Scheme* type : types) check_model(report, evaluator, std::string(type->name), quantizer.quantized(*type), goal());
        check_units(report, evaluator, exact, quantizer.quantized(*types.front()), *source, check_options());
        if (!propose_.empty()) propose(report, quantizer, types, *source, exact, how, format);
        return show(report);
    }

    static constexpr uint64_t max_evaluations = 12, min_evaluations = 6;  // of all, those that say what is wrong included; of a proposal

    void propose(CheckReport& report, const Quantizer& quantizer, const std::vector<const Scheme*>& types, const SampleSource& source,
                 const Graph& exact, const EvaluateOptions& how, std::string_view format) const {
        BudgetOptions options{.goal = proposed_goal(), .max_bytes = {}, .types = usual_types(*types.front(), quantizer.work())};
        if (types.size() > 1) {
            options.types = types;
            options.types.push_back(nullptr);
        }
        options.threads = static_cast<int>(threads_);
        options.file_bytes = [&](const Graph& graph) { return written_bytes(graph, format); };
        if (verbosity() > 1) options.note = [](const std::string& text) { notice(text); };
        const Split split(source, metric_.given());
        Evaluator evaluator(exact, split.choosing(), how);
        if (!split.held_back()) options.first = report.models.front().evaluation;  // of the same rows
        options.max_evaluations = max_evaluations - std::min(max_evaluations - min_evaluations, report.evaluations);
        report.proposal = quern::propose(quantizer, split, evaluator, exact, how, options);
        const BudgetOutcome& outcome = report.proposal->outcome;
        const Method* method = report.proposal->methods.best;
        report.proposal_file = display_name(propose_);
        report.evaluations += outcome.evaluations;
        report.passes += outcome.passes;
        report.proposal_rules =
            rules_json(*types.front(), outcome.rules, quantizer.request().rules, method, report.proposal->correction.chosen);
        write_output(propose_, report.proposal_rules);
    }

    Exit run() override {
        check_usage();
        backend_flags_.apply();
        const auto labels = labels_.empty() ? std::nullopt : std::optional<Labels>(std::in_place, labels_, label_offset_);
        return quantized_.empty() ? check_types(labels) : check_pair(labels);
    }
};

}  // namespace

int main(int argc, char** argv) {
    Check tool;
    return tool_main(tool, argc, argv);
}
