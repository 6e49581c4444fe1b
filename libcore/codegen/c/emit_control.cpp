// If, Loop and Scan: bodies stand inside the function as blocks, their buffers between its own, so that branches share memory and what a
// loop reads from outside lives until its end. Captured values are read where they lie.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>

#include "libcore/base/text.h"
#include "libcore/codegen/c/bodies.h"
#include "libcore/codegen/c/emit.h"
#include "libcore/ops/onnx/control.h"
#include "libcore/ops/shared/shared.h"

namespace quern::cgen {
namespace {

bool is_result(const Function& body, ValueId id) { return body.program().graph().value(id).producer != NodeId::none; }

// A body holds what it captures as the graph around does, or gets it converted, once.
void bind_captures(Function& outer, Function& body) {
    for (const Graph::Capture& capture : body.program().graph().captures) {
        const Encoding *a = outer.encoding(capture.outer), *b = body.encoding(capture.inner);
        const bool same = outer.held(capture.outer) == body.held(capture.inner) && !a == !b && (!a || *a == *b);
        if (same)
            body.link(capture.inner, capture.outer);
        else
            transfer(body, outer.held_value(capture.outer), body.held_value(capture.inner), count_of(body.dims(capture.inner)),
                     fmt::format("captured value \"{}\"", escape(outer.program().graph().value(capture.outer).name)));
    }
}

void need_same(const Dims& from, const Dims& to, const std::string& what) {
    if (from != to) throw unsupported("{} is {} and would become {}", what, to_string(from), to_string(to));
}

// How a value of the graph around is held, without asking for its place.
Held form_of(const Function& f, ValueId id) { return {"", f.held(id), f.encoding(id)}; }

// ---- If --------------------------------------------------------------------------------------------------------------------------

void emit_branch(Emit& e, std::string_view name) {
    Function body(*e.step.bodies.at(body_named(e.view, name)), e.f);
    const std::vector<ValueId>& outs = body.program().graph().outputs;
    const auto what = [&](size_t i) { return fmt::format("result {} of {}", i, name); };
    bind_captures(e.f, body);
    for (size_t i = 0; i < e.node.out.size(); ++i) {
        if (!e.wants(i)) continue;
        need_same(body.dims(outs[i]), e.out_dims(i), what(i));
        if (is_result(body, outs[i]) && !body.is_bound(outs[i]) && form_of(body, outs[i]).like(form_of(e.f, e.out_id(i))))
            body.link(outs[i], e.out_id(i));
    }
    emit_steps(body);
    for (size_t i = 0; i < e.node.out.size(); ++i)
        if (e.wants(i)) transfer(body, body.held_value(outs[i]), e.f.held_value(e.out_id(i)), e.out_count(i), what(i));
}

void emit_if(Emit& e) {
    if (const auto taken = known_truth(e.f.program().graph(), e.in_id(0))) {
        e.f.open("{");
        emit_branch(e, *taken ? "then_branch" : "else_branch");
        return e.f.close();
    }
    e.f.open(fmt::format("if ({}[0]) {{", e.in(0)));
    emit_branch(e, "then_branch");
    e.f.otherwise();
    emit_branch(e, "else_branch");
    e.f.close();
}

// ---- rounds ----------------------------------------------------------------------------------------------------------------------

// What a round leaves to the next, and the last one to the graph around. It lies where the result does, if both are held alike.
class Carried {
   public:
    Carried(Emit& e, Function& body, ValueId start, ValueId in, ValueId out, size_t result)
        : e_(e), body_(body), start_(start), in_(in), out_(out), what_(fmt::format("carried value {}", result)), result_(result) {
        const Dims& before = e.f.dims(start);  // asked first, whatever compiler: the message names it if it is not known
        need_same(before, body.dims(in), what_);
        need_same(before, body.dims(out), what_);
        if (e.wants(result)) need_same(before, e.out_dims(result), what_);
    }

