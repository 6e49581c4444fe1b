// Executables and sessions of back ends: ports, the forms of inputs and outputs, times.
#include <future>

#include "libcore/backend/instance.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

constexpr size_t port_limit = 65536;

std::vector<Port> ports_from(const quern_value* const* values, size_t count, std::string_view what) {
    if (count > port_limit || (count > 0 && !values)) throw unsupported("describes {} {}", count, what);
    std::vector<Port> out;
    for (size_t i = 0; i < count; ++i) {
        if (!values[i] || (values[i]->name.size > 0 && !values[i]->name.data)) throw unsupported("does not describe {} {}", what, i);
        Port port{{values[i]->name.data, values[i]->name.size}, type_from(*values[i]), {}};
        if (values[i]->encoding) port.encoding = encoding_from(*values[i]->encoding);
        out.push_back(std::move(port));
    }
    return out;
}

const char* text_of(const char* text) { return text ? text : ""; }

class LoadedExecutable : public Executable, public std::enable_shared_from_this<LoadedExecutable> {
   public:
    LoadedExecutable(std::shared_ptr<Instance> instance, quern_executable* handle, Bytes blob)
        : instance_(std::move(instance)), handle_(handle), blob_(std::move(blob)) {}
    ~LoadedExecutable() override {
        if (handle_) table().unload(handle_);
    }
    LoadedExecutable(const LoadedExecutable&) = delete;
    LoadedExecutable& operator=(const LoadedExecutable&) = delete;

    void describe() {
        if (!handle_) throw unsupported("load gave nothing");
        const quern_interface* view = nullptr;
        instance_->check(table().describe(handle_, &view), "describe");
        if (!view) throw unsupported("describe gave nothing");
        inputs_ = ports_from(view->inputs, view->input_count, "inputs");
        outputs_ = ports_from(view->outputs, view->output_count, "outputs");
    }
    const std::vector<Port>& inputs() const override { return inputs_; }
    const std::vector<Port>& outputs() const override { return outputs_; }
    std::vector<Choice> choices() override;
    std::unique_ptr<BackendSession> open(const LaneOptions& options) override;

    const quern_backend_api& table() const { return instance_->table(); }
    Instance& instance() { return *instance_; }
    quern_executable* handle() { return handle_; }

   private:
    std::shared_ptr<Instance> instance_;
    quern_executable* handle_;
    Bytes blob_;
    std::vector<Port> inputs_, outputs_;
};

std::vector<Choice> LoadedExecutable::choices() {
    if (!QUERN_HAS(&table(), explain) || !table().explain) return {};
    const quern_choice* const* list = nullptr;
    size_t count = 0;
    instance_->check(table().explain(handle_, &list, &count), "explain");
    std::vector<Choice> out;
    for (size_t i = 0; i < count; ++i)
        out.push_back({text_of(list[i]->node),
                       text_of(list[i]->op),
                       text_of(list[i]->detail),
                       text_of(list[i]->reasons),
                       QUERN_HAS(list[i], real) ? text_of(list[i]->real) : "",
                       {}});
    return out;
}

class LoadedSession : public BackendSession {
   public:
    LoadedSession(std::shared_ptr<LoadedExecutable> executable, const LaneOptions& options)
        : executable_(std::move(executable)), profiling_(options.profile) {
        const quern_session_options own{sizeof own, options.threads, options.profile ? 1 : 0};
        check(table().open(executable_->handle(), &own, &handle_), "open");
        if (!handle_) throw unsupported("open gave nothing");
    }
    ~LoadedSession() override {
        if (running_.valid()) running_.wait();
        if (handle_) table().close(handle_);
    }
    LoadedSession(const LoadedSession&) = delete;
    LoadedSession& operator=(const LoadedSession&) = delete;

    std::vector<Stored> run(std::span<const Stored> inputs) override {
        return placed([&] {
            set_inputs(inputs);
            check(table().execute(handle_), "execute");
            return outputs();
        });
    }
    void start(std::span<const Stored> inputs) override {
        placed([&] {
            set_inputs(inputs);
            if (has_start())
                check(table().start(handle_), "start");
            else
                running_ = std::async(std::launch::async, [this] { check(table().execute(handle_), "execute"); });
        });
    }
    std::vector<Stored> finish() override {
        return placed([&] {
            if (has_start())
                check(table().wait(handle_, -1), "wait");
            else
                running_.get();
            return outputs();
        });
    }
    void set_profile(bool on) override {
        if (on && !profiling_) before_ = events();
        profiling_ = on;
    }
    std::vector<StepTime> profile() override {
        std::vector<StepTime> now = events();
        for (StepTime& time : now)
            for (const StepTime& old : before_)
                if (old.node == time.node && old.kernel == time.kernel) time.seconds -= old.seconds, time.calls -= old.calls;
        return now;
    }
    uint64_t memory_bytes() override {
        return QUERN_HAS(&table(), memory_bytes) && table().memory_bytes ? table().memory_bytes(handle_) : 0;
    }

