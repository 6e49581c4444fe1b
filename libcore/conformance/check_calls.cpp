// Calls that come wrongly, which must be answered by an error, and calls in every order.
#include <algorithm>
#include <array>
#include <chrono>

#include "libcore/backend/view.h"
#include "libcore/base/text.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"
#include "libcore/conformance/raw_run.h"

namespace quern::conformance {
namespace {

constexpr std::chrono::seconds orders_time{10};

// ---- misuse ----

// A mistake in one session; what came of it is a fault if it is not an error.
struct Mistake {
    std::string_view what;
    void (*make)(RawRun& run, std::string_view what);
};

void refuse_input(RawRun& run, std::string_view what, const quern_buffer& buffer) {
    if (run.input_status(0, buffer) != QUERN_OK) return;
    for (size_t i = 1; i < run.part().inputs.size(); ++i) run.set_input(i);
    if (run.execute_status() == QUERN_OK) throw fault("set_input and execute took {}", what);
}

void without_inputs(RawRun& run, std::string_view what) {
    if (run.execute_status() == QUERN_OK) throw fault("execute took {}", what);
}
void output_too_early(RawRun& run, std::string_view what) {
    auto buffer = sized<quern_buffer>();
    if (run.output_status(0, buffer) == QUERN_OK) throw fault("get_output took {}", what);
}
void no_such_input(RawRun& run, std::string_view what) {
    const quern_buffer buffer = buffer_of(run.part().inputs[0]);
    for (const size_t index : {run.part().inputs.size(), SIZE_MAX})
        if (run.input_status(index, buffer) == QUERN_OK) throw fault("set_input took {}", what);
}
void no_such_output(RawRun& run, std::string_view what) {
    run.set_inputs();
    run.execute();
    for (const size_t index : {run.part().out.size(), SIZE_MAX}) {
        auto buffer = sized<quern_buffer>();
        if (run.output_status(index, buffer) == QUERN_OK) throw fault("get_output took {}", what);
    }
}
void no_such_target(RawRun& run, std::string_view what) {
    if (!run.has_set_output()) return;
    auto buffer = sized<quern_buffer>();
    for (const size_t index : {run.part().out.size(), SIZE_MAX})
        run.calls().refused("set_output", what, [&] { return run.table().set_output(run.session(), index, &buffer); });
}
void other_type(RawRun& run, std::string_view what) {
    quern_buffer buffer = buffer_of(run.part().inputs[0]);
    buffer.dtype = buffer.dtype == QUERN_FLOAT32 ? QUERN_INT32 : QUERN_FLOAT32;
    refuse_input(run, what, buffer);
}
void other_rank(RawRun& run, std::string_view what) {
    Tensor other = run.part().inputs[0];
    other.dims.insert(other.dims.begin(), 1);
    if (run.part().in[0].type.shape.ranked) refuse_input(run, what, buffer_of(other));
}
void other_dims(RawRun& run, std::string_view what) {
    const Shape& shape = run.part().in[0].type.shape;
    if (!shape.ranked || shape.rank() == 0 || !shape.dims[0].known()) return;
    Dims dims = run.part().inputs[0].dims;
    ++dims[0];
    const DType dtype = run.part().inputs[0].dtype;
    if (dtype == DType::string) return;
    const Tensor other = from_doubles(dtype, dims, std::vector<double>(static_cast<size_t>(count_of(dims))));
    refuse_input(run, what, buffer_of(other));
}
void too_few_bytes(RawRun& run, std::string_view what) {
    quern_buffer buffer = buffer_of(run.part().inputs[0]);
    if (buffer.size == 0) return;
    --buffer.size;
    refuse_input(run, what, buffer);
    buffer.size = 0;
    refuse_input(run, what, buffer);
}
void no_data(RawRun& run, std::string_view what) {
    quern_buffer buffer = buffer_of(run.part().inputs[0]);
    if (buffer.size == 0) return;
    buffer.data = nullptr;
    refuse_input(run, what, buffer);
}
void small_target(RawRun& run, std::string_view what) {
    const Port& port = run.part().out[0];
    const auto dims = port.type.shape.concrete();
    const DType dtype = port.encoding ? port.encoding->storage : port.type.dtype;
    if (!run.has_set_output() || !dims || dtype == DType::string || count_of(*dims) == 0) return;
    run.set_inputs();
    Padded memory(storage_size(dtype, static_cast<uint64_t>(count_of(*dims))), true);
    quern_buffer buffer = buffer_of(Tensor{dtype, *dims, {}});
    buffer.data = memory.data(), buffer.size = memory.size() - 1;
    const auto set = [&] { return run.table().set_output(run.session(), 0, &buffer); };
    if (run.calls().status("set_output", set) == QUERN_OK && run.execute_status() == QUERN_OK) throw fault("execute took {}", what);
    if (memory.stray()) throw fault("execute wrote outside {}", what);
}

constexpr std::array mistakes{
    Mistake{"a session whose inputs are not set", without_inputs},
    Mistake{"an output before anything was executed", output_too_early},
    Mistake{"the index of an input that there is not", no_such_input},
    Mistake{"the index of an output that there is not", no_such_output},
    Mistake{"the index of an output that there is not", no_such_target},
    Mistake{"an input of another element type", other_type},
    Mistake{"an input of another rank", other_rank},
    Mistake{"an input of other dims", other_dims},
    Mistake{"an input with fewer bytes than its elements have", too_few_bytes},
    Mistake{"an input without data", no_data},
    Mistake{"a buffer that is too small for its output", small_target},
};

std::vector<Tensor> plain_run(const Calls& calls, const RawPart& part, quern_executable* executable) {
    RawRun run(calls, part, executable);
    run.set_inputs();
    if (run.has_set_output()) run.set_outputs();
    run.execute();
    std::vector<Tensor> out = run.outputs();
    run.end();
    return out;
}

std::string misuse(const Context& context, const Part& plain) {
    const RawPart part(context, plain);
    if (!part.is_plain()) return "no graph of fixed encodings";
    const Calls calls(context);
    OwnedExecutable executable = calls.load(part.blob);
    const std::vector<Tensor> want = plain_run(calls, part, executable.get());
    for (const Mistake& mistake : mistakes) {
        RawRun run(calls, part, executable.get());
        mistake.make(run, mistake.what);
        run.set_inputs();
        if (run.has_set_output()) run.set_outputs();
        run.execute();
        check_outputs(part, run.outputs(), want, fmt::format("a run after {}", mistake.what));
        run.end();
    }
    executable.end();
    return fmt::format("{} mistakes", mistakes.size());
}

// ---- orders ----

// A session, and what it may be asked for.
class Player {
   public:
    Player(const Calls& calls, const RawPart& part, quern_executable* executable, const std::vector<Tensor>& want)
        : run_(calls, part, executable), executable_(executable), want_(want) {}

