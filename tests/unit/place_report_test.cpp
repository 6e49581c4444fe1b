// Reports of placements: the picture's layout, and that text, JSON, SVG and HTML say what was decided, whatever names the graph has.
#include <fmt/format.h>

#include <boost/test/unit_test.hpp>
#include <cmath>

#include "formats/text/text.h"
#include "libcore/base/json.h"
#include "libcore/place/modules.h"
#include "libcore/place/report.h"
#include "libcore/place/target_file.h"
#include "libcore/report/drawing.h"

using namespace quern;
using namespace quern::place;

namespace {

Drawing of_graph(size_t n, const std::vector<std::pair<size_t, size_t>>& edges) { return lay_out({n, edges, 100, 30, 1.5}); }

void check_apart(const Drawing& layout) {
    for (size_t a = 0; a < layout.at.size(); ++a) {
        const Point& p = layout.at[a];
        BOOST_REQUIRE(p.x >= 50 - 1e-6);
        BOOST_REQUIRE(p.x <= layout.width - 50 + 1e-6);
        BOOST_REQUIRE(p.y >= 15 - 1e-6);
        BOOST_REQUIRE(p.y <= layout.height - 15 + 1e-6);
        for (size_t b = 0; b < a; ++b)
            BOOST_REQUIRE((std::abs(p.x - layout.at[b].x) >= 100 - 1e-6 || std::abs(p.y - layout.at[b].y) >= 30 - 1e-6));
    }
}

Graph chain(const std::string& name, size_t length) {
    Graph g;
    g.name = "net";
    const Type type = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{64, 64}));
    ValueId at = g.add_value("x", type);
    g.inputs = {at};
    for (size_t i = 0; i < length; ++i) {
        const ValueId next = g.add_value("v" + std::to_string(i), type);
        g.add_node(find_op(i % 3 == 1 ? "Neg" : "Exp"), name + std::to_string(i), {at}, {next});
        at = next;
    }
    g.outputs = {at};
    return g;
}

Target target() {
    return parse_target(R"({"kind": "target", "version": 1, "name": "sample", "doc": "for tests", "basis": "estimate: made up",
        "memories": [{"name": "sram", "bytes": 40000}],
        "devices": [{"name": "cpu", "costs": [{"op": "*", "precision": "*", "bytes_per_second": 1e9}]},
                    {"name": "npu", "memory": "sram", "ops": [{"ops": ["Exp"]}], "costs": [{"op": "*", "precision": "*", "bytes_per_second": 1e11}]}],
        "links": [{"from": "cpu", "to": "npu", "seconds": 1e-6, "bytes_per_second": 1e10}]})");
}

}  // namespace

BOOST_AUTO_TEST_SUITE(place_report)

BOOST_AUTO_TEST_CASE(boxes_lie_apart_from_1_to_1000) {
    check_apart(of_graph(1, {}));
    check_apart(of_graph(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}}));
    std::vector<std::pair<size_t, size_t>> edges;
    for (size_t v = 1; v < 1000; ++v) {
        edges.emplace_back(v - 1 - (v % 7 == 3 ? std::min<size_t>(v - 1, 3) : 0), v);
        if (v % 11 == 0) edges.emplace_back(v - v / 2, v);
    }
    const Drawing layout = of_graph(1000, edges);
    check_apart(layout);
    BOOST_TEST(layout.width / layout.height > 0.8);
    BOOST_TEST(layout.width / layout.height < 2.5);
    BOOST_TEST(layout.lines.size() == edges.size());
    BOOST_TEST(of_graph(0, {}).at.empty());
}

BOOST_AUTO_TEST_CASE(a_chain_stands_in_a_line) {
    const Drawing layout = lay_out({5, std::vector<std::pair<size_t, size_t>>{{0, 1}, {1, 2}, {2, 3}, {3, 4}}, 100, 30, 0.3});
    for (const Point& p : layout.at) BOOST_TEST(std::abs(p.x - layout.at[0].x) < 1e-9);
}

BOOST_AUTO_TEST_CASE(reports_say_what_was_decided) {
    Graph graph = chain("n", 7);
    const Target t = target();
    const Placement placement = assign(graph, t);
    const PlacementReport report(graph, t, placement);
    const std::string text = report_text(report);
    for (const char* part : {"target      sample (estimate: made up)", "min-cut", "the least there is, by costs that are an estimate",
                             "2 nodes (onnx.Neg; n1, n4)", "no link stated, counted as free: npu to cpu"})
        BOOST_TEST(text.find(part) != std::string::npos, part);
    const Json json = parse_json(report_json(report));
    BOOST_TEST(json.at("nodes").size() == 7u);
    BOOST_TEST(json.at("nodes")[1].at("device") == "cpu");
    BOOST_TEST(json.at("nodes")[1].at("devices").at("npu").contains("refused"));
    BOOST_TEST(json.at("partitions").size() == report.partitions.parts.size());
    BOOST_TEST(json.at("partitions")[0].at("memory").at("live_ranges").size() > 1u);
    BOOST_TEST(json.at("boundaries").size() == report.edges.size());
    BOOST_TEST(json.at("gap") == 0);
    double shares = 0;
    for (const auto& share : report.shares()) shares += share.compute;
    BOOST_TEST(std::abs(shares - placement.compute_seconds) < 1e-9);
    const std::string svg = report_svg(report);
    BOOST_TEST(svg.starts_with("<svg "));
    BOOST_TEST(svg.find("class=\"cross\"") != std::string::npos);
    const std::string page = report_html(report);
    BOOST_TEST(page.find("<section class=\"level\" id=\"m0\">") != std::string::npos);
    BOOST_TEST(page.find("class=\"cross\"") != std::string::npos);
    for (const NodeId id : graph.topo()) BOOST_TEST(page.find(fmt::format("<g id=\"n{}\">", index_of(id))) != std::string::npos);
}

