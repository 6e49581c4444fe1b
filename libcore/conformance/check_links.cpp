// Values that stay on the device: a partition cut in two gives the same bits whether what goes from the first half to the second comes back
// to the host or is linked.
#include <algorithm>
#include <optional>

#include "libcore/base/text.h"
#include "libcore/conformance/calls.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"
#include "libcore/place/partition.h"
#include "libcore/support/units.h"

namespace quern::conformance {
namespace {

struct Link {
    size_t output, input;  // of the first half, of the second
};

struct Halves {
    Part first, second;
    std::vector<Link> links;
    std::vector<size_t> first_inputs, second_inputs;  // which inputs of the whole they are; of a link SIZE_MAX
};

std::vector<size_t> places_of(const std::vector<ValueId>& some, const std::vector<ValueId>& all) {
    std::vector<size_t> out;
    for (const ValueId id : some) {
        const auto found = std::ranges::find(all, id);
        out.push_back(found == all.end() ? SIZE_MAX : static_cast<size_t>(found - all.begin()));
    }
    return out;
}

// Cut before the `at`-th node. Nothing: that is inside a unit, or nothing goes across.
std::optional<Halves> halves_of(const Part& whole, size_t at) {
    const Graph& graph = whole.graph;
    const std::vector<NodeId>& order = graph.order();
    const support::Units units = support::units_of(graph);
    place::Partition first, second;
    first.nodes.assign(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(at));
    second.nodes.assign(order.begin() + static_cast<std::ptrdiff_t>(at), order.end());
    for (const NodeId a : first.nodes)
        for (const NodeId b : second.nodes)
            if (units.of[index_of(a)] == units.of[index_of(b)]) return std::nullopt;
    place::Ends ends(graph);
    ends.find(first);
    ends.find(second);
    Halves out{.first = {place::extract_partition(graph, first), {}, whole.options},
               .second = {place::extract_partition(graph, second), {}, whole.options},
               .links = {},
               .first_inputs = places_of(first.inputs, graph.inputs),
               .second_inputs = places_of(second.inputs, graph.inputs)};
    const std::vector<size_t> made = places_of(second.inputs, first.outputs);
    for (size_t i = 0; i < made.size(); ++i)
        if (made[i] < first.outputs.size()) out.links.push_back({made[i], i});
    return out.links.empty() || first.inputs.empty() ? std::nullopt : std::optional(std::move(out));
}

Inputs chosen(const Inputs& whole, const std::vector<size_t>& which) {
    Inputs out;
    for (const size_t i : which) out.push_back(i < whole.size() ? whole[i] : Stored{});
    return out;
}

// The second half after the first; what is linked it does not take from the host.
std::vector<Stored> run_halves(BackendSession& first, BackendSession& second, const Halves& halves, const Inputs& inputs) {
    const std::vector<Stored> made = first.run(chosen(inputs, halves.first_inputs));
    Inputs in = chosen(inputs, halves.second_inputs);
    for (const Link& link : halves.links) in[link.input] = made[link.output];
    return second.run(in);
}

// How many of the links the back end takes; outputs that they alone read stay.
size_t linked(BackendSession& first, BackendSession& second, const Halves& halves) {
    size_t count = 0;
    for (size_t output = 0; output < halves.first.graph.outputs.size(); ++output) {
        bool all = true, any = false;
        for (const Link& link : halves.links) {
            if (link.output != output) continue;
            const bool taken = second.link_input(link.input, first, output);
            count += taken;
            any |= taken;
            all &= taken;
        }
        if (any && all) first.keep_output(output);
    }
    return count;
}

void refuse_wrong_links(const Context& context, const Halves& halves) {
    const Calls calls(context);
    const quern_backend_api& table = calls.table();
    const OwnedExecutable first = calls.load(calls.compile(halves.first)), second = calls.load(calls.compile(halves.second));
    const OwnedSession from = calls.open(first.get()), to = calls.open(second.get());
    const size_t outputs = halves.first.graph.outputs.size(), inputs = halves.second.graph.inputs.size();
    for (const size_t beyond : {size_t{0}, SIZE_MAX / 2}) {
        calls.refused("link_input", "the index of an input that there is not",
                      [&] { return table.link_input(to.get(), inputs + beyond, from.get(), 0); });
        calls.refused("link_input", "the index of an output that there is not",
                      [&] { return table.link_input(to.get(), 0, from.get(), outputs + beyond); });
        calls.refused("keep_output", "the index of an output that there is not",
                      [&] { return table.keep_output(from.get(), outputs + beyond); });
    }
}

// Several runs of other numbers, so that what stays from the last one shows; then both ends go, either first.
size_t compare(Instance& instance, const Part& whole, const Halves& halves) {
    const auto first = loaded(instance, halves.first), second = loaded(instance, halves.second);
    const auto plain_first = first->open({}), plain_second = second->open({});
    size_t count = 0;
    for (const bool first_ends_first : {true, false}) {
        auto from = first->open({}), to = second->open({});
        count = linked(*from, *to, halves);
        for (const Inputs& inputs : {whole.samples[0], turned_round(whole.samples[0]), whole.samples[0]}) {
            const std::vector<Stored> want = run_halves(*plain_first, *plain_second, halves, inputs);
            const std::vector<Stored> got = run_halves(*from, *to, halves, inputs);
            check_same(halves.second, got, want, "a linked input");
        }
        (first_ends_first ? from : to).reset();
    }
    return count;
}

std::string check_links(const Context& context, size_t number, bool codes) {
    const auto parts = random_parts(context, number, codes);
    if (!parts) return "not drawn";
    size_t cuts = 0, taken = 0, links = 0;
    for (const Part& part : *parts)
        for (size_t at = 1; at < part.graph.order().size(); ++at) {
            const auto halves = halves_of(part, at);
            if (!halves) continue;
            const std::string place =
                fmt::format("{} | {} ({})", nodes_text(halves->first.graph), nodes_text(halves->second.graph), inputs_text(part.graph));
            set_place(place);
            at_place(place, [&] {
                taken += compare(*instance_of(context), part, *halves);
                refuse_wrong_links(context, *halves);
            });
            ++cuts;
            links += halves->links.size();
        }
    return fmt::format("{} cuts, {} of {} values stay on the device", cuts, taken, links);
}

}  // namespace

std::vector<Step> links_steps(const Context& context) {
    const bool links = QUERN_OPTIONAL(context.table, link_input), keeps = QUERN_OPTIONAL(context.table, keep_output);
    if (links != keeps)
        return {{"", []() -> std::string { throw fault("the table has one of link_input and keep_output, need both or none"); }}};
    std::vector<Step> steps;
    for (const bool codes : {false, true})
        for (size_t number = 0; links && number < 4; ++number)
            steps.push_back({fmt::format("graph {} {}", number, codes ? "int" : "float"),
                             [&context, number, codes] { return check_links(context, number, codes); }});
    return steps;
}

}  // namespace quern::conformance