    void set_inputs() {
        run_.set_inputs();
        set_ = true;
    }
    void set_outputs() {
        if (!run_.has_set_output()) return;
        run_.set_outputs();
        shown_ = false;
    }
    void execute() { executed("execute", run_.execute_status()); }
    void start() {
        const auto start = QUERN_OPTIONAL(run_.table(), start);
        const auto wait = QUERN_OPTIONAL(run_.table(), wait);
        if (!start || !wait) return;
        const quern_status begun = run_.calls().status("start", [&] { return start(run_.session()); });
        quern_status status = begun;
        if (begun == QUERN_OK) {
            status = foreign("wait", [&] { return wait(run_.session(), 0); });
            if (status == QUERN_TIMEOUT) status = run_.calls().status("wait", [&] { return wait(run_.session(), -1); });
        }
        executed("start and wait", status);
    }
    void outputs() {
        if (ran_ && shown_) return check_outputs(run_.part(), run_.outputs(), want_, "this order of calls");
        auto buffer = sized<quern_buffer>();
        if (run_.output_status(0, buffer) == QUERN_OK && !ran_) throw fault("get_output took an output before anything was executed");
    }
    void describe() {
        const quern_interface* view = nullptr;
        run_.calls().need("describe", [&] { return run_.table().describe(executable_, &view); });
    }
    void profile() {
        const quern_profile_event* const* events = nullptr;
        size_t count = 0;
        if (const auto profile = QUERN_OPTIONAL(run_.table(), profile)) {
            run_.calls().need("profile", [&] { return profile(run_.session(), &events, &count); });
            listed(events, count, "profile");
        }
    }
    void explain() {
        const quern_choice* const* choices = nullptr;
        size_t count = 0;
        if (const auto explain = QUERN_OPTIONAL(run_.table(), explain)) {
            run_.calls().need("explain", [&] { return explain(executable_, &choices, &count); });
            listed(choices, count, "explain");
        }
    }
    void memory() {
        if (const auto memory = QUERN_OPTIONAL(run_.table(), memory_bytes)) foreign("memory_bytes", [&] { return memory(run_.session()); });
    }
    void end() { run_.end(); }

