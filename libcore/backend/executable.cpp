// Executables and sessions of back ends: ports, the forms of inputs and outputs, times.
#include <future>
#include <set>

#include "libcore/backend/instance.h"
#include "libcore/backend/padded.h"
#include "libcore/base/digest.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr size_t port_limit = 65536;

std::vector<Port> ports_from(const quern_value* const* values, size_t count, std::string_view what) {
    if (count > port_limit || (count > 0 && !values)) throw unsupported("describes {} {}", count, what);
    std::vector<Port> out;
    for (size_t i = 0; i < count; ++i) {
        const quern_value* value = values[i];
        const bool whole = value && QUERN_HAS(value, constant);  // NOLINT(bugprone-sizeof-expression): of the pointer itself
        if (!whole || (value->name.size > 0 && !value->name.data)) throw unsupported("does not describe {} {}", what, i);
        Port port{{value->name.data, value->name.size}, type_from(*value), {}};
        if (value->encoding) port.encoding = encoding_from(*value->encoding);
        out.push_back(std::move(port));
    }
    return out;
}

// What is wrong with what a library gave is not a fault of the user's input.
template <class Body>
void theirs(std::string_view place, const Body& body) {
    try {
        body();
    } catch (const Error& error) {
        throw unsupported("{}: {}", place, error.message());
    }
}

const char* text_of(const char* text) { return text ? text : ""; }

class LoadedExecutable : public Executable, public std::enable_shared_from_this<LoadedExecutable> {
   public:
    LoadedExecutable(std::shared_ptr<Instance> instance, quern_executable* handle, Bytes blob, const std::string& part)
        : instance_(std::move(instance)),
          handle_(handle),
          blob_(std::move(blob)),
          place_(fmt::format("back end \"{}\"{}{}", instance_->name(), part.empty() ? "" : ": ", part)) {}
    ~LoadedExecutable() override {
        if (handle_) foreign_end("unload", [&] { table().unload(handle_); });
    }
    LoadedExecutable(const LoadedExecutable&) = delete;
    LoadedExecutable& operator=(const LoadedExecutable&) = delete;

    void describe() {
        if (!handle_) throw unsupported("load gave nothing");
        const quern_interface* view = nullptr;
        instance_->check_call("describe", [&] { return table().describe(handle_, &view); });
        if (!view || !QUERN_HAS(view, outputs)) throw unsupported("describe gave nothing");
        theirs("describe", [&] {
            inputs_ = ports_from(view->inputs, view->input_count, "inputs");
            outputs_ = ports_from(view->outputs, view->output_count, "outputs");
        });
    }
    const std::vector<Port>& inputs() const override { return inputs_; }
    const std::vector<Port>& outputs() const override { return outputs_; }
    std::vector<Choice> choices() override;
    std::unique_ptr<BackendSession> open(const LaneOptions& options) override;

    const quern_backend_api& table() const { return instance_->table(); }
    Instance& instance() { return *instance_; }
    quern_executable* handle() { return handle_; }
    const std::string& place() const { return place_; }  // in messages
    std::string blob_digest() const { return Digest().update(blob_.data(), blob_.size()).hex(); }

   private:
    std::shared_ptr<Instance> instance_;
    quern_executable* handle_;
    Bytes blob_;
    std::string place_;
    std::vector<Port> inputs_, outputs_;
};

std::vector<Choice> LoadedExecutable::choices() {
    if (!QUERN_HAS(&table(), explain) || !table().explain) return {};
    const quern_choice* const* list = nullptr;
    size_t count = 0;
    instance_->check_call("explain", [&] { return table().explain(handle_, &list, &count); });
    std::vector<Choice> out;
    for (const quern_choice* choice : listed(list, count, "explain"))
        out.push_back({text_of(choice->node),
                       QUERN_HAS(choice, op) ? text_of(choice->op) : "",
                       QUERN_HAS(choice, detail) ? text_of(choice->detail) : "",
                       QUERN_HAS(choice, reasons) ? text_of(choice->reasons) : "",
                       QUERN_HAS(choice, real) ? text_of(choice->real) : "",
                       {}});
    return out;
}

