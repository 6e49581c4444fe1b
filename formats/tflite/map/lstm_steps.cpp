// LSTMs gate by gate, as TensorFlow Lite computes them.
#include <algorithm>
#include <array>
#include <limits>

#include "formats/tflite/map/lstm_places.h"
#include "libcore/graph/op_ids.h"

namespace quern::tflite_format {
namespace {

enum Gate : size_t { input_gate, forget_gate, cell_gate, output_gate, gate_count };

struct State {
    ValueId h, c;
};

// One step where its constants and nodes go: the graph itself, or a body.
class Step {
   public:
    Step(Site& site, const LstmPlaces& at) : site_(site), at_(at), coupled_(!site.has(at.input_weights + input_gate)) {}

    // Is everything there, constant, and of real numbers?
    bool possible() const {
        for (size_t g = coupled_ ? forget_gate : input_gate; g < gate_count; ++g)
            if (!gate_is_constant(g)) return false;
        if (!constant_if_there(at_.peepholes, 3) || !constant_if_there(at_.projection, 2)) return false;
        if (!all_present(site_, at_.first_state, 2) || site_.rank(at_.input_weights + output_gate) != 2) return false;
        const std::string word = activation_word();
        return (word == "RELU" || word == "RELU6" || word == "TANH") && !encoding_of(site_.out_tensor(), site_.scope().from) &&
               (!coupled_ || !site_.has(at_.peepholes + input_gate));
    }

    State next(ValueId x, ValueId aux, const State& before) {
        const ValueId forget = gate(forget_gate, x, aux, before);
        const ValueId input = coupled_ ? site_.add(ops::Sub, {number("one", 1), forget}) : gate(input_gate, x, aux, before);
        const ValueId fresh = site_.add(ops::Mul, {input, gate(cell_gate, x, aux, before)});
        State after{};
        after.c = clipped("cell_clip", site_.add(ops::Add, {site_.add(ops::Mul, {forget, before.c}), fresh}));
        const ValueId output = gate(output_gate, x, aux, {before.h, after.c});
        after.h = site_.add(ops::Mul, {output, activated(after.c)});
        if (site_.has(at_.projection)) {
            Values operands{after.h, site_.in(at_.projection)};
            if (site_.has(at_.projection + 1)) operands.push_back(site_.in(at_.projection + 1));
            after.h = clipped("proj_clip", site_.add(ops::Gemm, operands, {{"transB", int64_t{1}}}));
        }
        return after;
    }

    std::array<int64_t, 2> state_sizes() const {
        const int64_t cells = site_.dim(at_.input_weights + output_gate, 0);
        return {site_.has(at_.projection) ? site_.dim(at_.projection, 0) : cells, cells};
    }

   private:
    bool gate_is_constant(size_t g) const {
        std::vector<size_t> operands{at_.input_weights + g, at_.recurrent_weights + g, at_.biases + g};
        if (at_.aux_weights) operands.push_back(at_.aux_weights + g);
        if (has_norms()) operands.push_back(at_.norms + g);
        return std::ranges::all_of(operands, [&](size_t i) { return site_.constant(i); });
    }
    bool constant_if_there(size_t first, size_t count) const {
        for (size_t i = first; i < first + count; ++i)
            if (site_.has(i) && !site_.constant(i)) return false;
        return true;
    }

    std::string activation_word() const { return site_.word("fused_activation_function", "NONE"); }
    bool has_norms() const { return at_.norms < at_.operands && site_.has(at_.norms + output_gate); }
    ValueId number(std::string_view what, float item) { return site_.scalar(item, DType::f32, what); }

    ValueId product(ValueId x, size_t weights) {
        const bool diagonal = site_.rank(weights) == 1;
        return diagonal ? site_.add(ops::Mul, {x, site_.in(weights)})
                        : site_.add(ops::Gemm, {x, site_.in(weights)}, {{"transB", int64_t{1}}});
    }

    ValueId gate(Gate g, ValueId x, ValueId aux, const State& state) {
        ValueId sum = product(x, at_.input_weights + g);
        const auto add = [&](ValueId more) { sum = site_.add(ops::Add, {sum, more}); };
        if (at_.aux_weights) add(product(aux, at_.aux_weights + g));
        add(product(state.h, at_.recurrent_weights + g));
        constexpr std::array<size_t, gate_count> places{0, 1, 3, 2};  // of peepholes, which the cell itself has none of
        if (const size_t peephole = at_.peepholes + places[g]; g != cell_gate && site_.has(peephole))
            add(site_.add(ops::Mul, {state.c, site_.in(peephole)}));
        constexpr float epsilon = 1e-8f;
        if (has_norms())
            sum = site_.add(ops::LayerNormalization, {sum, site_.in(at_.norms + g), site_.in(at_.biases + g)},
                            {{"axis", int64_t{-1}}, {"epsilon", epsilon}});
        else
            add(site_.in(at_.biases + g));
        return g == cell_gate ? activated(sum) : site_.add(ops::Sigmoid, {sum});
    }

