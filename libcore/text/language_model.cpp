#include "libcore/text/language_model.h"

#include <algorithm>
#include <array>
#include <functional>
#include <numeric>

#include "libcore/base/memory_limit.h"
#include "libcore/graph/edit.h"
#include "libcore/graph/op_ids.h"
#include "libcore/passes/passes.h"
#include "libcore/passes/static_cache.h"

namespace quern {
namespace {

constexpr std::string_view ids_name = "input_ids", positions_name = "position_ids", mask_name = "attention_mask", logits_name = "logits";
constexpr std::string_view past_prefix = "past_key_values.";
constexpr size_t angles = 7;  // which operand of GroupQueryAttention is a table of angles

bool is_cache(std::string_view name) { return name.starts_with(past_prefix); }
std::string present_of(std::string_view past) { return "present." + std::string(past.substr(past_prefix.size())); }

std::optional<size_t> output_named(const Graph& graph, std::string_view name) {
    for (size_t i = 0; i < graph.outputs.size(); ++i)
        if (graph.value(graph.outputs[i]).name == name) return i;
    return std::nullopt;
}

const Type* input_type(const Graph& graph, std::string_view name) {
    const ValueId id = graph.find(name);
    return id != ValueId::none && graph.is_input(id) ? &graph.value(id).type : nullptr;
}

// The product that makes the logits, behind scales and caps; none if they are made otherwise.
NodeId head_of(const Graph& graph) {
    NodeId head = graph.value(graph.outputs[*output_named(graph, logits_name)]).producer;
    while (head != NodeId::none && !graph.node(head).is(ops::MatMul, ops::microsoft::MatMulNBits)) {
        const Node& node = graph.node(head);
        if (!node.is(ops::Mul, ops::Div, ops::Tanh, ops::Add)) return NodeId::none;
        head = graph.value(node.in[0]).producer;
    }
    return head;
}

// The logits of the last token only: their product sees one line.
void keep_last_line(Graph& graph) {
    const NodeId head = head_of(graph);
    if (head == NodeId::none || graph.value(graph.node(head).in[0]).type.shape.rank() != 3) return;
    const ValueId last = graph.add_value(graph.unique_name("last_token"), Type::tensor(DType::f32));
    const auto one = [&](const char* name, int64_t number) {
        return graph.add_constant(name, Tensor::vector<int64_t>(std::array{number}));
    };
    graph.add_node(need_op(ops::Slice), graph.unique_node_name("last_token"),
                   {graph.node(head).in[0], one("last_token.from", -1), one("last_token.to", INT64_MAX), one("last_token.axis", 1)}, {last},
                   {}, head);
    graph.node(head).in[0] = last;
    for (NodeId id = graph.value(graph.outputs[*output_named(graph, logits_name)]).producer;;
         id = graph.value(graph.node(id).in[0]).producer) {
        graph.value(graph.node(id).out[0]).type.shape = Shape::unranked();
        if (id == head) break;
    }
    infer_types(graph);
}

Dims first_dims(const Value& cache) {
    Dims dims;
    for (const Dim& dim : cache.type.shape.dims) dims.push_back(dim.known() ? dim.value : 0);
    dims[0] = 1;
    return dims;
}

// That the caches fit, with `capacity` positions where the graph leaves their number open, and the positions, which masks are made of.
void need_state(const Graph& graph, int64_t capacity) {
    double bytes = 3 * sizeof(int64_t) * static_cast<double>(capacity);
    for (const auto& [in, present] : cache_loops(graph)) {
        Dims dims = first_dims(graph.value(graph.inputs[in]));
        if (dims[2] == 0) dims[2] = capacity;
        bytes += std::accumulate(dims.begin(), dims.end(), double{sizeof(float)}, std::multiplies<double>());
    }
    constexpr double max = 1e18;
    need_memory(static_cast<uint64_t>(std::min(bytes, max)), fmt::format("a state of {} positions", capacity));
}

Tensor zeros(const Dims& dims) {
    return {DType::f32, dims, Bytes::own(std::vector<std::byte>(static_cast<size_t>(count_of(dims)) * sizeof(float)))};
}

}  // namespace

std::string language_model_obstacle(const Graph& graph) {
    const auto has_tokens = [&](std::string_view name) {
        const Type* type = input_type(graph, name);
        return type && type->dtype == DType::i64 && type->shape.rank() == 2;
    };
    if (!has_tokens(ids_name)) return fmt::format("it has no int64 input {} [batch, sequence]", ids_name);
    if (!has_tokens(positions_name) && !has_tokens(mask_name))  // which says the same to com.microsoft.GroupQueryAttention
        return fmt::format("it has no int64 input {} [batch, sequence]", positions_name);
    if (!output_named(graph, logits_name)) return "it has no output logits";
    for (const ValueId id : graph.inputs) {
        const Value& value = graph.value(id);
        if (value.name == ids_name || value.name == positions_name || value.name == mask_name) continue;
        if (!is_cache(value.name) || value.type.dtype != DType::f32 || value.type.shape.rank() != 4 ||
            !output_named(graph, present_of(value.name)))
            return fmt::format("its input \"{}\" is neither tokens nor a cache with its output", value.name);
    }
    return {};
}

int64_t positions_of_tables(const Graph& graph) {
    int64_t min = INT64_MAX;
    for (const NodeId id : graph.order()) {
        const Node& node = graph.node(id);
        const bool turns = node.is(ops::microsoft::GroupQueryAttention) && node.in.size() > angles && node.in[angles] != ValueId::none;
        if (!turns && !(node.is(ops::Gather) && graph.value(node.in[1]).name == positions_name)) continue;
        const Shape& table = graph.value(node.in[turns ? angles : 0]).type.shape;
        if (table.rank() == 2 && table.dims[0].known()) min = std::min(min, table.dims[0].value);
    }
    return min;
}

std::vector<std::pair<size_t, size_t>> cache_loops(const Graph& graph) {
    std::vector<std::pair<size_t, size_t>> loops;
    for (size_t i = 0; i < graph.inputs.size(); ++i)
        if (const std::string& name = graph.value(graph.inputs[i]).name; is_cache(name))
            loops.emplace_back(i, *output_named(graph, present_of(name)));
    return loops;
}

std::vector<Tensor> empty_caches(const Graph& graph) {
    const auto loops = cache_loops(graph);
    std::vector<Tensor> out;
    out.reserve(loops.size());
    if (!loops.empty()) need_state(graph, first_dims(graph.value(graph.inputs[loops[0].first]))[2]);
    for (const auto& [in, present] : loops) out.push_back(zeros(first_dims(graph.value(graph.inputs[in]))));
    return out;
}

int64_t tokens_at_once(const Graph& graph) {
    const Dim& sequence = input_type(graph, ids_name)->shape.dims[1];
    return sequence.known() ? sequence.value : 0;
}

std::vector<Tensor> token_inputs(const Graph& graph, std::span<const int32_t> tokens, int64_t position, int64_t length) {
    std::vector<int64_t> ids(tokens.begin(), tokens.end()), positions(static_cast<size_t>(length));
    ids.resize(static_cast<size_t>(length));  // what fills up is read after the tokens, and written over by what follows
    std::iota(positions.begin(), positions.end(), position);
    std::vector<Tensor> inputs;
    for (const ValueId id : graph.inputs) {
        const std::string& name = graph.value(id).name;
        if (name == ids_name)
            inputs.push_back(Tensor::make<int64_t>({1, length}, ids));
        else if (name == positions_name)
            inputs.push_back(Tensor::make<int64_t>({1, length}, positions));
        else if (name == mask_name)
            inputs.push_back(
                Tensor::make<int64_t>({1, position + length}, std::vector<int64_t>(static_cast<size_t>(position + length), 1)));
        else
            inputs.emplace_back();
    }
    return inputs;
}

Graph as_language_model(Graph graph, int64_t capacity, bool all_logits) {
    if (const std::string why = language_model_obstacle(graph); !why.empty()) throw bad_input("is not a language model: {}", why);
    if (!has_growing_caches(graph)) run_passes(graph, std::array{&fuse_rotary, &fuse_attention, &drop_dead});
    if (has_growing_caches(graph)) {
        need_state(graph, capacity);
        make_static_caches(graph, capacity);
    }
    if (!all_logits && tokens_at_once(graph) <= 1) keep_last_line(graph);  // a longer run may be filled up behind its tokens
    const Dim& batch = input_type(graph, ids_name)->shape.dims[0];
    const Dim& sequence = input_type(graph, ids_name)->shape.dims[1];
    if (!batch.known()) set_input_shape(graph, fmt::format("{}=1,{}", ids_name, to_string(sequence)));
    return graph;
}

LanguageModel::LanguageModel(std::vector<Part> parts, int64_t capacity) : capacity_(capacity) {
    for (Part& part : parts) lanes_.push_back(lane_of(std::move(part)));
    std::ranges::sort(lanes_, {}, &Lane::length);
    const auto caches = [](const Lane& lane) {
        std::map<std::string, Dims> dims;
        for (const auto& [in, out] : lane.caches) {
            const Value& value = lane.part.interface.value(lane.part.interface.inputs[in]);
            dims[value.name] = first_dims(value);
        }
        return dims;
    };
    for (const Lane& lane : lanes_)
        if (caches(lane) != caches(lanes_[0])) throw bad_input("its graphs have different caches");
    for (const auto& [name, dims] : caches(lanes_[0]))
        if (dims[2] > 0) capacity_ = dims[2];
    rewind();
}

LanguageModel::Lane LanguageModel::lane_of(Part part) const {
    const Graph& graph = part.interface;
    if (const std::string why = language_model_obstacle(graph); !why.empty()) throw bad_input("is not a language model: {}", why);
    Lane lane;
    lane.length = tokens_at_once(graph);
    lane.logits = *output_named(graph, logits_name);
    lane.caches = cache_loops(graph);
    lane.part = std::move(part);
    return lane;
}

void LanguageModel::rewind() {
    position_ = 0;
    holder_ = &lanes_[0];
    const std::vector<Tensor> empty = empty_caches(holder_->part.interface);
    for (size_t i = 0; i < empty.size(); ++i) holder_->part.engine->carry(holder_->caches[i].first, holder_->caches[i].second, empty[i]);
}

// The longest that is not longer than what there is to read; else the shortest, which is filled up.
LanguageModel::Lane& LanguageModel::best_for(int64_t tokens) {
    Lane* best = &lanes_[0];
    for (Lane& lane : lanes_)
        if (lane.length <= tokens || position_ + best->length > capacity_) best = &lane;
    return *best;
}

// Caches are handed on, not copied: whoever had them lets go of them.
void LanguageModel::hand_caches_to(Lane& lane) {
    if (holder_ == &lane) return;
    for (size_t i = 0; i < lane.caches.size(); ++i) {
        const auto& [in, out] = holder_->caches[i];
        Tensor cache = holder_->part.engine->state(in).tensor;
        holder_->part.engine->carry(in, out, zeros({0, 0, 0, 0}));
        lane.part.engine->carry(lane.caches[i].first, lane.caches[i].second, std::move(cache));
    }
    holder_ = &lane;
}

void LanguageModel::run(Lane& lane, std::span<const int32_t> tokens) {
    const auto count = static_cast<int64_t>(tokens.size()), length = std::max(lane.length, count);
    const std::vector<Tensor> inputs = token_inputs(lane.part.interface, tokens, position_, length);
    const Tensor logits = lane.part.engine->run(inputs).at(lane.logits);
    if (logits.dtype != DType::f32 || logits.dims.size() != 3)
        throw bad_input("its logits are {}{}, need float32 of rank 3", name_of(logits.dtype), to_string(logits.dims));
    vocabulary_ = logits.dims[2];
    const auto all = logits.view<float>();
    const int64_t lines = logits.dims[1] == length ? count : logits.dims[1];
    logits_.insert(logits_.end(), all.begin(), all.begin() + lines * vocabulary_);
    position_ += count;
}

std::span<const float> LanguageModel::feed(std::span<const int32_t> tokens) {
    if (position_ + static_cast<int64_t>(tokens.size()) > capacity_)
        throw bad_input("{} tokens behind {} are more than the {} of the context", tokens.size(), position_, capacity_);
    logits_.clear();
    while (!tokens.empty()) {
        Lane& lane = best_for(static_cast<int64_t>(tokens.size()));
        hand_caches_to(lane);
        const size_t count = lane.length == 0 ? tokens.size() : std::min(tokens.size(), static_cast<size_t>(lane.length));
        run(lane, tokens.subspan(0, count));
        tokens = tokens.subspan(count);
    }
    return logits_;
}

}  // namespace quern
