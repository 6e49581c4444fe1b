#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/graph/op.h"
#include "libcore/place/target.h"
#include "libcore/place/target_file.h"
#include "libcore/place/target_json.h"
#include "libcore/support/quantities.h"
#include "libcore/support/quantity.h"

using namespace quern;
using namespace quern::place;

BOOST_AUTO_TEST_SUITE(place_target)

namespace {

std::string message_of(std::string_view json) {
    try {
        parse_target(json);
    } catch (const Error& error) {
        BOOST_TEST(static_cast<int>(error.exit()) == static_cast<int>(Exit::bad_input));
        return error.message();
    }
    return "accepted";
}

std::string with_device(std::string_view members) {
    return fmt::format(R"({{"kind": "target", "version": 1, "name": "t", "devices": [{{"name": "npu", {}}}]}})", members);
}

}  // namespace

BOOST_AUTO_TEST_CASE(every_shipped_target_reads) {
    for (const std::string& name : target_names()) {
        const Target target = load_target(name);
        BOOST_TEST(target.name == name);
        BOOST_TEST(!target.doc.empty());
        BOOST_TEST((target.basis.starts_with("measured on ") || target.basis.starts_with("estimate: ")));
        BOOST_TEST(find_device(target, "CPU") != nullptr);
        for (const Device& device : target.devices) BOOST_TEST(!device.costs.empty());
    }
}

BOOST_AUTO_TEST_CASE(extends_merges_by_name) {
    const Target target = parse_target(R"({"kind": "target", "version": 1, "name": "mine", "extends": "two-npu",
        "memories": [{"name": "sram-a", "bytes": 7}], "devices": [{"name": "NPU-A", "backend": "acme"}]})");
    BOOST_TEST(find_memory(target, "sram-a")->bytes == 7u);
    BOOST_TEST(find_device(target, "npu-a")->backend == "acme");
    BOOST_TEST(!find_device(target, "npu-a")->ops.empty());
    BOOST_TEST(target.devices.size() == 3u);
    BOOST_TEST(find_link(target, "npu-a", "NPU-B")->bytes_per_second == 4e9);
}

// Each key that --list-checks shows is one that is read, and is explained.
BOOST_AUTO_TEST_CASE(keys_that_are_listed_are_read) {
    BOOST_TEST(message_of(with_device(R"("generic": [{"check": "rank", "max": 4, "other": 0}])")).find("is not a key") !=
               std::string::npos);
    for (const Key& key : constraint_keys()) {
        const std::string message =
            message_of(with_device(fmt::format(R"("generic": [{{"check": "rank", "max": 4, "{}": {{"of": 0}}}}])", key.name)));
        BOOST_TEST(message.find("is not a key") == std::string::npos, message);
    }
    for (const KeyGroup& group : target_keys())
        for (const Key& key : group.keys) BOOST_TEST(!key.doc.empty(), group.of << ": " << key.name);
}

// A reduction without axes is one of all of them, or with noop_with_empty_axes of none.
BOOST_AUTO_TEST_CASE(reductions_that_reduce_nothing) {
    for (const int64_t nothing : {0, 1}) {
        Graph graph;
        const Type type = Type::tensor(DType::f32, Shape::of(Dims{2, 3}));
        const ValueId x = graph.add_value("x", type), y = graph.add_value("y", type);
        graph.inputs = {x};
        graph.outputs = {y};
        const NodeId id = graph.add_node(need_op("ReduceSum"), "sum", {x}, {y}, {{"noop_with_empty_axes", nothing}});
        const auto observed = support::find_quantity("reduced_elements")->observe(graph, graph.node(id), "");
        BOOST_REQUIRE(observed.size() == 1u);
        BOOST_TEST(std::get<double>(observed[0].fact) == (nothing ? 1.0 : 6.0));
    }
}

BOOST_AUTO_TEST_CASE(errors_name_the_place_and_the_nearest_word) {
    BOOST_TEST(message_of(R"({"kind": "target", "version": 1})") == "\"name\" is missing");
    BOOST_TEST(message_of(R"({"kind": "target", "version": 2, "name": "t"})") == "target version 2, this tool reads up to 1");
    BOOST_TEST(message_of(R"({"kind": "target", "version": 1, "name": "t", "extends": "two-npus"})") ==
               "extends: there is no target \"two-npus\" (did you mean \"two-npu\"?)");
    BOOST_TEST(message_of(R"({"kind": "target", "version": 1, "name": "t", "extends": "../x.json"})") ==
               "extends: \"../x.json\": need a shipped target, or a file beside this one");
    BOOST_TEST(message_of(R"({"kind": "target", "version": 1, "name": "t", "device": []})") ==
               "device: is not a key of a target (did you mean \"devices\"?)");
    BOOST_TEST(message_of(with_device(R"("memory": "ram")")) == "device \"npu\" is in memory \"ram\", which is not there");
    BOOST_TEST(message_of(with_device(R"("ops": [{"ops": ["Convv"]}])")) ==
               "devices[0].ops[0].ops[0]: \"Convv\" is not an operator (did you mean \"Conv\"?)");
    BOOST_TEST(message_of(with_device(R"("generic": [{"check": "storrage", "is": "int8"}])")) ==
               "devices[0].generic[0].check: \"storrage\" is nothing that can be checked (did you mean \"storage\"?)");
    BOOST_TEST(message_of(with_device(R"("generic": [{"check": "rank"}])")) ==
               "devices[0].generic[0]: tests nothing: need \"is\", \"not\", \"min\", \"max\" or \"multiple_of\"");
    BOOST_TEST(message_of(with_device(R"("generic": [{"check": "rank", "maximum": 4}])"))
                   .starts_with("devices[0].generic[0].maximum: is not a key of a constraint"));
    BOOST_TEST(message_of(with_device(R"("costs": [{"seconds": -1}])")) == "devices[0].costs[0].seconds: is -1, need 0 to 1000000000");
    BOOST_TEST(message_of(with_device(R"("costs": [{"seconds": 1e308}])")) ==
               "devices[0].costs[0].seconds: is 1e+308, need 0 to 1000000000");
    for (const char* rate : {"macs_per_second", "bytes_per_second"})
        BOOST_TEST(message_of(with_device(fmt::format(R"("costs": [{{"{}": 0}}])", rate))) ==
                   fmt::format("devices[0].costs[0].{}: is 0, need 1 to 1e+30", rate));
    BOOST_TEST(message_of(with_device(R"("recode_bytes_per_second": 0)")) == "devices[0].recode_bytes_per_second: is 0, need 1 to 1e+30");
    BOOST_TEST(message_of(R"({"kind": "target", "version": 1, "name": "t", "devices": [{"name": "a"}, {"name": "A"}]})") ==
               "has two devices \"a\"");
    BOOST_TEST(
        message_of(
            R"({"kind": "target", "version": 1, "name": "t", "extends": "two-npu", "devices": [{"name": "npu-a"}, {"name": "NPU-A"}]})") ==
        "has two devices \"npu-a\"");
    BOOST_TEST(message_of(R"({"kind": "target", "version": 1, "name": "a b"})") ==
               "name: \"a b\" is not a name: need 1 to 64 of a-z 0-9 _ -");
}

BOOST_AUTO_TEST_CASE(unknown_targets_are_usage_errors) {
    try {
        load_target("ethos-u5");
        BOOST_FAIL("accepted");
    } catch (const Error& error) {
        BOOST_TEST(static_cast<int>(error.exit()) == static_cast<int>(Exit::usage));
    }
}

BOOST_AUTO_TEST_SUITE_END()
