#include "libcore/quant/collect/collect.h"

#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <map>
#include <mutex>
#include <optional>

#include "libcore/base/json.h"
#include "libcore/base/loan.h"
#include "libcore/base/text.h"
#include "libcore/exec/session.h"
#include "libcore/os/io.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/pipelines.h"
#include "libcore/quant/collect/run_log.h"
#include "libcore/quant/collect/slots.h"
#include "libcore/quant/plan/norm_parts.h"
#include "libcore/quant/plan/recurrent.h"
#include "libcore/quant/ranges/channel_sums.h"

namespace quern {
namespace {

constexpr uint64_t window = 32;  // samples
constexpr int windows_to_stop = 2;

// One session and what it has seen.
class Lane {
   public:
    Lane(std::shared_ptr<const Program> program, ThreadPool& pool, const Slots& slots, bool histogram, bool any_batch)
        : slots_(slots), session_(std::in_place, std::move(program), pool), ran_(slots.bodies.size(), false) {
        for (const Slot& slot : slots.slots) {
            statistics_.emplace_back(histogram, slot.axis);
            sums_.emplace_back(slot.axis);
        }
        const bool any_order = std::none_of(slots.slots.begin(), slots.slots.end(), [](const Slot& slot) { return slot.axis >= 0; });
        session_->set_observer([this](std::string_view key, const Tensor& tensor) { observe(key, tensor); }, any_order && !any_batch);
    }
    // Outputs; extremes() of each value in this run, row by row.
    std::vector<Tensor> run(const std::vector<Tensor>& sample, uint64_t number, Rows rows = {}) {
        rows_ = rows;
        session_->number_run(number);
        run_.assign(rows.count, std::vector<Extremes>(slots_.slots.size()));
        return session_->run(sample);
    }
    std::span<const std::vector<Extremes>> extremes() const { return run_; }
    const ValueStatistics& statistics(size_t slot) const { return statistics_[slots_.slots[slot].measured_at(slot)]; }
    const ChannelSums& sums(size_t slot) const { return sums_[slot]; }
    void end() { session_.reset(); }  // no more samples: only the statistics stay
    bool ran(size_t body) const { return ran_[body]; }

   private:
    void observe(std::string_view key, const Tensor& tensor) {
        key_.assign(key);
        const auto found = slots_.by_key.find(key_);
        if (found == slots_.by_key.end()) return;
        const Slot& slot = slots_.slots[found->second];
        ran_[slot.body] = true;
        if (!slot.floating || !is_float(tensor.dtype)) return;
        if (slot.clipped) {
            sum(found->second, tensor.view<float>(), tensor.dims);
            return follow(found->second, *slot.clipped);
        }
        at_place([&] { return fmt::format("value \"{}\"", escape(slot.key)); },
                 [&] {
                     if (tensor.dtype == DType::f32 && !slot.mask) return add(found->second, tensor.view<float>(), tensor.dims);
                     std::vector<float> values = to_floats(tensor);
                     if (slot.mask)
                         std::replace(values.begin(), values.end(), -std::numeric_limits<float>::infinity(),
                                      std::numeric_limits<float>::lowest());
                     add(found->second, values, tensor.dims);
                 });
    }
    // What its source was in this run so far, limited: the two are seen equally often.
    void follow(size_t slot, const Clipped& clipped) {
        for (std::vector<Extremes>& row : run_)
            if (const Extremes& source = row[clipped.source]; source.seen()) row[slot].add(source.clipped(clipped.bounds));
    }
    void add(size_t slot, std::span<const float> values, const Dims& dims) {
        each_row(rows_, values, dims, [&](uint64_t row, std::span<const float> own, const Dims& own_dims) {
            run_[row][slot].add(statistics_[slot].add(own, own_dims));
        });
        sum(slot, values, dims);
    }
    void sum(size_t slot, std::span<const float> values, const Dims& dims) {
        each_row(rows_, values, dims, [&](uint64_t, std::span<const float> own, const Dims& own_dims) { sums_[slot].add(own, own_dims); });
    }

