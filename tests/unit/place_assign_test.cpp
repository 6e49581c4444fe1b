// Assignment of graphs: costs, binding wishes, integer units, bodies, and what is told about it.
#include <boost/test/unit_test.hpp>

#include "libcore/base/error.h"
#include "libcore/place/assign.h"
#include "libcore/place/cost.h"
#include "libcore/place/graph_problem.h"
#include "libcore/place/target_file.h"
#include "tests/common/graph_of.h"

using namespace quern;
using namespace quern::place;

namespace {

// An accelerator that is far better at products, and pays 20 us a call and for what it is sent.
Target sample(
    const std::string& costs = R"({"op": "*", "precision": "*", "seconds": 2e-5, "macs_per_second": 1e12, "bytes_per_second": 5e10})",
    const std::string& ops = R"(["MatMul", "Add", "Relu", "Sigmoid", "Exp", "If", "Tanh", "Gelu"])") {
    return parse_target(R"({"kind": "target", "version": 1, "name": "sample", "doc": "for tests", "basis": "estimate: made up",
        "devices": [{"name": "cpu", "recode_bytes_per_second": 1e9,
                     "costs": [{"op": "*", "precision": "*", "seconds": 1e-7, "macs_per_second": 1e10, "bytes_per_second": 2e10}]},
                    {"name": "npu", "ops": [{"ops": )" +
                        ops + R"(}], "costs": [)" + costs + R"(]}],
        "links": [{"from": "cpu", "to": "npu", "seconds": 1e-6, "bytes_per_second": 1e10},
                  {"from": "npu", "to": "cpu", "seconds": 1e-6, "bytes_per_second": 1e10}]})");
}

std::string devices_of(const Graph& graph) {
    std::string out;
    for (const NodeId id : graph.order()) out += (out.empty() ? "" : " ") + graph.node(id).device;
    return out;
}

const char* const product_and_sum = R"(func.func @main(%a: tensor<1024x1024xf32>, %b: tensor<1024x1024xf32>, %c: tensor<1024x32x1xf32>,
    %d: tensor<1024x32x1xf32>) -> (tensor<1024x32x1xf32>, tensor<1024x1024xf32>) {
  %0 = "onnx.Add"(%c, %d) {onnx_node_name = "add"} : (tensor<1024x32x1xf32>, tensor<1024x32x1xf32>) -> tensor<1024x32x1xf32>
  %1 = "onnx.MatMul"(%a, %b) {onnx_node_name = "matmul"} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  onnx.Return %0, %1 : tensor<1024x32x1xf32>, tensor<1024x1024xf32>
})";

std::string placed(const std::string& text, Heuristic heuristic, const Target& target = sample()) {
    Graph graph = graph_of(text);
    assign(graph, target, {.heuristic = heuristic});
    return devices_of(graph);
}

std::string chain(const std::vector<std::string>& ops, const std::string& type, const std::vector<std::string>& devices = {}) {
    std::string text = "func.func @main(%v0: " + type + ") -> " + type + " {\n";
    for (size_t i = 0; i < ops.size(); ++i) {
        const std::string at = std::to_string(i),
                          device = i < devices.size() && !devices[i].empty() ? ", device = \"" + devices[i] + "\"" : "";
        text += "  %v" + std::to_string(i + 1) + " = \"onnx." + ops[i] + "\"(%v" + at + ") {onnx_node_name = \"n" + at + "\"" + device +
                "} : (" + type + ") -> " + type + "\n";
    }
    return text + "  onnx.Return %v" + std::to_string(ops.size()) + " : " + type + "\n}";
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_assign)

// Statement 29 (P11).
BOOST_AUTO_TEST_CASE(small_sums_on_cpu_large_products_on_the_accelerator) {
    BOOST_TEST(placed(product_and_sum, Heuristic::qualifying_ops) == "npu npu");
    BOOST_TEST(placed(product_and_sum, Heuristic::faster_ops) == "cpu npu");
    BOOST_TEST(placed(product_and_sum, Heuristic::faster_ops_wsu) == "cpu npu");
    BOOST_TEST(placed(product_and_sum, Heuristic::much_faster_ops_wsu) == "cpu npu");
    BOOST_TEST(placed(product_and_sum, Heuristic::min_cut) == "cpu npu");
    const Target shipped = load_target("nnpa");
    BOOST_TEST(placed(product_and_sum, Heuristic::qualifying_ops, shipped) == "nnpa nnpa");
    for (const auto heuristic : {Heuristic::faster_ops, Heuristic::faster_ops_wsu, Heuristic::min_cut})
        BOOST_TEST(placed(product_and_sum, heuristic, shipped) == "cpu nnpa");
}

BOOST_AUTO_TEST_CASE(what_is_asked_for_is_binding) {
    const std::string type = "tensor<4096x4096xf32>";
    BOOST_TEST(placed(chain({"Exp", "Relu", "Exp"}, type, {"", "cpu", ""}), Heuristic::qualifying_ops) == "npu cpu npu");
    BOOST_TEST(placed(chain({"Exp", "Relu", "Exp"}, type, {"npu", "cpu", "npu"}), Heuristic::min_cut) == "npu cpu npu");
    Graph graph = graph_of(chain({"Exp", "Relu", "Exp"}, type, {"npu", "", "npu"}));
    const Placement first = assign(graph, sample());
    BOOST_TEST(devices_of(graph) == "npu npu npu");
    BOOST_TEST(first.find("n0")->rule == "asked for by the model");
    BOOST_TEST(first.find("n1")->rule == "min-cut");
    const Placement again = assign(graph, sample());  // idempotent
    BOOST_TEST(devices_of(graph) == "npu npu npu");
    BOOST_TEST(again.seconds == first.seconds);
}

BOOST_AUTO_TEST_CASE(a_unit_takes_its_strictest_member) {
    // Exp and Clip are one: only the result of the Clip is stored.
    const auto unit = [](const std::vector<std::string>& devices) {
        Graph graph = graph_of(chain({"Tanh", "Exp", "Clip", "Exp"}, "tensor<4096x4096xf32>", devices));
        for (const size_t i : {0, 2, 3})
            graph.value(graph.node(graph.order()[i]).out[0]).enc =
                make_encoding(DType::i8, Tensor::scalar(0.1f), Tensor::scalar<int8_t>(0));
        return graph;
    };
    Graph graph = unit({});
    const Placement placement = assign(graph, sample(), {.heuristic = Heuristic::qualifying_ops});
    BOOST_TEST(devices_of(graph) == "npu cpu cpu npu");  // Clip is no operator of npu
    BOOST_TEST(placement.find("n1")->rule == "no other device runs it");
    BOOST_TEST(placement.find("n1")->choices[1].refusal.starts_with("\"n2\" of its integer unit: "));
    Graph bound = unit({"npu", "npu", "cpu", "npu"});
    assign(bound, sample());
    BOOST_TEST(devices_of(bound) == "npu cpu cpu npu");
}

BOOST_AUTO_TEST_CASE(bodies_go_with_their_node) {
    const std::string type = "tensor<4096x4096xf32>";
    const auto text = [&](const std::string& op, const std::string& device) {
        return "func.func @main(%c: tensor<i1>, %x: " + type + ") -> " + type + R"( {
  %0 = "onnx.If"(%c) ({
    %1 = "onnx.)" +
               op + R"("(%x) {onnx_node_name = "inner")" + device + "} : (" + type + ") -> " + type + R"(
    onnx.Yield %1 : )" +
               type + R"(
  }, {
    %2 = "onnx.Tanh"(%x) {onnx_node_name = "other"} : ()" +
               type + ") -> " + type + R"(
    onnx.Yield %2 : )" +
               type + R"(
  }) {onnx_node_name = "if"} : (tensor<i1>) -> )" +
               type + "\n  onnx.Return %0 : " + type + "\n}";
    };
    const auto inner = [&](const std::string& op, const std::string& device) {
        Graph graph = graph_of(text(op, device));
        const Placement placement = assign(graph, sample(), {.heuristic = Heuristic::qualifying_ops});
        const Node& node = graph.node(graph.order()[0]);
        BOOST_TEST(placement.find("inner")->device == node.device);
        BOOST_TEST(placement.find("inner")->rule == "goes with \"if\", whose body it is in");
        return node.device + " " + node.bodies[0].node(node.bodies[0].order()[0]).device;
    };
    BOOST_TEST(inner("Exp", "") == "npu npu");
    BOOST_TEST(inner("Neg", "") == "cpu cpu");
    BOOST_TEST(inner("Exp", ", device = \"cpu\"") == "cpu cpu");
}

