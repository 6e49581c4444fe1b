// quern model-diff: two models on the same samples, or the results of two runs.
#include <cmath>
#include <filesystem>
#include <limits>

#include "formats/format.h"
#include "formats/read.h"
#include "libcore/base/file_kind.h"
#include "libcore/base/text.h"
#include "libcore/check/compare_weights.h"
#include "libcore/cli/progress.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/exec/meaning.h"
#include "libcore/quant/encodings/compare_encodings.h"
#include "libcore/quant/encodings/encodings_json.h"
#include "libcore/runs/compare.h"
#include "libcore/text/divergence.h"
#include "libcore/text/language_source.h"

using namespace quern;

namespace {

constexpr std::array<std::string_view, 4> modes{"auto", "float", "fake", "int"};

class ModelDiff : public Tool {
    std::string first_ = "-", second_, first_mode_ = "auto", second_mode_ = "auto", kld_, report_;
    SampleFlags samples_;
    FixedInputs fixed_;
    double threshold_ = -std::numeric_limits<double>::infinity();
    int64_t threads_ = 0, context_ = 0;
    bool stateful_ = false, outputs_only_ = false, weights_ = false, encodings_ = false, json_ = false;
    std::vector<std::string> states_;
    GivenOptions given_;

    std::string_view name() const override { return "model-diff"; }
    std::string_view summary() const override { return "compare the values of two models on the same samples, or the results of two runs"; }
    std::vector<std::string_view> examples() const override {
        return {"quern model-diff digits.onnx simple.onnx --random 1 --threshold 60",
                "quern model-diff --encodings digits.onnx simple.onnx"};
    }

    void options(Options& add) override {
        add.given(given_);
        add.model(first_);
        add.positional(second_, "SECOND", "the model to compare with; or both are folders or .npz files that run wrote", false);
        add.shapes(fixed_);
        samples_.add(add);
        add.group("Comparing");
        add.choice(first_mode_, "--first-mode", modes,
                   "how the first model runs; auto: integer codes if its activations are encoded, else float");
        add.choice(second_mode_, "--second-mode", modes, "the same for the second");
        add.flag(stateful_, "--stateful", "carry state from sample to sample, as run does, each model its own");
        add.texts(states_, "--state", "IN=OUT", "feed an output of a sample to an input of the next, in both models; may repeat");
        add.flag(outputs_only_, "--outputs-only", "compare the outputs only");
        add.flag(weights_, "--weights", "compare the tensors of two GGUF files, without running them");
        add.flag(encodings_, "--encodings",
                 "compare the encodings of two models or files of encodings, without running them: exit with 1 if one differs");
        add.input(kld_, "--kld", "FILE",
                  "compare what two language models foresee in a text (- is standard input), in windows of --ctx tokens: perplexities, "
                  "Kullback-Leibler divergence");
        add.integer(context_, "--ctx", "N", "tokens of a window (default: 512)", 3);
        add.real(threshold_, "--threshold", "DB", "exit with 1 if a value's signal-to-noise ratio is below DB decibel", {-300, 300});
        add.threads(threads_);
        add.isa();
        add.flag(json_, "--json", "print JSON");
        add.output(report_, "--report", "FILE.html",
                   "write the comparison as a page, too: what differs, the worst first, by output and by value");
    }

    static Mode mode_of(const std::string& name, const Graph& graph) {
        if (name == "auto") return own_mode(graph);
        return name == "float" ? Mode::floating : name == "fake" ? Mode::fake : Mode::integer;
    }
    Graph asked(const std::string& path) const {
        Model model = read_model(path);
        return at_place(display_name(path), [&] {
            fix_inputs(model.graph, fixed_);
            return as_encoded(std::move(model.graph));
        });
    }
    static bool results(const std::string& path) {
        return has_suffix(path, ".npz") || (std::filesystem::is_directory(path) && !is_model_folder(path));
    }

    bool carries_states() const { return stateful_ || !states_.empty(); }

    // Recurrent operators of the graph get inputs and outputs for what they carry.
    StatePlan states_of(const std::string& path, Graph& graph) const {
        return at_place(display_name(path), [&] { return asked_states(graph, stateful_, states_); });
    }

    Comparison compare() const {
        if (carries_states() && (results(first_) || results(second_)))
            throw usage_error("--stateful and --state are for models, not for results of runs");
        if (results(first_) && results(second_)) return compare_results(first_, second_);
        if (results(first_) != results(second_)) {
            const std::string& model = results(first_) ? second_ : first_;
            map_input(model);  // if it is not there, that is the error
            throw usage_error("{} holds results of a run, {} does not", escape(results(first_) ? first_ : second_), display_name(model));
        }
        Graph first = asked(first_), second = asked(second_);
        const Mode modes_of_both[] = {mode_of(first_mode_, first), mode_of(second_mode_, second)};
        const StatePlan first_states = states_of(first_, first), second_states = states_of(second_, second);
        const auto source = samples_.open(fed_specs(first, first_states));
        Progress progress("comparing", source->count());
        return compare_models({first, modes_of_both[0], &first_states}, {second, modes_of_both[1], &second_states}, *source, outputs_only_,
                              static_cast<int>(threads_), [&] { progress.step(); });
    }

