#include "libcore/check/measure.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <unordered_map>

#include "libcore/base/text.h"
#include "libcore/exec/session.h"
#include "libcore/graph/grid.h"
#include "libcore/graph/quantize.h"

namespace quern {
namespace {

// Which channel an element is in.
class Channels {
   public:
    Channels(const Dims& dims, int axis) {
        if (axis < 0 || static_cast<size_t>(axis) >= dims.size()) return;
        count_ = static_cast<size_t>(dims[static_cast<size_t>(axis)]);
        for (size_t i = static_cast<size_t>(axis) + 1; i < dims.size(); ++i) inner_ *= static_cast<size_t>(dims[i]);
    }
    size_t count() const { return count_; }
    size_t of(size_t element) const { return element / inner_ % count_; }

   private:
    size_t count_ = 0, inner_ = 1;
};

// Calls fn(i, a, b) for each pair of finite numbers.
template <class Fn>
void each_pair(const std::vector<float>& a, const std::vector<float>& b, const Fn& fn) {
    for (size_t i = 0; i < std::min(a.size(), b.size()); ++i)
        if (std::isfinite(a[i]) && std::isfinite(b[i])) fn(i, static_cast<double>(a[i]), static_cast<double>(b[i]));
}

double energy_between(const std::vector<float>& a, const std::vector<float>& b) {
    double sum = 0;
    each_pair(a, b, [&](size_t, double x, double y) { sum += (x - y) * (x - y); });
    return sum;
}

// The least and greatest number on a grid of one scale; nothing of others.
std::optional<RealRange> limits_of(const Encoding& e) {
    const bool scaled = e.is_fixed() && e.per_tensor() && !e.format && dtypes::float8s.has(e.storage);
    if (!scaled && !e.plain_integer()) return std::nullopt;
    return limits_at(e, {to_floats(e.scale)[0], e.zero_at()});
}

class Observation {
   public:
    Observation(const Probe& probe, Measurement& to) : probe_(probe), to_(to) {
        to_.values.resize(probe.values.size());
        for (size_t v = 0; v < probe.values.size(); ++v) {
            of_source_.emplace(probe.values[v].source, v);
            if (const auto maker = probe.values[v].maker) to_.values[v].parts.resize(probe.units[*maker].in.size());
        }
    }

    void begin() { exact_.clear(), plain_.clear(); }
    void see(std::string_view key, const Tensor& tensor) {
        const auto tap = probe_.taps.find(key);
        if (tap == probe_.taps.end()) return;
        if (tap->second.kind == Tap::Kind::source) return see_source(tap->second.index, tensor);
        const size_t v = tap->second.index;
        const std::vector<float>& exact = exact_[probe_.values[v].source];
        const std::vector<float> numbers = to_floats(tensor);
        ValueSums& sums = to_.values[v];
        if (tap->second.kind == Tap::Kind::stored) sums.noise += energy_between(exact, numbers);
        if (tap->second.kind == Tap::Kind::plain) see_plain(v, exact, numbers, tensor);
        if (tap->second.kind == Tap::Kind::base) plain_[v] = numbers;
        if (tap->second.kind == Tap::Kind::part) {  // beside results of the same weights
            const auto plain = plain_.find(v);
            sums.parts[tap->second.part] += energy_between(plain == plain_.end() ? exact : plain->second, numbers);
            if (tap->second.part + 1 == sums.parts.size()) plain_.erase(v);
        }
    }

   private:
    void see_source(size_t source, const Tensor& tensor) {
        std::vector<float> numbers = to_floats(tensor);
        for (auto [at, end] = of_source_.equal_range(source); at != end; ++at) add_signal(at->second, numbers, tensor.dims);
        exact_[source] = std::move(numbers);
    }

    void add_signal(size_t v, const std::vector<float>& numbers, const Dims& dims) {
        const ProbedValue& value = probe_.values[v];
        ValueSums& sums = to_.values[v];
        const Channels channels(dims, value.axis);
        const auto limits = value.enc ? limits_of(*value.enc) : std::nullopt;
        const double reach = limits ? std::max(-limits->lo, limits->hi) : 0;
        if (channels.count() > sums.channel_peak.size()) sums.channel_peak.resize(channels.count());
        for (size_t i = 0; i < numbers.size(); ++i) {
            if (!std::isfinite(numbers[i])) continue;
            const auto number = static_cast<double>(numbers[i]);
            ++sums.count;
            sums.signal += number * number;
            if (channels.count() > 0) {
                float& peak = sums.channel_peak[channels.of(i)];
                peak = std::max(peak, std::abs(numbers[i]));
            }
            if (reach > 0) {
                const double step = std::abs(number) / reach * ValueSums::reach_steps;
                ++sums.reach[static_cast<size_t>(std::min(step, ValueSums::reach_steps - 1.0))];
            }
        }
    }

    void see_plain(size_t v, const std::vector<float>& exact, const std::vector<float>& numbers, const Tensor& tensor) {
        const ProbedValue& value = probe_.values[v];
        ValueSums& sums = to_.values[v];
        if (probe_.units[*value.maker].weighted) {
            const Channels channels(tensor.dims, value.axis);
            if (channels.count() > sums.channel_weights.size()) sums.channel_weights.resize(channels.count());
            each_pair(exact, numbers, [&](size_t i, double a, double b) {
                sums.weights += (a - b) * (a - b);
                if (channels.count() > 0) sums.channel_weights[channels.of(i)] += (a - b) * (a - b);
            });
            plain_[v] = numbers;
        }
        if (value.enc) add_rounding(sums, *value.enc, numbers, tensor);
    }

    static void add_rounding(ValueSums& sums, const Encoding& own, const std::vector<float>& numbers, const Tensor& tensor) {
        const Encoding grid = own.is_dynamic() ? dynamic_encoding(tensor, own) : own;
        const auto limits = limits_of(grid);
        each_pair(numbers, to_floats(dequantize(quantize(tensor, grid), grid)), [&](size_t, double a, double b) {
            sums.rounding += (a - b) * (a - b);
            if (!limits || (a >= limits->lo && a <= limits->hi)) return;
            sums.clipping += (a - b) * (a - b);
            ++sums.clipped;
        });
    }

    const Probe& probe_;
    Measurement& to_;
    std::multimap<size_t, size_t> of_source_;
    std::unordered_map<size_t, std::vector<float>> exact_, plain_;  // of this sample: by source, and by value of units with weights
};

}  // namespace

Measurement measure(const Probe& probe, const SampleSource& source, int threads, const std::function<void()>& step) {
    Measurement all;
    Observation observation(probe, all);
    ThreadPool pool(threads);
    Session session(Program::compile(probe.graph, {.mode = Mode::fake, .observable = true}), pool);
    session.set_observer([&](std::string_view key, const Tensor& tensor) { observation.see(key, tensor); });
    for (uint64_t i = 0; i < source.count(); ++i) {
        observation.begin();
        at_place(source.place(i), [&] { session.run(source.sample(i)); });
        ++all.samples;
        step();
    }
    for (size_t v = 0; v < probe.values.size(); ++v)  // an input is rounded, and nothing else
        if (!probe.values[v].maker) all.values[v].rounding = all.values[v].noise;
    return all;
}

}  // namespace quern
