#include "libcore/exec/recorded.h"

namespace quern {

bool is_held(const Value& value) {
    if (!value.data || !value.data->empty()) return false;
    const auto dims = value.type.shape.concrete();
    return dims && count_of(*dims) != 0;
}

}  // namespace quern
