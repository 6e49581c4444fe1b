#include "libcore/quant/algorithms/value_runs.h"

#include <algorithm>
#include <array>

#include "libcore/base/loan.h"
#include "libcore/passes/passes.h"

namespace quern {
namespace {

constexpr size_t window = 32;  // samples

}  // namespace

ValueRuns::ValueRuns(const Graph& graph, Mode mode, const std::vector<ValueId>& wanted, const SampleFeed& feed, ThreadPool& pool)
    : feed_(feed), pool_(pool), serial_(1) {
    Graph part = graph;
    part.outputs.clear();
    for (const ValueId id : wanted) {
        const std::vector<ValueId>& among = graph.is_input(id) ? part.inputs : part.outputs;
        const auto found = std::find(among.begin(), among.end(), id);
        places_.emplace_back(graph.is_input(id), static_cast<size_t>(found - among.begin()));
        if (found == among.end()) part.outputs.push_back(id);
    }
    if (part.outputs.empty()) return;  // inputs alone: nothing runs
    run_passes(part, std::array{&drop_dead});
    const auto program = Program::compile(part, {.mode = mode});
    for (int i = 0; i < pool.size(); ++i) sessions_.push_back(std::make_unique<Session>(program, serial_));
}

ValueRuns::~ValueRuns() = default;

std::vector<Tensor> ValueRuns::tensors_of(uint64_t sample, Session* session) const {
    const std::vector<Tensor> inputs = feed_.sample(sample);
    return at_place([&] { return feed_.place(sample); },
                    [&] {
                        const std::vector<Tensor> outputs = session ? session->run(inputs) : std::vector<Tensor>();
                        std::vector<Tensor> tensors;
                        for (const auto& [is_input, at] : places_) tensors.push_back(is_input ? inputs.at(at) : outputs.at(at));
                        return tensors;
                    });
}

void ValueRuns::run(const std::vector<uint64_t>& samples, const std::function<void(size_t, const std::vector<Tensor>&)>& see,
                    const std::function<void(size_t, size_t)>& done) {
    FreeList<Session> free;
    for (const auto& session : sessions_) free.put(session.get());
    in_windows(
        pool_, samples.size(),
        [&](size_t i) {
            if (sessions_.empty()) return see(i, tensors_of(samples[i], nullptr));
            const FreeList<Session>::Loan session(free);
            see(i, tensors_of(samples[i], session.operator->()));
        },
        done);
}

void in_windows(ThreadPool& pool, size_t count, const std::function<void(size_t)>& fn, const std::function<void(size_t, size_t)>& done) {
    for (size_t begin = 0; begin < count; begin += window) {
        const size_t end = std::min(begin + window, count);
        pool.run(end - begin, [&](size_t i) { fn(begin + i); });
        if (done) done(begin, end);
    }
}

std::vector<uint64_t> spread_samples(const SampleFeed& feed, uint64_t most) {
    const uint64_t count = std::min(feed.count, most);
    std::vector<uint64_t> samples(count);
    for (uint64_t i = 0; i < count; ++i) samples[i] = i * feed.count / count;
    return samples;
}

}  // namespace quern
