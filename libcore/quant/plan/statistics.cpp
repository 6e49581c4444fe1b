#include "libcore/quant/plan/statistics.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"
#include "libcore/quant/plan/recurrent.h"

namespace quern {
namespace {

ValueRange range_of_constant(const Tensor& tensor) {
    ValueRange range;
    const auto numbers = to_floats(tensor);
    range.count = numbers.size();
    for (const float x : numbers) {
        if (!std::isfinite(x)) throw bad_input("holds NaN or infinity");
        range.min = std::min(range.min, x);
        range.max = std::max(range.max, x);
        ++range.histogram.bins[Histogram::bin_of(x)];
    }
    return range;
}

}  // namespace

FoundGrid find_grid(const ValueRange& value, const GridSpec& spec, const SearchOptions& search) {
    FoundGrid found;
    found.observed = {value.min, value.max};
    found.range = search_range(value, spec, search);
    found.grid = grid_of(found.range, spec);
    measure(found, value, spec, search);
    return found;
}

void measure(FoundGrid& found, const ValueRange& value, const GridSpec& spec, const SearchOptions& search) {
    found.known = !value.histogram.bins.empty();
    if (!found.known) return;
    const auto masses = masses_of(value, measured_masses);
    found.error = grid_error(masses, found.grid, spec);
    if (!search.optimum || is_float(spec.storage)) return;
    const RealRange range = search_optimal(value, spec);
    const GridError least = grid_error(masses, grid_of(range, spec), spec);
    found.optimum = found.error.noise() > least.noise() ? Optimum{range, least.sqnr_db()} : Optimum{found.range, found.error.sqnr_db()};
}

void Statistics::name_values(const Graph& graph, const std::string& path) {
    auto& keys = keys_[&graph];
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        if (!graph.value(id).erased) keys.emplace(id, path + graph.value(id).name);
    }
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        for (size_t b = 0; b < node.bodies.size(); ++b) {
            for (const Graph::Capture& capture : node.bodies[b].captures) keys_[&node.bodies[b]][capture.inner] = keys.at(capture.outer);
            name_values(node.bodies[b], path + node.name + "/" + node.body_names[b] + "/");
        }
    }
}

// Scores with -10000 added are somewhat less, beside others of some tens.
constexpr float mask_size = 5e3f, mask_gap = 300;

bool Statistics::mask(const Graph& graph, ValueId id) const {
    if (!has(graph, id)) return false;
    std::vector<float> sizes;  // of what is counted, in ascending order
    if (const auto constant = graph.constant(id); constant && !graph.value(id).enc) {
        sizes = to_floats(*constant);
        for (float& x : sizes) x = std::abs(x);
        std::sort(sizes.begin(), sizes.end());
        if (!sizes.empty() && std::isinf(sizes.back())) return true;
    } else if (!constant) {
        const ValueRange& seen = ranges_->values.at(key(graph, id));
        if (std::max(-seen.min, seen.max) < mask_size) return false;
        if (seen.min == std::numeric_limits<float>::lowest()) return true;  // minus infinity, as minmax-collect writes it
        for (const auto& [bin, count] : seen.histogram.bins) sizes.push_back(std::abs(Histogram::edges(bin).first));
        std::sort(sizes.begin(), sizes.end());
    }
    if (sizes.empty() || sizes.back() < mask_size) return false;
    for (size_t i = 0; i + 1 < sizes.size(); ++i)
        if (sizes[i + 1] >= mask_size && sizes[i + 1] > mask_gap * sizes[i]) return true;
    return false;
}

const std::string& Statistics::key(const Graph& graph, ValueId id) const { return keys_.at(&graph).at(id); }

bool Statistics::has(const Graph& graph, ValueId id) const {
    if (graph.value(id).constant()) return true;
    if (!ranges_) return false;
    const auto found = ranges_->values.find(key(graph, id));
    return found != ranges_->values.end() && found->second.count > 0;
}

const ValueRange* Statistics::seen(const std::string& key) const {
    if (!ranges_) return nullptr;
    const auto found = ranges_->values.find(key);
    return found == ranges_->values.end() || found->second.count == 0 ? nullptr : &found->second;
}

ValueRange Statistics::of(const Graph& graph, ValueId id) const {
    const std::string& name = key(graph, id);
    if (const auto constant = graph.constant(id)) {
        const auto& encoding = graph.value(id).enc;
        return at_place([&] { return fmt::format("value \"{}\"", escape(name)); },
                        [&] { return range_of_constant(encoding ? dequantize(*constant, *encoding) : *constant); });
    }
    if (!ranges_)
        throw bad_input("value \"{}\" needs a range", escape(name))
            .with_hint("give --ranges, or a model with embedded ranges (minmax-collect --embed)");
    const auto found = ranges_->values.find(name);
    if (found != ranges_->values.end() && found->second.count > 0) return found->second;
    for (const std::string& body : ranges_->unvisited)
        if (name.starts_with(body + "/"))
            throw bad_input("value \"{}\" was not observed: no sample ran body \"{}\"", escape(name), escape(body))
                .with_hint(
                    fmt::format("calibrate with samples that run it, or exclude it by --rules with {{\"kind\":\"rules\",\"version\":1,"
                                "\"module_names\":{{\"{}\":\"none\"}}}}",
                                body));
    throw bad_input("value \"{}\" was not observed", escape(name)).with_hint("collect ranges on this very model, after model-convert");
}

FoundGrid Statistics::grid(const Graph& graph, ValueId id, const GridSpec& spec, const SearchOptions& search) const {
    const Key wanted{key(graph, id), spec.storage,          spec.qmin, spec.qmax, spec.min_scale, spec.half_away, search.method,
                     search.by_runs, search.averaging_batch};
    {
        const std::scoped_lock lock(mutex_);
        if (const auto found = found_.find(wanted); found != found_.end()) return found->second;
    }
    const ValueRange range = of(graph, id);
    SearchOptions suited = search;
    if (graph.value(id).constant() && search.method->by_runs) suited.method = &whole_range();  // it is the same in every run
    const FoundGrid found =
        at_place([&] { return fmt::format("value \"{}\"", escape(key(graph, id))); }, [&] { return find_grid(range, spec, suited); });
    const std::scoped_lock lock(mutex_);
    return found_.emplace(wanted, found).first->second;
}

const ValueRange* Statistics::cells(const Graph& graph, const Node& lstm) const {
    const ValueId result = first_result(lstm);
    return result == ValueId::none ? nullptr : seen(cell_key(key(graph, result)));
}

}  // namespace quern