   private:
    const quern_backend_api& table() const { return executable_->table(); }
    void check(quern_status status, std::string_view what) { executable_->instance().check(status, what); }
    bool has_start() const { return QUERN_HAS(&table(), wait) && table().start && table().wait; }
    template <class Body>
    std::invoke_result_t<Body> placed(const Body& body) {
        return at_place(fmt::format("back end \"{}\"", executable_->instance().name()), body);
    }

    void set_inputs(std::span<const Stored> inputs) {
        const std::vector<Port>& ports = executable_->inputs();
        if (inputs.size() != ports.size()) throw bad_input("takes {} inputs, got {}", ports.size(), inputs.size());
        std::vector<Stored> fresh;
        auto grids = std::make_unique<Views>();
        for (size_t i = 0; i < inputs.size(); ++i) {
            Stored stored = adapt(inputs[i], ports[i]);
            stored.tensor = aligned(std::move(stored.tensor));
            fresh.push_back(std::move(stored));
        }
        for (size_t i = 0; i < fresh.size(); ++i) {
            const bool dynamic = fresh[i].encoding && fresh[i].encoding->kind == Encoding::Kind::dynamic;
            const quern_buffer buffer = buffer_of(fresh[i].tensor, dynamic ? grids->encoding(*fresh[i].encoding) : nullptr);
            check(table().set_input(handle_, i, &buffer), "set_input");
        }
        inputs_ = std::move(fresh);
        grids_ = std::move(grids);
    }

    Stored output(size_t i) {
        const Port& port = executable_->outputs()[i];
        quern_buffer buffer{};
        buffer.struct_size = sizeof buffer;
        check(table().get_output(handle_, i, &buffer), "get_output");
        Stored out{tensor_from(buffer), port.encoding};
        if (port.encoding && port.encoding->kind == Encoding::Kind::dynamic) {
            if (!buffer.grid) throw unsupported("output \"{}\" has a dynamic encoding, but no grid", escape(port.name));
            out.encoding = encoding_from(*buffer.grid);
        }
        check_fits(out, port);
        return out;
    }

    static void check_fits(const Stored& out, const Port& port) {
        const DType dtype = port.encoding ? port.encoding->storage : port.type.dtype;
        bool fits = dtype == DType::none || out.tensor.dtype == dtype;
        const Shape& shape = port.type.shape;
        fits = fits && (!shape.ranked || shape.rank() == out.tensor.dims.size());
        for (size_t d = 0; fits && shape.ranked && d < shape.rank(); ++d)
            fits = !shape.dims[d].known() || shape.dims[d].value == out.tensor.dims[d];
        if (!fits)
            throw unsupported("output \"{}\" is {}{}, need {}{}", escape(port.name), name_of(out.tensor.dtype), to_string(out.tensor.dims),
                              name_of(dtype), to_string(shape));
    }

    std::vector<Stored> outputs() {
        std::vector<Stored> out;
        for (size_t i = 0; i < executable_->outputs().size(); ++i) out.push_back(output(i));
        return out;
    }

    std::vector<StepTime> events() {
        if (!QUERN_HAS(&table(), profile) || !table().profile) return {};
        const quern_profile_event* const* list = nullptr;
        size_t count = 0;
        check(table().profile(handle_, &list, &count), "profile");
        std::vector<StepTime> out;
        for (size_t i = 0; i < count; ++i)
            out.push_back({text_of(list[i]->node), text_of(list[i]->op), text_of(list[i]->detail), list[i]->seconds, list[i]->calls});
        return out;
    }

    std::shared_ptr<LoadedExecutable> executable_;
    quern_session* handle_ = nullptr;
    bool profiling_;
    std::vector<Stored> inputs_;  // what the back end reads
    std::unique_ptr<Views> grids_;
    std::future<void> running_;
    std::vector<StepTime> before_;
};

std::unique_ptr<BackendSession> LoadedExecutable::open(const LaneOptions& options) {
    return at_place(fmt::format("back end \"{}\"", instance_->name()),
                    [&] { return std::make_unique<LoadedSession>(shared_from_this(), options); });
}

}  // namespace

std::shared_ptr<Executable> make_executable(std::shared_ptr<Instance> instance, quern_executable* handle, Bytes blob) {
    auto executable = std::make_shared<LoadedExecutable>(std::move(instance), handle, std::move(blob));
    executable->describe();
    return executable;
}

Stored adapt(Stored stored, const Port& port) {
    return at_place(fmt::format("input \"{}\"", escape(port.name)), [&]() -> Stored {
        const bool same_form = stored.encoding && port.encoding &&
                               (port.encoding->kind == Encoding::Kind::dynamic
                                    ? stored.encoding->kind == Encoding::Kind::dynamic && stored.encoding->storage == port.encoding->storage
                                    : *stored.encoding == *port.encoding);
        if (same_form || (!stored.encoding && !port.encoding)) return stored;
        Tensor numbers = stored.encoding ? dequantize(stored.tensor, *stored.encoding) : stored.tensor;
        if (!port.encoding) return {std::move(numbers), {}};
        const Encoding grid = port.encoding->kind == Encoding::Kind::dynamic ? dynamic_encoding(numbers, *port.encoding) : *port.encoding;
        return {quantize(numbers, grid), grid};
    });
}

}  // namespace quern
