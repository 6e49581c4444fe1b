// A graph run as a whole, and in partitions one after the other.
#pragma once

#include <boost/test/unit_test.hpp>
#include <map>
#include <vector>

#include "libcore/exec/session.h"
#include "libcore/graph/op.h"
#include "libcore/place/partition.h"

namespace quern::place {

inline std::vector<Tensor> run_whole(const Graph& graph, const std::vector<Tensor>& inputs, Mode mode = Mode::floating) {
    ThreadPool pool(1);
    Session session(Program::compile(graph, {.mode = mode, .reference = true}), pool);
    return session.run(inputs);
}

// One partition after the other.
inline std::vector<Tensor> run_parts(const Graph& graph, const std::vector<Partition>& parts, const std::vector<Tensor>& inputs,
                                     Mode mode = Mode::floating) {
    std::map<ValueId, Tensor> held;
    for (size_t i = 0; i < graph.inputs.size(); ++i) held[graph.inputs[i]] = inputs[i];
    for (const Partition& part : parts) {
        const Graph own = extract_partition(graph, part);
        verify(own);
        std::vector<Tensor> in;
        for (const ValueId id : part.inputs) {
            BOOST_REQUIRE(held.contains(id));
            in.push_back(held[id]);
        }
        const std::vector<Tensor> out = part.outputs.empty() ? std::vector<Tensor>{} : run_whole(own, in, mode);
        for (size_t i = 0; i < part.outputs.size(); ++i) held[part.outputs[i]] = out[i];
    }
    std::vector<Tensor> out;
    for (const ValueId id : graph.outputs) out.push_back(graph.value(id).constant() ? *graph.constant(id) : held[id]);
    return out;
}

}  // namespace quern::place
