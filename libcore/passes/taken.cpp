#include "libcore/passes/taken.h"

namespace quern {
namespace {

Tensor selected(const Tensor& all, size_t axis, const Dims& places) {
    size_t run = static_cast<size_t>(bits_of(all.dtype)) / 8, outer = 1;
    for (size_t i = 0; i < axis; ++i) outer *= static_cast<size_t>(all.dims[i]);
    for (size_t i = axis + 1; i < all.dims.size(); ++i) run *= static_cast<size_t>(all.dims[i]);
    std::vector<std::byte> bytes;
    bytes.reserve(outer * places.size() * run);
    for (size_t i = 0; i < outer; ++i)
        for (const int64_t place : places) {
            const std::byte* from = all.data.data() + (i * static_cast<size_t>(all.dims[axis]) + static_cast<size_t>(place)) * run;
            bytes.insert(bytes.end(), from, from + run);
        }
    Dims dims = all.dims;
    dims[axis] = static_cast<int64_t>(places.size());
    return {all.dtype, std::move(dims), Bytes::own(std::move(bytes))};
}

}  // namespace

ValueId taken(Builder& to, ValueId id, size_t axis, const Dims& places) {
    const Tensor all = *to.graph().constant(id);
    std::optional<Encoding> encoding = to.graph().value(id).enc;
    if (bits_of(all.dtype) % 8 != 0 || (encoding && (encoding->block > 0 || encoding->format || encoding->min.defined())))
        return ValueId::none;
    if (encoding && !encoding->per_tensor() && static_cast<size_t>(encoding->axis) == axis)
        for (Tensor* part : {&encoding->scale, &encoding->zero})
            if (part->defined()) *part = selected(*part, 0, places);
    const ValueId made = to.constant(selected(all, axis, places), "taken");
    to.graph().value(made).enc = std::move(encoding);
    to.graph().value(made).type.dtype = to.graph().value(id).type.dtype;  // not that of codes
    return made;
}

}  // namespace quern
