#include "tests/random/reduce.h"

#include <algorithm>
#include <set>

#include "formats/text/text.h"
#include "libcore/base/text.h"
#include "libcore/exec/meaning.h"
#include "libcore/exec/session.h"

namespace quern::random_graphs {
namespace {

// Nodes whose results nobody reads, inputs that nobody reads.
void drop_unused(RandomGraph& drawn) {
    Graph& graph = drawn.graph;
    const auto unused = [&](ValueId id) { return id == ValueId::none || graph.uses(id).empty(); };
    for (bool changed = true; changed;) {
        changed = false;
        for (const NodeId id : std::vector<NodeId>(graph.order())) {
            if (!std::ranges::all_of(graph.node(id).out, unused)) continue;
            graph.erase(id);
            changed = true;
        }
    }
    for (size_t i = graph.inputs.size(); i-- > 0;)
        if (unused(graph.inputs[i])) {
            graph.inputs.erase(graph.inputs.begin() + static_cast<int64_t>(i));
            drawn.sample.erase(drawn.sample.begin() + static_cast<int64_t>(i));
        }
    for (size_t i = 0; i < graph.value_count(); ++i) {
        const auto id = static_cast<ValueId>(i);
        const Value& value = graph.value(id);
        if (!value.erased && value.producer == NodeId::none && !graph.is_input(id) && unused(id)) graph.erase(id);
    }
}

// What a value is in a run of the reference.
std::map<std::string, Tensor> values_of(const RandomGraph& drawn) {
    std::map<std::string, Tensor> found;
    ThreadPool pool(1);
    Session session(Program::compile(drawn.graph, {.mode = own_mode(drawn.graph), .reference = true, .observable = true}), pool);
    session.set_observer([&](std::string_view key, const Tensor& tensor) {
        found[std::string(key)] = {tensor.dtype, tensor.dims, Bytes::copy_of(std::span(tensor.data.data(), tensor.data.size()))};
    });
    session.run(drawn.sample);
    return found;
}

// Every other element away from the end: the first `length` of `axis`.
Tensor cut(const Tensor& tensor, size_t axis, int64_t length) {
    Dims dims = tensor.dims;
    const int64_t inner = count_of(std::span(dims).subspan(axis + 1)), was = dims[axis];
    dims[axis] = length;
    const auto items = to_doubles(tensor);
    std::vector<double> kept;
    for (size_t i = 0; i < items.size(); ++i)
        if (static_cast<int64_t>(i) / inner % was < length) kept.push_back(items[i]);
    return from_doubles(tensor.dtype, dims, kept);
}

class Reducer {
   public:
    Reducer(RandomGraph drawn, const Fails& fails, size_t most) : best_(std::move(drawn)), fails_(fails), left_(most) {}

    RandomGraph run() {
        for (bool changed = true; changed && left_ > 0;) {
            changed = keep_one_output();
            changed |= each_node(&Reducer::end_here);
            changed |= each_node(&Reducer::begin_behind);
            changed |= each_node(&Reducer::leave_out);
            changed |= each_node(&Reducer::drop_operands);
            changed |= shorten_dims();
            changed |= each_node(&Reducer::drop_attributes);
            changed |= simplify_values();
        }
        return std::move(best_);
    }

   private:
    // Is it a graph, and does it fail? Then it is the best one.
    bool take(RandomGraph candidate) {
        if (left_ == 0) return false;
        --left_;
        try {
            drop_unused(candidate);
            if (candidate.graph.order().empty()) return false;
            infer_types(candidate.graph);
            verify(candidate.graph);
            if (!fails_(candidate)) return false;
        } catch (const std::exception&) {
            return false;
        }
        best_ = std::move(candidate);
        return true;
    }

    bool each_node(bool (Reducer::*step)(NodeId)) {
        bool changed = false;
        for (const NodeId id : std::vector<NodeId>(best_.graph.order()))
            if (!best_.graph.node(id).erased) changed |= (this->*step)(id);
        return changed;
    }

    bool keep_one_output() {
        bool changed = false;
        for (size_t i = 0; i < best_.graph.outputs.size() && best_.graph.outputs.size() > 1;) {
            RandomGraph candidate = best_;
            candidate.graph.outputs.erase(candidate.graph.outputs.begin() + static_cast<int64_t>(i));
            if (take(std::move(candidate)))
                changed = true;
            else
                ++i;
        }
        return changed;
    }

    bool end_here(NodeId id) {
        RandomGraph candidate = best_;
        const std::vector<ValueId> out = candidate.graph.node(id).out;
        if (std::ranges::all_of(out, [&](ValueId value) { return candidate.graph.is_output(value); })) return false;
        candidate.graph.outputs = {out[0]};
        return take(std::move(candidate));
    }

