#include "libcore/session/inference.h"
#include "libcore/exec/meaning.h"

#include <algorithm>
#include <array>
#include <cstdlib>
#include <utility>

#include "libcore/base/text.h"
#include "libcore/exec/program.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/summary.h"
#include "libcore/passes/pin.h"
#include "libcore/session/nnpackage.h"

namespace quern {
namespace {

constexpr std::array<std::string_view, 3> state_names{"created", "loaded", "prepared"};
constexpr int most_threads = 4096;

const char* variable(const char* name) {
    const char* text = std::getenv(name);
    return text && *text ? text : nullptr;
}

Dims with_unknown(const Shape& shape) {
    Dims dims;
    for (const Dim& dim : shape.dims) dims.push_back(dim.known() ? dim.value : -1);
    return dims;
}

void check_index(size_t index, size_t count, std::string_view what) {
    if (index >= count) throw usage_error("{} {}: the model has {}", what, index, count);
}

// NUM_THREADS: a number, or onert's -1, which leaves it to the session.
int threads_of(const std::string& text, std::string_view where, int otherwise) {
    const auto got = parse_int(text);
    if (!got || *got < -1 || *got == 0 || *got > most_threads)
        throw bad_input("{}: NUM_THREADS={}: need a number of threads", where, escape(text));
    return *got > 0 ? static_cast<int>(*got) : otherwise;
}

// What is made is loaded afterwards.
void check_product(const std::string& path) {
    if (path == "-") throw usage_error("a product cannot go to standard output: need the name of a file");
}

}  // namespace

InferenceSession::InferenceSession() : threads_(default_threads()) {
    if (const char* list = variable("BACKENDS")) backends_ = backend_names(list);
    if (const char* number = variable("NUM_THREADS")) threads_ = threads_of(number, "environment", threads_);
}

InferenceSession::~InferenceSession() { drop_compilation(); }

void InferenceSession::need(State least, std::string_view what) const {
    if (state_ < least)
        throw usage_error("{}: the session is {}, it must be {}", what, state_names[static_cast<size_t>(state_)],
                          state_names[static_cast<size_t>(least)]);
}

void InferenceSession::set_threads(int threads) {
    if (threads < 1 || threads > most_threads) throw usage_error("threads: got {}, need 1 to {}", threads, most_threads);
    threads_ = threads;
}

void InferenceSession::set_signature(std::string name) {
    if (state_ != State::created) throw usage_error("set signature: a model is loaded already");
    signature_ = std::move(name);
}

void InferenceSession::load_file(const std::string& path) {
    if (path.empty()) throw usage_error("the path is empty");
    if (!is_nnpackage(path)) return take(load_model(path, signature_, backends_));
    const NnPackage package = read_nnpackage(path);
    const auto listed = package.settings.find("BACKENDS");
    const bool from_package = listed != package.settings.end() && !variable("BACKENDS");
    LoadedModel loaded = load_model(package.model, signature_, from_package ? backend_names(listed->second) : backends_);
    loaded.beside = path;
    take(std::move(loaded), package.settings);
}

void InferenceSession::load_memory(Bytes bytes) { take(load_model(bytes, "", signature_)); }

void InferenceSession::take(LoadedModel loaded, const std::map<std::string, std::string>& settings) {
    int threads = threads_;
    const auto number = settings.find("NUM_THREADS");
    if (number != settings.end() && !variable("NUM_THREADS")) threads = threads_of(number->second, "config", threads);
    drop_compilation();
    recorder_.reset();
    recording_ = false;
    threads_ = threads;
    if (const auto list = settings.find("BACKENDS"); list != settings.end() && !variable("BACKENDS"))
        backends_ = backend_names(list->second);
    for (const auto& [name, text] : settings)
        if (name != "BACKENDS" && name != "NUM_THREADS") note_(fmt::format("config: {} has no effect", escape(name)));
    input_buffers_.clear();
    output_buffers_.clear();
    dims_.clear();
    compiled_ = false;
    change_model(std::move(loaded));
}

// Buffers stay: they are for the same interface.
void InferenceSession::change_model(LoadedModel loaded) {
    loaded_ = std::move(loaded);
    quantized_.reset();
    names_.clear();
    runnable_ = {};
    set_ports(runnable_, loaded_.model.graph);
    last_.clear();
    state_ = State::loaded;
}

void InferenceSession::set_input_shape(size_t index, Dims dims) {
    need(State::loaded, "set input shape");
    check_index(index, inputs().size(), "input");
    const InputSpec& spec = inputs()[index];
    for (const int64_t dim : dims)
        if (dim < 0) throw usage_error("input {}: a dim is {}", index, dim);
    const Shape& shape = spec.type.shape;
    bool fits = !shape.ranked || shape.rank() == dims.size();
    for (size_t i = 0; fits && shape.ranked && i < dims.size(); ++i) fits = !shape.dims[i].known() || shape.dims[i].value == dims[i];
    if (!fits) throw bad_input("input \"{}\": got {}, need {}", escape(spec.name), to_string(dims), to_string(shape));
    if (state_ == State::loaded && loaded_.has_graph()) {
        Graph graph = loaded_.model.graph;
        std::vector<std::string> texts;
        for (const int64_t dim : dims) texts.push_back(std::to_string(dim));
        quern::set_input_shape(graph, fmt::format("{}={}", spec.name, join(texts, ",")));
        loaded_.model.graph = std::move(graph);
        set_ports(runnable_, loaded_.model.graph);
        dims_.erase(index);
        return;
    }
    dims_[index] = std::move(dims);
}

void InferenceSession::pin_input(const std::string& pin) {
    need(State::loaded, "pin input");
    if (state_ != State::loaded) throw usage_error("pin input: the model is prepared already");
    if (!loaded_.has_graph()) throw usage_error("{}: compiled already: no input can be pinned", loaded_.name());
    Graph graph = loaded_.model.graph;
    pin_inputs(graph, std::span(&pin, 1));
    loaded_.model.graph = std::move(graph);
    drop_compilation();
    recorder_.reset();
    quantized_.reset();
    input_buffers_.clear();
    output_buffers_.clear();
    dims_.clear();
    set_ports(runnable_, loaded_.model.graph);
}

Runnable InferenceSession::compiled(const LoadedModel& loaded) const { return make_runnable(loaded, backends_, threads_, note_); }

void InferenceSession::set_backends(const std::string& names) {
    std::vector<std::string> old = std::exchange(backends_, backend_names(names));
    if (state_ != State::prepared) return;
    try {
        runnable_ = compiled(loaded_);
    } catch (...) {
        backends_ = std::move(old);
        throw;
    }
}

const std::string& InferenceSession::backends() {
    asked_text_ = join(backends_, ";");
    return asked_text_;
}

void InferenceSession::prepare() {
    need(State::loaded, "prepare");
    runnable_ = compiled(loaded_);
    state_ = State::prepared;
}

const std::vector<InputSpec>& InferenceSession::inputs() const {
    need(State::loaded, "inputs");
    return runnable_.inputs;
}
const std::vector<InputSpec>& InferenceSession::outputs() const {
    need(State::loaded, "outputs");
    return runnable_.outputs;
}

const Dims& InferenceSession::input_dims(size_t index) {
    check_index(index, inputs().size(), "input");
    const auto set = dims_.find(index);
    asked_ = set != dims_.end() ? set->second : with_unknown(inputs()[index].type.shape);
    return asked_;
}

const Dims& InferenceSession::output_dims(size_t index) {
    check_index(index, outputs().size(), "output");
    asked_ = last_.empty() ? with_unknown(outputs()[index].type.shape) : last_[index].dims;
    return asked_;
}

void InferenceSession::set_input(size_t index, IoBuffer buffer) {
    check_index(index, inputs().size(), "input");
    at_place(fmt::format("input \"{}\"", escape(inputs()[index].name)), [&] { check_buffer_dtype(buffer.dtype, inputs()[index]); });
    input_buffers_[index] = buffer;
}

void InferenceSession::set_output(size_t index, IoBuffer buffer) {
    check_index(index, outputs().size(), "output");
    if (!buffer.data) {
        output_buffers_.erase(index);
        return;
    }
    at_place(fmt::format("output \"{}\"", escape(outputs()[index].name)), [&] { check_buffer_dtype(buffer.dtype, outputs()[index]); });
    output_buffers_[index] = buffer;
}

std::vector<Tensor> InferenceSession::gather_inputs() const {
    std::vector<Tensor> tensors;
    for (size_t i = 0; i < inputs().size(); ++i) {
        const auto buffer = input_buffers_.find(i);
        const auto dims = dims_.find(i);
        tensors.push_back(tensor_of(buffer == input_buffers_.end() ? IoBuffer() : buffer->second, inputs()[i],
                                    dims == dims_.end() ? std::nullopt : std::optional(dims->second)));
    }
    return tensors;
}

void InferenceSession::hand_out(std::vector<Tensor> outputs) {
    last_ = std::move(outputs);
    for (const auto& [index, buffer] : output_buffers_) copy_to(buffer, runnable_.outputs.at(index), last_.at(index));
}

void InferenceSession::run() {
    need(State::prepared, "run");
    if (recording_) return run_recorded();
    hand_out(runnable_.engine->run(gather_inputs()));
}

const Tensor& InferenceSession::output(size_t index) const {
    need(State::prepared, "output data");
    if (last_.empty()) throw usage_error("output data: the model as it is now was not run yet");
    check_index(index, last_.size(), "output");
    return last_[index];
}

void InferenceSession::record(bool on) {
    need(State::prepared, "set execute config");
    if (on && !loaded_.has_graph()) throw usage_error("{}: compiled already: nothing can be recorded", loaded_.name());
    if (on && quantized()) throw usage_error("{}: quantized already: nothing is left to record", loaded_.name());
    recording_ = on;
}

bool InferenceSession::quantized() {
    if (!quantized_) quantized_ = has_encodings(as_encoded(loaded_.model.graph));
    return *quantized_;
}

void InferenceSession::run_recorded() {
    if (!recorder_) recorder_ = make_recorder(loaded_.model.graph, loaded_.model.lineage, {});
    hand_out(recorder_->run(gather_inputs()));
}

void InferenceSession::set_quantized_path(std::string path) {
    check_product(path);
    quantized_path_ = std::move(path);
}

void InferenceSession::set_codegen_path(std::string path) {
    check_product(path);
    codegen_path_ = std::move(path);
}

void InferenceSession::quantize() {
    need(State::loaded, "quantize");
    if (!scheme_) throw usage_error("quantize: no quantization type is set");
    wait_for_compilation();  // it writes the same file
    std::optional<Ranges> ranges;
    if (recorded_runs() > 0) ranges = recorder_->ranges();
    LoadedModel made = quantize_to_file(loaded_, ranges ? &*ranges : nullptr, *scheme_, quantized_path_, threads_);
    Runnable runnable = compiled(made);
    drop_compilation();
    change_model(std::move(made));
    runnable_ = std::move(runnable);
    recording_ = false;
    state_ = State::prepared;
}

void InferenceSession::codegen(const std::string& target, Preference preference) {
    need(State::loaded, "codegen");
    wait_for_compilation();
    LoadedModel made = generate_to_file(loaded_, target, preference, codegen_path_, note_);
    drop_compilation();
    recording_ = false;
    change_model(std::move(made));
}

const std::string& InferenceSession::model_path() const {
    need(State::loaded, "model path");
    return loaded_.path;
}

}  // namespace quern
