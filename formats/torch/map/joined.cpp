// Tensors beside each other, brought to one shape, or the other way round.
#include <array>

#include "formats/torch/map/map.h"

namespace quern::torch_format {
namespace {

// Each with dims of length 1 where its rank is too small.
struct Stacking {
    std::array<Ints, 3> added;  // to those of rank 0, 1 and 2
    int64_t axis;
};
const Stacking in_rows{{Ints{0, 1}, {0}, {}}, 0}, in_columns{{Ints{0, 1}, {1}, {}}, 1}, in_depth{{Ints{0, 1, 2}, {0, 2}, {2}}, 2};

template <const Stacking& how>
bool stacked(Site& site) {
    const DType dtype = site.out_meta().dtype;
    Values parts;
    for (const Argument& item : site.need("tensors").items) {
        const size_t rank = site.meta(item).shape.rank();
        const ValueId x = site.in_as(item, dtype);
        const bool wide = rank > 2 || how.added[rank].empty();
        parts.push_back(wide ? x : site.add(ops::Unsqueeze, {x, site.integers(how.added[rank], "axes")}));
    }
    site.result(ops::Concat, parts, {{"axis", how.axis}});
    return true;
}

// Each expanded to the shapes of all.
bool broadcast_tensors(Site& site) {
    const Values parts = site.list("tensors");
    const auto& items = site.need("tensors").items;
    for (size_t i = 0; i < parts.size(); ++i) {
        ValueId x = parts[i];
        const auto whole = site.out_meta(i).shape.concrete(), own = site.meta(items[i]).shape.concrete();
        if (whole && own != whole) x = site.add(ops::Expand, {x, site.integers(*whole, "shape")});
        if (!whole)
            for (size_t k = 0; k < parts.size(); ++k)
                if (k != i) x = site.add(ops::Expand, {x, site.add(ops::Shape, {parts[k]})});
        site.bind(x, i);
    }
    return true;
}

constexpr std::array joined_table{
    MapRow{"aten.vstack aten.row_stack", "Unsqueeze Concat", stacked<in_rows>},
    MapRow{"aten.column_stack", "Unsqueeze Concat", stacked<in_columns>},
    MapRow{"aten.dstack", "Unsqueeze Concat", stacked<in_depth>},
    MapRow{"aten.broadcast_tensors", "Expand", broadcast_tensors},
};

}  // namespace

std::span<const MapRow> joined_rows() { return joined_table; }

}  // namespace quern::torch_format