    ValueId activated(ValueId x) {
        const std::string word = activation_word();
        if (word == "RELU6") return site_.add(ops::Clip, {x, number("min", 0), number("max", 6)});
        return site_.add(word == "TANH" ? ops::Tanh : ops::Relu, {x});
    }

    ValueId clipped(std::string_view option, ValueId x) {
        const float limit = site_.real(option);
        return limit > 0 ? site_.add(ops::Clip, {x, number("least", -limit), number("greatest", limit)}) : x;
    }

    Site& site_;
    const LstmPlaces& at_;
    bool coupled_;
};

// A state and what continues it: a variable, or an operand that is not one.
struct Carried {
    ValueId now, next;
};
Carried carried(Site& site, size_t operand) {
    if (site.tensor(operand).variable) {
        const Site::Variable variable = site.variable(operand);
        return {variable.now, variable.next};
    }
    return {site.in(operand), site.value("last")};
}

}  // namespace

ValueId lstm_step(Site& site, ValueId data, const LstmPlaces& at) {
    Step step(site, at);
    if (!step.possible()) return ValueId::none;
    const Carried h = carried(site, at.first_state), c = carried(site, at.first_state + 1);
    const State after = step.next(data, ValueId::none, {h.now, c.now});
    site.put(ops::Identity, {after.h}, {h.next});
    site.put(ops::Identity, {after.c}, {c.next});
    return after.h;
}

ValueId lstm_in_steps(Site& site, ValueId data, ValueId aux, const LstmPlaces& at, bool time_major, int64_t steps) {
    Step outside(site, at);
    if (!outside.possible() || steps < 0) return ValueId::none;
    const Carried h = carried(site, at.first_state), c = carried(site, at.first_state + 1);
    const ValueId rounds = site.constant(Tensor::scalar(steps), "rounds"), all = site.value("steps");
    const NodeId loop = site.graph().add_node(need_op(ops::Loop), site.graph().value(all).name, {rounds, ValueId::none, h.now, c.now},
                                              {h.next, c.next, all});
    Graph& body = site.graph().add_body(loop, "body");
    Scope scope{body, site.scope().from, "", site.scope().depth + 1, Values(site.scope().from.tensors.size(), ValueId::none)};
    Site inside(site.importer(), scope, site.op());
    const auto input = [&](std::string_view what, Type type) {
        body.inputs.push_back(site.importer().declare(body, inside.fresh(what), std::move(type)));
        return body.inputs.back();
    };
    ValueId round = input("round", Type::tensor(DType::i64, Shape::of_dims({})));
    const ValueId goes_on = input("goes_on", Type::tensor(DType::boolean, Shape::of_dims({})));
    const int64_t batch = site.dim(0, time_major ? 1 : 0);
    const auto sizes = outside.state_sizes();
    const auto state = [&](std::string_view what, int64_t size) {
        const Dim rows = batch < 0 ? Dim::unknown() : Dim::of(batch), columns = size < 0 ? Dim::unknown() : Dim::of(size);
        return input(what, Type::tensor(DType::f32, Shape::of_dims({rows, columns})));
    };
    State before{};
    before.h = state("h", sizes[0]);
    before.c = state("c", sizes[1]);
    if (at.backwards) round = inside.add(ops::Sub, {inside.constant(Tensor::scalar(steps - 1), "last"), round});
    const auto row = [&](ValueId from) {
        return inside.add(ops::Gather, {captured(site, body, from), round}, {{"axis", int64_t{time_major ? 0 : 1}}});
    };
    const ValueId x = row(data), more = at.aux_weights ? row(aux) : ValueId::none;
    const State after = Step(inside, at).next(x, more, before);
    body.outputs = {inside.add(ops::Identity, {goes_on}), after.h, after.c, inside.add(ops::Identity, {after.h})};
    site.infer(loop);
    ValueId y = all;
    if (at.backwards) {
        const ValueId last = site.integers({-1}, "from"), end = site.integers({std::numeric_limits<int64_t>::min()}, "to");
        y = site.add(ops::Slice, {y, last, end, site.integers({0}, "time"), last});
    }
    return time_major ? y : site.add(ops::Transpose, {y}, {{"perm", Ints{1, 0, 2}}});
}

}  // namespace quern::tflite_format
