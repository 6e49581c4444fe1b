// Of a written subgraph: a TRANSPOSE that turns back what another has turned is left out, as of filters that operators have in other
// orders than the graph, where codes are computed before them.
#include <algorithm>
#include <map>

#include "formats/tflite/file/tensors.h"
#include "formats/tflite/write/export.h"

namespace quern::tflite_format {
namespace {

class Joiner {
   public:
    explicit Joiner(Subgraph& graph) : graph_(graph) {}

    void run() {
        for (FileOperator& op : graph_.operators) {
            for (int64_t& index : op.in)
                if (const auto found = before_.find(index); found != before_.end()) index = found->second;
            if (op.code == Code::TRANSPOSE && !op.kept) take(op);
        }
        drop_unread();
    }

   private:
    struct Turn {
        int64_t from;
        Ints order;
    };

    const FileTensor& tensor(int64_t index) const { return graph_.tensors[static_cast<size_t>(index)]; }
    bool is_output(int64_t index) const { return std::ranges::find(graph_.outputs, index) != graph_.outputs.end(); }

    void take(const FileOperator& op) {
        const std::optional<Ints> order = ints_of(tensor(op.in.at(1)));
        if (!order) return;
        const auto met = turns_.find(op.in[0]);
        if (met != turns_.end() && is_back(met->second.order, *order) && !is_output(op.out.at(0)) && are_alike(met->second.from, op.out[0]))
            before_.emplace(op.out[0], met->second.from);
        turns_.emplace(op.out[0], Turn{op.in[0], *order});
    }

    static bool is_back(const Ints& first, const Ints& then) {
        if (first.size() != then.size()) return false;
        for (size_t i = 0; i < then.size(); ++i)
            if (first[static_cast<size_t>(then[i])] != static_cast<int64_t>(i)) return false;
        return true;
    }

    // One may be read in the place of the other.
    bool are_alike(int64_t a, int64_t b) const {
        return tensor(a).type == tensor(b).type && tensor(a).shape == tensor(b).shape && tensor(a).quantization == tensor(b).quantization;
    }

    void drop_unread() {
        std::map<int64_t, int> readers;
        for (const int64_t index : graph_.outputs) ++readers[index];
        for (const FileOperator& op : graph_.operators)
            for (const int64_t index : op.in) ++readers[index];
        std::vector<FileOperator> kept;
        for (auto op = graph_.operators.rbegin(); op != graph_.operators.rend(); ++op) {
            if (op->code == Code::TRANSPOSE && !op->kept && readers[op->out[0]] == 0 && turns_.contains(op->out[0]))
                for (const int64_t index : op->in) --readers[index];
            else
                kept.push_back(std::move(*op));
        }
        std::ranges::reverse(kept);
        graph_.operators = std::move(kept);
    }

    Subgraph& graph_;
    std::map<int64_t, Turn> turns_;      // by what they make
    std::map<int64_t, int64_t> before_;  // what is read in the place of a tensor that was turned twice
};

}  // namespace

void join_transposes(Subgraph& graph) { Joiner(graph).run(); }

}  // namespace quern::tflite_format
