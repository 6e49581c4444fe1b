#include "libcore/kernels/kernel.h"

#include <algorithm>

#include "libcore/base/text.h"

namespace quern {

std::vector<ValueId> Site::operands(const Node& next) const {
    std::vector<ValueId> rest;
    bool chained = false;
    for (const ValueId id : next.in) {
        if (!chained && id == out())
            chained = true;
        else
            rest.push_back(id);
    }
    return rest;
}

FloatSource floats_of(const Site& site, ValueId constant) {
    const Value& value = site.value(constant);
    const Dims dims = *value.type.shape.concrete();
    if (value.data->empty() && count_of(dims) != 0)
        throw bad_input("the data of \"{}\" are not here: a kernel holds them", escape(value.name));
    return [stored = Tensor{value.storage(), dims, *value.data}] { return aligned(stored).data; };
}

bool is_f32(const Site& site, ValueId id) {
    const Type& type = site.value(id).type;
    return type.kind == Type::Kind::tensor && type.dtype == DType::f32;
}

bool same_shape(const Shape& a, const Shape& b) {
    return a.ranked && b.ranked && a.rank() == b.rank() && std::equal(a.dims.begin(), a.dims.end(), b.dims.begin(), same);
}

}  // namespace quern
