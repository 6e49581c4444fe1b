// A builder whose nodes are a graph's own: each goes to its end.
#pragma once

#include <string>
#include <utility>

#include "libcore/graph/builder.h"

namespace quern {

class Appender : public Builder {
   public:
    explicit Appender(Graph& graph) : graph_(graph), types_(graph) {}
    Graph& graph() override { return graph_; }

   private:
    ValueId declare(std::string_view what, Type type) override {
        return graph_.add_value(graph_.unique_name(std::string(what)), std::move(type));
    }
    StepInference& types() override { return types_; }

    Graph& graph_;
    StepInference types_;
};

}  // namespace quern