    const Slots& slots_;
    std::optional<Session> session_;
    std::vector<ValueStatistics> statistics_;
    std::vector<ChannelSums> sums_;           // of each slot by itself, also of those that follow others
    std::vector<std::vector<Extremes>> run_;  // by row, by slot
    Rows rows_;
    std::vector<bool> ran_;
    std::string key_;
};

class Collector : public Collection, public Recorder {
   public:
    Collector(const Graph& graph, const std::string& lineage, const SampleFeed& feed, const CollectOptions& options)
        : feed_(feed),
          options_(options),
          slots_(graph, options.per_channel, options.masks),
          log_(slots_.slots.size()),
          left_out_(slots_.slots.size()),
          serial_(1),
          pool_(options.threads) {
        const auto program = Program::compile(graph, {.mode = Mode::floating, .observable = true});
        bool any_batch = false;
        for (uint64_t i = 0; i < feed.count; ++i) {
            const Rows rows = rows_of(feed, i);
            any_batch |= rows.batch > 1;
            number(feed.index(i), rows.count);
        }
        // What is done sample by sample has all threads for its kernels.
        const bool alone = feed.feedback.any() || feed.count <= 1;
        for (int i = 0; i < (alone ? 1 : options.threads); ++i) {
            lanes_.push_back(std::make_unique<Lane>(program, alone ? pool_ : serial_, slots_, options.histogram, any_batch));
            free_.put(lanes_.back().get());
        }
        start_.lineage = lineage;
        for (const std::string& body : slots_.bodies)
            if (!body.empty()) start_.unvisited.push_back(body);
    }

    void run(const std::function<void(uint64_t)>& step) {
        resume(step);
        before_ = extremes();
        auto saved = Clock::now();
        while (done_ < feed_.count && stable_ < windows_to_stop) {
            const uint64_t count = samples_of_window();
            if (lanes_.size() > 1) pool_.run(count, [&](size_t i) { measure(done_ + i); });
            for (uint64_t i = 0; lanes_.size() == 1 && i < count; ++i) measure(done_ + i);
            done_ += count;
            step(count);
            const bool whole = done_ < feed_.count || rows_done() % window == 0;
            if (options_.until_converged && whole) check_convergence();
            const bool due = std::chrono::duration<double>(Clock::now() - saved).count() >= options_.checkpoint_seconds;
            if (options_.checkpoint.empty() || !due || !whole) continue;
            save();
            saved = Clock::now();
        }
        for (const auto& lane : lanes_) lane->end();
        head_ = head_now();
    }

    std::vector<Tensor> run(const std::vector<Tensor>& inputs) override {
        std::vector<Tensor> outputs = lanes_.front()->run(inputs, 0);
        number(done_, 1);
        log(done_++, lanes_.front()->extremes()[0]);
        return outputs;
    }
    uint64_t samples() const override { return done_; }
    Ranges ranges(bool all_runs) const override {
        Ranges all = head_now();
        each_value([&](const std::string& key, ValueRange value) {
            if (!all_runs) value.leave_out_runs();
            if (value.count > 0) all.values.emplace(key, std::move(value));
        });
        return all;
    }

    const Ranges& head() const override { return head_; }
    void write(const TextSink& sink) const override {
        write_ranges(
            head_now(), [&](const RangeVisitor& visit) { each_value(visit); }, sink);
    }
    bool converged() const override { return done_ < feed_.count; }

   private:
    using Clock = std::chrono::steady_clock;

    void number(uint64_t first, uint64_t rows) {
        for (uint64_t row = 0; row < rows; ++row) numbers_.push_back(first + row);
        ends_.push_back(numbers_.size());
    }
    bool keeps(uint64_t row) const { return keeps_run(numbers_[row], options_.all_runs); }
    // Any thread.
    void log(uint64_t row, std::span<const Extremes> extremes) {
        if (keeps(row)) return log_.put(row, extremes);
        const std::scoped_lock lock(mutex_);
        for (size_t s = 0; s < extremes.size(); ++s) left_out_[s] += extremes[s].seen() ? 1 : 0;
    }
    uint64_t rows_before(uint64_t i) const { return i == 0 ? 0 : ends_[i - 1]; }
    uint64_t rows_done() const { return rows_before(done_); }
    // Samples up to the next whole window of rows: a batch that reaches over its end belongs to it.
    uint64_t samples_of_window() const {
        const uint64_t end = (rows_done() / window + 1) * window;
        uint64_t count = 1;
        while (done_ + count < feed_.count && rows_before(done_ + count) < end) ++count;
        return count;
    }

