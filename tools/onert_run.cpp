// onert_run: the command line of onert's test tool, over quern's session interface (quern.h).
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <thread>

#include "libcore/base/text.h"
#include "libcore/cli/api_session.h"
#include "libcore/cli/backend_flags.h"
#include "libcore/cli/tool.h"
#include "libcore/codegen/generator.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/io.h"
#include "libcore/os/standard_error.h"
#include "tools/onert_run/inputs.h"
#include "tools/onert_run/outputs.h"
#include "tools/onert_run/pairs.h"
#include "tools/onert_run/report.h"

using namespace quern;
using namespace quern::onert_run;

namespace {

namespace fs = std::filesystem;

// onert's settings that would change what is measured or made, and do nothing here.
constexpr std::string_view idle_variables[] = {"ENABLE_LOG",     "EXECUTOR",    "USE_SCHEDULER",         "PROFILING_MODE",
                                               "TRACING_MODE",   "MINMAX_DUMP", "WORKSPACE_DIR",         "CPU_MEMORY_PLANNER",
                                               "GRAPH_DOT_DUMP", "FP16_ENABLE", "INTERNAL_OUTPUT_ALLOC", "USE_MMAPED_DATA"};

class OnertRun : public Tool {
    std::string path_, shape_prepare_, shape_run_, output_shape_, output_sizes_, dump_input_, type_, qpath_, codegen_, cpath_, signature_;
    InputChoice in_;
    OutputChoice out_;
    std::vector<std::string> pins_;
    int64_t runs_ = 1, warmup_ = 0, minmax_runs_ = 0, delay_ = -1, verbose_ = 0;
    bool poll_ = false, gpu_poll_ = false, write_report_ = false;
    Report report_;
    BackendFlags backend_flags_;
    std::map<size_t, Dims> shapes_;

    std::string_view name() const override { return "onert_run"; }
    std::string_view summary() const override { return "run, quantize and compile a model or nnpackage, by onert's command line"; }
    std::string command() const override { return "onert_run"; }
    bool has_quiet() const override { return false; }
    std::vector<std::string_view> examples() const override {
        return {"quern model-convert digits.onnx --shape image=1,1,8,8 -o digits.circle",
                "onert_run --quantize int8_wo --qpath digits.q.circle digits.circle"};
    }

