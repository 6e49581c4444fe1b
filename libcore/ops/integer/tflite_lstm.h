// What the LSTM on codes takes beside them, for the interpreter and for generated code.
#pragma once

#include <span>

#include "libcore/graph/op.h"
#include "libcore/integer/lstm_codes_t.h"
#include "libcore/ops/shared/recurrent.h"

namespace quern {

struct LstmNumbers {
    std::vector<int32_t> factors;  // of the input's rows, then of the state's
    std::vector<int8_t> shifts;
    lstm_codes_t sizes;
};
// `encodings`: of the operands.
LstmNumbers lstm_numbers(const NodeView& node, std::span<const Encoding* const> encodings, const std::map<std::string, Encoding>& internal,
                         const Recurrent& shape);

}  // namespace quern
