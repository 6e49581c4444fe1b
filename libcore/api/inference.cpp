#include "libcore/api/inference.h"
#include "libcore/exec/meaning.h"

#include <array>
#include <cstdlib>
#include <utility>

#include "formats/read.h"
#include "libcore/api/nnpackage.h"
#include "libcore/base/text.h"
#include "libcore/exec/program.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/short_floats.h"
#include "libcore/passes/pin.h"
#include "libcore/quantize/type_choice.h"

namespace quern {
namespace {

constexpr std::array<std::string_view, 3> state_names{"created", "loaded", "prepared"};
constexpr int max_threads = 4096;

const char* variable(const char* name) {
    const char* text = std::getenv(name);
    return text && *text ? text : nullptr;
}

// NUM_THREADS: a number, or onert's -1, which leaves it to the session.
int threads_of(const std::string& text, std::string_view where, int otherwise) {
    const auto got = parse_int(text);
    if (!got || *got < -1 || *got == 0 || *got > max_threads)
        throw bad_input("{}: NUM_THREADS={}: need a number of threads", where, escape(text));
    return *got > 0 ? static_cast<int>(*got) : otherwise;
}

// What is made is loaded afterwards.
void check_product(const std::string& path) {
    if (path == "-") throw usage_error("a product cannot go to standard output: need the name of a file");
}

}  // namespace

InferenceSession::InferenceSession() : threads_(default_threads()) {
    if (const char* list = variable("BACKENDS")) backends_.names = backend_names(list);
    if (const char* number = variable("NUM_THREADS")) threads_ = threads_of(number, "environment", threads_);
}

void InferenceSession::need(State min, std::string_view what) const {
    if (state_ < min)
        throw usage_error("{}: the session is {}, it must be {}", what, state_names[static_cast<size_t>(state_)],
                          state_names[static_cast<size_t>(min)]);
}

void InferenceSession::set_threads(int threads) {
    if (threads < 1 || threads > max_threads) throw usage_error("threads: got {}, need 1 to {}", threads, max_threads);
    threads_ = threads;
}

void InferenceSession::set_signature(std::string name) {
    if (state_ != State::created) throw usage_error("set signature: a model is loaded already");
    signature_ = std::move(name);
}

void InferenceSession::load_file(const std::string& path) {
    if (path.empty()) throw usage_error("the path is empty");
    if (!is_nnpackage(path) || is_model_folder(path)) return take(load_model(path, signature_, backends_));
    const NnPackage package = read_nnpackage(path);
    const auto listed = package.settings.find("BACKENDS");
    const bool from_package = listed != package.settings.end() && !variable("BACKENDS");
    SessionBackends backends = backends_;
    if (from_package) backends.names = backend_names(listed->second);
    LoadedModel loaded = load_model(package.model, signature_, backends);
    loaded.beside = path;
    take(std::move(loaded), package.settings);
}

void InferenceSession::load_memory(const Bytes& bytes) { take(load_model(bytes, "", signature_, backends_)); }

void InferenceSession::take(LoadedModel loaded, const std::map<std::string, std::string>& settings) {
    int threads = threads_;
    const auto number = settings.find("NUM_THREADS");
    if (number != settings.end() && !variable("NUM_THREADS")) threads = threads_of(number->second, "config", threads);
    compiler_.reset();
    recording_.forget();
    threads_ = threads;
    if (const auto list = settings.find("BACKENDS"); list != settings.end() && !variable("BACKENDS"))
        backends_.names = backend_names(list->second);
    for (const auto& [name, text] : settings)
        if (name != "BACKENDS" && name != "NUM_THREADS") note_(fmt::format("config: {} has no effect", escape(name)));
    ports_.drop_buffers();
    change_model(std::move(loaded));
}

// Buffers stay: they are for the same interface.
void InferenceSession::change_model(LoadedModel loaded) {
    loaded_ = std::move(loaded);
    ports_.drop_results();
    change_graph(std::move(loaded_.model.graph));
    state_ = State::loaded;
}

// One that was made in another form, and runs at once.
void InferenceSession::change_model(LoadedModel loaded, Runnable runnable) {
    change_model(std::move(loaded));
    use(std::move(runnable));
    recording_.on = false;
    state_ = State::prepared;
}

void InferenceSession::change_graph(Graph graph) {
    loaded_.model.graph = std::move(graph);
    quantized_.reset();
    Runnable described;
    set_ports(described, loaded_.model.graph);
    use(std::move(described));
}

void InferenceSession::use(Runnable runnable) {
    runnable_ = std::move(runnable);
    ports_.describe(runnable_.inputs, runnable_.outputs);
}

void InferenceSession::check_input_rank(size_t index, int64_t rank) const {
    need(State::loaded, "set input shape");
    ports_.check_rank(index, rank);
}

void InferenceSession::set_input_shape(size_t index, Dims dims) {
    need(State::loaded, "set input shape");
    const InputSpec& spec = ports_.open_input(index, dims);
    if (state_ != State::loaded || !loaded_.has_graph()) return ports_.set_dims(index, std::move(dims));
    Graph graph = loaded_.model.graph;
    std::vector<std::string> texts;
    for (const int64_t dim : dims) texts.push_back(std::to_string(dim));
    quern::set_input_shape(graph, fmt::format("{}={}", spec.name, join(texts, ",")));
    ports_.forget_dims(index);
    change_graph(std::move(graph));
}

void InferenceSession::pin_input(const std::string& pin) {
    need(State::loaded, "pin input");
    if (state_ != State::loaded) throw usage_error("pin input: the model is prepared already");
    if (!loaded_.has_graph()) throw usage_error("{}: compiled already: no input can be pinned", loaded_.name());
    Graph graph = loaded_.model.graph;
    pin_inputs(graph, std::span(&pin, 1));
    compiler_.drop();
    recording_.forget();
    ports_.drop_buffers();
    change_graph(std::move(graph));
}

Runnable InferenceSession::compiled(const LoadedModel& loaded) const { return make_runnable(loaded, backends_, threads_, note_); }

void InferenceSession::change_backends(SessionBackends backends) {
    SessionBackends old = std::exchange(backends_, std::move(backends));
    if (state_ != State::prepared) return;
    try {
        use(compiled(loaded_));
    } catch (...) {
        backends_ = std::move(old);
        throw;
    }
}

void InferenceSession::set_backends(const std::string& names) { change_backends({backend_names(names), backends_.options}); }

void InferenceSession::set_backend_options(const std::string& options) {
    check_backend_options(options);
    change_backends({backends_.names, options});
}

const std::string& InferenceSession::backends() {
    asked_text_ = join(backends_.names, ";");
    return asked_text_;
}

void InferenceSession::prepare() {
    need(State::loaded, "prepare");
    use(compiled(loaded_));
    state_ = State::prepared;
}

Ports& InferenceSession::ports() {
    need(State::loaded, "inputs and outputs");
    return ports_;
}

void InferenceSession::run() {
    need(State::prepared, "run");
    if (recording_.on) return run_recorded();
    ports_.hand_out(runnable_.engine->run(ports_.gather()));
}

const Tensor& InferenceSession::output(size_t index) const {
    need(State::prepared, "output data");
    return ports_.output(index);
}

void InferenceSession::record(bool on) {
    need(State::prepared, "set execute config");
    if (on && !loaded_.has_graph()) throw usage_error("{}: compiled already: nothing can be recorded", loaded_.name());
    if (on && quantized()) throw usage_error("{}: quantized already: nothing is left to record", loaded_.name());
    recording_.on = on;
}

bool InferenceSession::is_quantized() {
    need(State::loaded, "is quantized");
    return quantized();
}

bool InferenceSession::quantized() {
    if (!quantized_) quantized_ = has_codes(as_encoded(loaded_.model.graph));
    return *quantized_;
}

void InferenceSession::run_recorded() { ports_.hand_out(recording_.run(loaded_.model, ports_.gather())); }

uint64_t InferenceSession::recorded_runs() const {
    need(State::loaded, "recorded runs");
    return recording_.runs();
}

std::optional<Ranges> InferenceSession::recorded_ranges() const {
    if (recording_.runs() == 0) return std::nullopt;
    return recording_.ranges(quantizes_by_runs(loaded_, quantize_));
}

void InferenceSession::choose(const std::string& type, const std::string& target) {
    const TypeChoice choice = choose_type(type, target);
    const Scheme* scheme = choice.type.empty() ? nullptr : &scheme_named(choice.type);
    for (const std::string& line : choice.said) note_(line);
    quantize_.scheme = scheme;
    quantize_.format = choice.format;
    quantize_.runtime = choice.runtime;
    quantize_.static_for = choice.static_for;
}

void InferenceSession::set_type(const std::string& type) {
    const std::string name(scheme_named(type).name);  // of onert's names, too
    choose(name, target_);
    type_ = name;
}

void InferenceSession::set_target(const std::string& target) {
    choose(type_, target);
    target_ = target;
}

void InferenceSession::set_quantized_path(std::string path) {
    check_product(path);
    quantize_.path = std::move(path);
}

void InferenceSession::set_codegen_path(std::string path) {
    check_product(path);
    codegen_path_ = std::move(path);
}

void InferenceSession::quantize() {
    need(State::loaded, "quantize");
    if (!quantize_.scheme) throw usage_error("quantize: no quantization type is set");
    compiler_.wait();  // it writes the same file
    const std::optional<Ranges> ranges = recorded_ranges();
    LoadedModel made = quantize_to_file(loaded_, ranges ? &*ranges : nullptr, quantize_, threads_, note_);
    Runnable runnable = compiled(made);
    compiler_.drop();
    change_model(std::move(made), std::move(runnable));
}

void InferenceSession::set_codegen_option(const std::string& name, std::string text) {
    if (name.empty()) throw usage_error("codegen option: the name is empty");
    if (text.empty())
        codegen_options_.erase(name);
    else
        codegen_options_[name] = std::move(text);
}

CodegenJob InferenceSession::codegen_job(const std::string& target, Preference preference) const {
    return {target, preference, codegen_path_, codegen_options_};
}

void InferenceSession::codegen(const std::string& target, Preference preference) {
    need(State::loaded, "codegen");
    compiler_.wait();
    LoadedModel made = generate_to_file(loaded_, codegen_job(target, preference), backends_, note_);
    compiler_.drop();
    recording_.on = false;
    change_model(std::move(made));
}

void InferenceSession::set_minmax_runs(uint64_t runs) {
    if (runs == 0) throw usage_error("minmax runs: got 0, need at least 1");
    recording_.enough = runs;
}

// Runs are recorded until there are enough, then the model is quantized and generated in the background.
void InferenceSession::run_with_auto_compilation(const std::string& target, Preference preference) {
    need(State::prepared, "run with auto compilation");
    if (!quantize_.scheme) throw usage_error("run with auto compilation: no quantization type is set");
    take_compiled();
    if (compiler_.started()) return ports_.hand_out(runnable_.engine->run(ports_.gather()));
    compiler_.check_target(target);
    if (!loaded_.has_graph()) throw usage_error("{}: compiled already: nothing is left to make", loaded_.name());
    const bool ready = quantized();
    if (ready && target.empty()) throw usage_error("{}: quantized already: nothing is left to make", loaded_.name());
    const bool needs_ranges = quantize_.scheme->full() && !ready;
    if (needs_ranges && recording_.runs() < recording_.enough)
        run_recorded();
    else
        ports_.hand_out(runnable_.engine->run(ports_.gather()));
    if (needs_ranges && recording_.runs() < recording_.enough) return;
    compiler_.start({loaded_, ready ? std::nullopt : recorded_ranges(), ready ? QuantizeJob() : quantize_, codegen_job(target, preference),
                     backends_, threads_});
}

void InferenceSession::take_compiled() {
    std::optional<AutoCompiler::Made> made = compiler_.take();
    if (!made) return;
    for (const std::string& text : made->notes) note_(text);
    if (made->backends != backends_ || made->threads != threads_) made->runnable = compiled(made->loaded);  // set meanwhile
    change_model(std::move(made->loaded), std::move(made->runnable));
}

const std::string& InferenceSession::model_path() const {
    need(State::loaded, "model path");
    return loaded_.path;
}

}  // namespace quern
