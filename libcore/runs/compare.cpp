#include "libcore/runs/compare.h"

#include <algorithm>
#include <array>
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

// Values of the same name, and how their dims lie on either side: those of a moved value are permuted (Value::permutation).
struct Pair {
    size_t place;  // in Comparison::values
    std::array<std::vector<int>, 2> permutations;
};
using Pairs = std::unordered_map<std::string, Pair>;

Tensor as_in_source(const Tensor& tensor, const std::vector<int>& permutation) {
    if (permutation.empty() || permutation.size() != tensor.dims.size()) return tensor;
    std::vector<int64_t> order(permutation.size());
    for (size_t i = 0; i < permutation.size(); ++i) order[static_cast<size_t>(permutation[i])] = static_cast<int64_t>(i);
    return permuted(tensor, order);
}

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
        comparison_.values[pair.place].difference.add(as_in_source(a, pair.permutations[0]), as_in_source(b, pair.permutations[1]));
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

struct KeyedValue {
    std::string key;
    const Graph* graph;
    ValueId id;

    const std::vector<int>& permutation() const { return graph->value(id).permutation; }
};

std::vector<KeyedValue> values_of(const Graph& graph) {
    std::vector<KeyedValue> values;
    const auto add = [&](const Graph& g, const std::string& path, ValueId id) {
        if (id != ValueId::none && !g.value(id).constant()) values.push_back({path + g.value(id).name, &g, id});
    };
    for_each_graph(graph, [&](const Graph& g, const std::string& path) {
        for (const ValueId id : g.inputs) add(g, path, id);
        for (const NodeId node : g.order())
            for (const ValueId id : g.node(node).out) add(g, path, id);
    });
    return values;
}

std::set<std::string> outputs_of(const Graph& graph) {
    std::set<std::string> names;
    for (const ValueId id : graph.outputs) names.insert(graph.value(id).name);
    return names;
}

// Inputs that the run before fed: the outputs that they come from are compared.
std::set<std::string> carried_names(const CompareSide& a, const CompareSide& b) {
    std::set<std::string> names;
    for (const CompareSide* side : {&a, &b}) {
        if (!side->states) continue;
        for (const auto& [in, out] : side->states->loops) names.insert(side->graph.value(side->graph.inputs[in]).name);
    }
    return names;
}

Pairs pair_values(const CompareSide& first, const CompareSide& other, bool outputs_only, Comparison& comparison) {
    const Graph &a = first.graph, &b = other.graph;
    const auto outputs = outputs_of(a), carried = carried_names(first, other);
    std::map<std::string, KeyedValue> in_second;
    const std::vector<KeyedValue> second = values_of(b);
    for (const KeyedValue& value : second) in_second.emplace(value.key, value);
    Pairs pairs;
    std::set<std::string> in_first;
    for (const KeyedValue& value : values_of(a)) {
        in_first.insert(value.key);
        if (carried.contains(value.key)) continue;
        if (outputs_only && !outputs.contains(value.key)) continue;
        const auto partner = in_second.find(value.key);
        if (partner == in_second.end()) {
            comparison.only_first.push_back(value.key);
            continue;
        }
        pairs.emplace(value.key, Pair{comparison.values.size(), {value.permutation(), partner->second.permutation()}});
        comparison.values.push_back({value.key, outputs.contains(value.key), {}});
        if (value.permutation().empty()) comparison.values.back().difference.layout = parts_of(*value.graph, value.id);
    }
    if (outputs_only) return pairs;
    for (const KeyedValue& value : second)
        if (!in_first.contains(value.key) && !carried.contains(value.key)) comparison.only_second.push_back(value.key);
    return pairs;
}

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

size_t error_bin(double error) {
    const int exponent = static_cast<int>(std::bit_cast<uint64_t>(error) >> 52 & 0x7ff) - 1023;
    return static_cast<size_t>(std::clamp(exponent + Difference::error_bias, 0, static_cast<int>(Difference::error_bins) - 1));
}

// The same infinity, or both not a number.
bool same_special(double a, double b) { return !std::isfinite(a) && (a == b || (std::isnan(a) && std::isnan(b))); }

}  // namespace

void Difference::add(const Tensor& a, const Tensor& b) {
    if (!mismatch.empty()) return;
    if (a.dims != b.dims) {
        mismatch = fmt::format("shape {} and {}", to_string(a.dims), to_string(b.dims));
        return;
    }
    const std::vector<double> x = to_doubles(a), y = to_doubles(b);
    Sums sample;
    for (size_t i = 0; i < x.size(); ++i) {
        if (same_special(x[i], y[i])) continue;
        if (!std::isfinite(x[i]) || !std::isfinite(y[i])) {
            mismatch = fmt::format("element {} is {} and {}", i, x[i], y[i]);
            return;
        }
        const double error = x[i] - y[i];
        sample.signal += x[i] * x[i];
        sample.noise += error * error;
        dot += x[i] * y[i];
        other += y[i] * y[i];
        if (error != 0) ++errors[error_bin(error)];
        max_error = std::max(max_error, std::abs(error));
        max_reference = std::max(max_reference, std::abs(x[i]));
    }
    sample.count = x.size();
    whole_.add(sample, samples_);
    if (layout.given()) add_parts(x, y, a.dims);
    ++samples_;
}

