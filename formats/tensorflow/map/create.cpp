// Operators that make tensors of few numbers.
#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/decompose/row.h"

namespace quern::tensorflow_format {
namespace {

bool fill(Site& site) { return give(site, filled(site, site.in(1), site.as_i64(0))); }
bool empty(Site& site) { return give(site, filled(site, site.scalar(0, site.type("dtype", DType::f32)), site.as_i64(0))); }

template <int item>
bool like(Site& site) {
    return give(site, filled(site, site.scalar(item, site.dtype(0)), shape_of(site, site.in(0))));
}

// start + i (stop - start) / (count - 1)
bool linspace(Site& site) {
    const DType dtype = site.dtype(0);
    const ValueId places = site.cast(counted(site, site.as_i64(2)), dtype);
    const ValueId gaps = site.add(ops::Sub, {site.cast(site.in(2), dtype), site.scalar(1, dtype)});
    const ValueId step =
        site.add(ops::Div, {site.add(ops::Sub, {site.in(1), site.in(0)}), site.add(ops::Max, {gaps, site.scalar(1, dtype)})});
    return give(site, site.add(ops::Add, {site.in(0), site.add(ops::Mul, {places, step})}));
}

bool one_hot(Site& site) {
    using decompose::term;
    return give(site, decompose::one_hot(term(site, 0), term(site, 1), term(site, 2), term(site, 3), site.integer("axis", -1)));
}

constexpr std::array create_table{
    MapRow{"Empty", "Expand", empty},
    MapRow{"Fill", "Expand", fill},
    MapRow{"LinSpace", "Range Sub Div Mul Add", linspace},
    MapRow{"OneHot", "OneHot", one_hot},
    MapRow{"OnesLike", "Shape Expand", like<1>},
    MapRow{"Range", "Range", direct<ops::Range>},
    MapRow{"ZerosLike", "Shape Expand", like<0>},
};

}  // namespace

std::span<const MapRow> create_rows() { return create_table; }

}  // namespace quern::tensorflow_format
