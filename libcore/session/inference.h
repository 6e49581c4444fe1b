// The session behind quern.h, where each function and its states are described: one model in use, its buffers, and what is made of it.
// Calls on one object wait for each other.
#pragma once

#include <future>
#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "libcore/quant/collect.h"
#include "libcore/session/io_buffers.h"
#include "libcore/session/loaded.h"

namespace quern {

class InferenceSession {
   public:
    enum class State : uint8_t { created, loaded, prepared };

    InferenceSession();
    ~InferenceSession();
    InferenceSession(const InferenceSession&) = delete;
    InferenceSession& operator=(const InferenceSession&) = delete;

    // Calls of one caller at a time.
    std::unique_lock<std::recursive_mutex> lock() { return std::unique_lock(mutex_); }
    State state() const { return state_; }
    void set_log(Note note) { note_ = std::move(note); }
    void set_threads(int threads);
    void set_signature(std::string name);

    void load_file(const std::string& path);
    void load_memory(Bytes bytes);
    void set_input_shape(size_t index, Dims dims);
    void pin_input(const std::string& pin);
    void set_backends(const std::string& names);
    const std::string& backends();  // ";" between them
    void prepare();

    const std::vector<InputSpec>& inputs() const;
    const std::vector<InputSpec>& outputs() const;
    const Dims& input_dims(size_t index);   // -1: not known
    const Dims& output_dims(size_t index);  // after a run: its own
    void set_input(size_t index, IoBuffer buffer);
    void set_output(size_t index, IoBuffer buffer);
    void run();
    const Tensor& output(size_t index) const;  // of the last run

    void record(bool on);
    uint64_t recorded_runs() const { return recorder_ ? recorder_->samples() : 0; }
    void set_type(const std::string& type) { scheme_ = &scheme_named(type); }
    void set_quantized_path(std::string path);
    void quantize();

    void set_codegen_path(std::string path);
    void codegen(const std::string& target, Preference preference);

    void set_minmax_runs(uint64_t runs);
    void run_with_auto_compilation(const std::string& target, Preference preference);

    const std::string& model_path() const;
    // A copy that stays until the model changes.
    const char* kept(const std::string& name) { return names_.insert(name).first->c_str(); }

   private:
    struct Compiled {
        LoadedModel loaded;
        std::vector<std::string> backends;
        int threads = 0;
        Runnable runnable;
        std::vector<std::string> notes;
    };
    void need(State least, std::string_view what) const;
    void take(LoadedModel loaded, const std::map<std::string, std::string>& settings = {});
    void change_model(LoadedModel loaded);
    Runnable compiled(const LoadedModel& loaded) const;
    bool quantized();
    std::vector<Tensor> gather_inputs() const;
    void hand_out(std::vector<Tensor> outputs);
    void run_recorded();
    void start_compilation(const std::string& target, Preference preference);
    void take_compiled();
    void wait_for_compilation() const;
    void drop_compilation();

    mutable std::recursive_mutex mutex_;
    State state_ = State::created;
    Note note_ = [](const std::string&) {};
    int threads_;
    std::string signature_, quantized_path_, codegen_path_, asked_text_, known_target_;
    std::vector<std::string> backends_;
    LoadedModel loaded_;
    std::optional<bool> quantized_;  // is loaded_
    std::set<std::string> names_;
    Runnable runnable_;  // its lists: the interface, also before prepare()
    std::map<size_t, IoBuffer> input_buffers_, output_buffers_;
    std::map<size_t, Dims> dims_;  // of inputs, as set
    Dims asked_;
    std::vector<Tensor> last_;
    bool recording_ = false, compiled_ = false;
    std::unique_ptr<Recorder> recorder_;
    const Scheme* scheme_ = nullptr;
    uint64_t minmax_runs_ = 10;
    std::future<Compiled> compilation_;
};

}  // namespace quern
