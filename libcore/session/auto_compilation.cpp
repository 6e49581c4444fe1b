// Automatic compilation: runs are recorded until there are enough, then the model is quantized and generated in the background.
#include "libcore/session/inference.h"

namespace quern {

void InferenceSession::set_minmax_runs(uint64_t runs) {
    if (runs == 0) throw usage_error("minmax runs: got 0, need at least 1");
    minmax_runs_ = runs;
}

void InferenceSession::run_with_auto_compilation(const std::string& target, Preference preference) {
    need(State::prepared, "run with auto compilation");
    if (!scheme_) throw usage_error("run with auto compilation: no quantization type is set");
    take_compiled();
    if (compiled_ || compilation_.valid()) return hand_out(runnable_.engine->run(gather_inputs()));
    if (!target.empty() && target != known_target_) {
        need_generator(target);  // asks plugins in child processes: not in each run
        known_target_ = target;
    }
    if (!loaded_.has_graph()) throw usage_error("{}: compiled already: nothing is left to make", loaded_.name());
    if (quantized() && target.empty()) throw usage_error("{}: quantized already: nothing is left to make", loaded_.name());
    const bool needs_ranges = scheme_->full() && !quantized();
    if (needs_ranges && recorded_runs() < minmax_runs_)
        run_recorded();
    else
        hand_out(runnable_.engine->run(gather_inputs()));
    if (!needs_ranges || recorded_runs() >= minmax_runs_) start_compilation(target, preference);
}

void InferenceSession::start_compilation(const std::string& target, Preference preference) {
    std::optional<Ranges> ranges;
    if (recorded_runs() > 0) ranges = recorder_->ranges();
    const auto work = [loaded = loaded_, ready = quantized(), ranges = std::move(ranges), scheme = scheme_, threads = threads_,
                       backends = backends_, quantized = quantized_path_, generated = codegen_path_, target, preference] {
        Compiled made{.loaded = loaded, .backends = backends, .threads = threads, .runnable = {}, .notes = {}};
        const Note note = [&](const std::string& text) { made.notes.push_back(text); };
        if (!ready) made.loaded = quantize_to_file(loaded, ranges ? &*ranges : nullptr, *scheme, quantized, threads);
        if (!target.empty()) made.loaded = generate_to_file(made.loaded, target, preference, generated, note);
        made.runnable = make_runnable(made.loaded, backends, threads, note);
        return made;
    };
    compilation_ = std::async(std::launch::async, work);
}

void InferenceSession::take_compiled() {
    if (!compilation_.valid() || compilation_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    compiled_ = true;  // also if it failed: it would fail again
    Compiled made = compilation_.get();
    for (const std::string& text : made.notes) note_(text);
    if (made.backends != backends_ || made.threads != threads_) made.runnable = compiled(made.loaded);  // set meanwhile
    change_model(std::move(made.loaded));
    runnable_ = std::move(made.runnable);
    recording_ = false;
    state_ = State::prepared;
}

void InferenceSession::wait_for_compilation() const {
    if (compilation_.valid()) compilation_.wait();
}

void InferenceSession::drop_compilation() {
    wait_for_compilation();
    compilation_ = {};
}

}  // namespace quern