// Statement 31.
BOOST_AUTO_TEST_CASE(operators_without_cost_are_named) {
    const Target target = sample(R"({"op": "MatMul", "precision": "float", "seconds": 1e-6, "macs_per_second": 1e12})");
    Graph graph = graph_of(chain({"Exp", "Exp"}, "tensor<4096x4096xf32>"));
    const Placement placement = assign(graph, target);
    BOOST_TEST(placement.without_cost == std::vector<std::string>{"Exp on npu"});
    const DeviceOption &here = placement.find("n0")->choices[0], &there = placement.find("n0")->choices[1];
    BOOST_TEST(!there.seconds.has_value());
    BOOST_TEST(there.counted == here.counted / 2);
    BOOST_TEST(explain(placement, "n0").find("(assumed: no cost row)") != std::string::npos);
}

// Statement 30: times are never negative, whatever a table says.
BOOST_AUTO_TEST_CASE(costs_are_never_negative) {
    Target target = sample(R"({"op": "*", "precision": "*", "seconds": 1e-6})");
    target.devices[1].costs[0].seconds = -5;
    target.links[0].seconds = -1;
    const Graph graph = graph_of(chain({"Exp"}, "tensor<4xf32>"));
    BOOST_TEST(*node_seconds(target.devices[1], graph, graph.order()[0]) == 0);
    BOOST_TEST(transfer_seconds(target, "cpu", "npu", graph.value(graph.inputs[0])) > 0);
}

