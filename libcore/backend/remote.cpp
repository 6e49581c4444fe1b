#include "libcore/backend/remote.h"

#include <unistd.h>

#include <array>
#include <set>

#include "formats/native/native.h"
#include "libcore/backend/helper.h"
#include "libcore/backend/shared_tensors.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/os/descriptors.h"

namespace quern {
namespace {

// Names the back end in what is thrown, unless that does so already: answers of sessions do.
template <class Body>
std::invoke_result_t<Body> placed(const Helper& helper, const Body& body) {
    const std::string place = fmt::format("back end \"{}\"", escape(helper.name()));
    try {
        return body();
    } catch (Error& error) {
        if (!error.message().starts_with(place)) error.at(place);
        throw;
    }
}

std::vector<std::string> texts_of(const JsonView& list) {
    std::vector<std::string> out;
    for (size_t i = 0; i < list.size(); ++i) out.push_back(list.at(i).text());
    return out;
}

class RemoteExecutable : public Executable, public std::enable_shared_from_this<RemoteExecutable> {
   public:
    RemoteExecutable(std::shared_ptr<Helper> helper, std::string part) : helper_(std::move(helper)), part_(std::move(part)) {}
    ~RemoteExecutable() override {
        if (loaded_) helper_->end([&] { ask({{"ask", "unload"}}); });
    }
    RemoteExecutable(const RemoteExecutable&) = delete;
    RemoteExecutable& operator=(const RemoteExecutable&) = delete;

    void load(const Bytes& blob, const std::string& file) {
        const Descriptor memory(make_shared_memory("quern-blob")), ports(make_shared_memory("quern-ports"));
        write_all(memory.fd, reinterpret_cast<const char*>(blob.data()), blob.size(), "shared memory");
        const Json answer = helper_->ask({{"ask", "load"}, {"path", file}, {"part", part_}}, part_, std::array{memory.fd, ports.fd});
        try {
            describe(JsonView(answer, "answer"), native_format::read(read_memory(ports.fd), "ports").graph);
        } catch (const Error& error) {
            throw unsupported("describe: {}", error.message());
        }
        loaded_ = true;
    }
    const std::vector<Port>& inputs() const override { return inputs_; }
    const std::vector<Port>& outputs() const override { return outputs_; }
    std::vector<Choice> choices() override {
        const Json answer = ask({{"ask", "choices"}});
        const JsonView list = JsonView(answer, "choices")["choices"];
        std::vector<Choice> out;
        for (size_t i = 0; i < list.size(); ++i) {
            std::vector<std::string> text = texts_of(list.at(i));
            if (text.size() != 5) throw unsupported("explain: a choice has {} texts, need 5", text.size());
            out.push_back({text[0], text[1], text[2], text[3], text[4], {}});
        }
        return out;
    }
    std::unique_ptr<BackendSession> open(const LaneOptions& options) override;

    Json ask(Json request) {
        request["executable"] = number_;
        return helper_->ask(request, part_);
    }
    Helper& helper() { return *helper_; }
    const Helper* helper_of() const { return helper_.get(); }
    const std::string& part() const { return part_; }
    int64_t number() const { return number_; }

   private:
    // The graph has the values of all ports, inputs first.
    void describe(const JsonView& answer, const Graph& graph) {
        number_ = answer["executable"].integer();
        const std::vector<std::string> in = texts_of(answer["inputs"]), out = texts_of(answer["outputs"]);
        if (graph.inputs.size() != in.size() + out.size())
            throw unsupported("describe: {} values, need {}", graph.inputs.size(), in.size() + out.size());
        for (size_t i = 0; i < graph.inputs.size(); ++i) {
            const Value& value = graph.value(graph.inputs[i]);
            const bool input = i < in.size();
            (input ? inputs_ : outputs_).push_back({input ? in[i] : out[i - in.size()], value.type, value.enc});
        }
    }