    bool begin_behind(NodeId id) {
        auto candidate = without(best_, id);
        return candidate && take(std::move(*candidate));
    }

    // An operand stands for its result.
    bool leave_out(NodeId id) {
        for (size_t i = 0; i < best_.graph.node(id).in.size(); ++i) {
            RandomGraph candidate = best_;
            Graph& graph = candidate.graph;
            const ValueId from = graph.node(id).out[0], to = graph.node(id).in[i];
            if (to == ValueId::none || graph.value(to).type != graph.value(from).type || graph.is_output(from)) continue;
            graph.replace_uses(from, to);
            if (take(std::move(candidate))) return true;
        }
        return false;
    }

    bool drop_operands(NodeId id) {
        bool changed = false;
        for (size_t i = best_.graph.node(id).in.size(); i-- > best_.graph.node(id).op->in.min;) {
            if (best_.graph.node(id).in[i] == ValueId::none) continue;
            RandomGraph candidate = best_;
            Node& node = candidate.graph.node(id);
            node.in[i] = ValueId::none;
            while (!node.in.empty() && node.in.back() == ValueId::none) node.in.pop_back();
            changed |= take(std::move(candidate));
            if (best_.graph.node(id).in.size() < i) i = best_.graph.node(id).in.size();
        }
        return changed;
    }

    bool drop_attributes(NodeId id) {
        bool changed = false;
        for (const auto& [name, value] : Attrs(best_.graph.node(id).attrs)) {
            RandomGraph candidate = best_;
            candidate.graph.node(id).attrs.erase(name);
            changed |= take(std::move(candidate));
        }
        return changed;
    }

    std::set<int64_t> lengths() const {
        std::set<int64_t> found;
        for (size_t i = 0; i < best_.graph.value_count(); ++i)
            for (const Dim& dim : best_.graph.value(static_cast<ValueId>(i)).type.shape.dims)
                if (dim.value > 1) found.insert(dim.value);
        return found;
    }

    // Every dim of that length, and numbers that name it; or those of one value alone.
    bool shorten_dims() {
        bool changed = false;
        const auto all = lengths();
        for (auto length = all.rbegin(); length != all.rend(); ++length)
            for (const int64_t shorter : {int64_t{1}, int64_t{2}, *length / 2, *length - 1}) {
                if (shorter < 1 || shorter >= *length) continue;
                if (take(with_length(*length, shorter, ValueId::none))) {
                    changed = true;
                    break;
                }
            }
        for (size_t i = 0; i < best_.graph.value_count(); ++i)
            for (const int64_t shorter : {1, 2, 3})
                for (const int64_t length : lengths())
                    if (const Value& value = best_.graph.value(static_cast<ValueId>(i));
                        shorter < length && !value.erased && value.producer == NodeId::none && has_length(value.type, length))
                        changed |= take(with_length(length, shorter, static_cast<ValueId>(i)));
        return changed;
    }

    static bool has_length(const Type& type, int64_t length) {
        return std::ranges::any_of(type.shape.dims, [&](const Dim& dim) { return dim.value == length; });
    }

    RandomGraph with_length(int64_t length, int64_t shorter, ValueId only) const {
        RandomGraph made = best_;
        Graph& graph = made.graph;
        for (size_t i = 0; i < graph.value_count(); ++i) {
            Value& value = graph.value(static_cast<ValueId>(i));
            if (value.erased) continue;
            if (value.producer != NodeId::none)
                value.type = Type::tensor(value.type.dtype);
            else if (only == ValueId::none || only == static_cast<ValueId>(i))
                shorten(made, static_cast<ValueId>(i), length, shorter);
        }
        for (const NodeId id : graph.order())
            for (auto& [name, attr] : graph.node(id).attrs)
                if (auto* number = std::get_if<int64_t>(&attr); number && *number == length && only == ValueId::none) *number = shorter;
        return made;
    }