    // Before the loop.
    void begin() {
        count_ = count_of(body_.dims(in_));
        const Held start = e_.f.held_value(start_);
        if (e_.wants(result_)) {
            shared_ = form_of(body_, in_).like(form_of(e_.f, e_.out_id(result_)));
            transfer(e_.f, start, e_.f.held_value(e_.out_id(result_)), count_, what_);
        }
        if (shared_)
            body_.link(in_, e_.out_id(result_));
        else
            transfer(e_.f, start, body_.held_value(in_), count_, what_);
    }

    // At the end of a round: first what is overwritten by others moves away.
    void stage() {
        from_ = body_.held_value(out_);
        const ValueId root = body_.root(out_);
        const std::vector<ValueId>& inputs = body_.program().graph().inputs;
        stays_ = root == body_.root(in_);
        if (stays_ || std::ranges::find(inputs, root) == inputs.end()) return;
        Held aside = from_;
        aside.at = body_.scratch(from_.type, count_);
        copy_as_held(aside);
        from_ = aside;
    }
    void end() {
        if (e_.wants(result_) && !(stays_ && shared_)) transfer(body_, from_, e_.f.held_value(e_.out_id(result_)), count_, what_);
        if (!shared_ && !stays_) transfer(body_, from_, body_.held_value(in_), count_, what_);
    }

   private:
    void copy_as_held(const Held& to) {
        e_.source.need_memory();
        const uint64_t bytes = storage_size(to.type, static_cast<uint64_t>(count_));
        body_.statement(fmt::format("memcpy({}, {}, {});", to.at, from_.at, bytes));
    }

    Emit& e_;
    Function& body_;
    ValueId start_, in_, out_;
    std::string what_;
    size_t result_;
    int64_t count_ = 0;
    bool shared_ = false, stays_ = false;
    Held from_;
};

// A whole that is made of slices along one of its axes: slice `at` of an expression.
struct Sliced {
    std::string whole;
    int64_t outer, inner, length;
    Sliced(std::string expression, const Dims& dims, size_t axis) : whole(std::move(expression)), outer(1), length(dims[axis]) {
        inner = strides_of(dims)[axis];
        for (size_t d = 0; d < axis; ++d) outer *= dims[d];
    }
    bool together() const { return outer == 1; }
    std::string slice(const std::string& at) const { return fmt::format("({} + {} * {})", whole, at, inner); }
    std::vector<int64_t> steps() const { return {length * inner, 1}; }
};

// One result of each round, one after the other along an axis.
class Collected {
   public:
    Collected(Emit& e, Function& body, ValueId out, size_t result, int64_t axis, std::string at)
        : e_(e), body_(body), out_(out), result_(result), at_(std::move(at)), what_(fmt::format("output {}", result)) {
        const Dims& whole = e.out_dims(result);
        axis_ = normal_axis(axis, whole.size(), "scan output axis");
        Dims slice = whole;
        slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(axis_));
        need_same(body.dims(out), slice, what_);
        const Encoding* encoding = e.f.encoding(e.out_id(result));
        if (encoding && encoding->is_dynamic()) throw unsupported("{} collects results of each round in a dynamic encoding", what_);
    }

    // Before the loop: all rounds need it.
    void touch() { e_.out(result_); }
    // Before the steps of the body: its results go where they belong, if nothing is between.
    void begin() {
        const Sliced whole = sliced();
        direct_ = whole.together() && is_result(body_, out_) && !body_.is_bound(out_) && like();
        if (direct_) body_.bind(out_, whole.slice(at_));
    }
    void end() {
        const int64_t count = count_of(body_.dims(out_));
        if (direct_ || count == 0) return;
        const Sliced whole = sliced();
        Held from = body_.held_value(out_), to = e_.f.held_value(e_.out_id(result_));
        if (whole.together()) {
            to.at = whole.slice(at_);
            return transfer(body_, from, to, count, what_);
        }
        if (!like()) {
            to.at = body_.scratch(to.type, count);
            transfer(body_, from, to, count, what_);
            from = to;
        }
        e_.call(e_.source.kernel("copy", {{"A", std::string(c_type(to.type))}}),
                {from.at, whole.slice(at_), walk(e_, {whole.outer, whole.inner}, {{whole.inner, 1}, whole.steps()}, "collected")});
    }

