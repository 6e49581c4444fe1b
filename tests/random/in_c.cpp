#include "tests/random/in_c.h"

#include <unistd.h>

#include <algorithm>

#include "libcore/graph/summary.h"
#include "tests/codegen/cases/build.h"
#include "tests/random/reduce.h"

namespace quern::random_graphs {

namespace fs = std::filesystem;

InC::InC(fs::path folder) : folder_(std::move(folder)) { fs::create_directories(folder_); }
InC::~InC() { fs::remove_all(folder_); }

namespace {

// "Operator: reason"
bool is_refused(const Node& node, const std::set<std::string>& refused) {
    return std::ranges::any_of(refused, [&](const std::string& line) {
        return line.starts_with(full_name(*node.op) + ":") || line.starts_with(std::string(node.op->name) + ":");
    });
}

// Nodes that are refused, and nobody's: their results are inputs.
std::optional<RandomGraph> without_refused(const RandomGraph& drawn, const std::set<std::string>& refused) {
    std::optional<RandomGraph> left = drawn;
    for (const NodeId id : std::vector<NodeId>(drawn.graph.order()))
        if (left && !left->graph.node(id).erased && is_refused(left->graph.node(id), refused)) left = without(*left, id);
    return left && left->graph.order().size() < drawn.graph.order().size() ? left : std::nullopt;
}

}  // namespace

void InC::add(const RandomGraph& drawn) {
    std::optional<RandomGraph> left = drawn;
    const std::string name = fmt::format("c{}", made_.size());
    made_.emplace_back();
    for (int round = 0; left && round < 5; ++round) {
        made_.back() = codegen_cases::make_graph(left->graph, left->sample, name, folder_);
        if (made_.back().refused.empty()) return;
        for (const std::string& line : made_.back().refused) ++refused_[line];
        left = without_refused(*left, made_.back().refused);
    }
}

RandomGraph InC::graph(size_t i) const { return {made_[i].graph, made_[i].inputs}; }

std::vector<std::string> InC::differences() const {
    std::vector<std::string> found(made_.size());
    const bool built = codegen_cases::build(folder_, made_);
    void* library = built ? codegen_cases::load(folder_, made_) : nullptr;
    for (size_t i = 0; i < made_.size(); ++i) {
        const codegen_cases::Made& one = made_[i];
        if (!one.failure.empty())
            found[i] = one.failure;
        else if (one.generated())
            found[i] = built               ? codegen_cases::run(one, library)
                       : made_.size() == 1 ? "does not compile"
                                           : difference_in_c({one.graph, one.inputs});
    }
    return found;
}

size_t InC::generated() const { return static_cast<size_t>(std::ranges::count_if(made_, &codegen_cases::Made::generated)); }

size_t InC::nodes() const {
    size_t count = 0;
    for (const codegen_cases::Made& one : made_) count += one.generated() ? one.graph.order().size() : 0;
    return count;
}

std::string difference_in_c(const RandomGraph& drawn) {
    static int number = 0;  // a library of the same name would not be loaded again
    InC one(fs::temp_directory_path() / fmt::format("quern-random-{}-{}", getpid(), number++));
    one.add(drawn);
    return one.differences().at(0);
}

}  // namespace quern::random_graphs
