// What recurrent operators over sequences have in common where they are written: weights that ONNX stacks are cut into one tensor a gate,
// the state becomes a variable, and the dimension of directions goes.
#pragma once

#include "formats/tflite/lower/lower.h"

namespace quern::tflite_format {

class SequenceLowering {
   public:
    // A node of `gates` gates with ONNX's operands x, W, R, B, lengths, first states.
    SequenceLowering(Lowering& at, size_t gates);

    // Throws Exit::unsupported for more than one direction of one layer that begins with zeros (operands `states`) and gives its sequence
    // alone.
    void check(std::span<const size_t> states) const;

    int64_t data();  // the sequence in the order in which the operator walks through it
    // Can the gates of a constant operand be written as int8 codes, where everything else is real?
    bool in_codes(size_t operand) const;
    // Gate `gate` of a constant operand that holds all gates one after the other along axis 1.
    int64_t part(std::string_view name, size_t operand, int64_t gate, bool coded);
    // The sum of both of ONNX's biases as real numbers.
    int64_t real_bias(std::string_view name, int64_t gate);
    // What an integer run rounds to in between.
    int64_t intermediate(std::string_view name, const std::optional<Encoding>& encoding = {});
    // A variable that begins with 0.
    int64_t state(std::string_view name, size_t operand);
    // The operator, and what brings its result to the form that ONNX gives it.
    void write(Code code, const Ints& in, Attrs options, const Ints& intermediates = {});

   private:
    // Is a constant operand kept as int8 codes that are made real before they are read?
    bool stored_in_codes(size_t operand) const;
    int64_t made_real(std::string_view name, size_t operand, int64_t gate);
    Tensor rows_of(const Tensor& all, int64_t gate, size_t axis = 1) const;
    Encoding encoding_of(const Encoding& all, int64_t gate) const;
    NodeId find_squeeze() const;
    int64_t turned(int64_t tensor, int64_t into);
    int64_t another(std::string_view name, int64_t like);

    int64_t constant(std::string_view name, const Tensor& contents, const std::optional<Encoding>& encoding = {});

    Lowering& at_;
    NodeId squeeze_;    // what takes the dimension of directions out, or none
    std::string name_;  // of the operator's result
    int64_t gates_, units_, batch_;
    bool batch_first_, backwards_;
};

}  // namespace quern::tflite_format
