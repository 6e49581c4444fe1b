// Variables and tables behind handles, and subgraphs that are called. A variable is a State whose next value is what was assigned last.
#include <array>

#include "formats/tflite/map/map.h"
#include "libcore/passes/decompose/index.h"
#include "libcore/passes/passes.h"

namespace quern::tflite_format {
namespace {

bool is_text(DType dtype) { return dtype == DType::string; }

std::string text_option(const Site& site, std::string_view name) {
    const auto found = site.op().options.find(name);
    const auto* text = found == site.op().options.end() ? nullptr : std::get_if<std::string>(&found->second);
    return text ? *text : std::string();
}

Resources& resources(Site& site) { return site.importer().resources(); }

void give_handle(Site& site, std::string name) {
    if (site.out_count() != 1) throw bad_input("gives {} handles", site.out_count());
    site.scope().handles[site.op().out[0]] = std::move(name);
}

const std::string& handle(Site& site) {
    const auto found = site.has(0) ? site.scope().handles.find(site.op().in[0]) : site.scope().handles.end();
    if (found == site.scope().handles.end()) throw unsupported("a handle that comes from outside of its subgraph");
    return found->second;
}

// ---- variables -----------------------------------------------------------------------------------------------------

bool var_handle(Site& site) {
    give_handle(site, "variable " + text_option(site, "container") + "/" + text_option(site, "shared_name"));
    return true;
}

Resources::Variable& variable(Site& site) {
    if (!site.importer().at_top(site.graph())) throw unsupported("a variable in a subgraph that runs on a condition");
    return resources(site).variables[handle(site)];
}

// What it begins with: of a first call, else 0 in the type that reads it.
ValueId first_value(Site& site, const std::string& name) {
    const auto& first = resources(site).first;
    Contents contents;
    if (const auto found = first.find(name); found != first.end()) {
        contents = found->second;
    } else {
        FileTensor zeros = site.out_tensor();
        zeros.variable = true;
        zeros.data = {};
        const Constant made = site.importer().contents_of(zeros, site.scope());
        contents = {made.data, made.encoding};
    }
    const ValueId id = site.constant(contents.data, "first");
    site.graph().value(id).enc = contents.encoding;
    if (contents.encoding) site.graph().value(id).type.dtype = contents.encoding->real;
    return id;
}

bool read_variable(Site& site) {
    Resources::Variable& var = variable(site);
    if (var.now != ValueId::none) {
        site.put(ops::Identity, {var.now}, {site.out_value(0)});
        return true;
    }
    var.now = var.state = site.out_value(0);
    site.put(ops::own::State, {first_value(site, handle(site))}, {var.state}, {{"next", std::string()}});
    return true;
}

bool assign_variable(Site& site) {
    Resources::Variable& var = variable(site);
    if (!site.has(1)) throw bad_input("assigns nothing");
    const ValueId now = site.importer().declare(site.graph(), handle(site).substr(handle(site).find('/') + 1), {});
    site.graph().value(now).enc = encoding_of(site.tensor(1), site.scope().from);
    site.put(ops::Identity, {site.in(1)}, {now});
    var.now = now;
    var.assigned = true;
    return true;
}

// ---- tables --------------------------------------------------------------------------------------------------------

bool hashtable(Site& site) {
    give_handle(site, fmt::format("table {}", site.integer("table_id")));
    return true;
}

bool hashtable_import(Site& site) {
    if (!resources(site).first_call) throw unsupported("a table that is filled outside of a first call");
    const auto keys = site.importer().contents_of(site.tensor(1), site.scope()),
               values = site.importer().contents_of(site.tensor(2), site.scope());
    if (keys.encoding || values.encoding || keys.data.count() != values.data.count() || keys.data.dims.size() > 1 ||
        values.data.dims.size() > 1)
        throw bad_input("{} keys for {} values", to_string(keys.data.dims), to_string(values.data.dims));
    resources(site).tables.emplace(handle(site), Table{keys.data, values.data});  // a second time does nothing
    return true;
}

const Table& table(Site& site) {
    const auto found = resources(site).tables.find(handle(site));
    if (found == resources(site).tables.end()) throw bad_input("its table is never filled");
    return found->second;
}

bool hashtable_find(Site& site) {
    const Table& of = table(site);
    const DType key = site.dtype(1);
    if (key != of.keys.dtype) throw bad_input("keys are {}, the table has {}", name_of(key), name_of(of.keys.dtype));
    if (of.keys.count() == 0) {
        site.put(ops::Expand, {site.in(2), site.add(ops::Shape, {site.in(1)})}, {site.out_value(0)});
        return true;
    }
    const decompose::Found found = decompose::find({&site, site.in(1)}, {&site, site.constant(of.keys, "keys")});
    const ValueId there = site.cast(found.hits, DType::boolean);
    site.put(ops::Where, {there, site.add(ops::Gather, {site.constant(of.values, "values"), found.place}), site.in(2)},
             {site.out_value(0)});
    return true;
}

bool hashtable_size(Site& site) {
    site.put(ops::Identity, {site.integers({table(site).keys.count()}, "size")}, {site.out_value(0)});
    return true;
}

// The row of the key, 0 where there is none, and whether there is one.
bool hashtable_lookup(Site& site) {
    if (site.rank(0) != 1 || site.rank(1) != 1 || is_text(site.dtype(2)) || site.out_count() != 2) return false;
    Ints rows(site.rank(2), 1);
    if (rows.empty()) return false;
    rows[0] = -1;
    const decompose::Found found = decompose::find({&site, site.in(0)}, {&site, site.in(1)});
    const ValueId there = site.cast(found.hits, DType::boolean);
    const Values choice{site.add(ops::Reshape, {there, site.integers(rows, "rows")}), site.add(ops::Gather, {site.in(2), found.place}),
                        site.scalar(0, site.dtype(2), "zero")};
    site.put(ops::Where, choice, {site.out_value(0)});
    site.put(ops::Cast, {found.hits}, {site.out_value(1)}, {{"to", onnx_type(DType::u8)}});
    return true;
}

// ---- calls ---------------------------------------------------------------------------------------------------------

bool call_once(Site& site) {
    if (!site.importer().at_top(site.graph())) throw unsupported("a first call in a subgraph");
    site.importer().call_first(site.integer("init_subgraph_index"), site.scope().depth + 1);
    return true;
}

bool call_subgraph(Site& site, int64_t index) {
    const Values in = site.ins();
    for (const ValueId id : in)
        if (id == ValueId::none) throw bad_input("an operand of a subgraph is absent");
    const Values out = site.importer().add_subgraph(site.graph(), index, in, site.fresh("call/"), site.scope().depth + 1);
    if (out.size() != site.out_count()) throw bad_input("a subgraph has {} results, need {}", out.size(), site.out_count());
    for (size_t i = 0; i < out.size(); ++i) site.put(ops::Identity, {out[i]}, {site.out_value(i)});
    return true;
}

bool call(Site& site) { return call_subgraph(site, site.integer("subgraph")); }
bool composite(Site& site) { return call_subgraph(site, site.integer("decomposition_subgraph_index")); }

// ---- random numbers ------------------------------------------------------------------------------------------------

// The generator goes on from run to run.
template <const OpId& generator>
bool random_numbers(Site& site) {
    if (site.in_count() != 1 || site.out_count() != 1 || type_of(site.out_tensor()).dtype != DType::f32) return false;
    if (!site.importer().at_top(site.graph())) throw unsupported("a random generator in a subgraph that runs on a condition");
    const auto seed = [&](std::string_view name) { return int64_t{static_cast<int32_t>(site.integer(name))}; };  // as LiteRT takes it
    const ValueId next = site.value("next");
    const ValueId first = site.constant(Tensor::scalar(int64_t{0}), "first");
    const ValueId now = site.add(ops::own::State, {first}, {{"next", site.graph().value(next).name}});
    site.put(generator, {site.in(0), now}, {site.out_value(0), next}, {{"seed", seed("seed")}, {"seed2", seed("seed2")}});
    return true;
}

constexpr std::array state_table{
    MapRow{Code::ASSIGN_VARIABLE, "Identity", assign_variable},
    MapRow{Code::CALL, "Identity", call},
    MapRow{Code::CALL_ONCE, "", call_once},
    MapRow{Code::HASHTABLE, "", hashtable},
    MapRow{Code::HASHTABLE_FIND, "Equal ArgMax Gather Where", hashtable_find},
    MapRow{Code::HASHTABLE_IMPORT, "", hashtable_import},
    MapRow{Code::HASHTABLE_LOOKUP, "Equal ArgMax Gather Where", hashtable_lookup, "texts"},
    MapRow{Code::HASHTABLE_SIZE, "Identity", hashtable_size},
    MapRow{Code::RANDOM_STANDARD_NORMAL, "State PhiloxNormal", random_numbers<ops::own::PhiloxNormal>},
    MapRow{Code::RANDOM_UNIFORM, "State PhiloxUniform", random_numbers<ops::own::PhiloxUniform>},
    MapRow{Code::READ_VARIABLE, "State Identity", read_variable},
    MapRow{Code::STABLEHLO_COMPOSITE, "Identity", composite},
    MapRow{Code::VAR_HANDLE, "", var_handle},
};

}  // namespace

std::span<const MapRow> state_rows() { return state_table; }

}  // namespace quern::tflite_format