    void options(Options& add) override {
        add.positional(path_, "PATH", "the model file or nnpackage folder", true, FileRole::model);
        add.input(in_.load, "-l,--load", "FILE", "inputs of each run: .h5, .npz, .npy or raw, or a folder with a file for each");
        add.input(in_.raw, "--load:raw", "PREFIX", "inputs of each run: raw files PREFIX.0, PREFIX.1, ...");
        add.output(out_.dump, "-d,--dump", "FILE", "where outputs go: .h5, .npz, .npy, or a folder for Result_0/NAME.raw");
        add.output(out_.raw, "--dump:raw", "PREFIX", "outputs go to raw files PREFIX.0, PREFIX.1, ...");
        add.output(dump_input_, "--dump_input:raw", "PREFIX", "inputs go to raw files PREFIX.0, PREFIX.1, ...");
        add.text(output_sizes_, "--output_sizes", "JSON", "bytes of output buffers: '[0, 40, 2, 80]'");
        add.text(output_shape_, "--output_shape", "JSON", "shapes as which --dump writes: '[0, [1, 2], 2, []]'");
        add.flag(in_.force_float, "--force_float", "buffers and files of numbers, also where a quantized model has codes");
        add.group("Running");
        add.integer(runs_, "-r,--num_runs", "N", "measured runs (default: 1)", 1);
        add.integer(warmup_, "-w,--warmup_runs", "N", "runs before (default: 0)");
        add.integer(delay_, "--run_delay,--t", "N", "microseconds between measured runs", -1, 3'600'000'000);
        add.flag(in_.fixed, "--fixed_input", "random inputs are the same in each run");
        add.text(shape_prepare_, "--shape_prepare", "JSON",
                 "shapes of inputs, set before compiling: '[0, [1, 2], 2, []]', or h5: those of --load");
        add.text(shape_run_, "--shape_run", "JSON", "shapes of inputs, set before running; h5 as above");
        add.text(signature_, "--signature", "NAME", "the graph that this signature names (default: the first)");
        add.pins(pins_);
        backend_flags_.add(add);
        add.group("Compiling");
        add.text(type_, "-q,--quantize", "TYPE", "uint8, int16: weights and activations; int8_wo, int16_wo: weights");
        add.output(qpath_, "--qpath", "FILE", "where the quantized model goes (default: beside the model)", FileRole::product);
        add.integer(minmax_runs_, "--minmax_runs,--minmax_run", "N", "runs that record ranges before quantizing (default: 0)");
        add.text(codegen_, "-c,--codegen", "TARGET", "generate code: <ext>-gen, the plugin of this name");
        add.output(cpath_, "--cpath", "FILE", "where generated code goes (default: beside the model)", FileRole::product);
        add.group("Report");
        add.flag(poll_, "-m,--mem_poll", "memory of each phase; one warm-up run at least");
        add.flag(gpu_poll_, "-g,--gpumem_poll", "memory of a GPU: refused, there is none");
        add.flag(write_report_, "-p,--write_report", "a row of CSV in onert_run-MODEL-BACKEND.csv");
        add.integer(verbose_, "-v,--verbose_level", "N", "0: the result; 1: each run, too; 2: all");
    }

    void check() {
        for (const auto& [option, text] : {std::pair{"--shape_prepare", shape_prepare_}, {"--shape_run", shape_run_}})
            if (are_of_file(text) && in_.load.empty()) throw usage_error("{} {}: shapes are those of --load FILE", option, text);
        check_outputs(out_);
        if (gpu_poll_) throw unsupported("--gpumem_poll: no back end here has memory of a GPU to look at");
        if (!in_.load.empty() && !in_.raw.empty()) throw usage_error("give only one of --load and --load:raw");
        const bool dumps = !out_.dump.empty() || !out_.raw.empty() || !dump_input_.empty();
        if (dumps && in_.random() && !in_.fixed && runs_ > 1)
            throw usage_error("random inputs differ in each of {} runs: which one should be written?", runs_).with_hint("--fixed_input");
        if (type_.empty() && (!qpath_.empty() || minmax_runs_ > 0))
            throw usage_error("{} is for --quantize", qpath_.empty() ? "--minmax_runs" : "--qpath");
        if (codegen_.empty() && !cpath_.empty()) throw usage_error("--cpath is for --codegen");
        if (!codegen_.empty()) need_generator(codegen_);  // before ranges are recorded
        if (!qpath_.empty()) check_quantized_path(qpath_);
        say_idle_variables();
        if (poll_) warmup_ = std::max<int64_t>(warmup_, 1);
        report_.poll_memory = poll_;
    }

    static void say_idle_variables() {
        for (const std::string_view name : idle_variables)
            if (std::getenv(name.data())) notice(fmt::format("the variable {} has no effect", name));
        for (char** entry = environ; *entry; ++entry)
            if (const std::string_view text = *entry; text.starts_with("OP_BACKEND_"))
                notice(fmt::format("the variable {} has no effect", printable(text.substr(0, text.find('=')))));
    }

    bool full_type() const { return type_ != "int8_wo" && type_ != "int16_wo"; }

    void quantize(const ApiSession& session) {
        with_hint("uint8, int16, int8_wo, int16_wo, or a type of quern quantize --list-types",
                  [&] { session(quern_set_quantization_type, type_.c_str()); });
        session(quern_set_quantized_model_path, qpath_.c_str());
        if (minmax_runs_ > 0 && !full_type()) notice(fmt::format("--minmax_runs has no effect: {} needs no ranges", type_));
        if (minmax_runs_ > 0 && full_type()) record(session);
        with_hint(
            "--minmax_runs N records ranges", [&] { session(quern_quantize); }, "no run was recorded");
    }

    // To what is wrong with the command line, if it ends with `end`.
    static void with_hint(const char* hint, const std::function<void()>& body, std::string_view end = "") {
        try {
            body();
        } catch (Error& error) {
            if (error.exit() == Exit::usage && error.message().ends_with(end)) error.with_hint(hint);
            throw;
        }
    }

    void record(const ApiSession& session) {
        session(quern_prepare);
        RunInputs inputs(session, {in_.load, in_.raw, false, true});
        inputs.bind(shapes_);
        session(quern_set_execute_config, QUERN_RECORD_MINMAX);
        for (int64_t i = 0; i < minmax_runs_; ++i) {
            inputs.set_next();
            session(quern_run);
        }
        session(quern_reset_execute_config);
        report_.calibration = fmt::format("CALIBRATION  {} runs of the loaded inputs", minmax_runs_);
        if (!in_.random()) return;
        report_.calibration =
            fmt::format("warning: ranges come from {} runs on random inputs: the quantized model will not be accurate", minmax_runs_);
        write_standard_error(
            fmt::format("onert_run: {}\nhint: quern minmax-collect and quern compile collect ranges on samples\n", report_.calibration));
    }

    std::map<size_t, Dims> shapes_to_prepare(const ApiSession& session) const {
        if (!are_of_file(shape_prepare_)) return shape_pairs("--shape_prepare", shape_prepare_);
        return RunInputs(session, in_).loaded_shapes();
    }

    void prepare(const ApiSession& session) {
        if (!shape_prepare_.empty() && session.state() == QUERN_STATE_LOADED)
            for (const auto& [index, dims] : shapes_to_prepare(session))
                session(quern_set_input_shape, index, static_cast<int32_t>(dims.size()), dims.data());
        report_.measure(Phase::prepare, [&] { session(quern_prepare); });
    }

    // Kept until the last run.
    std::vector<std::vector<char>> output_buffers(const ApiSession& session) const {
        std::vector<std::vector<char>> buffers;
        const auto specs = session.outputs();
        for (const auto& [index, size] : size_pairs("--output_sizes", output_sizes_)) {
            if (index >= specs.size()) throw usage_error("--output_sizes: output {}: the model has {}", index, specs.size());
            std::vector<char>& buffer = buffers.emplace_back(size);
            const DType dtype = buffer_dtype(specs[index], in_.force_float);
            session(quern_set_output, index, static_cast<quern_dtype>(dtype), buffer.data(), size);
        }
        return buffers;
    }

    void execute(const ApiSession& session, RunInputs& inputs) {
        const auto one = [&](Phase phase, std::string_view what, int64_t i) {
            inputs.set_next();
            const double seconds = report_.measure(phase, [&] { session(quern_run); });
            if (verbose_ >= 1) print(fmt::format("... {} {} takes {:.3f} ms\n", what, i + 1, seconds * 1e3));
        };
        for (int64_t i = 0; i < warmup_; ++i) one(Phase::warmup, "warmup", i);
        for (int64_t i = 0; i < runs_; ++i) {
            if (i > 0 && delay_ > 0) std::this_thread::sleep_for(std::chrono::microseconds(delay_));
            one(Phase::execute, "run", i);
        }
    }

    void write_csv(const ApiSession& session) const {
        std::string backends = session.text(quern_available_backends);
        if (backends.empty()) backends = "cpu";
        fs::path model = fs::path(path_).lexically_normal();
        if (model.filename().empty()) model = model.parent_path();
        const std::string stem = fs::is_directory(path_) ? model.filename() : model.stem();
        std::string name = backends;
        for (char& c : name) c = c == ';' || c == '/' ? '_' : c;
        write_output(fmt::format("onert_run-{}-{}.csv", stem, name), report_.csv(stem, backends));
    }

    Exit run() override {
        backend_flags_.apply();
        check();
        shapes_ = shape_pairs("--shape_prepare", shape_prepare_);
        for (auto& [index, dims] : shape_pairs("--shape_run", shape_run_)) shapes_[index] = dims;
        out_.shapes = shape_pairs("--output_shape", output_shape_);
        out_.force_float = in_.force_float;
        print(fmt::format("{} Filename {}\n", fs::is_directory(path_) ? "Package" : "Model", printable(path_)));
        const ApiSession session;
        session(quern_set_signature, signature_.c_str());
        report_.measure(Phase::load, [&] { session(quern_load_model_from_file, path_.c_str()); });
        for (const std::string& pin : pins_) session(quern_pin_input, pin.c_str());
        if (!type_.empty()) quantize(session);
        if (!codegen_.empty()) {
            session(quern_set_codegen_model_path, cpath_.c_str());
            session(quern_codegen, codegen_.c_str(), QUERN_PREFERENCE_DEFAULT);
        }
        prepare(session);
        RunInputs inputs(session, in_);
        inputs.bind(shapes_);
        const auto buffers = output_buffers(session);
        execute(session, inputs);
        if (!dump_input_.empty()) inputs.dump_raw(dump_input_);
        write_outputs(session, out_);
        print(report_.text(verbose_ >= 2));
        if (verbose_ >= 2) print(fmt::format("ran {}\n", printable(session.text(quern_model_path))));
        if (write_report_) write_csv(session);
        return Exit::ok;
    }
};

}  // namespace

int main(int argc, char** argv) {
    OnertRun tool;
    return tool_main(tool, argc, argv);
}
