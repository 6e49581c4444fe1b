// Forests of decision trees, as ai.onnx.ml's TreeEnsemble (arrays of branches and leaves) and its elders TreeEnsembleRegressor and
// TreeEnsembleClassifier (one array of nodes, each with the ids of its tree and its own) say them.
#pragma once

#include "libcore/graph/op.h"

namespace quern {

struct TreeNode {
    enum class Test : uint8_t { at_most, below, at_least, above, equal, differs, member, leaf };
    Test test = Test::leaf;
    size_t feature = 0;
    double split = 0;
    std::vector<double> members;                     // of Test::member
    bool missing = false;                            // where a NaN goes: on if the test holds, or not
    size_t yes = 0, no = 0;                          // nodes
    std::vector<std::pair<size_t, double>> weights;  // of a leaf: target and what it adds
};

struct Forest {
    std::vector<TreeNode> nodes;
    std::vector<size_t> roots;
    size_t targets = 0;

    // The leaf that the features reach. Throws Exit::bad_input where the walk does not end, or where there are too few features.
    const TreeNode& leaf(size_t root, std::span<const double> features) const;
};

// All throw Exit::bad_input on arrays of unlike lengths and on numbers that name nothing.
Forest forest_of_ensemble(const NodeView& node);
Forest forest_of_regressor(const NodeView& node);
Forest forest_of_classifier(const NodeView& node, size_t classes);

// Of the elder operators: the numbers of an attribute, as a list or as "NAME_as_tensor"; none if both are absent.
std::vector<double> reals_of(const NodeView& node, const std::string& name);

}  // namespace quern
