#include "formats/tensorflow/map/bodies.h"

#include <algorithm>
#include <array>
#include <set>

#include "formats/tensorflow/map/evaluated.h"
#include "formats/tensorflow/map/lists.h"
#include "libcore/base/text.h"
#include "libcore/graph/op_ids.h"

namespace quern::tensorflow_format {
namespace {

using Kind = Bound::Kind;
using Values = std::vector<ValueId>;

constexpr int try_limit = 12;       // of bodies, until the types of what they carry hold
constexpr int depth_limit = 64;     // of bodies inside each other
constexpr size_t case_limit = 128;  // branches of one condition, an If in the other

void check_depth(const Frame& frame) {
    int depth = 0;
    for (const Frame* at = &frame; at; at = at->parent)
        if (++depth > depth_limit) throw unsupported("branches and loops are inside each other deeper than {} levels", depth_limit);
}

ValueId value_of(Frame& frame, const Bound& bound, const std::string& name) {
    return bound.kind == Kind::list ? dense(frame, bound, name + "/list") : frame.take(bound.id, bound.frame);
}

// A result of a body is computed in it, and once.
ValueId as_result(Frame& frame, ValueId id, std::set<ValueId>& taken, const std::string& name) {
    if (frame.graph.value(id).producer != NodeId::none && taken.insert(id).second) return id;
    const ValueId copy = frame.declare(name, {});
    frame.add(need_op(ops::Identity), frame.graph.value(copy).name, {id}, {copy});
    taken.insert(copy);
    return copy;
}

// What a node with bodies gives, in the place of `like`.
Bound as_given(const Frame& frame, const Bound& like, ValueId id) {
    Bound given = like;
    given.id = id;
    given.frame = &frame;
    return given;
}

std::string result_name(const std::string& name, size_t i) { return i == 0 ? name : fmt::format("{}:{}", name, i); }

Values declared(Frame& frame, const std::string& name, size_t count) {
    Values values;
    for (size_t i = 0; i < count; ++i) values.push_back(frame.declare(result_name(name, i), {}));
    return values;
}

}  // namespace

// ---- branches ----

std::vector<Bound> add_if(Frame& frame, const std::string& name, ValueId condition, const Part& yes, const Part& no) {
    if (const auto known = evaluated(frame.graph, condition); known && known->count() == 1)
        return (known->data.data()[0] != std::byte{0} ? yes : no)(frame);
    check_depth(frame);
    Graph graphs[2];
    Frame frames[2]{Frame(graphs[0], &frame), Frame(graphs[1], &frame)};
    std::vector<Bound> results[2]{yes(frames[0]), no(frames[1])};
    if (results[0].size() != results[1].size()) throw bad_input("its branches give {} and {} values", results[0].size(), results[1].size());
    std::vector<Bound> given;
    std::vector<size_t> places;
    std::set<ValueId> taken[2];
    for (size_t i = 0; i < results[0].size(); ++i) {
        given.push_back(results[0][i]);
        if (results[0][i].kind != results[1][i].kind) throw unsupported("its branches give results of different kinds");
        if (results[0][i].kind == Kind::none) continue;
        if (results[0][i].kind == Kind::handle) {
            if (results[0][i].handle != results[1][i].handle) throw unsupported("a condition chooses one of two variables");
            continue;
        }
        places.push_back(i);
        for (const size_t side : {0, 1}) {
            const ValueId id = value_of(frames[side], results[side][i], name);
            if (id == ValueId::none) throw unsupported("a branch gives a list of items whose rank is not known");
            graphs[side].outputs.push_back(as_result(frames[side], id, taken[side], result_name(name, i)));
        }
    }
    if (places.empty()) return given;
    const Values out = declared(frame, name, places.size());
    const NodeId id = frame.graph.add_node(need_op(ops::If), frame.graph.value(out[0]).name, {condition}, out);
    frame.graph.add_body(id, "then_branch", std::move(graphs[0]));
    frame.graph.add_body(id, "else_branch", std::move(graphs[1]));
    frame.infer(id);
    for (size_t k = 0; k < places.size(); ++k) given[places[k]] = as_given(frame, results[0][places[k]], out[k]);
    return given;
}

namespace {

// One If in the other.
std::vector<Bound> one_of(Frame& frame, const std::string& name, const Bound& index, std::span<const Part> parts, size_t at) {
    if (at + 1 == parts.size()) return parts[at](frame);
    const ValueId place = frame.take(index.id, index.frame);
    const Tensor number = from_ints(frame.graph.value(place).type.dtype, {}, std::array{static_cast<int64_t>(at)});
    const ValueId here = frame.declare(name + "/here", {});
    frame.add(need_op(ops::Equal), frame.graph.value(here).name, {place, frame.graph.add_constant(name + "/place", number)}, {here});
    return add_if(frame, name, here, parts[at], [&](Frame& rest) { return one_of(rest, name, index, parts, at + 1); });
}

}  // namespace

std::vector<Bound> add_case(Frame& frame, const std::string& name, const Bound& index, std::span<const Part> parts) {
    if (parts.size() > case_limit) throw unsupported("has {} branches, more than {}", parts.size(), case_limit);
    const ValueId place = frame.take(index.id, index.frame);
    if (const auto known = frame.numbers(place); known && known->size() == 1) {
        const size_t last = parts.size() - 1;
        return parts[(*known)[0] < 0 ? last : std::min(static_cast<size_t>((*known)[0]), last)](frame);
    }
    return one_of(frame, name, index, parts, 0);
}

// ---- loops ----

namespace {

// Lengths that a round changes are not known; so is the rank.
bool widen(Type& type, const Type& next) {
    if (!type.shape.ranked) return false;
    if (next.shape.ranked && next.shape.rank() == type.shape.rank()) {
        bool changed = false;
        for (size_t i = 0; i < type.shape.rank(); ++i) {
            Dim& dim = type.shape.dims[i];
            if (dim == Dim::unknown() || same(dim, next.shape.dims[i])) continue;
            dim = Dim::unknown();
            changed = true;
        }
        return changed;
    }
    type.shape = Shape::unranked();
    return true;
}

// Makes a Loop, and its body again until the types of what it carries hold.
class LoopMaker {
   public:
    LoopMaker(Frame& frame, std::string name, const LoopParts& parts) : outer_(frame), name_(std::move(name)), parts_(parts) {
        for (size_t i = 0; i < parts.first.size(); ++i) {
            const Kind kind = parts.first[i].kind;
            if (parts.fixed[i] || kind == Kind::handle || kind == Kind::none) continue;
            places_.push_back(i);
            start_.push_back(ValueId::none);
            types_.emplace_back();
        }
    }

