#include "formats/tensorflow/map/lists.h"

#include <array>

#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

void learn(ListItems& items, const Type& item) {
    if (items.dtype == DType::none) items.dtype = item.dtype;
    if (!item.shape.ranked) return;
    if (!items.shape.ranked) items.shape = Shape::of_rank(item.shape.rank());
    if (items.shape.rank() != item.shape.rank())
        throw unsupported("a list with items of rank {} and {}", items.shape.rank(), item.shape.rank());
    for (size_t i = 0; i < item.shape.rank(); ++i)
        if (item.shape.dims[i].known() && !items.shape.dims[i].known()) items.shape.dims[i] = item.shape.dims[i];
}

// The shape that an operand says: -1 alone is any.
Shape said_shape(Site& site, size_t i) {
    const auto known = site.known(i);
    if (!known) {
        const Shape& own = site.shape(i);
        return own.ranked && own.rank() == 1 && own.dims[0].known() && own.dims[0].value < 64
                   ? Shape::of_rank(static_cast<size_t>(own.dims[0].value))
                   : Shape::unranked();
    }
    if (known->dims.empty()) return Shape::unranked();
    Shape shape = Shape::of_rank(0);
    for (const int64_t item : to_ints(*known)) shape.dims.push_back(item < 0 ? Dim::unknown() : Dim::of(item));
    return shape;
}

Shape item_of(const Shape& list) {
    if (!list.ranked || list.rank() == 0) return {};
    return Shape::of_dims({list.dims.begin() + 1, list.dims.end()});
}

Bound list_of(Site& site, ValueId tensor, std::shared_ptr<ListItems> items) {
    return {.kind = Bound::Kind::list, .id = tensor, .frame = &site.scope().frame, .items = std::move(items)};
}

Bound reserved(Site& site, ValueId length, DType dtype, Shape item) {
    Bound list = list_of(site, ValueId::none, std::make_shared<ListItems>(ListItems{dtype, std::move(item)}));
    list.length = length;
    return list;
}

const Bound& list_in(Site& site, size_t i) {
    const Bound& list = site.bound(i);
    if (list.kind != Bound::Kind::list) throw bad_input("input {} is not a list of tensors", i);
    return list;
}

ValueId dense_in(Site& site, size_t i) {
    const ValueId tensor = dense(site.scope().frame, list_in(site, i), site.fresh("list"));
    if (tensor == ValueId::none) throw unsupported("reads a list of items whose rank is not known");
    return tensor;
}

ValueId length_of_list(Site& site, size_t i) {  // int64 of rank 0
    const Bound& list = list_in(site, i);
    if (list.id == ValueId::none) return site.scope().frame.take(list.length, list.frame);
    return squeezed(site, length_of(site, dense_in(site, i), 0), {0});
}

// With zeros behind it, up to place `index`.
ValueId grown(Site& site, ValueId tensor, ValueId index) {
    const Ints none(site.type_of(tensor).shape.rank() - 1, 0);
    const ValueId wanted = site.add(ops::Add, {site.reshape(index, {1}), site.integers({1})});
    const ValueId missing = site.add(ops::Max, {site.add(ops::Sub, {wanted, length_of(site, tensor, 0)}), site.integers({0})});
    Ints before = none;
    before.push_back(0);
    return site.add(ops::Pad, {tensor, joined(site, {site.integers(before), missing, site.integers(none)})});
}

// `list` where place `index` holds `item`; dims that were not known become those of the item.
Bound with_item(Site& site, size_t list, size_t index, size_t item) {
    const auto items = list_in(site, list).items;
    learn(*items, site.type(item));
    ValueId tensor = dense_in(site, list);
    if (items->grows) tensor = grown(site, tensor, site.as_i64(index));
    const ValueId places = counted(site, length_of(site, tensor, 0));
    Ints column(items->shape.rank() + 1, 1);
    column[0] = -1;
    const ValueId here = site.add(ops::Equal, {places, site.as_i64(index)});
    const Values choice{site.reshape(here, column), unsqueezed(site, site.in(item), {0}), tensor};
    return list_of(site, site.add(ops::Where, choice), items);
}

