#include "libcore/backend/interface.h"

#include "libcore/base/text.h"
#include "libcore/graph/quantize.h"

namespace quern {

void check_fits(const Stored& out, const Port& port) {
    const DType dtype = port.encoding ? port.encoding->storage : port.type.dtype;
    bool fits = dtype == DType::none || out.tensor.dtype == dtype;
    const Shape& shape = port.type.shape;
    fits = fits && (!shape.ranked || shape.rank() == out.tensor.dims.size());
    for (size_t d = 0; fits && shape.ranked && d < shape.rank(); ++d)
        fits = !shape.dims[d].known() || shape.dims[d].value == out.tensor.dims[d];
    if (!fits)
        throw unsupported("is {}{}, need {}{}", name_of(out.tensor.dtype), to_string(out.tensor.dims), name_of(dtype), to_string(shape));
}

Stored adapt(Stored stored, const Port& port) {
    return at_place(fmt::format("input \"{}\"", escape(port.name)), [&]() -> Stored {
        const bool same_form =
            stored.encoding && port.encoding &&
            (port.encoding->is_dynamic() ? stored.encoding->is_dynamic() && stored.encoding->storage == port.encoding->storage
                                         : *stored.encoding == *port.encoding);
        if (same_form || (!stored.encoding && !port.encoding)) return stored;
        Tensor numbers = stored.encoding ? dequantize(stored.tensor, *stored.encoding) : stored.tensor;
        if (!port.encoding) return {std::move(numbers), {}};
        const Encoding grid = port.encoding->is_dynamic() ? dynamic_encoding(numbers, *port.encoding) : *port.encoding;
        return {quantize(numbers, grid), grid};
    });
}

}  // namespace quern
