// quantize: encodings for a model from its ranges, types and rules; no inference.

#include "formats/format.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "libcore/quant/encodings_json.h"
#include "libcore/session/quantize_model.h"

using namespace quern;

namespace {

std::vector<std::string_view> method_names() {
    std::vector<std::string_view> names;
    for (const Method& row : all_methods()) names.push_back(row.name);
    return names;
}

class Quantize : public Tool {
    std::string model_ = "-", signature_, output_ = "-", format_, ranges_, type_ = "i8", method_ = "auto", rules_, overrides_, dump_,
                report_, explain_;
    std::string encodings_version_ = "2.0.0";
    FixedInputs fixed_;
    int64_t threads_ = 0, opset_ = 0, block_ = 0;
    bool force_ = false, strict_ = false, list_types_ = false, list_methods_ = false;
    QuantOptions quant_;
    WriteOptions write_;

    std::string_view name() const override { return "quantize"; }
    std::string_view summary() const override {
        return "quantize a model: encodings from measured ranges, quantized weights, and a report with reasons";
    }

    void options(Options& add) override {
        add.model(model_);
        add.signature(signature_);
        add.shapes(fixed_);
        add.text(output_, "-o,--output", "FILE", "where the model goes (default: standard output, native format)");
        add.text(format_, "-f,--format", "FORMAT", "format of the output (default: by the suffix of FILE)");
        add.text(ranges_, "--ranges", "FILE", "ranges that minmax-collect made (default: those embedded in the model)");
        add.flag(force_, "--force", "accept ranges that were collected on another model");
        add.flag(strict_, "--strict", "fail if any operator on float values stays float, or has no kernel in the output's runtime");
        add.group("Quantization");
        static const auto types = scheme_names(), methods = method_names();
        add.choice(type_, "--type", types, "number formats (see --list-types)");
        add.choice(method_, "--method", methods, "how ranges are found (see --list-methods)");
        static constexpr NumberBounds percent{50, 100, true, "in percent, not as a share: 99.99 keeps all but one value in ten thousand"};
        add.real(quant_.search.percentile, "--percentile", "P",
                 "share of values that --method percentile keeps, in percent (default: 99.99)", percent);
        add.real(quant_.search.run_percentile, "--run-percentile", "P",
                 "percentile of the runs' extremes for --method run-percentile (default: 99)", percent);
        add.flag(quant_.per_tensor, "--per-tensor", "one scale for each weight");
        add.flag(quant_.full_integer, "--full-integer", "also quantize operators that lose much accuracy in eight bits");
        add.real(quant_.min_sqnr_db, "--min-sqnr", "DB", "keep elementwise operators in float when their SQNR would fall below DB",
                 {0, 200});
        add.integer(block_, "--block", "N", "block size of wo-i4 (default: 32; for TFLite none)", 1, 1 << 30);
        add.text(rules_, "--rules", "FILE", "rules for parts of the model");
        add.text(overrides_, "--overrides", "FILE", "encodings to use as they are, as AIMET writes them (versions 0.4.0 to 2.0.0)");
        add.group("Reports");
        add.text(report_, "--report", "FILE", "a report: one page of HTML, or JSON if FILE ends in .json");
        add.text(dump_, "--dump-encodings", "FILE", "all encodings as AIMET writes them");
        add.choice(encodings_version_, "--encodings-version", encodings_versions, "their version");
        add.text(explain_, "--explain", "NAME", "print on standard error how the encoding of a value or node was chosen");
        add.group("Output");
        add.integer(opset_, "--opset", "N", "opset of an ONNX output (default: the lowest from 13 on that can express the model)", 7, 999);
        static constexpr std::string_view forms[] = {"qdq", "qoperator"};
        add.choice(write_.quant_form, "--form", forms, "how encodings are represented in an ONNX output");
        add.flag(write_.external_data, "--external-data", "put the weights of an ONNX or text output beside it, in FILE.data");
        add.choice(write_.io, "--io", io_types, "how a TFLite or Circle file stores inputs and outputs (default: as encoded)");
        add.threads(threads_);
        add.group("Lists");
        add.flag(list_types_, "--list-types", "print the types and exit");
        add.flag(list_methods_, "--list-methods", "print the methods and exit");
    }

    template <class Parse>
    static auto read_sidecar(const std::string& path, Parse&& parse) {
        const Bytes bytes = map_input(path);
        return at_place(display_name(path), [&] { return parse(bytes.text()); });
    }

    // The sidecar given by flag, or the one inside the model.
    std::optional<Ranges> ranges_of(const Model& model) const {
        const auto embedded = model.facts.find("ranges");
        if (ranges_.empty() && embedded == model.facts.end()) return std::nullopt;
        Ranges ranges = ranges_.empty() ? at_place("embedded ranges", [&] { return parse_ranges(embedded->second); })
                                        : read_sidecar(ranges_, parse_ranges);
        if (!force_ && !ranges.lineage.empty() && ranges.lineage != model.lineage)
            throw bad_input("measured on another model (lineage {}, this one is {})", ranges.lineage, model.lineage)
                .with_hint("--force takes them all the same")
                .at(ranges_.empty() ? "embedded ranges" : display_name(ranges_));
        return ranges;
    }

