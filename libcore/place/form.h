// A model in the form that its target gets: nodes are placed there, and their devices go back to the model's own nodes.
#pragma once

#include <string>
#include <vector>

#include "libcore/graph/graph.h"
#include "libcore/place/target.h"

namespace quern::place {

class Form {
   public:
    // `form` is what a format of the target makes of `source` (formats/tflite/form.h): its values have the names of the source's where
    // they mean the same. Its nodes take names, scopes and devices from those of the source that they stand for.
    Form(const Graph& source, Graph form);

    Graph graph;

    // Each node of the source, those in its bodies included, goes where the nodes run that stand for it; where these are on several
    // devices, to "cpu". A node that nothing stands for goes with its integer unit, else with what reads it if that device can run it or
    // the target's compiler, which gets none of it, decides.
    void give_devices(Graph& source, const Target& target) const;
    // The name of the node that stands for the source's node `name`, or for the one that it goes with; `name` if there is none.
    std::string node_named(const Graph& source, const std::string& name) const;

   private:
    void find_owners(const Graph& source);
    void find_homes(const Graph& source);
    std::vector<NodeId> deciding(NodeId source) const;

    std::vector<std::vector<NodeId>> stand_in_;  // by node id of the source: nodes of the form
    std::vector<NodeId> home_;                   // by node id of the source: itself, or the node that it goes with
    std::vector<bool> joined_;                   // by node id of the source: is its home in its own integer unit?
};

}  // namespace quern::place
