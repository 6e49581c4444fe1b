#include "libcore/api/auto_compiler.h"

namespace quern {
namespace {

AutoCompiler::Made made_of(const AutoCompiler::Job& job) {
    AutoCompiler::Made made{.loaded = job.loaded, .backends = job.backends, .threads = job.threads, .runnable = {}, .notes = {}};
    const Note note = [&](const std::string& text) { made.notes.push_back(text); };
    if (job.quantize.scheme)
        made.loaded = quantize_to_file(job.loaded, job.ranges ? &*job.ranges : nullptr, job.quantize, job.threads, note);
    if (!job.codegen.target.empty()) made.loaded = generate_to_file(made.loaded, job.codegen, job.backends, note);
    made.runnable = make_runnable(made.loaded, job.backends, job.threads, note);
    return made;
}

}  // namespace

void AutoCompiler::check_target(const std::string& target) {
    if (target.empty() || target == known_target_) return;
    need_generator(target);
    known_target_ = target;
}

void AutoCompiler::start(Job job) {
    work_ = std::async(std::launch::async, [job = std::move(job)] { return made_of(job); });
}

std::optional<AutoCompiler::Made> AutoCompiler::take() {
    if (!work_.valid() || work_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return std::nullopt;
    done_ = true;  // also if it failed: it would fail again
    return work_.get();
}

void AutoCompiler::wait() const {
    if (work_.valid()) work_.wait();
}

void AutoCompiler::drop() {
    wait();
    work_ = {};
}

void AutoCompiler::reset() {
    drop();
    done_ = false;
}

}  // namespace quern
