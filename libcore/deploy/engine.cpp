#include "libcore/deploy/engine.h"

namespace quern {
namespace {

template <class Held>
class EngineOf : public Engine {
   public:
    explicit EngineOf(std::unique_ptr<Held> session) : session_(std::move(session)) {}
    std::vector<Tensor> run(std::span<const Tensor> inputs) override { return session_->run(inputs); }
    std::vector<Stored> run_stored(std::span<const Tensor> inputs) override {
        std::vector<Stored> stored;
        if constexpr (std::is_same_v<Held, Session>) {
            for (const Tensor& input : inputs) stored.push_back({input, std::nullopt});
            return session_->run_stored(stored);
        } else {
            for (Tensor& output : session_->run(inputs)) stored.push_back({std::move(output), std::nullopt});
            return stored;
        }
    }
    void set_timing(bool on) override { session_->set_timing(on); }
    std::vector<StepTime> step_times() const override { return session_->step_times(); }
    uint64_t arena_bytes() const override { return session_->arena_bytes(); }

   private:
    std::unique_ptr<Held> session_;
};

}  // namespace

std::unique_ptr<Engine> make_engine(std::shared_ptr<const Program> program, ThreadPool& pool) {
    return std::make_unique<EngineOf<Session>>(std::make_unique<Session>(std::move(program), pool));
}

std::unique_ptr<Engine> make_engine(const std::shared_ptr<const MixedProgram>& program, const LaneOptions& options) {
    return std::make_unique<EngineOf<MixedSession>>(program->open(options));
}

}  // namespace quern
