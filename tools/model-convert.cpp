// model-convert: any model in, any model out; shapes fixed, simplified, cut.

#include <filesystem>

#include "formats/dry_run.h"
#include "formats/format.h"
#include "formats/gguf/file/facts.h"
#include "formats/safetensors/weights.h"
#include "libcore/base/text.h"
#include "libcore/check/verify_weights.h"
#include "libcore/cli/interface_flags.h"
#include "libcore/cli/tool.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op.h"
#include "libcore/os/folder.h"
#include "libcore/passes/pass.h"
#include "libcore/passes/static_cache.h"
#include "libcore/quant/encodings/encodings_json.h"

using namespace quern;

namespace {

class ModelConvert : public Tool {
    std::string model_ = "-", signature_, output_ = "-", format_, extract_, weights_, dump_weights_, dump_each_, dump_,
                encodings_version_ = "2.0.0";
    std::vector<std::string> passes_, skip_;
    FixedInputs fixed_;
    WriteOptions write_;
    InterfaceFlags interface_;
    int64_t opset_ = 0, static_cache_ = 0;
    bool list_passes_ = false, list_ops_ = false, list_formats_ = false, verify_each_ = false, allow_missing_ = false, dry_run_ = false,
         json_ = false, verify_ = false;

    std::string_view name() const override { return "model-convert"; }
    std::string_view summary() const override { return "convert a model from any format to any other; fix shapes, simplify, cut"; }
    std::vector<std::string_view> examples() const override {
        return {"quern model-convert digits.onnx -o digits.qn", "quern model-convert digits.qn --opset 17 -o digits17.onnx"};
    }

    void options(Options& add) override {
        add.model(model_);
        add.signature(signature_);
        add.output(output_, "-o,--output", "FILE", "where the model goes (default: standard output, native format)", FileRole::product);
        add.text(format_, "-f,--format", "FORMAT", "format of the output (default: by the suffix of FILE)");
        add.shapes(fixed_);
        add.integer(static_cache_, "--static-cache", "N",
                    "of a language model: caches of keys and values of N positions that each run writes into, in place of caches that grow",
                    1, int64_t{1} << 24);
        add.text(extract_, "--extract", "FROM:TO",
                 "keep what computes values TO from values FROM (names, comma-separated; empty: the model's own)");
        add.integer(opset_, "--opset", "N", "opset of an ONNX output (default: the lowest from 13 on that can express the model)", 7, 999);
        static constexpr std::string_view forms[] = {"qdq", "qoperator"};
        add.choice(write_.quant_form, "--form", forms, "how encodings are represented in an ONNX output (default: qdq)");
        add.flag(write_.contrib, "--contrib",
                 "a language model in com.microsoft's operators in an ONNX output, with genai_config.json and tokenizer.json beside it");
        add.beside("--contrib", [this] {
            const std::filesystem::path folder = std::filesystem::path(output_).parent_path();
            return std::vector{(folder / "genai_config.json").string(), (folder / "tokenizer.json").string()};
        });
        add.flag(write_.external_data, "--external-data", "put the weights of an ONNX or text output beside it, in FILE.data");
        add.beside("--external-data", [this] { return std::vector{output_ + ".data"}; });
        interface_.add(add);
        add.flag(write_.strict, "--strict", "fail if the output's runtime has no kernel for an operator as it stands");
        add.input(weights_, "--weights", "FILE",
                  "take the constants whose names it has from this safetensors file, or from the files of a .safetensors.index.json");
        add.output(dump_weights_, "--dump-weights", "FILE", "the constants of the model as it was read, as a safetensors file");
        add.output(dump_, "--dump-encodings", "FILE", "the encodings of all values, weights in blocks among them");
        add.choice(encodings_version_, "--encodings-version", encodings_versions,
                   fmt::format("AIMET's version of them, or the form of another tool (default: {})", encodings_version_));
        add.flag(allow_missing_, "--allow-missing-encodings", "leave out what their form cannot say");
        add.flag(dry_run_, "--dry-run", "write nothing: print what would be written, weights, operators and sizes, to the byte");
        add.flag(json_, "--json", "print it as JSON");
        add.needs({"--json"}, "--dry-run");
        add.flag(verify_, "--verify",
                 "of a model that came from GGUF: read what was written, and compare every weight, decoded, bit for bit");
        add.group("Passes");
        add.list(passes_, "--passes", "A,B", "run these passes in this order (default: the pipeline of --list-passes; none: no pass)");
        add.list(skip_, "--skip", "A,B", "leave these passes out");
        add.output(dump_each_, "--dump-each", "FOLDER", "write the graph as text after each pass that changed it");
        add.flag(verify_each_, "--verify-each", "verify the graph after each pass");
        add.group("Lists");
        add.flag(list_passes_, "--list-passes", "print the passes and exit");
        add.flag(list_ops_, "--list-ops", "print the operators and exit");
        add.flag(list_formats_, "--list-formats", "print the formats and exit");
    }

    std::vector<const Pass*> chosen() const {
        std::vector<const Pass*> passes = default_passes();
        // An ONNX file says encodings as nodes: those that are there stay as they are.
        if (format_for_writing(output_, format_).name == "onnx") std::erase(passes, &pass_named("fold_qdq"));
        if (!passes_.empty()) {
            passes.clear();
            if (passes_ != std::vector<std::string>{"none"})
                for (const std::string& name : passes_) passes.push_back(&pass_named(name));
        }
        for (const std::string& name : skip_) std::erase(passes, &pass_named(name));
        return passes;
    }

