// Weights that are codes in the file and real numbers to their operators.
#include <map>

#include "formats/tflite/file/products.h"
#include "libcore/ops/integer/weight_only.h"

namespace quern::tflite_format {
namespace {

// The constant of codes that each result of a DEQUANTIZE stands for.
std::map<int64_t, int64_t> dequantized_constants(const Subgraph& graph) {
    std::map<int64_t, int64_t> found;
    for (const FileOperator& op : graph.operators) {
        if (op.code != Code::DEQUANTIZE || op.in.size() != 1 || op.out.size() != 1 || op.in[0] < 0) continue;
        const FileTensor& from = graph.tensors[static_cast<size_t>(op.in[0])];
        const bool codes =
            from.type == Element::INT4 || from.type == Element::INT8 || from.type == Element::UINT8 || from.type == Element::INT16;
        if (codes && !from.data.empty() && !from.variable && !from.quantization.scale.empty()) found[op.out[0]] = op.in[0];
    }
    return found;
}

bool reads_as_weights(const FileOperator& op, size_t i, const Subgraph& graph) {
    const ProductRow* row = product_row(op.code);
    if (!row || i != row->weights || row->data >= op.in.size() || op.in[row->data] < 0) return false;
    return graph.tensors[static_cast<size_t>(op.in[row->data])].type == Element::FLOAT32;
}

}  // namespace

void take_weights_as_codes(Subgraph& graph) {
    std::map<int64_t, int64_t> made = dequantized_constants(graph);
    if (made.empty()) return;
    for (const int64_t output : graph.outputs) made.erase(output);
    for (const FileOperator& op : graph.operators)
        for (size_t i = 0; i < op.in.size(); ++i)
            if (!reads_as_weights(op, i, graph)) made.erase(op.in[i]);
    for (FileOperator& op : graph.operators)
        for (int64_t& in : op.in)
            if (const auto found = made.find(in); found != made.end()) {
                in = found->second;
                op.options[weight_only_key] = int64_t{1};
            }
    std::erase_if(graph.operators,
                  [&](const FileOperator& op) { return op.code == Code::DEQUANTIZE && op.out.size() == 1 && made.contains(op.out[0]); });
}

}  // namespace quern::tflite_format
