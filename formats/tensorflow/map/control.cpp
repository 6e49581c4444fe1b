// Functions that are called, branched to and looped over.
#include <array>

#include "formats/tensorflow/map/bodies.h"
#include "formats/tensorflow/map/map.h"
#include "formats/tensorflow/map/operands.h"

namespace quern::tensorflow_format {
namespace {

std::string function_of(const Site& site, std::string_view attr) {
    const auto* function = site.of().attr<FunctionName>(attr);
    if (!function) throw bad_input("has no function \"{}\"", attr);
    return function->name;
}

std::vector<Bound> operands(Site& site, size_t from = 0) {
    std::vector<Bound> list;
    for (size_t i = from; i < site.inputs(); ++i) list.push_back(site.bound(i));
    return list;
}

bool give_all(Site& site, std::vector<Bound> results) {
    for (size_t k = 0; k < results.size(); ++k) site.out(k, std::move(results[k]));
    return true;
}

std::string own_name(Site& site) { return site.scope().prefix + site.of().name; }
int next_depth(Site& site) { return site.scope().depth + 1; }

// What calls are named when nobody names them says nothing.
bool call(Site& site) {
    const bool plain = site.of().name.starts_with("PartitionedCall") || site.of().name.starts_with("StatefulPartitionedCall");
    const std::string prefix = plain ? site.scope().prefix : site.fresh("");
    return give_all(site, site.importer().call(site.scope().frame, function_of(site, "f"), operands(site), prefix, next_depth(site)));
}

// ---- branches ----

Part branch(Site& site, const std::string& function, const std::vector<Bound>& arguments) {
    return [&site, function, &arguments](Frame& frame) {
        return site.importer().call(frame, function, arguments, site.fresh(""), next_depth(site));
    };
}

// Any number but 0 is true, and any tensor with elements.
ValueId truth(Site& site, size_t i) {
    if (site.rank(i) != 0) {
        const ValueId count = site.add(ops::Size, {site.in(i)});
        return site.cast(count, DType::boolean);
    }
    if (site.dtype(i) == DType::string) throw unsupported("a text is its condition");
    return site.cast(site.in(i), DType::boolean);
}

bool if_else(Site& site) {
    const std::vector<Bound> arguments = operands(site, 1);
    return give_all(site,
                    add_if(site.scope().frame, own_name(site), truth(site, 0), branch(site, function_of(site, "then_branch"), arguments),
                           branch(site, function_of(site, "else_branch"), arguments)));
}

bool choose(Site& site) {
    const auto* functions = site.of().attr<std::vector<FunctionName>>("branches");
    if (!functions || functions->empty()) throw bad_input("has no branches");
    const std::vector<Bound> arguments = operands(site, 1);
    site.in(0);  // is a tensor
    std::vector<Part> branches;
    for (const FunctionName& function : *functions) branches.push_back(branch(site, function.name, arguments));
    return give_all(site, add_case(site.scope().frame, own_name(site), site.bound(0), branches));
}

// ---- loops ----

// Does result i of a body only hand on argument i?
bool hands_on(const NodeGraph& body, size_t i) {
    Ref at = body.results[i];
    for (size_t steps = 0; steps < body.nodes.size(); ++steps) {
        if (at.node < body.arguments) return at.node == i;
        if (body.nodes[at.node].op != "Identity" || body.inputs[at.node].size() != 1) return false;
        at = body.inputs[at.node][0];
    }
    return false;
}

bool while_loop(Site& site) {
    const std::string condition = function_of(site, "cond"), body = function_of(site, "body");
    const NodeGraph& from = site.importer().function(body);
    LoopParts parts;
    parts.first = operands(site);
    if (from.arguments != parts.first.size() || from.results.size() != parts.first.size())
        throw bad_input("has {} loop values, its body takes {} and gives {}", parts.first.size(), from.arguments, from.results.size());
    for (size_t i = 0; i < parts.first.size(); ++i) {
        parts.names.push_back(from.nodes[i].name);
        parts.fixed.push_back(hands_on(from, i));
    }
    const auto step = [&](const std::string& function, std::string_view part) {
        return [&site, function, prefix = site.fresh(part)](Frame& frame, const std::vector<Bound>& carried) {
            return site.importer().call(frame, function, carried, prefix, next_depth(site));
        };
    };
    parts.condition = step(condition, "cond/");
    parts.body = step(body, "");
    return give_all(site, add_loop(site.scope().frame, own_name(site), parts));
}

constexpr std::array control_table{
    MapRow{"Case StatelessCase", "Equal If", choose, "output*"},
    MapRow{"If StatelessIf", "If", if_else, "output*"},
    MapRow{"PartitionedCall StatefulPartitionedCall", "nothing", call, "output*"},
    MapRow{"StatelessWhile While", "Loop", while_loop, "output*"},
};

}  // namespace

std::span<const MapRow> control_rows() { return control_table; }

}  // namespace quern::tensorflow_format