    std::vector<Bound> run() {
        for (int attempt = 0;; ++attempt) {
            if (attempt == try_limit) throw unsupported("a loop whose values change their types");
            const bool complete = begin();
            Graph body;
            const auto results = fill(body);
            if (complete && results && !changed(body)) return finish(std::move(body));
            if (!complete && attempt > 1) throw unsupported("a loop carries a list of items whose rank is not known");
        }
    }

   private:
    // The values that the loop begins with; false: a list has none until the body tells what its items are.
    bool begin() {
        bool complete = true;
        for (size_t k = 0; k < places_.size(); ++k) {
            if (start_[k] != ValueId::none) continue;
            start_[k] = value_of(outer_, parts_.first[places_[k]], name_);
            if (start_[k] == ValueId::none)
                complete = false;
            else
                types_[k] = outer_.graph.value(start_[k]).type;
        }
        return complete;
    }

    // False: the types of the results are of no use, a list was not there.
    bool fill(Graph& body) {
        Frame frame(body, &outer_);
        body.inputs.push_back(frame.declare("round", Type::tensor(DType::i64, Shape::of_dims({}))));
        body.inputs.push_back(frame.declare("goes_on", Type::tensor(DType::boolean, Shape::of_dims({}))));
        std::vector<Bound> carried = parts_.first;
        for (size_t k = 0; k < places_.size(); ++k) {
            if (start_[k] == ValueId::none) continue;
            const size_t i = places_[k];
            const ValueId input = frame.declare(parts_.names[i], types_[k]);
            body.inputs.push_back(input);
            carried[i] = as_given(frame, parts_.first[i], input);
        }
        const std::vector<Bound> next = parts_.body(frame, carried);
        if (next.size() != carried.size()) throw bad_input("its body gives {} values, need {}", next.size(), carried.size());
        if (std::ranges::find(start_, ValueId::none) != start_.end()) return false;
        std::vector<Bound> after = parts_.first;
        for (const size_t i : places_) {
            if (next[i].kind != carried[i].kind) throw unsupported("a loop value becomes one of another kind");
            after[i] = next[i];
        }
        for (size_t i = 0; i < next.size(); ++i)
            if (carried[i].kind == Kind::handle && next[i].handle != carried[i].handle) throw unsupported("a loop changes a handle");
        const std::vector<Bound> goes_on = parts_.condition(frame, after);
        std::set<ValueId> taken;
        body.outputs.push_back(as_result(frame, truth(frame, goes_on), taken, "goes_on/next"));
        for (const size_t i : places_) {
            const ValueId id = value_of(frame, after[i], name_);
            body.outputs.push_back(as_result(frame, id, taken, parts_.names[i] + "/next"));
        }
        return true;
    }

    bool changed(const Graph& body) {
        bool any = false;
        for (size_t k = 0; k < places_.size(); ++k) {
            const Type& next = body.value(body.outputs[k + 1]).type;
            any |= widen(types_[k], next);
        }
        return any;
    }

    ValueId truth(Frame& frame, const std::vector<Bound>& condition) const {
        if (condition.size() != 1 || condition[0].kind != Kind::tensor) throw bad_input("its condition has {} results", condition.size());
        return frame.take(condition[0].id, condition[0].frame);
    }

    std::vector<Bound> finish(Graph body) {
        std::vector<Bound> first = parts_.first;
        for (size_t k = 0; k < places_.size(); ++k) first[places_[k]] = as_given(outer_, first[places_[k]], start_[k]);
        Values in{ValueId::none, truth(outer_, parts_.condition(outer_, first))};
        in.insert(in.end(), start_.begin(), start_.end());
        const Values out = declared(outer_, name_, places_.size());
        if (out.empty()) return first;
        const NodeId id = outer_.graph.add_node(need_op(ops::Loop), outer_.graph.value(out[0]).name, in, out);
        outer_.graph.add_body(id, "body", std::move(body));
        outer_.infer(id);
        for (size_t k = 0; k < places_.size(); ++k) first[places_[k]] = as_given(outer_, first[places_[k]], out[k]);
        return first;
    }

    Frame& outer_;
    const std::string name_;
    const LoopParts& parts_;
    std::vector<size_t> places_;  // of what is carried, among all
    Values start_;
    std::vector<Type> types_;
};

}  // namespace

std::vector<Bound> add_loop(Frame& frame, const std::string& name, const LoopParts& parts) {
    check_depth(frame);
    return LoopMaker(frame, name, parts).run();
}

}  // namespace quern::tensorflow_format
