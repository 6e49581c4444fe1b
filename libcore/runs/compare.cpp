#include "libcore/runs/compare.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <limits>
#include <mutex>
#include <set>
#include <thread>
#include <unordered_map>

#include "libcore/base/text.h"
#include "libcore/ops/shared/portable_math.h"

namespace quern {
namespace {

bool comparable(DType dtype) { return is_float(dtype) || is_integer(dtype) || dtype == DType::boolean; }

// The meeting place of two runs of one sample: who comes first with a value leaves a copy, who comes second compares.
class Meeting {
   public:
    Meeting(Comparison& comparison, const std::unordered_map<std::string, size_t>& places, size_t limit)
        : comparison_(comparison), places_(places), limit_(limit) {}

    void bring(int side, std::string_view key, const Tensor& tensor) {
        const auto found = places_.find(std::string(key));
        if (found == places_.end() || !comparable(tensor.dtype)) return;
        std::unique_lock lock(mutex_);
        auto& queue = waiting_[found->second];
        if (!queue.empty() && queue.front().side != side) {
            const Tensor other = std::move(queue.front().tensor);
            queue.pop_front();
            pending_ -= other.data.size();
            lock.unlock();
            compare(found->second, side == 0 ? tensor : other, side == 0 ? other : tensor);
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
    void compare(size_t place, const Tensor& a, const Tensor& b) { comparison_.values[place].difference.add(a, b); }

    Comparison& comparison_;
    const std::unordered_map<std::string, size_t>& places_;
    size_t limit_, pending_ = 0;
    std::map<size_t, std::deque<Left>> waiting_;
    bool stopped_[2] = {false, false};  // waits or has ended
    std::exception_ptr failure_[2];
    std::mutex mutex_;
    std::condition_variable changed_;
};

std::vector<std::string> keys_of(const Graph& graph) {
    std::vector<std::string> keys;
    const auto add = [&](const Graph& g, const std::string& path, ValueId id) {
        if (id != ValueId::none && !g.value(id).constant()) keys.push_back(path + g.value(id).name);
    };
    for_each_graph(graph, [&](const Graph& g, const std::string& path) {
        for (const ValueId id : g.inputs) add(g, path, id);
        for (const NodeId node : g.order())
            for (const ValueId id : g.node(node).out) add(g, path, id);
    });
    return keys;
}

std::set<std::string> outputs_of(const Graph& graph) {
    std::set<std::string> names;
    for (const ValueId id : graph.outputs) names.insert(graph.value(id).name);
    return names;
}

void pair_values(const Graph& a, const Graph& b, bool outputs_only, Comparison& comparison) {
    const auto outputs = outputs_of(a);
    const std::vector<std::string> first = keys_of(a), second = keys_of(b);
    const std::set<std::string> in_first(first.begin(), first.end()), in_second(second.begin(), second.end());
    for (const std::string& key : first) {
        if (outputs_only && !outputs.contains(key)) continue;
        if (in_second.contains(key))
            comparison.values.push_back({key, outputs.contains(key), {}});
        else
            comparison.only_first.push_back(key);
    }
    if (outputs_only) return;
    for (const std::string& key : second)
        if (!in_first.contains(key)) comparison.only_second.push_back(key);
}

// The inputs of b, taken from those of a by name.
std::vector<size_t> match_inputs(const Graph& a, const Graph& b) {
    std::vector<size_t> order;
    for (const ValueId id : b.inputs) {
        const std::string& name = b.value(id).name;
        const auto found = std::find_if(a.inputs.begin(), a.inputs.end(), [&](ValueId i) { return a.value(i).name == name; });
        if (found == a.inputs.end()) throw bad_input("the second model's input \"{}\" is not an input of the first", escape(name));
        order.push_back(static_cast<size_t>(found - a.inputs.begin()));
    }
    return order;
}

size_t error_bin(double error) {
    const int exponent = static_cast<int>(std::bit_cast<uint64_t>(error) >> 52 & 0x7ff) - 1023;
    return static_cast<size_t>(std::clamp(exponent + Difference::error_bias, 0, static_cast<int>(Difference::error_bins) - 1));
}

}  // namespace

void Difference::add(const Tensor& a, const Tensor& b) {
    if (!mismatch.empty()) return;
    if (a.dims != b.dims) {
        mismatch = fmt::format("shape {} and {}", to_string(a.dims), to_string(b.dims));
        return;
    }
    const std::vector<double> x = to_doubles(a), y = to_doubles(b);
    for (size_t i = 0; i < x.size(); ++i) {
        if (x[i] == y[i] && !std::isfinite(x[i])) continue;  // the same infinity
        if (std::isnan(x[i]) && std::isnan(y[i])) continue;
        if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
            mismatch = fmt::format("element {} is {} and {}", i, x[i], y[i]);
            return;
        }
        const double error = x[i] - y[i];
        signal += x[i] * x[i];
        noise += error * error;
        dot += x[i] * y[i];
        other += y[i] * y[i];
        if (error != 0) ++errors[error_bin(error)];
        max_error = std::max(max_error, std::abs(error));
        max_reference = std::max(max_reference, std::abs(x[i]));
    }
    count += x.size();
}

double Difference::sqnr() const {
    if (!mismatch.empty()) return -std::numeric_limits<double>::infinity();
    if (noise == 0) return std::numeric_limits<double>::infinity();
    return 10 * portable::log10(signal / noise);
}

double Difference::cosine() const {
    return signal == 0 && other == 0 ? 1 : signal == 0 || other == 0 ? 0 : dot / std::sqrt(signal * other);
}

const ComparedValue* Comparison::first_below(double threshold, bool outputs_only) const {
    for (const ComparedValue& value : values)
        if ((value.output || !outputs_only) && value.difference.sqnr() < threshold) return &value;
    return nullptr;
}

Comparison compare_models(const CompareSide& a, const CompareSide& b, const SampleSource& source, bool outputs_only, int threads,
                          const std::function<void()>& step, size_t pending_limit) {
    Comparison comparison;
    pair_values(a.graph, b.graph, outputs_only, comparison);
    std::unordered_map<std::string, size_t> places;
    for (size_t i = 0; i < comparison.values.size(); ++i) places.emplace(comparison.values[i].key, i);
    if (places.empty()) throw bad_input("the models have no value of the same name");
    const std::vector<size_t> order = match_inputs(a.graph, b.graph);
    ThreadPool first_pool(std::max(1, threads / 2)), second_pool(std::max(1, threads / 2));
    Session first(Program::compile(a.graph, {.mode = a.mode, .observable = true}), first_pool);
    Session second(Program::compile(b.graph, {.mode = b.mode, .observable = true}), second_pool);
    for (uint64_t i = 0; i < source.count(); ++i) {
        const std::vector<Tensor> sample = source.sample(i);
        Meeting meeting(comparison, places, pending_limit);
        const auto run = [&](int side, Session& session, const std::vector<Tensor>& inputs) {
            std::exception_ptr failure;
            session.set_observer([&](std::string_view key, const Tensor& tensor) { meeting.bring(side, key, tensor); });
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