    static void shorten(RandomGraph& made, ValueId id, int64_t length, int64_t shorter) {
        Value& value = made.graph.value(id);
        if (!value.type.shape.fixed()) return;
        const auto input = std::ranges::find(made.graph.inputs, id);
        Tensor tensor = value.constant() ? *made.graph.constant(id) : made.sample[static_cast<size_t>(input - made.graph.inputs.begin())];
        for (size_t axis = 0; axis < tensor.dims.size(); ++axis) {
            if (tensor.dims[axis] != length) continue;
            tensor = cut(tensor, axis, shorter);
            if (value.enc && value.enc->axis == static_cast<int>(axis) && value.enc->block == 0) {
                value.enc->scale = cut(value.enc->scale, 0, shorter);
                if (value.enc->zero.defined()) value.enc->zero = cut(value.enc->zero, 0, shorter);
            }
        }
        if (value.constant() && is_integer(tensor.dtype) && !value.enc && tensor.dims.size() <= 1) {
            auto items = to_ints(tensor);
            std::ranges::replace(items, length, shorter);
            tensor = from_ints(tensor.dtype, tensor.dims, items);
        }
        value.type.shape = Shape::of(tensor.dims);
        if (value.constant())
            value.data = tensor.data;
        else
            made.sample[static_cast<size_t>(input - made.graph.inputs.begin())] = tensor;
    }

    // Encodings away, constants of one number.
    bool simplify_values() {
        bool changed = false;
        for (size_t i = 0; i < best_.graph.value_count(); ++i) {
            const auto id = static_cast<ValueId>(i);
            if (best_.graph.value(id).erased) continue;
            if (best_.graph.value(id).enc && !best_.graph.value(id).constant()) {
                RandomGraph candidate = best_;
                candidate.graph.value(id).enc.reset();
                changed |= take(std::move(candidate));
            }
            const auto constant = best_.graph.constant(id);
            if (!constant || constant->count() < 2) continue;
            const auto items = to_doubles(*constant);
            for (const double one : {1.0, items[0]}) {
                const Tensor plain = from_doubles(constant->dtype, constant->dims, std::vector<double>(items.size(), one));
                if (identical(plain, *constant)) break;
                RandomGraph candidate = best_;
                candidate.graph.value(id).data = plain.data;
                if (take(std::move(candidate))) {
                    changed = true;
                    break;
                }
            }
        }
        return changed;
    }

    RandomGraph best_;
    const Fails& fails_;
    size_t left_;
};

constexpr std::string_view sample_key = "sample.";

}  // namespace

std::optional<RandomGraph> without(const RandomGraph& drawn, NodeId id) {
    RandomGraph made = drawn;
    Graph& graph = made.graph;
    std::map<std::string, Tensor> values;
    try {
        values = values_of(drawn);
    } catch (const std::exception&) {
        return std::nullopt;
    }
    const std::vector<ValueId> out = graph.node(id).out;
    graph.erase(id);
    for (const ValueId value : out) {
        if (value == ValueId::none) continue;
        std::erase(graph.outputs, value);
        if (graph.uses(value).empty()) continue;
        const auto found = values.find(graph.value(value).name);
        if (found == values.end() || found->second.dtype != graph.value(value).type.dtype) return std::nullopt;
        graph.inputs.push_back(value);
        graph.value(value).type.shape = Shape::of(found->second.dims);
        made.sample.push_back(found->second);
    }
    drop_unused(made);
    if (graph.outputs.empty() || graph.order().empty()) return std::nullopt;
    return made;
}

RandomGraph reduced(RandomGraph drawn, const Fails& fails, size_t most) { return Reducer(std::move(drawn), fails, most).run(); }

std::string text_with_sample(const RandomGraph& drawn) {
    Model model;
    model.graph = drawn.graph;
    for (size_t i = 0; i < drawn.sample.size(); ++i) {
        std::vector<std::string> words;
        for (const double item : to_doubles(drawn.sample[i])) words.push_back(shortest(item));
        model.graph.metadata[std::string(sample_key) + drawn.graph.value(drawn.graph.inputs[i]).name] = join(words, " ");
    }
    std::string text;
    print_text(model, {}, [&](std::string_view part) { text += part; });
    return text;
}

RandomGraph from_text(std::string_view text) {
    RandomGraph drawn{parse_text(text).graph, {}};
    infer_types(drawn.graph);
    verify(drawn.graph);
    for (const ValueId id : drawn.graph.inputs) {
        const Value& value = drawn.graph.value(id);
        const auto dims = value.type.shape.concrete();
        const auto words = drawn.graph.metadata.find(std::string(sample_key) + value.name);
        if (!dims || words == drawn.graph.metadata.end()) throw bad_input("input \"{}\" has no sample", value.name);
        std::vector<double> items;
        for (const std::string& word : split(words->second, ' ')) items.push_back(parse_double(word).value());
        drawn.sample.push_back(from_doubles(value.type.dtype, *dims, items));
    }
    std::erase_if(drawn.graph.metadata, [](const auto& entry) { return entry.first.starts_with(sample_key); });
    return drawn;
}

}  // namespace quern::random_graphs