    Exit compare_tensors() const {
        static constexpr std::string_view read[] = {"--weights", "--threshold", "--json", "--report"};
        given_.refuse_others(read, "is not for --weights");
        const Comparison comparison = compare_weights(first_, second_);
        write_report(comparison, false);
        print(json_ ? weights_json(comparison, threshold_) : weights_text(comparison, threshold_));
        return comparison.first_below(threshold_, false) ? Exit::no : Exit::ok;
    }

    // Of a model, or a file of encodings.
    Overrides encodings_of(const std::string& path) const {
        const Bytes bytes = map_model(path);
        if (is_encodings(bytes.text())) return at_place(display_name(path), [&] { return parse_encodings(bytes.text()); });
        Model model = read_model(bytes, path);
        return at_place(display_name(path), [&] { return overrides_of(as_encoded(std::move(model.graph))); });
    }

    Exit compare_encodings_only() const {
        if (samples_.options().given() || fixed_.given() || outputs_only_ || weights_ || std::isfinite(threshold_) || carries_states())
            throw usage_error("--encodings runs nothing: samples, shapes, thresholds and other comparisons are not for it");
        const EncodingsComparison comparison = compare_encodings(encodings_of(first_), encodings_of(second_));
        print(json_ ? encodings_comparison_json(comparison) : encodings_comparison_text(comparison, verbosity() > 1));
        return comparison.same() ? Exit::ok : Exit::no;
    }

    LanguageSource language(const std::string& path, const std::string& mode) const {
        const Bytes bytes = map_model(path);
        const LanguageSettings how{
            [&](const Graph& graph) { return CompileOptions{.mode = mode_of(mode, graph)}; }, {}, static_cast<int>(threads_)};
        const Model model = is_context(bytes) ? Model() : read_model(bytes, path);
        return at_place(display_name(path), [&] {
            if (is_context(bytes) && mode != "auto") throw usage_error("is a context: its mode was decided when it was made");
            return language_source(bytes, model, path, how);
        });
    }

    Exit compare_language() const {
        if (samples_.options().given() || fixed_.given() || outputs_only_ || weights_ || std::isfinite(threshold_) || carries_states())
            throw usage_error("--kld compares probabilities over a text: samples, shapes and other comparisons are not for it");
        const LanguageSource first = language(first_, first_mode_), second = language(second_, second_mode_);
        const auto tokenizer = first.make_tokenizer(), other = second.make_tokenizer();
        const TokenText text = read_token_text(tokenizer ? &*tokenizer : nullptr, other ? &*other : nullptr, kld_);
        const TokenWindows windows(text, context_ > 0 ? context_ : default_window);
        LanguageModel a = first.open(windows.length(), true), b = second.open(windows.length(), true);
        Progress progress("comparing", static_cast<uint64_t>(windows.count()));
        const DivergenceReport report = divergence(a, b, windows, [&] { progress.step(); });
        print(json_ ? divergence_json(report, windows) : divergence_text(report, windows));
        return Exit::ok;
    }

    // "net.onnx (int)"
    static std::string words(const std::string& path, const std::string& mode) {
        const std::string name = std::filesystem::path(display_name(path)).filename().string();
        return mode == "auto" ? name : fmt::format("{} ({})", name, mode);
    }

    void check_report() const {
        static constexpr std::string_view pages[] = {".html"};
        check_suffix("--report", report_, pages);
        if (!report_.empty() && (encodings_ || !kld_.empty()))
            throw usage_error("--report is about values: of --encodings and --kld there is no page");
    }

    void write_report(const Comparison& comparison, bool outputs_only) const {
        if (!report_.empty())
            write_output(report_,
                         comparison_html(comparison, threshold_, outputs_only, words(first_, first_mode_), words(second_, second_mode_)));
    }

    Exit run() override {
        check_report();
        if (second_.empty()) throw usage_error("SECOND is required");
        if (encodings_ && !kld_.empty()) throw usage_error("--encodings and --kld exclude each other");
        if (encodings_) return compare_encodings_only();
        if (!kld_.empty()) return compare_language();
        if (context_ > 0) throw usage_error("--ctx is for --kld");
        if (weights_) return compare_tensors();
        const Comparison comparison = compare();
        write_report(comparison, outputs_only_);
        print(json_ ? comparison_json(comparison, threshold_, outputs_only_) : comparison_text(comparison, threshold_, outputs_only_));
        if (!std::isfinite(threshold_)) return Exit::ok;
        const bool bad = comparison.first_below(threshold_, outputs_only_) || (results(first_) && !comparison.only_first.empty());
        return bad ? Exit::no : Exit::ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    ModelDiff tool;
    return tool_main(tool, argc, argv);
}
