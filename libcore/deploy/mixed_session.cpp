// Runs of mixed programs: levels one after the other, the parts of a level side by side.
#include <algorithm>
#include <exception>

#include "libcore/backend/builtin.h"
#include "libcore/base/text.h"
#include "libcore/deploy/mixed.h"
#include "libcore/exec/recorder.h"
#include "libcore/graph/quantize.h"
#include "libcore/os/clock.h"

namespace quern {
namespace {

// Which parts of a level run on threads of their own: all of libraries, built-in ones while there are threads; one stays with the caller.
std::vector<size_t> apart(const MixedProgram& program, const MixedLevel& level, int threads) {
    std::vector<size_t> libraries, own;
    for (const size_t p : level.parts) (builtin_backend(program.parts()[p].backend) ? own : libraries).push_back(p);
    if (own.empty() && !libraries.empty()) libraries.pop_back();
    // The last one of cpu stays: its kernels' threads belong to the caller's.
    const auto stays = std::find_if(own.rbegin(), own.rend(), [&](size_t p) { return program.parts()[p].backend == "cpu"; });
    if (stays != own.rend())
        own.erase(std::next(stays).base());
    else if (!own.empty())
        own.pop_back();
    own.resize(std::min(own.size(), static_cast<size_t>(std::max(threads - 1, 0))));
    libraries.insert(libraries.end(), own.begin(), own.end());
    return libraries;
}

// The whole of a partition as one event.
void record(const MixedProgram& program, size_t p, double start, BackendSession& session) {
    StepRecorder* const recorder = StepRecorder::current();
    if (!recorder) return;
    const double end = steady_seconds();
    const MixedPart& part = program.parts()[p];
    recorder->add(&part, {.start = start, .end = end, .arena_bytes = session.memory_bytes()}, [&] {
        return StepTime{.node = fmt::format("partition {}", p), .op = "partition", .kernel = part.backend, .device = part.device};
    });
}

}  // namespace

MixedSession::MixedSession(std::shared_ptr<const MixedProgram> program, Mode mode, const LaneOptions& options)
    : program_(std::move(program)), mode_(mode), threads_(options.threads) {
    for (const MixedPart& part : program_->parts()) sessions_.push_back(part.executable->open(options));
    link_parts();
}

// What one back end makes and reads again stays on its device; what nobody else reads does not leave it.
void MixedSession::link_parts() {
    const std::vector<MixedPart>& parts = program_->parts();
    const std::vector<ValueId>& results = program_->graph().outputs;
    std::map<ValueId, std::vector<std::pair<size_t, size_t>>> readers;  // parts, and which of their inputs
    for (size_t p = 0; p < parts.size(); ++p)
        for (size_t k = 0; k < parts[p].inputs.size(); ++k) readers[parts[p].inputs[k]].emplace_back(p, k);
    for (size_t p = 0; p < parts.size(); ++p)
        for (size_t i = 0; i < parts[p].outputs.size(); ++i) {
            const ValueId id = parts[p].outputs[i];
            bool kept = std::find(results.begin(), results.end(), id) == results.end(), linked = false;
            for (const auto& [reader, k] : readers[id]) {
                const bool one = parts[reader].backend == parts[p].backend && sessions_[reader]->link_input(k, *sessions_[p], i);
                linked |= one;
                kept &= one;
            }
            if (kept && linked) sessions_[p]->keep_output(i);
        }
}

void MixedSession::run_level(const MixedLevel& level, Held& held) {
    const auto inputs_of = [&](size_t p) {
        std::vector<Stored> in;
        for (const ValueId id : program_->parts()[p].inputs) in.push_back(held.at(id));
        return in;
    };
    std::map<size_t, std::vector<Stored>> outputs, inputs;  // by part
    std::map<size_t, std::exception_ptr> failures;
    std::map<size_t, double> starts;
    const auto guarded = [&](size_t p, const auto& body) {
        try {
            body();
        } catch (...) {
            failures[p] = std::current_exception();
        }
    };
    for (const size_t p : apart(*program_, level, threads_)) {
        inputs[p] = inputs_of(p);
        starts[p] = steady_seconds();
        guarded(p, [&] { sessions_[p]->start(inputs[p]); });
    }
    for (const size_t p : level.parts) {
        if (inputs.contains(p) || !failures.empty()) continue;
        const double start = steady_seconds();
        guarded(p, [&] { outputs[p] = sessions_[p]->run(inputs_of(p)); });
        record(*program_, p, start, *sessions_[p]);
    }
    for (const auto& started : starts) {
        const size_t p = started.first;
        if (failures.contains(p)) continue;
        guarded(p, [&] { outputs[p] = sessions_[p]->finish(); });
        record(*program_, p, started.second, *sessions_[p]);
    }
    if (!failures.empty()) std::rethrow_exception(failures.begin()->second);
    for (auto& [p, out] : outputs)
        for (size_t i = 0; i < out.size(); ++i) held[program_->parts()[p].outputs[i]] = std::move(out[i]);
    for (const ValueId id : level.dies) held.erase(id);
}

Tensor MixedSession::output(ValueId id, Held& held) const {
    const Graph& graph = program_->graph();
    const Value& value = graph.value(id);
    if (value.constant()) return value.enc ? dequantize(*graph.constant(id), *value.enc) : *graph.constant(id);
    Stored stored = held.at(id);
    if (!stored.encoding && value.enc && mode_ != Mode::floating && graph.is_input(id))
        stored = adapt(std::move(stored), {value.name, value.type, value.enc});
    return stored.encoding ? dequantize(stored.tensor, *stored.encoding) : stored.tensor;
}

std::vector<Tensor> MixedSession::run(std::span<const Tensor> inputs) {
    const Graph& graph = program_->graph();
    if (inputs.size() != graph.inputs.size()) throw bad_input("the model takes {} inputs, got {}", graph.inputs.size(), inputs.size());
    Held held;
    for (size_t i = 0; i < inputs.size(); ++i) held[graph.inputs[i]] = {inputs[i], {}};
    const auto& preparation = program_->preparation_;
    try {
        for (const MixedLevel& level : program_->levels()) run_level(level, held);
    } catch (...) {
        if (preparation.valid()) preparation.get();  // what is wrong with the file tells more
        throw;
    }
    if (preparation.valid()) preparation.get();
    std::vector<Tensor> outputs;
    for (const ValueId id : graph.outputs) outputs.push_back(output(id, held));
    return outputs;
}

void MixedSession::set_timing(bool on) {
    for (const auto& session : sessions_) session->set_timing(on);
}

std::vector<StepTime> MixedSession::step_times() const {
    std::vector<StepTime> all;
    for (size_t p = 0; p < sessions_.size(); ++p)
        for (StepTime& time : sessions_[p]->step_times()) {
            time.device = program_->parts()[p].device;
            all.push_back(std::move(time));
        }
    return all;
}

uint64_t MixedSession::arena_bytes() const {
    uint64_t sum = 0;
    for (const auto& session : sessions_) sum += session->memory_bytes();
    return sum;
}

}  // namespace quern
