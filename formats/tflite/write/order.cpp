// Tensors of a written subgraph in the order in which they are met: whatever way they were made, the same graph gives the same bytes.
#include "formats/tflite/write/export.h"

namespace quern::tflite_format {
namespace {

class Orderer {
   public:
    explicit Orderer(Subgraph& graph) : graph_(graph), places_(graph.tensors.size(), -1) {}

    void run() {
        move(graph_.inputs);
        for (FileOperator& op : graph_.operators) {
            move(op.in);
            move(op.out);
            move(op.intermediates);
        }
        move(graph_.outputs);
        graph_.tensors = std::move(tensors_);
    }

   private:
    void move(Ints& list) {
        for (int64_t& index : list) index = moved(index);
    }

    int64_t moved(int64_t index) {
        if (index < 0) return index;
        const auto at = static_cast<size_t>(index);
        if (places_[at] >= 0) return places_[at];
        const int64_t place = places_[at] = static_cast<int64_t>(tensors_.size());
        tensors_.push_back(std::move(graph_.tensors[at]));
        Quantization blocks = tensors_.back().quantization;  // scales of blocks are tensors, too
        blocks.scales = moved(blocks.scales);
        blocks.zeros = moved(blocks.zeros);
        tensors_[static_cast<size_t>(place)].quantization = std::move(blocks);
        return place;
    }

    Subgraph& graph_;
    Ints places_;
    std::vector<FileTensor> tensors_;
};

}  // namespace

void order_tensors(Subgraph& graph) { Orderer(graph).run(); }

}  // namespace quern::tflite_format
