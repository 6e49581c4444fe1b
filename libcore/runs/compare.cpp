#include "libcore/runs/compare.h"

#include <algorithm>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>
#include <unordered_map>

#include "libcore/base/text.h"
#include "libcore/runs/pairs.h"

namespace quern {
namespace {

bool comparable(DType dtype) { return is_float(dtype) || is_integer(dtype) || dtype == DType::boolean; }

// The meeting place of two runs of one sample: who comes first with a value leaves a copy, who comes second compares.
class Meeting {
   public:
    Meeting(Comparison& comparison, const Pairs& pairs, size_t limit) : comparison_(comparison), pairs_(pairs), limit_(limit) {}

    void bring(int side, std::string_view key, const Tensor& tensor) {
        const auto found = pairs_.find(std::string(key));
        if (found == pairs_.end() || !comparable(tensor.dtype)) return;
        const Pair& pair = found->second;
        std::unique_lock lock(mutex_);
        auto& queue = waiting_[pair.place];
        if (!queue.empty() && queue.front().side != side) {
            const Tensor other = std::move(queue.front().tensor);
            queue.pop_front();
            pending_ -= other.data.size();
            lock.unlock();
            compare(pair, side == 0 ? tensor : other, side == 0 ? other : tensor);
            lock.lock();
            changed_.notify_all();
            return;
        }
        queue.push_back({side, {tensor.dtype, tensor.dims, Bytes::copy(tensor.data.data(), tensor.data.size())}});
        pending_ += tensor.data.size();
        pause(lock, side);
    }

    void done(int side, const std::exception_ptr& failure) {
        const std::scoped_lock lock(mutex_);
        stopped_[side] = true;
        if (failure) failure_[side] = failure;
        changed_.notify_all();
    }
    void rethrow() const {
        for (const auto& failure : failure_)
            if (failure) std::rethrow_exception(failure);
    }

   private:
    struct Left {
        int side;
        Tensor tensor;
    };
    // The side that is ahead waits while much is pending, unless the other one cannot go on either.
    void pause(std::unique_lock<std::mutex>& lock, int side) {
        stopped_[side] = true;
        changed_.notify_all();
        changed_.wait(lock, [&] { return pending_ <= limit_ || stopped_[1 - side]; });
        stopped_[side] = false;
    }
    void compare(const Pair& pair, const Tensor& a, const Tensor& b) {
        ComparedValue& value = comparison_.values[pair.place];
        const auto [first, second] = side_by_side(pair, a, b, value);
        if (value.difference.mismatch.empty()) value.difference.add(first, second);
    }

    Comparison& comparison_;
    const Pairs& pairs_;
    size_t limit_, pending_ = 0;
    std::map<size_t, std::deque<Left>> waiting_;
    bool stopped_[2] = {false, false};  // waits or has ended
    std::exception_ptr failure_[2];
    std::mutex mutex_;
    std::condition_variable changed_;
};

// Names of the inputs that come from samples.
std::vector<std::string> fed_names(const CompareSide& side) {
    std::vector<std::string> names;
    if (!side.states)
        for (const ValueId id : side.graph.inputs) names.push_back(side.graph.value(id).name);
    else
        for (const size_t in : side.states->fed) names.push_back(side.graph.value(side.graph.inputs[in]).name);
    return names;
}

// The inputs of b, taken from those of a by name.
std::vector<size_t> match_inputs(const CompareSide& a, const CompareSide& b) {
    const std::vector<std::string> names = fed_names(a);
    std::vector<size_t> order;
    for (const std::string& name : fed_names(b)) {
        const auto found = std::find(names.begin(), names.end(), name);
        if (found == names.end()) throw bad_input("the second model's input \"{}\" is not an input of the first", escape(name));
        order.push_back(static_cast<size_t>(found - names.begin()));
    }
    return order;
}

// A model that carries its states from run to run.
class ComparedSession {
   public:
    ComparedSession(const CompareSide& side, ThreadPool& pool)
        : session_(Program::compile(side.graph, {.mode = side.mode, .observable = true}), pool),
          states_(side.states),
          inputs_(side.graph.inputs.size()) {
        if (!states_) return;
        const std::vector<Tensor> first = states_->initial(side.graph);
        for (size_t i = 0; i < first.size(); ++i) session_.carry(states_->loops[i].first, states_->loops[i].second, first[i]);
    }

    // Of the inputs that come from samples.
    void run(const std::vector<Tensor>& sample) {
        for (size_t i = 0; i < sample.size(); ++i) inputs_[states_ ? states_->fed[i] : i] = sample[i];
        session_.run(inputs_);
    }
    Session& session() { return session_; }

   private:
    Session session_;
    const StatePlan* states_;
    std::vector<Tensor> inputs_;
};

}  // namespace

Comparison compare_models(const CompareSide& a, const CompareSide& b, const SampleSource& source, bool outputs_only, int threads,
                          const std::function<void()>& step, size_t pending_limit) {
    Comparison comparison;
    const Pairs pairs = pair_values(a, b, outputs_only, comparison);
    if (pairs.empty()) throw bad_input("the models have no value of the same name");
    const std::vector<size_t> order = match_inputs(a, b);
    ThreadPool first_pool(std::max(1, threads / 2)), second_pool(std::max(1, threads / 2));
    ComparedSession first(a, first_pool), second(b, second_pool);
    for (uint64_t i = 0; i < source.count(); ++i) {
        const std::vector<Tensor> sample = source.sample(i);
        Meeting meeting(comparison, pairs, pending_limit);
        const auto run = [&](int side, ComparedSession& session, const std::vector<Tensor>& inputs) {
            std::exception_ptr failure;
            session.session().set_observer([&](std::string_view key, const Tensor& tensor) { meeting.bring(side, key, tensor); });
            try {
                at_place(side ? "second model" : "first model", [&] { session.run(inputs); });
            } catch (...) {
                failure = std::current_exception();
            }
            meeting.done(side, failure);
        };
        std::vector<Tensor> reordered;
        reordered.reserve(order.size());
        for (const size_t k : order) reordered.push_back(sample[k]);
        std::jthread partner([&] { run(1, second, reordered); });
        run(0, first, sample);
        partner.join();
        at_place(source.place(i), [&] { meeting.rethrow(); });
        ++comparison.samples;
        step();
    }
    return comparison;
}

}  // namespace quern
