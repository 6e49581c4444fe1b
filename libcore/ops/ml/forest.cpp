#include "libcore/ops/ml/forest.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <map>

namespace quern {
namespace {

using Test = TreeNode::Test;

bool holds(const TreeNode& node, double x) {
    if (std::isnan(x) && node.missing) return true;
    switch (node.test) {
        case Test::at_most: return x <= node.split;
        case Test::below: return x < node.split;
        case Test::at_least: return x >= node.split;
        case Test::above: return x > node.split;
        case Test::equal: return x == node.split;
        case Test::differs: return x != node.split;
        case Test::member: return std::ranges::find(node.members, x) != node.members.end();
        case Test::leaf: break;
    }
    throw bug("a leaf asks nothing");
}

size_t index_in(int64_t index, size_t count, std::string_view what) {
    if (index < 0 || static_cast<uint64_t>(index) >= count) throw bad_input("{} is {}, there are {}", what, index, count);
    return static_cast<size_t>(index);
}

template <class Items>
void need_length(const Items& items, size_t count, std::string_view name) {
    if (items.size() != count) throw bad_input("attribute \"{}\" has {} entries, need {}", name, items.size(), count);
}

std::vector<int64_t> integers(const NodeView& view, const char* name, size_t count) {
    std::vector<int64_t> items = view.integers(name);
    need_length(items, count, name);
    return items;
}

std::vector<double> numbers_of(const NodeView& view, const char* name) {
    const Tensor* tensor = view.tensor(name);
    return tensor ? to_doubles(*tensor) : std::vector<double>();
}

// NaN goes where the test holds; 0 for all if the attribute is absent.
std::vector<int64_t> missing_of(const NodeView& view, size_t count) {
    std::vector<int64_t> items = view.integers("nodes_missing_value_tracks_true");
    if (items.empty()) items.resize(count, 0);
    need_length(items, count, "nodes_missing_value_tracks_true");
    return items;
}

// ---- TreeEnsemble --------------------------------------------------------------------------------------------------------

// Sets of members, in the order of the nodes that ask for one, a NaN behind each.
void give_members(std::vector<TreeNode>& nodes, const std::vector<double>& members) {
    auto at = members.begin();
    for (TreeNode& node : nodes) {
        if (node.test != Test::member) continue;
        for (; at != members.end() && !std::isnan(*at); ++at) node.members.push_back(*at);
        if (at != members.end()) ++at;
    }
}

}  // namespace

std::vector<double> reals_of(const NodeView& view, const std::string& name) {
    if (const Tensor* tensor = view.tensor(name + "_as_tensor")) return to_doubles(*tensor);
    const std::vector<float> items = view.reals(name);
    return {items.begin(), items.end()};
}

const TreeNode& Forest::leaf(size_t root, std::span<const double> features) const {
    size_t at = root;
    for (size_t steps = 0; nodes[at].test != Test::leaf; ++steps) {
        if (steps > nodes.size()) throw bad_input("a tree has a cycle");
        const TreeNode& node = nodes[at];
        if (node.feature >= features.size()) throw bad_input("a tree asks for feature {} of {}", node.feature, features.size());
        at = holds(node, features[node.feature]) ? node.yes : node.no;
    }
    return nodes[at];
}

Forest forest_of_ensemble(const NodeView& view) {
    Forest forest;
    const std::vector<double> splits = numbers_of(view, "nodes_splits"), weights = numbers_of(view, "leaf_weights");
    const size_t branches = splits.size(), leaves = weights.size();
    const Tensor* modes = view.tensor("nodes_modes");
    const std::vector<int64_t> tests = modes ? to_ints(*modes) : std::vector<int64_t>();
    need_length(tests, branches, "nodes_modes");
    const auto features = integers(view, "nodes_featureids", branches), yes = integers(view, "nodes_truenodeids", branches),
               no = integers(view, "nodes_falsenodeids", branches), yes_ends = integers(view, "nodes_trueleafs", branches),
               no_ends = integers(view, "nodes_falseleafs", branches), missing = missing_of(view, branches);
    const auto next = [&](int64_t index, int64_t is_leaf) {
        return is_leaf != 0 ? branches + index_in(index, leaves, "a leaf") : index_in(index, branches, "a node");
    };
    forest.targets = static_cast<size_t>(std::clamp<int64_t>(view.integer("n_targets"), 0, 1 << 20));
    for (size_t i = 0; i < branches; ++i)
        forest.nodes.push_back({static_cast<Test>(index_in(tests[i], static_cast<size_t>(Test::leaf), "a mode")),
                                index_in(features[i], size_t{1} << 31, "a feature"),
                                splits[i],
                                {},
                                missing[i] != 0,
                                next(yes[i], yes_ends[i]),
                                next(no[i], no_ends[i]),
                                {}});
    const auto targets = integers(view, "leaf_targetids", leaves);
    for (size_t i = 0; i < leaves; ++i)
        forest.nodes.push_back({.weights = {{index_in(targets[i], forest.targets, "a target"), weights[i]}}});
    give_members(forest.nodes, numbers_of(view, "membership_values"));
    // A tree of a leaf alone is a node both of whose ways lead there.
    for (const int64_t root : view.integers("tree_roots")) forest.roots.push_back(index_in(root, branches, "a root"));
    return forest;
}

// ---- TreeEnsembleRegressor, TreeEnsembleClassifier -------------------------------------------------------------------------

namespace {

Test test_named(std::string_view name) {
    constexpr std::array<std::string_view, 8> names{"BRANCH_LEQ", "BRANCH_LT",  "BRANCH_GTE",    "BRANCH_GT",
                                                    "BRANCH_EQ",  "BRANCH_NEQ", "BRANCH_MEMBER", "LEAF"};
    const auto found = std::ranges::find(names, name);
    if (found == names.end() || name == "BRANCH_MEMBER") throw bad_input("nodes_modes has \"{}\"", name);
    return static_cast<Test>(found - names.begin());
}

// The nodes; `prefix` is "target" or "class", as the attributes of the leaves are called.
Forest forest_of_nodes(const NodeView& view, const std::string& prefix, size_t targets) {
    Forest forest;
    forest.targets = targets;
    const std::vector<std::string> modes = view.texts("nodes_modes");
    const size_t count = modes.size();
    const auto trees = integers(view, "nodes_treeids", count), ids = integers(view, "nodes_nodeids", count),
               features = integers(view, "nodes_featureids", count), yes = integers(view, "nodes_truenodeids", count),
               no = integers(view, "nodes_falsenodeids", count), missing = missing_of(view, count);
    const std::vector<double> splits = reals_of(view, "nodes_values");
    need_length(splits, count, "nodes_values");
    std::map<std::pair<int64_t, int64_t>, size_t> places;
    for (size_t i = 0; i < count; ++i)
        if (!places.emplace(std::pair{trees[i], ids[i]}, i).second) throw bad_input("tree {} has two nodes {}", trees[i], ids[i]);
    const auto place = [&](int64_t tree, int64_t id) {
        const auto found = places.find({tree, id});
        if (found == places.end()) throw bad_input("tree {} has no node {}", tree, id);
        return found->second;
    };
    for (size_t i = 0; i < count; ++i) {
        TreeNode node{.test = test_named(modes[i]), .split = splits[i], .missing = missing[i] != 0};
        if (node.test != Test::leaf) {
            node.feature = index_in(features[i], size_t{1} << 31, "a feature");
            node.yes = place(trees[i], yes[i]);
            node.no = place(trees[i], no[i]);
        }
        forest.nodes.push_back(std::move(node));
        if (i == 0 || trees[i] != trees[i - 1]) forest.roots.push_back(i);  // the first node of each
    }
    const std::vector<double> weights = reals_of(view, prefix + "_weights");
    const auto of_leaf = [&](const char* what) { return integers(view, (prefix + what).c_str(), weights.size()); };
    const auto leaf_trees = of_leaf("_treeids"), leaf_ids = of_leaf("_nodeids"), leaf_targets = of_leaf("_ids");
    for (size_t i = 0; i < weights.size(); ++i)
        forest.nodes[place(leaf_trees[i], leaf_ids[i])].weights.emplace_back(index_in(leaf_targets[i], targets, "a target"), weights[i]);
    return forest;
}

}  // namespace

Forest forest_of_regressor(const NodeView& node) {
    return forest_of_nodes(node, "target", static_cast<size_t>(std::clamp<int64_t>(node.integer("n_targets"), 0, 1 << 20)));
}

Forest forest_of_classifier(const NodeView& node, size_t classes) { return forest_of_nodes(node, "class", classes); }

}  // namespace quern