BOOST_AUTO_TEST_CASE(costs_count_codes_and_unknown_dims) {
    Graph graph = graph_of(chain({"Relu"}, "tensor<?x?x?x1000xf32>"));
    const NodeId id = graph.order()[0];
    BOOST_TEST((assumed_dims(graph.value(graph.inputs[0]).type.shape) == Dims{1, 1, 32, 1000}));
    BOOST_TEST((assumed_dims(Shape::of_rank(3)) == Dims{1, 32, 64}));
    BOOST_TEST((assumed_dims(Shape::of_rank(2)) == Dims{1, 64}));
    BOOST_TEST((assumed_dims(Shape::of_rank(1)) == Dims{64}));
    BOOST_TEST(precision_of(graph, graph.node(id)) == "float");
    BOOST_TEST(work_of(graph, graph.node(id)).bytes == 2 * 4 * 32000.0);
    for (const ValueId value : {graph.inputs[0], graph.outputs[0]})
        graph.value(value).enc = make_encoding(DType::i8, Tensor::scalar(0.1f), Tensor::scalar<int8_t>(0));
    BOOST_TEST(precision_of(graph, graph.node(id)) == "int8");
    BOOST_TEST(work_of(graph, graph.node(id)).bytes == 2 * 32000.0);
    graph.value(graph.outputs[0]).enc.reset();
    BOOST_TEST(precision_of(graph, graph.node(id)) == "float");
    BOOST_TEST(computes_reals(graph, graph.node(id)));
}