BOOST_AUTO_TEST_CASE(names_cannot_break_the_page) {
    Graph graph = chain("</svg><script>\"&\x01\xff", 3);
    graph.name = "<b>";
    const Target t = target();
    const Placement placement = assign(graph, t);
    const PlacementReport report(graph, t, placement);
    for (const std::string& page : {report_svg(report), report_html(report)}) {
        BOOST_TEST((page.find("<script>") == std::string::npos || page.find("<script>") == page.rfind("<script>")));
        BOOST_TEST(page.find("<script>\"&") == std::string::npos);
        BOOST_TEST(page.find('\x01') == std::string::npos);
        BOOST_TEST(page.find('\xff') == std::string::npos);
    }
    BOOST_TEST(report_text(report).find('\x01') == std::string::npos);
}

// Every node is in one module, none has more items than a picture can show, and all can be reached from the first.
void check_modules(const Graph& graph) {
    const std::vector<NodeId> order = graph.topo();
    const std::vector<Module> modules = modules_of(graph, order);
    std::vector<int> seen(order.size(), 0);
    for (size_t m = 0; m < modules.size(); ++m) {
        BOOST_TEST(modules[m].items.size() <= 60u);
        for (const Module::Item& item : modules[m].items)
            if (item.module) {
                BOOST_REQUIRE(item.index > m);
                BOOST_TEST(modules[item.index].parent == m);
            } else {
                ++seen[item.index];
            }
    }
    BOOST_TEST(std::ranges::all_of(seen, [](int n) { return n == 1; }));
    BOOST_TEST(modules[0].count == order.size());
}

BOOST_AUTO_TEST_CASE(modules_by_scope_and_by_parts) {
    check_modules(chain("n", 7));
    check_modules(chain("n", 10'000));
    Graph net = chain("n", 200);
    for (size_t i = 0; i < 200; ++i) net.node(net.topo()[i]).scope = i < 100 ? "/encoder/layer/" : i % 2 ? "/decoder/" : "";
    check_modules(net);
    const std::vector<Module> modules = modules_of(net, net.topo());
    const auto named = [&](std::string_view name) { return std::ranges::count(modules, name, &Module::name) == 1; };
    BOOST_TEST(named("encoder/layer"));
    BOOST_TEST(named("decoder"));
}

// What is seen first are the parts of the module that has nearly all nodes.
BOOST_AUTO_TEST_CASE(a_module_beside_few_nodes_is_opened) {
    Graph net = chain("n", 200);
    const std::vector<NodeId> order = net.topo();
    for (size_t i = 1; i < 200; ++i) net.node(order[i]).scope = i < 100 ? "/net/a/" : "/net/b/";
    check_modules(net);
    const std::vector<Module> modules = modules_of(net, order);
    BOOST_TEST_REQUIRE(modules[0].items.size() == 3u);
    BOOST_TEST((!modules[0].items[0].module && modules[0].items[1].module && modules[0].items[2].module));
    BOOST_TEST(modules[modules[0].items[1].index].name == "a");
}

BOOST_AUTO_TEST_CASE(a_page_of_many_nodes_has_pictures_that_are_reached) {
    Graph graph = chain("n", 1000);
    const Target t = target();
    const Placement placement = assign(graph, t);
    const std::string page = report_html(PlacementReport(graph, t, placement));
    for (const NodeId id : graph.topo()) BOOST_REQUIRE(page.find(fmt::format("<g id=\"n{}\">", index_of(id))) != std::string::npos);
    for (size_t m = 1; page.find(fmt::format("id=\"m{}\"", m)) != std::string::npos; ++m)
        BOOST_REQUIRE(page.find(fmt::format("href=\"#m{}\"", m)) != std::string::npos);
    BOOST_TEST(page.find("id=\"m5\"") != std::string::npos);
}

BOOST_AUTO_TEST_CASE(an_empty_graph) {
    Graph graph;
    const Type type = Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{2}));
    graph.inputs = {graph.add_value("x", type)};
    graph.outputs = graph.inputs;
    const Target t = target();
    const Placement placement = assign(graph, t);
    const PlacementReport report(graph, t, placement);
    BOOST_TEST(report_svg(report).find("</svg>") != std::string::npos);
    BOOST_TEST(parse_json(report_json(report)).at("nodes").empty());
}

BOOST_AUTO_TEST_SUITE_END()