class LoadedSession : public BackendSession {
   public:
    LoadedSession(std::shared_ptr<LoadedExecutable> executable, const LaneOptions& options)
        : executable_(std::move(executable)), timing_(options.timing), guarded_(options.guarded) {
        if (guarded_) blob_digest_ = executable_->blob_digest();
        const quern_session_options own{sizeof own, options.threads, options.timing ? 1 : 0};
        call("open", [&] { return table().open(executable_->handle(), &own, &handle_); });
        if (!handle_) throw unsupported("open gave nothing");
    }
    ~LoadedSession() override {
        if (running_.valid()) running_.wait();
        if (handle_) foreign_end("close", [&] { table().close(handle_); });
    }
    LoadedSession(const LoadedSession&) = delete;
    LoadedSession& operator=(const LoadedSession&) = delete;

    std::vector<Stored> run(std::span<const Stored> inputs) override {
        return placed([&] {
            set_inputs(inputs);
            set_outputs();
            call("execute", [&] { return table().execute(handle_); });
            return checked_outputs();
        });
    }
    void start(std::span<const Stored> inputs) override {
        placed([&] {
            set_inputs(inputs);
            set_outputs();
            if (has_start())
                call("start", [&] { return table().start(handle_); });
            else
                running_ = std::async(std::launch::async, [this] { call("execute", [&] { return table().execute(handle_); }); });
        });
    }
    std::vector<Stored> finish() override {
        return placed([&] {
            if (has_start())
                call("wait", [&] { return table().wait(handle_, -1); });
            else
                running_.get();
            return checked_outputs();
        });
    }
    bool link_input(size_t index, BackendSession& from, size_t output) override {
        auto* other = dynamic_cast<LoadedSession*>(&from);
        if (!other || other == this || guarded_ || &other->table() != &table() || !QUERN_HAS(&table(), keep_output)) return false;
        if (!table().link_input || !table().keep_output || &other->executable_->instance() != &executable_->instance()) return false;
        return placed([&] {
            check_index(index, executable_->inputs().size());
            check_index(output, other->executable_->outputs().size());
            const quern_status status = foreign("link_input", [&] { return table().link_input(handle_, index, other->handle_, output); });
            if (status == QUERN_UNSUPPORTED) return false;
            executable_->instance().check_call("link_input", [&] { return status; });
            linked_.insert(index);
            return true;
        });
    }
    void keep_output(size_t index) override {
        placed([&] {
            check_index(index, executable_->outputs().size());
            call("keep_output", [&] { return table().keep_output(handle_, index); });
            kept_.insert(index);
        });
    }
    void set_timing(bool on) override {
        if (on && !timing_) before_ = events();
        timing_ = on;
    }
    std::vector<StepTime> step_times() override {
        std::vector<StepTime> now = events();
        for (StepTime& time : now)
            for (const StepTime& old : before_)
                if (old.node == time.node && old.kernel == time.kernel) time.seconds -= old.seconds, time.calls -= old.calls;
        return now;
    }
    uint64_t memory_bytes() override {
        return QUERN_HAS(&table(), memory_bytes) && table().memory_bytes
                   ? foreign("memory_bytes", [&] { return table().memory_bytes(handle_); })
                   : 0;
    }

   private:
    const quern_backend_api& table() const { return executable_->table(); }
    template <class Call>
    void call(std::string_view what, const Call& function) {
        executable_->instance().check_call(what, function);
    }
    bool has_start() const { return QUERN_HAS(&table(), wait) && table().start && table().wait; }
    template <class Body>
    std::invoke_result_t<Body> placed(const Body& body) {
        return at_place(executable_->place(), body);
    }