   private:
    void executed(std::string_view function, quern_status status) {
        if (set_ && status != QUERN_OK) throw fault("{} failed with status {} in a legal order", function, status);
        if (!set_ && status == QUERN_OK) throw fault("{} took a session whose inputs are not set", function);
        ran_ = ran_ || set_;
        shown_ = set_;
    }
    RawRun run_;
    quern_executable* executable_;
    const std::vector<Tensor>& want_;
    bool set_ = false, ran_ = false, shown_ = false;
};

struct Move {
    std::string_view name;
    void (Player::*make)();
};
constexpr std::array moves{
    Move{"set_input", &Player::set_inputs}, Move{"set_output", &Player::set_outputs}, Move{"execute", &Player::execute},
    Move{"start", &Player::start},          Move{"get_output", &Player::outputs},     Move{"describe", &Player::describe},
    Move{"profile", &Player::profile},      Move{"explain", &Player::explain},        Move{"memory_bytes", &Player::memory},
};

// All sequences of so many moves, but no more than there is time for.
std::string orders(const Context& context, const Part& plain) {
    const RawPart part(context, plain);
    if (!part.is_plain()) return "no graph of fixed encodings";
    constexpr size_t length = 4;
    const Calls calls(context);
    OwnedExecutable executable = calls.load(part.blob), second = calls.load(part.blob);
    const std::vector<Tensor> want = plain_run(calls, part, executable.get());
    size_t all = 1, count = 0;
    for (size_t i = 0; i < length; ++i) all *= moves.size();
    const auto limit = std::chrono::steady_clock::now() + orders_time;
    Player other(calls, part, second.get(), want);  // which nobody disturbs
    other.set_inputs();
    for (; count < all && std::chrono::steady_clock::now() < limit; ++count) {
        Player player(calls, part, executable.get(), want);
        std::vector<std::string> made{"open"};
        const auto place = [&] { return join(made, ", "); };
        at_place(place, [&] {
            for (size_t i = 0, rest = count; i < length; ++i, rest /= moves.size()) {
                const Move& move = moves[rest % moves.size()];
                made.emplace_back(move.name);
                (player.*move.make)();
            }
            player.end();
        });
    }
    other.execute();
    other.outputs();
    other.end();
    executable.end();
    second.end();
    return fmt::format("{} of {} orders of {} calls", count, all, length);
}

}  // namespace

std::vector<Step> misuse_steps(const Context& context) { return steps_of_parts(context, 6, false, misuse); }
std::vector<Step> orders_steps(const Context& context) { return steps_of_parts(context, 2, false, orders); }

}  // namespace quern::conformance
