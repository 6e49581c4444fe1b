// Adds nodes to a graph, one result each, named by their place in the model ("blk.0.attn_q").
#pragma once

#include "libcore/graph/op.h"

namespace quern::gguf {

class Net {
   public:
    explicit Net(Graph& graph) : graph_(graph) {}

    Graph& graph() { return graph_; }
    // Names from now on begin with "<scope>." and nodes have it as scope.
    void enter(std::string scope) { scope_ = std::move(scope); }
    std::string named(std::string_view name) const;

    ValueId add(OpId op, std::string_view name, std::vector<ValueId> in, Attrs attrs = {}, DType dtype = DType::f32);
    std::vector<ValueId> add_several(OpId op, std::string_view name, std::vector<ValueId> in, const std::vector<std::string>& results,
                                     Attrs attrs = {});
    ValueId number(std::string_view name, double number);
    ValueId ones(std::string_view name, int64_t length);
    ValueId integers(std::string_view name, std::vector<int64_t> numbers);
    ValueId scaled(ValueId x, double factor, std::string_view name);  // x itself if the factor is 1
    // c * tanh(x / c); x itself if c is 0
    ValueId soft_capped(ValueId x, double cap, std::string_view name);

   private:
    Graph& graph_;
    std::string scope_;
};

}  // namespace quern::gguf
