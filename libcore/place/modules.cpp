#include "libcore/place/modules.h"

#include <algorithm>
#include <functional>
#include <map>
#include <memory>

#include "libcore/base/text.h"

namespace quern::place {
namespace {

constexpr size_t max_depth = 16;

std::vector<std::string> path_of(const Node& node) {
    const std::string& text = node.scope;
    const size_t end = node.name.rfind('/');
    std::vector<std::string> path;
    for (std::string& part : split(!text.empty() ? text : end == std::string::npos ? "" : node.name.substr(0, end), '/'))
        if (!part.empty() && path.size() < max_depth) path.push_back(std::move(part));
    return path;
}

// A module while the tree is made: of parts, or a single node.
struct Tree {
    std::string name;
    size_t first = 0, count = 0;
    bool node = false;
    std::vector<std::unique_ptr<Tree>> items;
    std::map<std::string, Tree*> by_name;
};

class Builder {
   public:
    Builder(const Graph& graph, const std::vector<NodeId>& order, size_t max) : max_(max) {
        for (size_t place = 0; place < order.size(); ++place) insert(graph.node(order[place]), place);
        root_.count = order.size();
        settle(root_);
    }

    std::vector<Module> run() {
        add(root_, 0);
        return std::move(out_);
    }

   private:
    void insert(const Node& node, size_t place) {
        Tree* at = &root_;
        for (const std::string& part : path_of(node)) {
            Tree*& next = at->by_name[part];
            if (!next) {
                next = at->items.emplace_back(std::make_unique<Tree>()).get();
                next->name = part;
                next->first = place;
            }
            at = next;
            ++at->count;
        }
        Tree& leaf = *at->items.emplace_back(std::make_unique<Tree>());
        leaf.first = place;
        leaf.count = 1;
        leaf.node = true;
    }

    // Small modules become nodes of the one around, modules in modules alone one; what is left is cut where it is too much for a picture.
    void settle(Tree& tree) {
        for (auto& item : tree.items)
            if (!item->node) settle(*item);
        if (tree.count <= max_) flatten(tree);
        for (size_t i = 0; i < tree.items.size(); ++i)
            if (!tree.items[i]->node && tree.items[i]->count <= min) open(tree, i);
        while (tree.items.size() == 1 && !tree.items[0]->node) {
            const auto only = std::move(tree.items[0]);
            tree.name += (tree.name.empty() ? "" : "/") + only->name;
            tree.items = std::move(only->items);
        }
        // One beside few nodes has nearly all: its parts are what is to be seen.
        const auto is_module = [](const auto& item) { return !item->node; };
        if (tree.items.size() <= 1 + min && std::ranges::count_if(tree.items, is_module) == 1)
            open(tree, static_cast<size_t>(std::ranges::find_if(tree.items, is_module) - tree.items.begin()));
        std::ranges::stable_sort(tree.items, [](const auto& a, const auto& b) { return a->first < b->first; });
        while (tree.items.size() > max_) cut(tree);
    }

    // The items of item i take its place.
    static void open(Tree& tree, size_t i) {
        auto inner = std::move(tree.items[i]->items);
        const auto place = tree.items.erase(tree.items.begin() + static_cast<std::ptrdiff_t>(i));
        tree.items.insert(place, std::make_move_iterator(inner.begin()), std::make_move_iterator(inner.end()));
    }

    static void collect(Tree& tree, std::vector<std::unique_ptr<Tree>>& nodes) {
        for (auto& item : tree.items)
            if (item->node)
                nodes.push_back(std::move(item));
            else
                collect(*item, nodes);
    }
    static void flatten(Tree& tree) {
        std::vector<std::unique_ptr<Tree>> nodes;
        collect(tree, nodes);
        tree.items = std::move(nodes);
    }

    void cut(Tree& tree) const {
        const size_t parts = (tree.items.size() + max_ * 2 / 3 - 1) / (max_ * 2 / 3);
        std::vector<std::unique_ptr<Tree>> out;
        for (size_t i = 0; i < parts; ++i) {
            const size_t from = tree.items.size() * i / parts, to = tree.items.size() * (i + 1) / parts;
            Tree& part = *out.emplace_back(std::make_unique<Tree>());
            part.first = tree.items[from]->first;
            for (size_t k = from; k < to; ++k) {
                part.count += tree.items[k]->count;
                part.items.push_back(std::move(tree.items[k]));
            }
            part.name = fmt::format("part {} of {}", i + 1, parts);
        }
        tree.items = std::move(out);
    }

    size_t add(Tree& tree, size_t parent) {
        const size_t self = out_.size();
        out_.push_back({tree.name, parent, {}, tree.first, tree.count});
        std::vector<Module::Item> items;
        for (const auto& item : tree.items) items.push_back({!item->node, item->node ? item->first : add(*item, self)});
        out_[self].items = std::move(items);
        return self;
    }

    static constexpr size_t min = 3;  // nodes that a module of its own is worth a picture for
    size_t max_;
    Tree root_;
    std::vector<Module> out_;
};

}  // namespace

std::vector<Module> modules_of(const Graph& graph, const std::vector<NodeId>& order, size_t max) {
    return Builder(graph, order, max).run();
}

}  // namespace quern::place
