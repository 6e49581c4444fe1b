// What a session makes in the background: its model quantized, generated and ready to run.
#pragma once

#include <future>

#include "libcore/api/loaded.h"

namespace quern {

class AutoCompiler {
   public:
    struct Job {
        LoadedModel loaded;
        std::optional<Ranges> ranges;
        QuantizeJob quantize;  // of no scheme: the model is quantized already
        CodegenJob codegen;    // of target "": none
        SessionBackends backends;
        int threads;
    };
    struct Made {
        LoadedModel loaded;
        SessionBackends backends;
        int threads = 0;
        Runnable runnable;
        std::vector<std::string> notes;
    };
    ~AutoCompiler() { drop(); }

    // Throws as need_generator() does; asks plugins in child processes, so of one target once only.
    void check_target(const std::string& target);
    void start(Job job);
    bool started() const { return done_ || work_.valid(); }
    // What was made, once, when it is; throws what made it fail. Nothing is made again before reset().
    std::optional<Made> take();
    void wait() const;
    void drop();  // waits
    void reset();

   private:
    std::string known_target_;
    std::future<Made> work_;
    bool done_ = false;
};

}  // namespace quern
