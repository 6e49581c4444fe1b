// State that consecutive samples of a calibration hand on: outputs fed back to inputs.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "libcore/base/json_fwd.h"
#include "libcore/graph/tensor.h"

namespace quern {

struct Feedback {
    std::vector<std::pair<size_t, size_t>> loops;  // graph input, graph output that feeds it
    std::vector<Tensor> state;                     // one a loop: what the next sample gets

    bool any() const { return !loops.empty(); }
    void enter(std::vector<Tensor>& inputs) const;
    void leave(const std::vector<Tensor>& outputs);

    // The state in a checkpoint, bit by bit. read() throws Exit::bad_input.
    std::string json() const;
    void read(const JsonView& json);
};

}  // namespace quern
