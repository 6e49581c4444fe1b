#include <cmath>
#include <filesystem>
#include <limits>

#include "formats/format.h"
#include "libcore/base/text.h"
#include "libcore/cli/progress.h"
#include "libcore/cli/sample_options.h"
#include "libcore/cli/tool.h"
#include "libcore/exec/meaning.h"
#include "libcore/session/compare.h"

using namespace quern;

namespace {

constexpr std::array<std::string_view, 4> modes{"auto", "float", "fake", "int"};

class ModelDiff : public Tool {
    std::string first_ = "-", second_, first_mode_ = "auto", second_mode_ = "auto";
    SampleFlags samples_;
    FixedInputs fixed_;
    double threshold_ = -std::numeric_limits<double>::infinity();
    int64_t threads_ = 0;
    bool outputs_only_ = false, json_ = false;

    std::string_view name() const override { return "model-diff"; }
    std::string_view summary() const override { return "compare the values of two models on the same samples, or the results of two runs"; }

    void options(Options& add) override {
        add.model(first_);
        add.positional(second_, "SECOND", "the model to compare with; or both are folders or .npz files that run wrote", false);
        add.shapes(fixed_);
        samples_.add(add);
        add.group("Comparing");
        add.choice(first_mode_, "--first-mode", modes,
                   "how the first model runs; auto: integer codes if its activations are encoded, else float");
        add.choice(second_mode_, "--second-mode", modes, "the same for the second");
        add.flag(outputs_only_, "--outputs-only", "compare the outputs only");
        add.real(threshold_, "--threshold", "DB", "exit with 1 if a value's signal-to-noise ratio is below DB decibel", {-300, 300});
        add.threads(threads_);
        add.isa();
        add.flag(json_, "--json", "print JSON");
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
    static bool results(const std::string& path) { return path.ends_with(".npz") || std::filesystem::is_directory(path); }

    Comparison compare() const {
        if (results(first_) && results(second_)) return compare_results(first_, second_);
        if (results(first_) != results(second_)) {
            const std::string& model = results(first_) ? second_ : first_;
            map_input(model);  // if it is not there, that is the error
            throw usage_error("{} holds results of a run, {} does not", escape(results(first_) ? first_ : second_), display_name(model));
        }
        const Graph first = asked(first_), second = asked(second_);
        const auto source = samples_.open(input_specs(first));
        Progress progress("comparing", source->count());
        return compare_models({first, mode_of(first_mode_, first)}, {second, mode_of(second_mode_, second)}, *source, outputs_only_,
                              static_cast<int>(threads_), [&] { progress.step(); });
    }

    Exit run() override {
        if (second_.empty()) throw usage_error("SECOND is required");
        const Comparison comparison = compare();
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