// ---- lists ---------------------------------------------------------------------------------------------------------

bool reserve(Site& site) {
    site.out(0, reserved(site, site.as_i64(1), site.type("element_dtype", DType::none), said_shape(site, 0)));
    return true;
}

bool empty_list(Site& site) {
    site.out(0, reserved(site, site.scalar(int64_t{0}, DType::i64), site.type("element_dtype", DType::none), said_shape(site, 0)));
    return true;
}

bool from_tensor(Site& site) {
    const Type type = site.type(size_t{0});
    site.out(0, list_of(site, site.in(0), std::make_shared<ListItems>(ListItems{type.dtype, item_of(type.shape)})));
    return true;
}

bool set_item(Site& site) {
    if (site.flag("resize_if_index_out_of_bounds", false)) list_in(site, 0).items->grows = true;
    site.out(0, with_item(site, 0, 1, 2));
    return true;
}

bool get_item(Site& site) { return give(site, site.add(ops::Gather, {dense_in(site, 0), site.in(1)}, {{"axis", int64_t{0}}})); }

bool whole(Site& site) {
    learn(*list_in(site, 0).items, Type::tensor(DType::none, said_shape(site, 1)));
    return give(site, dense_in(site, 0));
}

bool length(Site& site) { return give(site, site.cast(length_of_list(site, 0), DType::i32)); }

bool push_back(Site& site) {
    const auto items = list_in(site, 0).items;
    learn(*items, site.type(size_t{1}));
    const ValueId tensor = dense_in(site, 0), item = unsqueezed(site, site.in(1), {0});
    const ValueId shape = joined(site, {length_of(site, tensor, 0), shape_of(site, site.in(1))});
    site.out(0, list_of(site, joined(site, {filled(site, tensor, shape), item}), items));
    return true;
}

bool pop_back(Site& site) {
    const auto items = list_in(site, 0).items;
    const ValueId tensor = dense_in(site, 0);
    site.out(0, list_of(site, cut(site, tensor, 0, -1, 0), items));
    site.out(1, site.add(ops::Gather, {tensor, site.scalar(int64_t{-1}, DType::i64)}, {{"axis", int64_t{0}}}));
    return true;
}

// ---- arrays of TensorFlow 1: the list is what they call flow -----------------------------------------------------------

bool array(Site& site) {
    const auto* said = site.of().attr<Shape>("element_shape");
    Bound list = reserved(site, site.as_i64(0), site.type("dtype", DType::none), said ? *said : Shape::unranked());
    list.items->grows = site.flag("dynamic_size", false);
    site.out(0, Bound::variable(site.fresh("array")));
    site.out(1, std::move(list));
    return true;
}

bool array_write(Site& site) {
    site.out(0, with_item(site, 3, 1, 2));
    return true;
}

bool array_read(Site& site) { return give(site, site.add(ops::Gather, {dense_in(site, 2), site.in(1)}, {{"axis", int64_t{0}}})); }

// 0, 1, ... as many as there are?
bool counts_up(Site& site, size_t i) {
    const auto known = site.ints(i);
    if (known) {
        for (size_t k = 0; k < known->size(); ++k)
            if ((*known)[k] != static_cast<int64_t>(k)) return false;
        return true;
    }
    const NodeId producer = site.graph().value(site.in(i)).producer;
    if (producer == NodeId::none) return false;
    const quern::Node& node = site.graph().node(producer);
    if (!node.is(ops::Range)) return false;
    const auto start = site.scope().frame.numbers(node.in[0]), step = site.scope().frame.numbers(node.in[2]);
    return start && step && start->front() == 0 && step->front() == 1;
}