    void set_inputs(std::span<const Stored> inputs) {
        const std::vector<Port>& ports = executable_->inputs();
        if (inputs.size() != ports.size()) throw bad_input("takes {} inputs, got {}", ports.size(), inputs.size());
        std::vector<Stored> fresh;
        std::vector<Padded> lent;
        auto grids = std::make_unique<Views>();
        for (size_t i = 0; i < inputs.size(); ++i) {
            if (linked_.contains(i)) {
                fresh.emplace_back();
                continue;
            }
            Stored stored = adapt(inputs[i], ports[i]);
            stored.tensor = aligned(std::move(stored.tensor));
            fresh.push_back(std::move(stored));
        }
        for (size_t i = 0; i < fresh.size(); ++i) {
            if (linked_.contains(i)) continue;
            const bool dynamic = fresh[i].encoding && fresh[i].encoding->is_dynamic();
            quern_buffer buffer = buffer_of(fresh[i].tensor, dynamic ? grids->encoding(*fresh[i].encoding) : nullptr);
            if (guarded_) buffer.data = lend(fresh[i].tensor.data, lent);
            call("set_input", [&] { return table().set_input(handle_, i, &buffer); });
        }
        inputs_ = std::move(fresh);
        for (Padded& old : lent_) old.spoil();
        lent_ = std::move(lent);
        grids_ = std::move(grids);
    }

    static std::byte* lend(const Bytes& bytes, std::vector<Padded>& lent) {
        Padded& memory = lent.emplace_back(bytes.size(), true);
        std::copy_n(bytes.data(), bytes.size(), memory.data());
        return memory.data();
    }

    // Memory of ours for outputs whose size is known: where the back end takes it, nothing is copied afterwards.
    void set_outputs() {
        if (!QUERN_HAS(&table(), set_output) || !table().set_output) return;
        before_targets_ = std::move(targets_);
        before_outputs_ = std::exchange(outputs_, {});  // none after a run that failed
        targets_.clear();
        for (size_t i = 0; i < executable_->outputs().size(); ++i) {
            const Port& port = executable_->outputs()[i];
            const auto dims = port.type.shape.concrete();
            const DType dtype = port.encoding ? port.encoding->storage : port.type.dtype;
            const bool dynamic = port.encoding && port.encoding->is_dynamic();
            const bool known = dims && !kept_.contains(i) && dtype != DType::none && dtype != DType::string && !dynamic;
            Tensor wanted;
            wanted.dtype = dtype;
            if (known) wanted.dims = *dims;
            targets_.emplace_back(known ? storage_size(dtype, static_cast<uint64_t>(count_of(*dims))) : 0, guarded_);
            quern_buffer buffer = buffer_of(wanted, nullptr);
            buffer.data = targets_[i].size() > 0 ? targets_[i].data() : nullptr;
            buffer.size = targets_[i].size();
            if (!kept_.contains(i)) call("set_output", [&] { return table().set_output(handle_, i, &buffer); });
        }
    }

    // The data of an output is ours if the back end has written it where it was told to.
    Tensor taken(size_t i, const quern_buffer& buffer) {
        const bool ours = i < targets_.size() && buffer.data && buffer.data == targets_[i].data();
        if (!ours) return tensor_from(buffer);
        if (buffer.size > targets_[i].size())
            throw unsupported("gives {} bytes, need at most the {} of its buffer", buffer.size, targets_[i].size());
        Tensor out = borrowed_from(buffer);
        out.data = guarded_ ? Bytes::copy(buffer.data, buffer.size) : std::move(targets_[i]).freeze().slice(0, buffer.size);
        return out;
    }

    Stored output(size_t i) {
        const Port& port = executable_->outputs()[i];
        quern_buffer buffer{};
        buffer.struct_size = sizeof buffer;
        call("get_output", [&] { return table().get_output(handle_, i, &buffer); });
        Stored out;
        theirs(fmt::format("output \"{}\"", escape(port.name)), [&] {
            out = {taken(i, buffer), port.encoding};
            if (port.encoding && port.encoding->is_dynamic()) {
                if (!buffer.grid) throw unsupported("has a dynamic encoding, but no grid");
                out.encoding = encoding_from(*buffer.grid);
            }
            check_fits(out, port);
        });
        return out;
    }

