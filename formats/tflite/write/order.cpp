// Tensors of a written subgraph in the order in which they are met, equal constants once, and once what stands for codes: whatever way
// they were made, the same graph gives the same bytes.
#include <algorithm>
#include <map>

#include "formats/tflite/write/export.h"
#include "libcore/base/text.h"

namespace quern::tflite_format {
namespace {

bool is_plain_constant(const FileTensor& tensor) {
    return !tensor.data.empty() && !tensor.variable && !tensor.sparsity && tensor.quantization.block == 0;
}

// What equal constants share, without reading all of them: some of a large one.
std::string start_of(const FileTensor& tensor) {
    const std::string_view bytes = tensor.data.text();
    return fmt::format("{} {} {}", static_cast<int>(tensor.type), bytes.size(), bytes.substr(0, 64));
}

bool are_equal(const FileTensor& a, const FileTensor& b) {
    return a.type == b.type && a.shape == b.shape && a.compressed == b.compressed && a.quantization == b.quantization &&
           a.data.text() == b.data.text();
}

class Orderer {
   public:
    explicit Orderer(Subgraph& graph) : graph_(graph), places_(graph.tensors.size(), -1) {}

    void run() {
        move(graph_.inputs);
        std::erase_if(graph_.operators, [&](FileOperator& op) {
            move(op.in);
            if (is_met_again(op)) return true;
            move(op.out);
            move(op.intermediates);
            return false;
        });
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
        const int64_t place = static_cast<int64_t>(tensors_.size());
        if (const int64_t met = met_before(index, place); met >= 0) return places_[at] = met;
        places_[at] = place;
        tensors_.push_back(std::move(graph_.tensors[at]));
        Quantization blocks = tensors_.back().quantization;  // scales of blocks are tensors, too
        blocks.scales = moved(blocks.scales);
        blocks.zeros = moved(blocks.zeros);
        tensors_[static_cast<size_t>(place)].quantization = std::move(blocks);
        return place;
    }

    // Real numbers of codes that there are already, which its readers read from here on.
    bool is_met_again(const FileOperator& op) {
        if (op.code != Code::DEQUANTIZE || op.kept || op.in.size() != 1 || op.out.size() != 1 || is_output(op.out[0])) return false;
        const auto [met, fresh] = reals_.emplace(op.in[0], op.out[0]);
        if (!fresh) places_[static_cast<size_t>(op.out[0])] = places_[static_cast<size_t>(met->second)];
        return !fresh;
    }

    bool is_output(int64_t index) const { return std::ranges::find(graph_.outputs, index) != graph_.outputs.end(); }

    // The place of a constant that is the same, none of them an output; -1: it is the first, and comes to `place`.
    int64_t met_before(int64_t index, int64_t place) {
        const FileTensor& tensor = graph_.tensors[static_cast<size_t>(index)];
        if (!is_plain_constant(tensor) || is_output(index)) return -1;
        Ints& alike = constants_[start_of(tensor)];
        const auto found = std::ranges::find_if(alike, [&](int64_t met) { return are_equal(tensors_[static_cast<size_t>(met)], tensor); });
        if (found != alike.end()) return *found;
        alike.push_back(place);
        return -1;
    }

    Subgraph& graph_;
    Ints places_;
    std::vector<FileTensor> tensors_;
    std::map<std::string, Ints> constants_;  // places, by start_of
    std::map<int64_t, int64_t> reals_;       // what DEQUANTIZE makes, by the place of its codes
};

}  // namespace

void order_tensors(Subgraph& graph) { Orderer(graph).run(); }

}  // namespace quern::tflite_format