void Difference::add_parts(const std::vector<double>& a, const std::vector<double>& b, const Dims& dims) {
    const auto axis = static_cast<size_t>(layout.axis);
    if (axis >= dims.size()) return;
    const auto extent = static_cast<size_t>(dims[axis]);
    size_t inner = 1;
    for (size_t i = axis + 1; i < dims.size(); ++i) inner *= static_cast<size_t>(dims[i]);
    const bool channels = layout.names.empty();
    if (channels ? dims[0] * dims[axis] == count_of(dims) : extent != static_cast<size_t>(layout.ends.back())) return;
    std::vector<Sums> sample(channels ? extent : layout.names.size());
    for (size_t at = 0; at < a.size();)
        for (size_t i = 0, part = 0; i < extent; ++i) {
            if (channels)
                part = i;
            else if (static_cast<int64_t>(i) >= layout.ends[part])
                part = static_cast<size_t>(std::ranges::upper_bound(layout.ends, static_cast<int64_t>(i)) - layout.ends.begin());
            Sums& sums = sample[part];
            sums.count += inner;
            for (const size_t end = at + inner; at < end; ++at) {
                if (same_special(a[at], b[at])) continue;
                sums.signal += a[at] * a[at];
                sums.noise += (a[at] - b[at]) * (a[at] - b[at]);
            }
        }
    if (parts_.size() < sample.size()) parts_.resize(sample.size());
    for (size_t i = 0; i < sample.size(); ++i) parts_[i].add(sample[i], samples_);
}

void Difference::join(const Difference& d) {
    dot += d.dot;
    other += d.other;
    max_error = std::max(max_error, d.max_error);
    max_reference = std::max(max_reference, d.max_reference);
    whole_.add(d.whole_, samples_++);
}

void Difference::Sums::add(const Sums& sample, uint64_t number) {
    signal += sample.signal;
    noise += sample.noise;
    count += sample.count;
    highest = std::max(highest, sample.sqnr());
    if (sample.sqnr() >= lowest) return;
    lowest = sample.sqnr();
    lowest_at = number;
}

double Difference::Sums::sqnr() const {
    return noise == 0 ? std::numeric_limits<double>::infinity() : 10 * portable::log10(signal / noise);
}

std::optional<size_t> Difference::lowest_part() const {
    if (!mismatch.empty() || parts_.empty()) return std::nullopt;
    double largest = 0, smallest = std::numeric_limits<double>::infinity();
    for (const Sums& part : parts_) largest = std::max(largest, part.mean_square());
    std::optional<size_t> worst;
    for (size_t i = 0; i < parts_.size(); ++i) {
        if (parts_[i].signal == 0 || parts_[i].mean_square() < largest * 1e-8) continue;
        smallest = std::min(smallest, parts_[i].mean_square());
        if (!worst || parts_[i].sqnr() < parts_[*worst].sqnr()) worst = i;
    }
    return worst && smallest * 64 < largest ? worst : std::nullopt;
}

const Difference::Sums& Difference::headline() const {
    const auto part = lowest_part();
    return part && parts_[*part].sqnr() < whole_.sqnr() ? parts_[*part] : whole_;
}

std::optional<PartFigure> Difference::worst_part() const {
    const auto part = lowest_part();
    if (!part) return std::nullopt;
    return PartFigure{layout.name_of(*part), parts_[*part].sqnr()};
}

std::optional<PartFigure> Difference::worst_sample() const {
    if (!mismatch.empty() || samples_ < 2 || noise() == 0) return std::nullopt;
    return PartFigure{fmt::format("sample {}", headline().lowest_at), headline().lowest};
}

Difference::Spread Difference::spread() const { return {headline().lowest, headline().highest}; }

double Difference::whole_sqnr() const { return mismatch.empty() ? whole_.sqnr() : -std::numeric_limits<double>::infinity(); }

double Difference::sqnr() const { return mismatch.empty() ? headline().sqnr() : -std::numeric_limits<double>::infinity(); }

double Difference::cosine() const {
    return signal() == 0 && other == 0 ? 1 : signal() == 0 || other == 0 ? 0 : dot / std::sqrt(signal() * other);
}

const ComparedValue* Comparison::first_below(double threshold, bool outputs_only) const {
    for (const ComparedValue& value : values)
        if ((value.output || !outputs_only) && value.difference.sqnr() < threshold) return &value;
    return nullptr;
}

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