    std::vector<Stored> outputs() {
        std::vector<Stored> out;
        for (size_t i = 0; i < executable_->outputs().size(); ++i) out.push_back(kept_.contains(i) ? Stored() : output(i));
        return out;
    }

    std::vector<Stored> checked_outputs() {
        std::vector<Stored> out = outputs();
        if (guarded_) check_guards();
        return out;
    }

    // What the execution left alone: all but its outputs.
    void check_guards() {
        const auto check = [](std::optional<int64_t> at, std::string_view what, const std::vector<Port>& ports, size_t i) {
            if (at) throw unsupported("execute wrote {} \"{}\" (byte {})", what, escape(ports[i].name), *at);
        };
        for (size_t i = 0; i < lent_.size(); ++i) {
            check(lent_[i].stray(), "outside the memory of input", executable_->inputs(), i);
            check(lent_[i].changed(inputs_[i].tensor.data), "to input", executable_->inputs(), i);
        }
        for (size_t i = 0; i < targets_.size(); ++i) check(targets_[i].stray(), "outside the memory of output", executable_->outputs(), i);
        for (size_t i = 0; i < before_targets_.size() && i < before_outputs_.size(); ++i) {
            check(before_targets_[i].stray(), "outside the memory that an earlier run had for output", executable_->outputs(), i);
            if (before_outputs_[i].size() == before_targets_[i].size())
                check(before_targets_[i].changed(before_outputs_[i]), "to the memory that an earlier run had for output",
                      executable_->outputs(), i);
        }
        for (size_t i = 0; i < targets_.size(); ++i) outputs_.push_back(Bytes::copy(targets_[i].data(), targets_[i].size()));
        if (executable_->blob_digest() != blob_digest_) throw unsupported("execute wrote to its blob");
    }

    std::vector<StepTime> events() {
        if (!QUERN_HAS(&table(), profile) || !table().profile) return {};
        const quern_profile_event* const* list = nullptr;
        size_t count = 0;
        call("profile", [&] { return table().profile(handle_, &list, &count); });
        std::vector<StepTime> out;
        for (const quern_profile_event* event : listed(list, count, "profile")) {
            if (!QUERN_HAS(event, calls)) throw unsupported("profile: an event has {} bytes", event->struct_size);
            out.push_back({text_of(event->node), text_of(event->op), text_of(event->detail), event->seconds, event->calls});
        }
        return out;
    }

    std::shared_ptr<LoadedExecutable> executable_;
    quern_session* handle_ = nullptr;
    bool timing_, guarded_;
    std::set<size_t> linked_, kept_;  // inputs and outputs that stay on the device
    std::string blob_digest_;         // guarded: of what it was
    std::vector<Stored> inputs_;      // what the back end reads
    std::vector<Padded> lent_;        // guarded: the copies that it was given of them
    std::unique_ptr<Views> grids_;
    std::vector<Padded> targets_;                  // what it writes
    std::vector<Padded> before_targets_;           // guarded: what it wrote in the run before, which is over
    std::vector<Bytes> outputs_, before_outputs_;  // guarded: what these held
    std::future<void> running_;
    std::vector<StepTime> before_;
};

std::unique_ptr<BackendSession> LoadedExecutable::open(const LaneOptions& options) {
    return at_place(place_, [&] { return std::make_unique<LoadedSession>(shared_from_this(), options); });
}

}  // namespace

std::shared_ptr<Executable> make_executable(std::shared_ptr<Instance> instance, quern_executable* handle, Bytes blob,
                                            const std::string& part) {
    auto executable = std::make_shared<LoadedExecutable>(std::move(instance), handle, std::move(blob), part);
    executable->describe();
    return executable;
}

}  // namespace quern
