#include "libcore/text/token_feed.h"

#include <algorithm>

#include "libcore/base/digest.h"
#include "libcore/text/language_model.h"

namespace quern {
namespace {

// Positions of caches of fixed size; INT64_MAX: they grow.
int64_t places_of_caches(const Graph& graph) {
    int64_t min = positions_of_tables(graph);
    for (const Tensor& cache : empty_caches(graph))
        if (cache.dims[2] > 0) min = std::min(min, cache.dims[2]);
    return min;
}

void need_language_model(const Graph& graph) {
    if (const std::string why = language_model_obstacle(graph); !why.empty()) throw bad_input("is not a language model: {}", why);
}

}  // namespace

int64_t usual_window(const Graph& graph) {
    need_language_model(graph);
    const int64_t at_once = std::max<int64_t>(tokens_at_once(graph), 1);
    const int64_t max = std::min(default_window, places_of_caches(graph));
    return std::max<int64_t>(max / at_once, 1) * at_once;
}

SampleFeed token_feed(const Graph& graph, const TokenWindows& windows, int64_t count, const std::string& place) {
    need_language_model(graph);
    const int64_t length = windows.length(), piece = tokens_at_once(graph) > 0 ? tokens_at_once(graph) : length;
    if (length % piece != 0)
        throw usage_error("windows of {} tokens are not whole runs of the model, which reads {} at once", length, piece);
    if (const int64_t max = places_of_caches(graph); length > max)
        throw usage_error("windows of {} tokens are more than the {} positions of the model", length, max);
    const auto pieces = static_cast<uint64_t>(length / piece);
    SampleFeed feed;
    feed.count = static_cast<uint64_t>(count) * pieces;
    const std::vector<Tensor> empty = empty_caches(graph);
    const auto loops = cache_loops(graph);
    if (tokens_at_once(graph) > 0) feed.feedback = {loops, empty};
    feed.sample = [&graph, &windows, piece, pieces, empty, loops](uint64_t i) {
        const std::vector<int32_t> tokens = windows.fed(static_cast<int64_t>(i / pieces));
        const auto begin = static_cast<int64_t>(i % pieces) * piece;
        std::vector<Tensor> inputs =
            token_inputs(graph, std::span(tokens).subspan(static_cast<size_t>(begin), static_cast<size_t>(piece)), begin, piece);
        for (size_t k = 0; k < loops.size(); ++k) inputs[loops[k].first] = empty[k];
        return inputs;
    };
    feed.place = [place, pieces](uint64_t i) { return fmt::format("{}: window {}", place, i / pieces); };
    feed.index = [](uint64_t i) { return i; };
    const auto& tokens = windows.tokens();
    feed.digest = fmt::format("{} {} {}", Digest().update(tokens.data(), tokens.size() * sizeof(tokens[0])).hex(), length, count);
    return feed;
}

}  // namespace quern