    void measure(uint64_t i) {
        const FreeList<Lane>::Loan lane(free_);
        std::vector<Tensor> sample = feed_.sample(i);
        at_place(feed_.place(i), [&] {
            feed_.feedback.enter(sample);
            const std::vector<Tensor> outputs = lane->run(sample, feed_.index(i), rows_of(feed_, i));
            feed_.feedback.leave(outputs);
            for (uint64_t row = rows_before(i); const auto& extremes : lane->extremes()) log(row++, extremes);
        });
    }

    std::vector<Extremes> extremes() const {
        std::vector<Extremes> all(slots_.slots.size());
        for (size_t s = 0; s < all.size(); ++s) {
            const auto& clipped = slots_.slots[s].clipped;
            for (const auto& lane : lanes_) {
                const Extremes& seen = lane->statistics(s).extremes();
                all[s].add(clipped && seen.seen() ? seen.clipped(clipped->bounds) : seen);
            }
            const auto found = start_.values.find(slots_.slots[s].key);
            if (found != start_.values.end()) all[s].add({found->second.min, found->second.max});
        }
        return all;
    }

    void check_convergence() {
        std::vector<Extremes> now = extremes();
        bool moved = false;
        for (size_t s = 0; s < now.size() && !moved; ++s) {
            const Extremes &a = before_[s], &b = now[s];
            if (!b.seen()) continue;
            const double grown = (static_cast<double>(b.max) - b.min) - (a.seen() ? static_cast<double>(a.max) - a.min : -1.0);
            moved = !a.seen() || grown > options_.tolerance * (static_cast<double>(b.max) - b.min);
        }
        stable_ = moved ? 0 : stable_ + 1;
        before_ = std::move(now);
    }

    Ranges head_now() const {
        Ranges head;
        head.lineage = start_.lineage;
        head.samples = rows_done();
        for (uint64_t row = 0; row < rows_done(); ++row)
            if (!keeps(row)) head.add_without_runs(numbers_[row], numbers_[row] + 1);
        for (const std::string& body : start_.unvisited) {
            const auto b = static_cast<size_t>(std::find(slots_.bodies.begin(), slots_.bodies.end(), body) - slots_.bodies.begin());
            if (std::none_of(lanes_.begin(), lanes_.end(), [&](const auto& lane) { return lane->ran(b); })) head.unvisited.push_back(body);
        }
        return head;
    }

    // One value at a time: together they may be large.
    void each_value(const RangeVisitor& visit) const {
        for (const auto& [key, slot] : std::map<std::string, size_t>(slots_.by_key.begin(), slots_.by_key.end())) {
            ValueRange value;
            if (const auto before = start_.values.find(key); before != start_.values.end()) value = before->second;
            ValueRange own;
            for (const auto& lane : lanes_) lane->statistics(slot).add_to(own);
            if (const auto& clipped = slots_.slots[slot].clipped; clipped && own.count > 0) clip(own, clipped->bounds);
            if (own.axis >= 0) own.channel_sum = sums_of(slot);
            own.runs_left_out = left_out_[slot];
            value.merge(std::move(own));
            if (value.count > 0) value.runs = kept_runs(slot);
            visit(key, value);
        }
    }

    std::vector<ExactSum> sums_of(size_t slot) const {
        ChannelSums all;
        for (const auto& lane : lanes_) all.merge(lane->sums(slot));
        return all.sums();
    }

    RunExtremes kept_runs(size_t slot) const {
        RunExtremes runs;
        for (uint64_t row = 0; row < rows_done(); ++row)
            if (keeps(row))
                if (const Extremes e = log_.get(slot, row); e.seen()) runs.emplace(numbers_[row], std::pair(e.min, e.max));
        return runs;
    }

