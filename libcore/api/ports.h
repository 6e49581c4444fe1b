// Inputs and outputs of a session: what the model says of them, the caller's buffers (numbers or codes, whatever the model has) and
// shapes, and the results of the last run.
#pragma once

#include <map>
#include <optional>
#include <set>

#include "formats/tensors/fit.h"

namespace quern {

struct IoBuffer {
    DType dtype = DType::none;
    void* data = nullptr;  // of inputs: only read
    size_t size = 0;       // bytes
};

class Ports {
   public:
    // Those of another model, or of the same in another form: buffers and shapes stay.
    void describe(const std::vector<InputSpec>& inputs, const std::vector<InputSpec>& outputs);
    void drop_buffers();  // and shapes
    void drop_results();  // and names

    const std::vector<InputSpec>& inputs() const { return inputs_; }
    const std::vector<InputSpec>& outputs() const { return outputs_; }
    // Exit::usage or bad_input unless the input can have so many dims.
    void check_rank(size_t index, int64_t rank) const;
    // The input, for which `dims` can be set: Exit::usage or bad_input if they cannot.
    const InputSpec& open_input(size_t index, const Dims& dims) const;
    void set_dims(size_t index, Dims dims) { dims_[index] = std::move(dims); }
    void forget_dims(size_t index) { dims_.erase(index); }
    const Dims& input_dims(size_t index);   // -1: not known
    const Dims& output_dims(size_t index);  // after a run: its own

    // Exit::bad_input unless the buffer has numbers or codes of the input's kind. An output without data has no buffer.
    void set_input(size_t index, IoBuffer buffer);
    void set_output(size_t index, IoBuffer buffer);
    std::vector<Tensor> gather() const;
    void hand_out(std::vector<Tensor> outputs);
    const Tensor& output(size_t index) const;  // of the last run

    // A copy that stays until the results are dropped.
    const char* kept(const std::string& name) { return names_.insert(name).first->c_str(); }

   private:
    std::vector<InputSpec> inputs_, outputs_;
    std::map<size_t, IoBuffer> input_buffers_, output_buffers_;
    std::map<size_t, Dims> dims_;  // of inputs, as set
    Dims asked_;
    std::vector<Tensor> last_;
    std::set<std::string> names_;
};

}  // namespace quern
