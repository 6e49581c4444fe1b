// Adds nodes to a graph, named by their place in the model ("blk.0.attn_q"); what they make is called the same, with "_out" behind.
#pragma once

#include "libcore/graph/builder.h"

namespace quern::gguf {

class Net : public Builder {
   public:
    explicit Net(Graph& graph) : graph_(graph), types_(graph) {}
    Graph& graph() override { return graph_; }

    ValueId add(OpId op, std::string_view name, Values in, Attrs attrs = {});
    Values add_several(OpId op, std::string_view name, Values in, const std::vector<std::string>& results, Attrs attrs = {});
    ValueId number(std::string_view name, double number) { return scalar(number, DType::f32, name); }
    ValueId ones(std::string_view name, int64_t length);
    ValueId scaled(ValueId x, double factor, const std::string& name);  // x itself if the factor is 1
    // c * tanh(x / c); x itself if c is 0
    ValueId soft_capped(ValueId x, double cap, const std::string& name);

   private:
    ValueId declare(std::string_view what, Type type) override { return graph_.add_value(graph_.unique_name(what), std::move(type)); }
    StepInference& types() override { return types_; }
    std::string node_name(OpId, ValueId) override { return graph_.unique_node_name(name_); }

    Graph& graph_;
    StepInference types_;
    std::string name_;  // of the node that is added
};

}  // namespace quern::gguf
