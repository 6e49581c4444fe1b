// Targets and placement files on any bytes: what is accepted is applied to a graph, and its placement, written and read back, is the same.
#include "libcore/place/part_file.h"
#include "libcore/place/placement_file.h"
#include "libcore/place/support.h"
#include "libcore/place/target_file.h"
#include "tests/fuzz/fuzz.h"

namespace {

using namespace quern;

Graph chain() {
    Graph graph;
    ValueId last = graph.add_value("x", Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 8})));
    graph.inputs.push_back(last);
    for (const char* name : {"Relu_0", "a.b(c)", "Relu_0/Relu"}) {
        const ValueId out = graph.add_value(graph.unique_name(name), Type::tensor(DType::f32, Shape::of(std::vector<int64_t>{1, 8})));
        graph.add_node(need_op("Relu"), name, {last}, {out});
        last = out;
    }
    graph.outputs.push_back(last);
    return graph;
}

void apply(const place::PlacementFile& file, const place::Target& target) {
    Graph graph = chain();
    (void)place::apply_placement(graph, file);
    const std::string once = place::write_placement(graph);
    (void)place::apply_placement(graph, place::parse_placement(once, target));
    if (place::write_placement(graph) != once) std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
    const std::string_view text(reinterpret_cast<const char*>(data), size);
    static const place::Target two = place::load_target("two-npu");
    expect_only_refusals([&] { apply(place::parse_placement(text, two), two); });
    expect_only_refusals([&] { apply(onert::parse_part(text, two), two); });
    expect_only_refusals([&] {
        const place::Target target = place::parse_target(text);
        (void)place::support_page(target, place::PageFormat::json);
        Graph graph = chain();
        for (const place::Device& device : target.devices)
            for (const NodeId id : graph.order()) (void)place::refusal(device, graph, id);
    });
    return 0;
}