    void simplify(Model& model) const {
        int step = 0;
        run_passes(model.graph, chosen(), [&](const Pass& pass, const Graph& graph, int changes, double seconds) {
            ++step;
            if (verbosity() > 1) notice(fmt::format("{}: {} changes, {:.1f} ms", pass.name, changes, seconds * 1e3));
            if (verify_each_) at_place(pass.name, [&] { verify(graph); });
            if (!dump_each_.empty() && changes > 0) {
                const ProductFolder kept(dump_each_);
                write_model({graph, model.lineage, {}}, fmt::format("{}/{:02}-{}.mlir", dump_each_, step, pass.name), "text");
            }
        });
    }

    static Exit list_passes() {
        for (const Pass* pass : all_passes())
            print(fmt::format("{:<22}{}{}\n", pass->name, pass->doc, pass->by_default ? "" : " (not by default)"));
        return Exit::ok;
    }
    static Exit list_formats() {
        for (const Format& format : all_formats())
            print(fmt::format("{:<10}{:<24}{}{}\n", format.name, format.suffixes, format.doc, format.write ? "" : " (read only)"));
        return Exit::ok;
    }
    static Exit list_ops() {
        for (const Op* op : all_ops()) {
            const std::string full = op->domain.empty() ? std::string(op->name) : fmt::format("{}.{}", op->domain, op->name);
            print(fmt::format("{:<43} {}\n", full, op->doc));
        }
        return Exit::ok;
    }

    // What can be known before anything is read.
    void check() const {
        chosen();
        check_output(output_, format_, write_);
        if (dry_run_ && (!dump_.empty() || !dump_each_.empty() || !dump_weights_.empty()))
            throw usage_error("--dry-run writes nothing, --dump-... do");
        if (verify_ && (dry_run_ || write_.contrib || is_stream(output_)))
            throw usage_error("--verify reads a file back: not with --dry-run, --contrib or standard output");
    }

    void change(Model& model) const {
        if (static_cache_ > 0) make_static_caches(model.graph, static_cache_);
        fix_inputs(model.graph, fixed_);
        if (const size_t colon = extract_.find(':'); !extract_.empty()) {
            if (colon == std::string::npos) throw usage_error("--extract {}: need FROM:TO", escape(extract_));
            extract(model.graph, std::string_view(extract_).substr(0, colon), std::string_view(extract_).substr(colon + 1));
        }
        simplify(model);
        verify(model.graph);
    }

    Exit run() override {
        if (list_passes_) return list_passes();
        if (list_ops_) return list_ops();
        if (list_formats_) return list_formats();
        write_.opset = static_cast<int>(opset_);
        write_.io = interface_.io();
        check();
        Model model = read_model(model_, signature_);
        std::optional<WeightLedger> ledger;
        if (dry_run_) ledger.emplace(model);
        if (verify_ && !model.facts.contains("gguf"))
            throw usage_error("--verify is for models that came from GGUF").at(display_name(model_));
        if (!weights_.empty()) take_weights(model);
        const std::optional<Graph> source = verify_ ? std::optional(model.graph) : std::nullopt;
        if (!dump_weights_.empty())
            safetensors::write(dump_weights_, at_place(display_name(model_), [&] { return safetensors::weights_of(model.graph); }));
        at_place(display_name(model_), [&] { change(model); });
        if (ledger) {
            const DryRun plan = ledger->dry_run(model, output_, format_, write_);
            print(json_ ? dry_run_json(plan) : dry_run_text(plan));
            return Exit::ok;
        }
        if (!dump_.empty()) write_encodings(model.graph, encodings_version_, dump_, allow_missing_);
        write_model(model, output_, format_, write_);
        if (source) verify_written(*source, model);
        return Exit::ok;
    }

    void take_weights(Model& model) const {
        const safetensors::Container container = safetensors::open(weights_);
        const auto result = at_place(display_name(weights_), [&] { return safetensors::take_weights(model.graph, container); });
        const std::vector<std::string>& unused = result.unused;
        if (!unused.empty())
            notice(fmt::format("{}: {} of its {} tensors are not constants of the model: {}{}", display_name(weights_), unused.size(),
                               container.tensors.size(), escape(unused[0]), unused.size() > 1 ? ", ..." : ""));
        std::vector<Bytes> files = container.files;
        files.insert(files.begin(), Bytes::copy(model.lineage.text().data(), model.lineage.text().size()));
        model.lineage = Lineage::of(std::move(files));  // another model than the one that was read
    }

    void verify_written(const Graph& source, const Model& model) const {
        const gguf::Facts facts = *gguf::facts_of(model.facts);
        std::vector<std::string> names;
        names.reserve(facts.tensors.size());
        for (const gguf::TensorHead& head : facts.tensors) names.push_back(head.name);
        const Model written = read_model(output_);
        print(at_place(display_name(output_), [&] { return verified_text(verify_weights(source, model.graph, written.graph, names)); }));
    }
};

}  // namespace

int main(int argc, char** argv) {
    ModelConvert tool;
    return tool_main(tool, argc, argv);
}