// Of data the width and the channels lie on tiles, of filters the channels: not their windows, and whatever is done element by element.
BOOST_AUTO_TEST_CASE(tiles_lie_on_channels_and_width) {
    const Graph graph = graph_of(R"(func.func @main(%x: tensor<1x60x56x50xf32>, %w: tensor<65x60x3x3xf32>, %a: tensor<2x33x60xf32>)
    -> (tensor<1x65x56x50xf32>, tensor<2x33x60xf32>) {
  %0 = "onnx.Conv"(%x, %w) {onnx_node_name = "conv", pads = [1, 1, 1, 1]} : (tensor<1x60x56x50xf32>, tensor<65x60x3x3xf32>) -> tensor<1x65x56x50xf32>
  %1 = "onnx.Exp"(%0) {onnx_node_name = "exp"} : (tensor<1x65x56x50xf32>) -> tensor<1x65x56x50xf32>
  %2 = "onnx.Exp"(%a) {onnx_node_name = "plain"} : (tensor<2x33x60xf32>) -> tensor<2x33x60xf32>
  onnx.Return %1, %2 : tensor<1x65x56x50xf32>, tensor<2x33x60xf32>
})");
    const std::vector<int64_t> tile{32, 64};
    const Node &conv = graph.node(graph.find_node("conv")), &exp = graph.node(graph.find_node("exp")),
               &plain = graph.node(graph.find_node("plain"));
    BOOST_TEST((tiled_dims(graph, conv, conv.in[0], tile) == Dims{1, 64, 56, 64}));
    BOOST_TEST((tiled_dims(graph, conv, conv.in[1], tile) == Dims{128, 64, 3, 3}));
    BOOST_TEST((tiled_dims(graph, conv, conv.out[0], tile) == Dims{1, 128, 56, 64}));
    BOOST_TEST((tiled_dims(graph, exp, exp.out[0], tile) == Dims{1, 128, 56, 64}));
    BOOST_TEST((tiled_dims(graph, plain, plain.in[0], tile) == Dims{2, 64, 64}));
    BOOST_TEST((tiled_dims(graph, plain, plain.in[0], {}) == Dims{2, 33, 60}));
}

// What is as large as its tiles takes about its multiply-accumulates over the rate, on each device of each shipped target that has a row
// for it: a rate that no product reaches, or dims that are rounded where they should not be, would show.
BOOST_AUTO_TEST_CASE(aligned_products_take_what_rates_say) {
    const std::string text = R"(func.func @main(%x: tensor<1x256x64x64xf32>, %w: tensor<256x256x3x3xf32>, %a: tensor<1024x1024xf32>,
    %b: tensor<1024x1024xf32>) -> (tensor<1x256x64x64xf32>, tensor<1024x1024xf32>) {
  %0 = "onnx.Conv"(%x, %w) {onnx_node_name = "conv", pads = [1, 1, 1, 1]} : (tensor<1x256x64x64xf32>, tensor<256x256x3x3xf32>) -> tensor<1x256x64x64xf32>
  %1 = "onnx.MatMul"(%a, %b) {onnx_node_name = "matmul"} : (tensor<1024x1024xf32>, tensor<1024x1024xf32>) -> tensor<1024x1024xf32>
  onnx.Return %0, %1 : tensor<1x256x64x64xf32>, tensor<1024x1024xf32>
})";
    size_t judged = 0;
    for (const bool codes : {false, true}) {
        Graph graph = graph_of(text);
        for (size_t i = 0; codes && i < graph.value_count(); ++i)
            graph.value(static_cast<ValueId>(i)).enc = make_encoding(DType::i8, Tensor::scalar(0.1f), Tensor::scalar<int8_t>(0));
        for (const std::string& name : target_names()) {
            const Target target = load_target(name);
            for (const Device& device : target.devices)
                for (const NodeId id : graph.order()) {
                    const Node& node = graph.node(id);
                    const CostRow* row = cost_row(device, graph, node);
                    if (!row || row->macs_per_second <= 0 || row->op == "*") continue;
                    const double at_rate = work_of(graph, node).macs / row->macs_per_second, told = *node_seconds(device, graph, id);
                    BOOST_TEST(told >= at_rate, name << " " << device.name << " " << node.name);
                    BOOST_TEST(told <= 2 * at_rate, name << " " << device.name << " " << node.name << ": " << told << " s for " << at_rate);
                    ++judged;
                }
        }
    }
    BOOST_TEST(judged > 40u);
}

