// The session behind quern.h, where each function and its states are described: one model in use, and what is made of it. Its inputs and
// outputs are Ports, its recorded runs a Recording, what it makes in the background an AutoCompiler. Calls on one object are
// serialized.
#pragma once

#include <map>
#include <mutex>
#include <optional>

#include "libcore/api/auto_compiler.h"
#include "libcore/api/ports.h"
#include "libcore/api/recording.h"
#include "libcore/graph/quantize.h"

namespace quern {

class InferenceSession {
   public:
    enum class State : uint8_t { created, loaded, prepared };

    InferenceSession();
    InferenceSession(const InferenceSession&) = delete;
    InferenceSession& operator=(const InferenceSession&) = delete;

    // Calls of one caller at a time.
    std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(mutex_); }
    State state() const { return state_; }
    void set_log(Note note) { note_ = std::move(note); }
    void set_threads(int threads);
    void set_signature(std::string name);

    void load_file(const std::string& path);
    void load_memory(const Bytes& bytes);
    // Throws unless an input of so many dims is one that set_input_shape() may take.
    void check_input_rank(size_t index, int64_t rank) const;
    void set_input_shape(size_t index, Dims dims);
    void pin_input(const std::string& pin);
    void set_backends(const std::string& names);
    const std::string& backends();  // ";" between them
    void set_backend_options(const std::string& options);
    void prepare();

    Ports& ports();  // of a loaded model
    void run();
    const Tensor& output(size_t index) const;  // of the last run

    void record(bool on);
    uint64_t recorded_runs() const;
    void set_type(const std::string& type);
    void set_target(const std::string& target);
    bool is_quantized();  // is the model
    void set_quantized_path(std::string path);
    void quantize();

    void set_codegen_path(std::string path);
    void set_codegen_option(const std::string& name, std::string text);
    void codegen(const std::string& target, Preference preference);

    void set_minmax_runs(uint64_t runs);
    void run_with_auto_compilation(const std::string& target, Preference preference);

    const std::string& model_path() const;

   private:
    void need(State min, std::string_view what) const;
    void take(LoadedModel loaded, const std::map<std::string, std::string>& settings = {});
    void change_model(LoadedModel loaded);
    void change_model(LoadedModel loaded, Runnable runnable);
    void change_graph(Graph graph);
    void use(Runnable runnable);
    Runnable compiled(const LoadedModel& loaded) const;
    CodegenJob codegen_job(const std::string& target, Preference preference) const;
    void change_backends(SessionBackends backends);
    bool quantized();
    void choose(const std::string& type, const std::string& target);
    void run_recorded();
    std::optional<Ranges> recorded_ranges() const;  // what quantizing the model needs of them
    void take_compiled();

    mutable std::recursive_mutex mutex_;
    State state_ = State::created;
    Note note_ = [](const std::string&) {};
    int threads_;
    std::string signature_, type_, target_, codegen_path_, asked_text_;
    std::map<std::string, std::string> codegen_options_;
    SessionBackends backends_;
    LoadedModel loaded_;
    std::optional<bool> quantized_;  // is loaded_
    Runnable runnable_;
    Ports ports_;
    QuantizeJob quantize_;
    Recording recording_;
    AutoCompiler compiler_;
};

}  // namespace quern
