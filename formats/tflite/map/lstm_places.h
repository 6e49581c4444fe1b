// Where the operands of one direction of TFLite's LSTMs stand; gates in the order input, forget, cell, output.
#pragma once

#include "formats/tflite/map/map.h"

namespace quern::tflite_format {

struct LstmPlaces {
    size_t input_weights = 1, recurrent_weights = 5, peepholes = 9, biases = 12, projection = 16, first_state = 18;
    size_t norms = 20, operands = 24;  // `norms` is behind the last operand where there are none
    size_t aux_weights = 0;            // of a second input beside the first
    bool backwards = false;
};

bool all_present(const Site& site, size_t first, size_t count);
bool any_present(const Site& site, size_t first, size_t count);

// What ONNX's LSTM cannot say (projection, layer normalization, coupled gates, other activations, a second input beside the first), gate
// by gate in a Loop over the steps. `data` and `aux` have rank 3; the result has the layout of `data`. none: this use cannot be said.
ValueId lstm_in_steps(Site& site, ValueId data, ValueId aux, const LstmPlaces& at, bool time_major, int64_t steps);
// The same of one step, data of rank 2.
ValueId lstm_step(Site& site, ValueId data, const LstmPlaces& at);

}  // namespace quern::tflite_format