   private:
    Sliced sliced() { return {e_.out(result_), e_.out_dims(result_), axis_}; }
    bool like() const { return form_of(body_, out_).like(form_of(e_.f, e_.out_id(result_))); }

    Emit& e_;
    Function& body_;
    ValueId out_;
    size_t result_, axis_;
    std::string at_, what_;
    bool direct_ = false;
};

// The body of a Loop or Scan between what is before and after its steps. `begin` writes the head of the loop.
struct Rounds {
    std::deque<Carried> carried;
    std::deque<Collected> collected;

    void start(Emit& e, const std::string& head) {
        for (Carried& one : carried) one.begin();
        for (Collected& one : collected) one.touch();
        entered = e.f.enter_loop();
        e.f.open(head);
    }
    void steps(Function& body) {
        for (Collected& one : collected) one.begin();
        emit_steps(body);
        body.begin_step();
        for (Collected& one : collected) one.end();
        for (Carried& one : carried) one.stage();
    }
    void finish(Emit& e) {
        for (Carried& one : carried) one.end();
        e.f.close();
        e.f.leave_loop(entered);
    }
    size_t entered = 0;
};

void need_counts(const Function& body, size_t in, size_t out) {
    const Graph& graph = body.program().graph();
    if (graph.inputs.size() != in || graph.outputs.size() != out)
        throw bad_input("body takes {} values and gives {}, need {} and {}", graph.inputs.size(), graph.outputs.size(), in, out);
}

// ---- Loop ------------------------------------------------------------------------------------------------------------------------

void emit_loop(Emit& e) {
    Function body(*e.step.bodies.at(body_named(e.view, "body")), e.f);
    const Graph& graph = body.program().graph();
    const size_t carried = e.node.in.size() < 2 ? 0 : e.node.in.size() - 2;
    need_counts(body, 2 + carried, 1 + e.node.out.size());
    const auto rounds = known_rounds(e.f.program().graph(), e.node);
    const std::string round = e.f.local("round"), go = e.f.local("go"), limit = e.f.local("limit");
    Rounds loop;
    for (size_t i = 0; i < carried; ++i) {
        if (!e.has_in(2 + i)) throw bad_input("input {} is missing", 2 + i);
        loop.carried.emplace_back(e, body, e.in_id(2 + i), graph.inputs[2 + i], graph.outputs[1 + i], i);
    }
    for (size_t i = carried; i < e.node.out.size(); ++i) {
        if (!e.wants(i)) continue;
        if (!rounds) throw unsupported("output {} has a result of each round, and how many there are depends on the run", i);
        loop.collected.emplace_back(e, body, graph.outputs[1 + i], i, 0, round + "[0]");
    }
    e.f.open("{");
    e.f.statement(fmt::format("int64_t {}[1];", round));
    const bool unconditioned = goes_on(graph) && (!e.has_in(1) || known_truth(e.f.program().graph(), e.in_id(1)) == true);
    e.f.statement(fmt::format("{}uint8_t {}[1] = {{{}}};", goes_on(graph) ? "const " : "", go,
                              unconditioned || !e.has_in(1) ? "1" : e.in(1) + "[0] != 0"));
    if (e.has_in(0)) e.f.statement(fmt::format("const int64_t {} = {}[0];", limit, e.in(0)));
    if (e.has_in(0) && e.in_count(0) != 1) throw bad_input("trip count is {}, need one number", to_string(e.in_dims(0)));
    if (!e.has_in(0) && goes_on(graph)) throw unsupported("the loop never ends");
    if (unconditioned) e.f.statement(fmt::format("(void){}; /* the body may read it */", go));
    body.bind(graph.inputs[0], round);
    body.bind(graph.inputs[1], go);
    bind_captures(e.f, body);
    const std::string below = e.has_in(0) ? fmt::format("{}[0] < {}", round, limit) : "";
    const std::string going = unconditioned ? "" : (below.empty() ? "" : " && ") + go + "[0]";
    loop.start(e, fmt::format("for ({0}[0] = 0; {1}{2}; ++{0}[0]) {{", round, below, going));
    loop.steps(body);
    if (!goes_on(graph)) body.statement(fmt::format("{}[0] = {}[0] != 0;", go, body.value(graph.outputs[0])));
    loop.finish(e);
    e.f.close();
}

// ---- Scan ------------------------------------------------------------------------------------------------------------------------

// The slice of a scanned input, read where it lies if its elements are together.
void bind_slice(Emit& e, Function& body, size_t input, ValueId to, int64_t axis, int64_t length, const std::string& at) {
    const Dims& dims = e.in_dims(input);
    const size_t along = normal_axis(axis, dims.size(), "scan input axis");
    const std::string what = fmt::format("input {}", input);
    Dims slice = dims;
    slice.erase(slice.begin() + static_cast<std::ptrdiff_t>(along));
    need_same(body.dims(to), slice, what);
    if (dims[along] != length) throw bad_input("{} has length {} along its axis, need {}", what, dims[along], length);
    Held from = e.f.held_value(e.in_id(input));
    const Sliced whole(from.at, dims, along);
    const int64_t count = count_of(slice);
    if (whole.together()) {
        from.at = whole.slice(at);
        if (from.like(form_of(body, to))) return body.bind(to, from.at);
    } else if (count > 0) {
        const std::string place = from.like(form_of(body, to)) ? body.value(to) : body.scratch(from.type, count);
        e.call(e.source.kernel("copy", {{"A", std::string(c_type(from.type))}}),
               {whole.slice(at), place, walk(e, {whole.outer, whole.inner}, {whole.steps(), {whole.inner, 1}}, "slice")});
        from.at = place;
    }
    transfer(body, from, body.held_value(to), count, what);
}

void emit_scan(Emit& e) {
    const ScanPlan plan = scan_plan(e.view, e.node.in.size(), e.node.out.size());
    Function body(*e.step.bodies.at(plan.body), e.f);
    const Graph& graph = body.program().graph();
    need_counts(body, e.node.in.size(), e.node.out.size());
    const Dims& first = e.in_dims(plan.states);
    const int64_t length = first[normal_axis(plan.in_axes[0], first.size(), "scan input axis")];
    const std::string round = e.f.local("round"), reverse = fmt::format("({} - {})", length - 1, round);
    Rounds loop;
    for (size_t i = 0; i < plan.states; ++i) loop.carried.emplace_back(e, body, e.in_id(i), graph.inputs[i], graph.outputs[i], i);
    for (size_t i = 0; i < plan.outputs; ++i)
        if (e.wants(plan.states + i))
            loop.collected.emplace_back(e, body, graph.outputs[plan.states + i], plan.states + i, plan.out_axes[i],
                                        plan.out_back[i] ? reverse : round);
    e.f.open("{");
    e.f.statement(fmt::format("int64_t {};", round));
    bind_captures(e.f, body);
    loop.start(e, fmt::format("for ({0} = 0; {0} < {1}; ++{0}) {{", round, length));
    for (size_t i = 0; i < plan.scans; ++i)
        bind_slice(e, body, plan.states + i, graph.inputs[plan.states + i], plan.in_axes[i], length, plan.in_back[i] ? reverse : round);
    loop.steps(body);
    loop.finish(e);
    e.f.close();
}

constexpr std::array control_table{
    EmitRow{Kind::real, "If", emit_if},
    EmitRow{Kind::real, "Loop", emit_loop},
    EmitRow{Kind::real, "Scan", emit_scan},
};

}  // namespace

bool emit_control(Emit& e) {
    const auto row = std::ranges::find(control_table, e.node.op->name, &EmitRow::op);
    if (row == control_table.end() || !e.node.op->domain.empty()) return false;
    row->emit(e);
    return true;
}

}  // namespace quern::cgen