// What a compiler takes anyway is placed so, however little it is: times say what a run takes, and memory keeps nothing away.
BOOST_AUTO_TEST_CASE(a_compiler_takes_what_it_can) {
    Target target = sample();
    target.memories = {{"sram", 1, false, 0}};
    target.devices[1].memory = "sram";
    const std::string text = chain({"Exp", "Neg", "Exp"}, "tensor<4xf32>");
    const auto by_default = [&] {
        Graph graph = graph_of(text);
        assign(graph, target);
        return devices_of(graph);
    };
    BOOST_TEST(by_default() == "cpu cpu cpu");
    target.compiler_decides = true;
    BOOST_TEST(by_default() == "npu cpu npu");
    BOOST_TEST(placed(text, Heuristic::min_cut, target) == "cpu cpu cpu");
}

BOOST_AUTO_TEST_CASE(codes_that_readers_decode_cost_once) {
    const std::string type = "tensor<1024x1024xf32>";
    Graph graph = graph_of("func.func @main(%x: " + type + ") -> (" + type + ", " + type + R"() {
  %0 = "onnx.Exp"(%x) {onnx_node_name = "a"} : ()" +
                           type + ") -> " + type + R"(
  %1 = "onnx.Exp"(%x) {onnx_node_name = "b"} : ()" +
                           type + ") -> " + type + "\n  onnx.Return %0, %1 : " + type + ", " + type + "\n}");
    const double plain = assign(graph, sample(), {.heuristic = Heuristic::min_cut}).seconds;
    graph.value(graph.inputs[0]).enc = make_encoding(DType::i8, Tensor::scalar(0.1f), Tensor::scalar<int8_t>(0));
    for (const NodeId id : graph.order()) graph.node(id).device = "cpu";
    const double coded = assign(graph, sample()).seconds;
    const double read = 2 * 3 * 1048576 / 2e10;  // less to read, 1 instead of 4 bytes, for both
    BOOST_TEST(std::abs(coded - (plain - read + 1048576 / 1e9)) < 1e-9);
}

BOOST_AUTO_TEST_CASE(explain_says_times_rule_and_refusal) {
    Graph graph = graph_of(chain({"Exp", "Neg"}, "tensor<4096x4096xf32>"));
    const Placement placement = assign(graph, sample());
    const std::string text = explain(placement, "n1");
    BOOST_TEST(text.starts_with("node \"n1\" (onnx.Neg) runs on cpu: no other device runs it\n  cpu"));
    BOOST_TEST(text.find("npu         refused: ") != std::string::npos);
    BOOST_CHECK_EXCEPTION(explain(placement, "n3"), Error, [](const Error& e) { return e.exit() == Exit::usage; });
    BOOST_TEST(placement.seconds > 0);
    BOOST_TEST(placement.exact);
    for (const auto& [name, seconds] : placement.others) BOOST_TEST(placement.seconds <= seconds);
}

BOOST_AUTO_TEST_CASE(the_same_on_every_run) {
    Graph a = graph_of(product_and_sum), b = graph_of(product_and_sum);
    const Target target = load_target("two-npu");
    BOOST_TEST(assign(a, target).seconds == assign(b, target).seconds);
    BOOST_TEST(devices_of(a) == devices_of(b));
}

BOOST_AUTO_TEST_SUITE_END()
