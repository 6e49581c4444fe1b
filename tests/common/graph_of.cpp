#include "tests/common/graph_of.h"

#include "formats/text/text.h"

namespace quern {

Graph graph_of(std::string_view text, const std::map<std::string, Tensor>& constants) {
    Graph graph = parse_text(text).graph;
    for (const auto& [name, tensor] : constants) {
        const ValueId id = graph.find(name);
        if (id == ValueId::none || std::erase(graph.inputs, id) != 1) throw bug("there is no input \"{}\"", name);
        graph.value(id).type = Type::tensor(tensor.dtype, Shape::of(tensor.dims));
        graph.value(id).data = tensor.data;
    }
    infer_types(graph);
    verify(graph);
    return graph;
}

}  // namespace quern
