// What onert_run feeds to a model: random numbers, raw files by number, or one sample of our own files.
#pragma once

#include <map>
#include <random>
#include <string>
#include <vector>

#include "libcore/cli/api_session.h"

namespace quern::onert_run {

struct InputChoice {
    std::string load, raw;     // a file or folder; the prefix of PREFIX.0, PREFIX.1, ...
    bool fixed = false;        // random: each run has the same
    bool force_float = false;  // numbers, also where the model takes codes
    bool random() const { return load.empty() && raw.empty(); }
};

// An element type as buffers have it: codes where a port has them, unless numbers are wanted.
DType buffer_dtype(const InputSpec& spec, bool force_float);

class RunInputs {
   public:
    RunInputs(const ApiSession& session, InputChoice choice) : session_(session), choice_(std::move(choice)) {}
    // For the model as it is now, which is prepared: reads what is to be read, sets shapes that the model leaves open (those of `shapes`,
    // of what was read, else 1) and begins random numbers anew.
    void bind(const std::map<size_t, Dims>& shapes);
    // The shapes of what is read, for a model that is not prepared.
    const std::map<size_t, Dims>& loaded_shapes();
    void set_next();  // the inputs of the next run
    void dump_raw(const std::string& prefix) const;

   private:
    void read();
    Dims dims_of(size_t index) const;
    Tensor random_tensor(const InputSpec& spec, const Dims& dims);

    const ApiSession& session_;
    InputChoice choice_;
    std::vector<InputSpec> specs_;
    std::map<size_t, Dims> shapes_;
    std::vector<Tensor> tensors_;
    std::mt19937_64 random_;
    bool set_ = false;
};

}  // namespace quern::onert_run
