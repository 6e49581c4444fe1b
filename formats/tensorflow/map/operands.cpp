#include "formats/tensorflow/map/operands.h"

#include <limits>

namespace quern::tensorflow_format {

ValueId shape_of(Site& site, ValueId value) { return site.add(ops::Shape, {value}); }

ValueId length_of(Site& site, ValueId value, int64_t axis) {
    const Shape& shape = site.type_of(value).shape;
    const auto at = axis < 0 && shape.ranked ? axis + static_cast<int64_t>(shape.rank()) : axis;
    if (shape.ranked && shape.dims[static_cast<size_t>(at)].known()) return site.integers({shape.dims[static_cast<size_t>(at)].value});
    return cut(site, shape_of(site, value), at, at == -1 ? std::numeric_limits<int64_t>::max() : at + 1, 0);
}

ValueId squeezed(Site& site, ValueId value, const Ints& axes) { return site.add(ops::Squeeze, {value, site.integers(axes)}); }
ValueId unsqueezed(Site& site, ValueId value, const Ints& axes) { return site.add(ops::Unsqueeze, {value, site.integers(axes)}); }

ValueId joined(Site& site, const Values& parts, int64_t axis) {
    return parts.size() == 1 ? parts[0] : site.add(ops::Concat, parts, {{"axis", axis}});
}

ValueId filled(Site& site, ValueId value, ValueId shape) { return site.add(ops::Expand, {value, shape}); }

ValueId cut(Site& site, ValueId value, int64_t start, int64_t end, int64_t axis, int64_t step) {
    Values in{value, site.integers({start}), site.integers({end}), site.integers({axis})};
    if (step != 1) in.push_back(site.integers({step}));
    return site.add(ops::Slice, in);
}

ValueId reduced(Site& site, OpId op, ValueId value, const Ints& axes, bool keep) {
    return site.add(op, {value, site.integers(axes)}, {{"keepdims", int64_t{keep}}});
}

ValueId counted(Site& site, ValueId count) {
    const ValueId number = site.reshape(count, {});
    return site.add(ops::Range, {site.scalar(int64_t{0}, DType::i64), number, site.scalar(int64_t{1}, DType::i64)});
}

bool channels_last(const Site& site) {
    const std::string format = site.word("data_format", "NHWC");
    if (format == "NHWC" || format == "NDHWC") return true;
    if (format == "NCHW" || format == "NCDHW") return false;
    throw unsupported("data_format {}", format);
}

ValueId beside(Site& site, ValueId channels, size_t rank) {
    if (rank < 3 || channels_last(site)) return channels;
    Ints dims(rank - 1, 1);
    dims[0] = -1;
    return site.reshape(channels, dims);
}

}  // namespace quern::tensorflow_format