bool array_scatter(Site& site) {
    const Bound& list = list_in(site, 3);
    const auto items = list.items;
    learn(*items, Type::tensor(site.dtype(2), item_of(site.shape(2))));
    if (list.id == ValueId::none && counts_up(site, 1)) {
        site.out(0, list_of(site, site.in(2), items));
        return true;
    }
    const ValueId tensor = dense_in(site, 3);
    const ValueId item = cut(site, shape_of(site, site.in(2)), 1, std::numeric_limits<int64_t>::max(), 0);
    const ValueId full = filled(site, tensor, joined(site, {length_of(site, tensor, 0), item}));
    site.out(0, list_of(site, site.add(ops::ScatterND, {full, unsqueezed(site, site.as_i64(1), {-1}), site.in(2)}), items));
    return true;
}

bool array_gather(Site& site) {
    const ValueId tensor = dense_in(site, 2);
    return give(site, site.add(ops::Gather, {tensor, site.in(1)}, {{"axis", int64_t{0}}}));
}

bool array_size(Site& site) { return give(site, site.cast(length_of_list(site, 1), DType::i32)); }

bool nothing(Site&) { return true; }

constexpr std::array lists_table{
    MapRow{"EmptyTensorList", "Expand", empty_list},
    MapRow{"TensorArrayCloseV3", "nothing", nothing},
    MapRow{"TensorArrayGatherV3", "Gather", array_gather},
    MapRow{"TensorArrayReadV3", "Gather", array_read},
    MapRow{"TensorArrayScatterV3", "ScatterND", array_scatter},
    MapRow{"TensorArraySizeV3", "Shape", array_size},
    MapRow{"TensorArrayV3", "Expand", array, "handle flow"},
    MapRow{"TensorArrayWriteV3", "Equal Where", array_write},
    MapRow{"TensorListFromTensor", "nothing", from_tensor},
    MapRow{"TensorListGather TensorListGetItem", "Gather", get_item},
    MapRow{"TensorListLength", "Shape", length},
    MapRow{"TensorListPopBack", "Slice Gather", pop_back, "output_handle tensor"},
    MapRow{"TensorListPushBack", "Expand Concat", push_back},
    MapRow{"TensorListReserve", "Expand", reserve},
    MapRow{"TensorListSetItem", "Equal Where", set_item},
    MapRow{"TensorListStack", "nothing", whole},
};

}  // namespace

std::span<const MapRow> list_rows() { return lists_table; }

ValueId dense(Frame& frame, const Bound& list, const std::string& name) {
    if (list.id != ValueId::none) return frame.take(list.id, list.frame);
    if (!list.items->shape.ranked || list.items->dtype == DType::none) return ValueId::none;
    if (list.items->dtype == DType::string) throw unsupported("a list of texts");
    const auto add = [&](OpId op, Values in, Attrs attrs = {}) {
        const ValueId made = frame.declare(name, {});
        frame.add(need_op(op), frame.graph.value(made).name, std::move(in), {made}, std::move(attrs));
        return made;
    };
    const auto constant = [&](const Tensor& tensor) { return frame.graph.add_constant(name + "/constant", tensor); };
    Ints dims;
    for (const Dim& dim : list.items->shape.dims) dims.push_back(dim.known() ? dim.value : 1);
    ValueId shape = add(ops::Reshape, {frame.take(list.length, list.frame), constant(Tensor::vector<int64_t>(Ints{1}))});
    if (!dims.empty()) shape = add(ops::Concat, {shape, constant(Tensor::vector<int64_t>(dims))}, {{"axis", int64_t{0}}});
    const Tensor zero = from_ints(list.items->dtype, {}, std::array{int64_t{0}});
    return add(ops::Expand, {constant(is_float(zero.dtype) ? from_doubles(zero.dtype, {}, std::array{0.0}) : zero), shape});
}

}  // namespace quern::tensorflow_format
