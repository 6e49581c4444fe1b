#include "tests/codegen/samples.h"

namespace quern {

Tensor random_input(const Value& value, std::mt19937& random) {
    const Dims dims = value.type.shape.concrete().value();
    const auto count = static_cast<size_t>(count_of(dims));
    if (is_float(value.type.dtype)) {
        std::vector<float> items(count);
        float scale = 1, zero = 0;
        if (value.enc) {
            scale = to_floats(value.enc->scale)[0] * 128;
            zero = value.enc->zero.defined() ? static_cast<float>(to_ints(value.enc->zero)[0]) : 0;
            const float middle = (static_cast<float>(value.enc->qmin + value.enc->qmax) / 2 - zero) * to_floats(value.enc->scale)[0];
            for (float& item : items) item = middle + scale * (static_cast<float>(random() % 2001) / 1000 - 1);
        } else {
            for (float& item : items) item = static_cast<float>(random() % 2001) / 1000 - 1;
        }
        return from_floats(value.type.dtype, dims, items);
    }
    std::vector<int64_t> items(count);
    const unsigned choices = value.type.dtype == DType::boolean ? 2 : 16;  // tokens that every model has
    for (int64_t& item : items) item = static_cast<int64_t>(random() % choices);
    return from_ints(value.type.dtype, dims, items);
}

}  // namespace quern