    void save() const {
        OutputFile file(options_.checkpoint);
        file.write(fmt::format("{{\"done\":{},\n\"kind\":\"ranges-checkpoint\",\n\"ranges\":", done_));
        write([&](std::string_view text) { file.write(text); });
        file.write(fmt::format(",\n\"settings\":{},\n\"stable\":{},\n\"state\":", json_text(settings()), stable_));
        file.write(feed_.feedback.json() + ",\n\"version\":1}\n");
        file.commit();
    }

    std::string settings() const {
        return fmt::format("{} {} {} {} {} {}{}", feed_.digest, fmt::join(feed_.feedback.loops, " "), options_.histogram,
                           options_.per_channel, options_.until_converged, options_.tolerance, options_.all_runs ? " all runs" : "");
    }

    void resume(const std::function<void(uint64_t)>& step) {
        if (options_.checkpoint.empty() || !file_exists(options_.checkpoint)) return;
        at_place(options_.checkpoint, [&] {
            const Bytes bytes = map_input(options_.checkpoint);
            const Json document = parse_json(bytes.text());
            const JsonView json(document);
            json.check_kind("ranges-checkpoint", 1);
            if (json["settings"].text() != settings()) throw bad_input("is a checkpoint of other samples or settings");
            Ranges ranges = read_ranges(json["ranges"]);
            if (ranges.lineage != start_.lineage) throw bad_input("is a checkpoint of another model");
            done_ = json["done"].natural();
            if (done_ > feed_.count || rows_done() != ranges.samples) throw bad_input("claims {} samples", done_);
            stable_ = static_cast<int>(std::min<uint64_t>(json["stable"].natural(), windows_to_stop));
            feed_.feedback.read(json["state"]);
            restore_runs(ranges);
            start_ = std::move(ranges);
            step(done_);
        });
    }

    void restore_runs(Ranges& ranges) {
        for (const auto& [key, value] : ranges.values)
            if (!slots_.by_key.contains(key)) throw bad_input("value \"{}\" is not in the model", escape(key));
        for (uint64_t i = 0; i < rows_done(); ++i) {
            if (!keeps(i)) continue;
            std::vector<Extremes> row(slots_.slots.size());
            for (const auto& [key, value] : ranges.values) {
                const auto found = value.runs.find(numbers_[i]);
                if (found != value.runs.end()) row[slots_.by_key.at(key)] = {found->second.first, found->second.second};
            }
            log_.put(i, row);
        }
        for (auto& [key, value] : ranges.values) value.runs.clear();
    }

    SampleFeed feed_;
    CollectOptions options_;
    Slots slots_;
    RunLog log_;
    std::mutex mutex_;
    std::vector<uint64_t> left_out_;  // runs that saw each value and are not in the log
    ThreadPool serial_, pool_;
    std::vector<std::unique_ptr<Lane>> lanes_;
    FreeList<Lane> free_;
    Ranges start_, head_;                   // what a checkpoint brought; what was run
    uint64_t done_ = 0;                     // samples
    std::vector<uint64_t> numbers_, ends_;  // of each row its number in the whole list; rows up to the end of each sample
    int stable_ = 0;
    std::vector<Extremes> before_;
};

}  // namespace

// The graph as it will be quantized.
static Graph observed(const Graph& graph) {
    Graph own = graph;
    run_pipeline(own, pipelines::observed);
    return with_cells(own);
}

std::unique_ptr<Collection> collect_ranges(const Graph& graph, const std::string& lineage, const SampleFeed& feed,
                                           const CollectOptions& options, const std::function<void(uint64_t)>& step) {
    auto collector = std::make_unique<Collector>(with_norm_parts(observed(graph)), lineage, feed, options);
    collector->run(step);
    return collector;
}

std::unique_ptr<Recorder> make_recorder(const Graph& graph, const std::string& lineage, const CollectOptions& options) {
    CollectOptions alone = options;
    alone.threads = 1;
    alone.until_converged = false;
    alone.checkpoint.clear();
    SampleFeed feed;
    feed.index = [](uint64_t i) { return i; };
    return std::make_unique<Collector>(with_norm_parts(observed(graph)), lineage, feed, alone);
}

}  // namespace quern
