#include "libcore/quant/algorithms/layer_runs.h"

#include "libcore/base/loan.h"
#include "libcore/quant/plan/statistics.h"

namespace quern {

// A session whose observer keeps what the layer reads, and takes both down when it gives its results.
struct LayerRuns::Lane {
    Lane(const std::shared_ptr<const Program>& program, ThreadPool& pool, const std::string& input, const std::string& output)
        : session(program, pool) {
        session.set_observer([this, input, output](std::string_view key, const Tensor& tensor) {
            if (key == input) read = Tensor::make<float>(tensor.dims, to_floats(tensor));
            if (key == output) meetings.push_back({read, Tensor::make<float>(tensor.dims, to_floats(tensor))});
        });
    }
    Session session;
    Tensor read;
    Meetings meetings;
};

LayerRuns::LayerRuns(const Graph& root, Mode mode, const SampleFeed& feed, ThreadPool& pool, Between between)
    : root_(root), mode_(mode), feed_(feed), pool_(pool), serial_(1), values_(root, mode, feed, pool, between) {}

LayerRuns::~LayerRuns() = default;

Meetings LayerRuns::observed(uint64_t sample, Lane& lane) const {
    const std::vector<Tensor> inputs = feed_.sample(sample);
    lane.meetings.clear();
    at_place([&] { return feed_.place(sample); }, [&] { lane.session.run(inputs); });
    return std::move(lane.meetings);
}

void LayerRuns::run(const Graph& part, const Layer& layer, bool results, const std::vector<uint64_t>& samples,
                    const std::function<void(size_t, const Meetings&)>& see, const std::function<void(size_t, size_t)>& done) {
    if (&root_ == &part) {
        std::vector<ValueId> wanted{layer.input};
        if (results) wanted.push_back(layer.output);
        const auto met = [&](size_t i, const std::vector<Tensor>& tensors) { see(i, {{tensors[0], results ? tensors[1] : Tensor()}}); };
        return values_.run(wanted, samples, met, done);
    }
    Statistics names(nullptr);
    names.name_values(root_, "");
    const auto program = Program::compile(root_, {.mode = mode_, .observable = true});
    std::vector<std::unique_ptr<Lane>> lanes;
    FreeList<Lane> free;
    for (int i = 0; i < pool_.size(); ++i) {
        lanes.push_back(std::make_unique<Lane>(program, serial_, names.key(part, layer.input), names.key(part, layer.output)));
        free.put(lanes.back().get());
    }
    in_windows(
        pool_, samples.size(),
        [&](size_t i) {
            const FreeList<Lane>::Loan lane(free);
            see(i, observed(samples[i], *lane.operator->()));
        },
        done);
}

}  // namespace quern
