#include "libcore/deploy/engine.h"

#include <map>

namespace quern {
namespace {

class WholeEngine : public Engine {
   public:
    WholeEngine(std::shared_ptr<const Program> program, ThreadPool& pool) : session_(std::move(program), pool) {}
    std::vector<Tensor> run(std::span<const Tensor> inputs) override { return session_.run(inputs); }
    std::vector<Stored> run_stored(std::span<const Tensor> inputs) override {
        std::vector<Stored> stored;
        for (const Tensor& input : inputs) stored.push_back({input, std::nullopt});
        return session_.run_stored(stored);
    }
    void carry(size_t input, size_t output, Tensor first) override { session_.carry(input, output, std::move(first)); }
    Stored state(size_t input) const override { return session_.state(input); }
    void set_timing(bool on) override { session_.set_timing(on); }
    void number_run(uint64_t number) override { session_.number_run(number); }
    std::vector<StepTime> step_times() const override { return session_.step_times(); }
    uint64_t arena_bytes() const override { return session_.arena_bytes(); }

   private:
    Session session_;
};

// Partitions hand their results from device to device, states among them: they are outputs that become inputs.
class MixedEngine : public Engine {
   public:
    explicit MixedEngine(std::unique_ptr<MixedSession> session) : session_(std::move(session)) {}
    std::vector<Tensor> run(std::span<const Tensor> inputs) override {
        std::vector<Tensor> fed(inputs.begin(), inputs.end());
        for (const auto& [input, state] : states_)
            if (!fed[input].defined()) fed[input] = state.value;
        std::vector<Tensor> outputs = session_->run(fed);
        for (auto& [input, state] : states_) state.value = outputs.at(state.output);
        for (auto& [input, state] : states_) outputs[state.output] = {};
        return outputs;
    }
    std::vector<Stored> run_stored(std::span<const Tensor> inputs) override {
        std::vector<Stored> stored;
        for (Tensor& output : run(inputs)) stored.push_back({std::move(output), std::nullopt});
        return stored;
    }
    void carry(size_t input, size_t output, Tensor first) override { states_[input] = {output, std::move(first)}; }
    Stored state(size_t input) const override { return {states_.at(input).value, std::nullopt}; }
    void set_timing(bool on) override { session_->set_timing(on); }
    void number_run(uint64_t) override {}
    std::vector<StepTime> step_times() const override { return session_->step_times(); }
    uint64_t arena_bytes() const override { return session_->arena_bytes(); }

   private:
    struct State {
        size_t output = 0;
        Tensor value;
    };
    std::unique_ptr<MixedSession> session_;
    std::map<size_t, State> states_;  // by input
};

}  // namespace

std::unique_ptr<Engine> make_engine(std::shared_ptr<const Program> program, ThreadPool& pool) {
    return std::make_unique<WholeEngine>(std::move(program), pool);
}

std::unique_ptr<Engine> make_engine(const std::shared_ptr<const MixedProgram>& program, const LaneOptions& options) {
    return std::make_unique<MixedEngine>(program->open(options));
}

}  // namespace quern
