// Constants, variables, and what only stands between.
#include <array>

#include "formats/tensorflow/file/tensor.h"
#include "formats/tensorflow/map/map.h"
#include "libcore/base/text.h"

namespace quern::tensorflow_format {
namespace {

bool constant(Site& site) {
    const auto* stored = site.of().attr<StoredTensor>("value");
    if (!stored) throw bad_input("has no value");
    const Tensor tensor = tensor_of(*stored, site.importer().bytes_left());
    site.out(0, site.constant(tensor));
    return true;
}

bool pass(Site& site) {
    for (size_t i = 0; i < site.inputs(); ++i) site.pass(i, i);
    return true;
}

bool nothing(Site&) { return true; }

bool placeholder(Site& site) {
    throw bad_input("is an input that \"{}\" is computed of, but none of those that are named", escape(site.of().name));
}

// ---- variables -----------------------------------------------------------------------------------------------------

bool var_handle(Site& site) {
    site.out(0, Bound::variable(site.scope().prefix + site.of().name));
    return true;
}

const std::string& handle(Site& site) {
    const Bound& bound = site.bound(0);
    if (bound.kind != Bound::Kind::handle) throw bad_input("input 0 is not a handle");
    return bound.handle;
}

Bound value_of(Site& site) { return site.importer().read_variable(handle(site), DType::none); }

bool read_variable(Site& site) {
    const Bound value = site.importer().read_variable(handle(site), site.type("dtype", DType::f32));
    site.out(0, value);
    return true;
}

// The value itself: what refers to it may only read it.
bool variable(Site& site) {
    site.out(0, site.importer().read_variable(site.scope().prefix + site.of().name, site.type("dtype", DType::none)));
    return true;
}

void assign(Site& site, ValueId value) { site.importer().assign_variable(site.scope().frame, handle(site), value); }

bool assign_variable(Site& site) {
    value_of(site);
    assign(site, site.in(1));
    return true;
}

template <const OpId& op>
bool assign_sum(Site& site) {
    const Bound now = value_of(site);
    assign(site, site.add(op, {site.scope().frame.take(now.id, now.frame), site.in(1)}));
    return true;
}

bool assign_reference(Site&) { throw unsupported("assigns to a variable of TensorFlow 1"); }

// Freezing leaves it on a plain tensor, too.
bool resource_gather(Site& site) {
    const Bound from = site.bound(0).kind == Bound::Kind::handle ? value_of(site) : site.bound(0);
    if (from.kind != Bound::Kind::tensor || site.integer("batch_dims", 0) != 0) return false;
    site.out(0, site.add(ops::Gather, {site.scope().frame.take(from.id, from.frame), site.in(1)}, {{"axis", int64_t{0}}}));
    return true;
}

bool variable_shape(Site& site) {
    const Bound from = site.bound(0).kind == Bound::Kind::handle ? value_of(site) : site.bound(0);
    const ValueId shape = site.add(ops::Shape, {site.scope().frame.take(from.id, from.frame)});
    site.out(0, site.cast(shape, site.type("out_type", DType::i32)));
    return true;
}

bool is_initialized(Site& site) {
    site.out(0, site.constant(Tensor::scalar(true)));
    return true;
}

bool table(Site&) { throw unsupported("a table, which a run cannot look into"); }

constexpr std::array state_table{
    MapRow{"Assert NoOp Print PrintV2", "nothing", nothing},
    MapRow{"Assign AssignAdd AssignSub", "", assign_reference},
    MapRow{"AssignAddVariableOp", "State Add", assign_sum<ops::Add>},
    MapRow{"AssignSubVariableOp", "State Sub", assign_sum<ops::Sub>},
    MapRow{"AssignVariableOp", "State", assign_variable},
    MapRow{"Const", "a constant", constant},
    MapRow{"DisableCopyOnRead", "nothing", nothing},
    MapRow{"HashTable HashTableV2 MutableHashTableV2 LookupTableFind LookupTableFindV2 LookupTableSizeV2", "", table},
    MapRow{"Identity", "nothing", pass},
    MapRow{"IdentityN", "nothing", pass, "output*"},
    MapRow{"Placeholder", "an input", placeholder},
    MapRow{"ReadVariableOp", "a constant or State", read_variable},
    MapRow{"ResourceGather", "Gather", resource_gather},
    MapRow{"VarHandleOp", "nothing", var_handle},
    MapRow{"VarIsInitializedOp", "a constant", is_initialized},
    MapRow{"VariableShape", "Shape", variable_shape},
    MapRow{"Variable VariableV2", "a constant", variable},
};

}  // namespace

std::span<const MapRow> state_rows() { return state_table; }

}  // namespace quern::tensorflow_format