    std::string explained(const QuantReport& report) const {
        std::string text = explain(report, explain_);
        while (text.ends_with('\n')) text.pop_back();  // notice() ends the line
        return text;
    }

    void write_report(const QuantReport& report) const {
        write_output(report_, report_.ends_with(".json") ? report_json(report) : report_html(report));
    }

    void say_what_stays_float(const QuantReport& report) const {
        if (report.values.empty() && !quant_.scheme->full()) notice(fmt::format("--type {} found nothing to quantize", type_));
        const size_t left = report.float_nodes();
        if (left == 0 || !quant_.scheme->full()) return;
        std::vector<std::string> which;
        for (const NodeReport& node : report.nodes)
            if (!node.quantized) which.push_back(fmt::format("{} ({}): {}", node.key, node.op, node.reason));
        say(fmt::format("{} of {} operators stay float", left, report.nodes.size()), std::move(which),
            "; see -v or --report for which and why");
    }

    void say_what_never_ran(const QuantReport& report) const {
        if (report.unvisited.empty()) return;
        std::vector<std::string> names;
        for (const std::string& body : report.unvisited) names.push_back(fmt::format("\"{}\"", escape(body)));
        say(fmt::format("no sample ran {}: its operators stay float", join(names, ", ")), {}, "");
    }

    void say_what_is_unapplied(const QuantReport& report) const {
        if (report.unapplied.empty()) return;
        say(fmt::format("{} of {} overrides are not applied: their values are not stored as codes", report.unapplied.size(),
                        quant_.overrides->size()),
            report.unapplied, "; see -v for which");
    }

    // An error with --strict, else a notice; with `which` things are meant where they are wanted.
    void say(std::string message, std::vector<std::string> which, std::string_view how_to_see) const {
        if (strict_) throw Error(Exit::no, message).with_details(std::move(which));
        if (verbosity() <= 1) return notice(message + std::string(how_to_see));
        for (const std::string& line : which) message += "\n  " + printable(line);
        notice(message);
    }

    Exit run() override {
        if (list_types_) {
            for (const Scheme& row : all_schemes()) print(fmt::format("{:<12}{}\n", row.name, row.doc));
            return Exit::ok;
        }
        if (list_methods_) {
            for (const Method& row : all_methods()) print(fmt::format("{:<16}{}\n", row.name, row.doc));
            return Exit::ok;
        }
        write_.opset = static_cast<int>(opset_);
        write_.strict = strict_;
        check_output(output_, format_, write_);
        static constexpr std::string_view reports[] = {".html", ".htm", ".json"};
        check_suffix("--report", report_, reports);
        std::optional<Rules> rules;
        if (!rules_.empty()) rules = read_sidecar(rules_, parse_rules);
        std::optional<Overrides> overrides;
        if (!overrides_.empty()) overrides = read_sidecar(overrides_, parse_encodings);
        quant_.overrides = overrides ? &*overrides : nullptr;
        quant_.scheme = &scheme_named(type_);
        quant_.search.method = &method_named(method_);
        quant_.rules = rules ? &*rules : nullptr;
        quant_.measure_weights = !report_.empty() || !explain_.empty();
        Model model = read_model(model_, signature_);
        at_place(display_name(model_), [&] { fix_inputs(model.graph, fixed_); });
        choose_recipe(quant_, model.graph, format_for_writing(output_, format_).name);
        if (block_ > 0) quant_.block = block_;
        const auto ranges = ranges_of(model);
        ThreadPool pool(static_cast<int>(threads_));
        if (!ranges && quant_.scheme->full())
            throw usage_error("--type {} needs ranges", type_).with_hint("give --ranges FILE from minmax-collect").at(display_name(model_));
        const QuantReport report = at_place(display_name(model_), [&] {
            return quantize_model(model, ranges ? &*ranges : nullptr, quant_, pool, display_name(overrides_));
        });
        if (!ranges && quant_.scheme->activations == Scheme::Activations::dynamic && quant_.recipe)
            notice("without --ranges the accuracy that each product loses by rounding its input is not known");
        if (!explain_.empty()) notice(explained(report));
        say_what_never_ran(report);
        say_what_stays_float(report);
        say_what_is_unapplied(report);
        if (!report_.empty()) write_report(report);
        if (!dump_.empty()) write_output(dump_, write_encodings(model.graph, encodings_version_));
        write_model(model, output_, format_, write_);
        return Exit::ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    Quantize tool;
    return tool_main(tool, argc, argv);
}