    std::shared_ptr<Helper> helper_;
    std::string part_;
    int64_t number_ = 0;
    bool loaded_ = false;
    std::vector<Port> inputs_, outputs_;
};

class RemoteSession : public BackendSession {
   public:
    RemoteSession(std::shared_ptr<RemoteExecutable> executable, const LaneOptions& options)
        : executable_(std::move(executable)), in_(make_shared_memory("quern-inputs")), out_(make_shared_memory("quern-outputs")) {
        const auto [ours, theirs] = Wire::pair();
        const Descriptor socket(theirs);
        lane_ = helper().add_lane(ours, executable_->part());
        const Json request{{"ask", "open"},
                           {"executable", executable_->number()},
                           {"slot", lane_->slot},
                           {"threads", options.threads},
                           {"timing", options.timing},
                           {"guarded", options.guarded}};
        try {
            helper().ask(request, executable_->part(), std::array{socket.fd, in_.fd, out_.fd});
        } catch (...) {
            helper().remove_lane(*lane_);
            throw;
        }
    }
    ~RemoteSession() override {
        helper().end([&] {
            if (running_) helper().answer(*lane_);
        });
        helper().end([&] {
            helper().send(*lane_, {{"ask", "close"}});
            answered();
        });
        helper().remove_lane(*lane_);
    }
    RemoteSession(const RemoteSession&) = delete;
    RemoteSession& operator=(const RemoteSession&) = delete;

    std::vector<Stored> run(std::span<const Stored> inputs) override {
        send_run(inputs, false);
        return finish();
    }
    void start(std::span<const Stored> inputs) override { send_run(inputs, true); }
    std::vector<Stored> finish() override {
        running_ = false;
        return placed(helper(), [&] {
            const Json answer = answered();
            std::vector<Stored> values = read_values(out_.fd, JsonView(answer, "answer")["values"].json(), executable_->outputs());
            for (size_t i = 0; i < values.size(); ++i)
                if (!kept_.contains(i)) check_fits(values[i], executable_->outputs()[i]);
            return values;
        });
    }
    bool link_input(size_t index, BackendSession& from, size_t output) override {
        auto* other = dynamic_cast<RemoteSession*>(&from);
        if (!other || other->executable_->helper_of() != executable_->helper_of()) return false;
        const Json answer = ask({{"ask", "link"}, {"index", index}, {"from", other->lane_->slot}, {"output", output}});
        const bool linked = JsonView(answer, "link")["linked"].boolean();
        if (linked) linked_.insert(index);
        return linked;
    }
    void keep_output(size_t index) override {
        ask({{"ask", "keep"}, {"index", index}});
        kept_.insert(index);
    }
    void set_timing(bool on) override { ask({{"ask", "timing"}, {"on", on}}); }
    std::vector<StepTime> step_times() override {
        const Json answer = ask({{"ask", "times"}});
        const JsonView list = JsonView(answer, "times")["times"];
        std::vector<StepTime> out;
        for (size_t i = 0; i < list.size(); ++i) {
            const JsonView row = list.at(i);
            out.push_back({row.at(0).text(), row.at(1).text(), row.at(2).text(), row.at(3).real(), row.at(4).natural(), {}});
        }
        return out;
    }
    uint64_t memory_bytes() override {
        const Json answer = ask({{"ask", "memory"}});
        return JsonView(answer, "memory")["bytes"].natural();
    }

   private:
    Helper& helper() { return executable_->helper(); }
    Json answered() { return helper().answer(*lane_); }
    Json ask(const Json& request) {
        return placed(helper(), [&] {
            helper().send(*lane_, request);
            return answered();
        });
    }
    void send_run(std::span<const Stored> inputs, bool apart) {
        placed(helper(), [&] {
            const std::vector<Port>& ports = executable_->inputs();
            if (inputs.size() != ports.size()) throw bad_input("takes {} inputs, got {}", ports.size(), inputs.size());
            std::vector<Stored> adapted;
            for (size_t i = 0; i < inputs.size(); ++i) adapted.push_back(linked_.contains(i) ? Stored() : adapt(inputs[i], ports[i]));
            helper().send(*lane_, {{"ask", "run"}, {"values", write_values(in_.fd, adapted)}, {"apart", apart}});
            running_ = true;
        });
    }

    std::shared_ptr<RemoteExecutable> executable_;
    Descriptor in_, out_;
    std::unique_ptr<Lane> lane_;
    bool running_ = false;
    std::set<size_t> linked_, kept_;  // inputs and outputs that stay on the device
};

std::unique_ptr<BackendSession> RemoteExecutable::open(const LaneOptions& options) {
    return placed(*helper_, [&] { return std::make_unique<RemoteSession>(shared_from_this(), options); });
}

}  // namespace

std::shared_ptr<Helper> start_helper(const RemoteBackend& backend) { return std::make_shared<Helper>(backend); }

std::shared_ptr<Executable> load_remotely(const std::shared_ptr<Helper>& helper, const Bytes& blob, const std::string& file,
                                          const std::string& part) {
    auto executable = std::make_shared<RemoteExecutable>(helper, part);
    executable->load(blob, file);
    return executable;
}

}  // namespace quern
