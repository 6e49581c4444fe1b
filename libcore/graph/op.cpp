#include "libcore/graph/op.h"

#include <algorithm>
#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>

#include "libcore/base/text.h"

namespace quern {
namespace {

const AttrDef* find_attr(const Op& op, std::string_view name) {
    const auto found = std::find_if(op.attrs.begin(), op.attrs.end(), [&](const AttrDef& def) { return def.name == name; });
    return found == op.attrs.end() ? nullptr : &*found;
}

template <class T>
const T* stored(const Node& node, std::string_view name) {
    const auto found = node.attrs.find(name);
    if (found == node.attrs.end()) return nullptr;
    const T* item = std::get_if<T>(&found->second);
    if (!item) throw bad_input("attribute \"{}\" has the wrong type", name);
    return item;
}

std::string_view fallback(const Node& node, std::string_view name) {
    const AttrDef* def = find_attr(*node.op, name);
    if (!def || def->fallback.empty()) throw bad_input("attribute \"{}\" is missing", name);
    return def->fallback;
}

using OpIndex = std::map<std::pair<std::string_view, std::string_view>, const Op*>;  // by domain and name

const OpIndex& table_index() {
    static const auto index = [] {
        OpIndex rows;
        for (const Op* op : all_ops()) rows.emplace(std::pair(op->domain, op->name), op);
        return rows;
    }();
    return index;
}

// Rows of op packages.
struct Registered {
    std::shared_mutex mutex;
    OpIndex index;
    std::map<const Op*, void (*)(EvalCtx&)> on_codes;
    std::atomic<bool> any = false;
};

Registered& registered_ops() {
    static Registered registered;
    return registered;
}

}  // namespace

bool NodeView::has(std::string_view name) const { return node_.attrs.find(name) != node_.attrs.end(); }

int64_t NodeView::integer(std::string_view name) const {
    if (const auto* item = stored<int64_t>(node_, name)) return *item;
    return parse_int(fallback(node_, name)).value();
}

float NodeView::real(std::string_view name) const {
    if (const auto* item = stored<float>(node_, name)) return *item;
    return static_cast<float>(parse_double(fallback(node_, name)).value());
}

std::string NodeView::text(std::string_view name) const {
    if (const auto* item = stored<std::string>(node_, name)) return *item;
    const AttrDef* def = find_attr(*node_.op, name);
    return def ? std::string(def->fallback) : std::string();
}

std::vector<int64_t> NodeView::integers(std::string_view name) const {
    const auto* item = stored<std::vector<int64_t>>(node_, name);
    return item ? *item : std::vector<int64_t>();
}

std::vector<float> NodeView::reals(std::string_view name) const {
    const auto* item = stored<std::vector<float>>(node_, name);
    return item ? *item : std::vector<float>();
}

std::vector<std::string> NodeView::texts(std::string_view name) const {
    const auto* item = stored<std::vector<std::string>>(node_, name);
    return item ? *item : std::vector<std::string>();
}

const Tensor* NodeView::tensor(std::string_view name) const { return stored<Tensor>(node_, name); }

const Op* find_op(std::string_view name, std::string_view domain) {
    const OpIndex& index = table_index();
    const auto found = index.find(std::pair(domain, name));
    return found == index.end() ? find_registered_op(name, domain) : found->second;
}

void register_op(const Op* op, void (*on_codes)(EvalCtx&)) {
    for (const auto& [key, row] : table_index())
        if (key.first == op->domain)
            throw usage_error("operator {}.{}: domain \"{}\" is quern's own", escape(op->domain), escape(op->name), escape(op->domain));
    Registered& registered = registered_ops();
    const std::unique_lock lock(registered.mutex);
    if (!registered.index.emplace(std::pair(op->domain, op->name), op).second)
        throw usage_error("operator {}.{} is given twice", escape(op->domain), escape(op->name));
    if (on_codes) registered.on_codes.emplace(op, on_codes);
    registered.any = true;
}

void (*registered_on_codes(const Op& op))(EvalCtx&) {
    Registered& registered = registered_ops();
    if (!registered.any) return nullptr;
    const std::shared_lock lock(registered.mutex);
    const auto found = registered.on_codes.find(&op);
    return found == registered.on_codes.end() ? nullptr : found->second;
}

const Op* find_registered_op(std::string_view name, std::string_view domain) {
    Registered& registered = registered_ops();
    if (!registered.any) return nullptr;
    const std::shared_lock lock(registered.mutex);
    const auto found = registered.index.find(std::pair(domain, name));
    return found == registered.index.end() ? nullptr : found->second;
}

const Op* need_op(std::string_view name, std::string_view domain) {
    const Op* op = find_op(name, domain);
    if (!op) throw bug("operator {} is not in the table", name);
    return op;
}

const Op* unknown_op(std::string_view name, std::string_view domain, int version) {
    struct Unknown {
        std::string name, domain;
        Op op;
    };
    const auto check = [](std::string_view word, std::string_view what) {
        if (!is_plain(word)) throw bad_input("the name of {} holds control characters or quotes: \"{}\"", what, escape(word));
    };
    check(name, "an operator");
    check(domain, "a domain");
    static std::mutex mutex;
    static std::map<std::string, std::unique_ptr<Unknown>> interned;
    const std::scoped_lock lock(mutex);
    auto& slot = interned[fmt::format("{}:{}:{}", domain, version, name)];
    if (!slot) {
        slot = std::make_unique<Unknown>();
        slot->name = name;
        slot->domain = domain;
        slot->op.name = slot->name;
        slot->op.domain = slot->domain;
        slot->op.in = slot->op.out = {0, 255};
        slot->op.traits = Trait::variadic_in | Trait::variadic_out;
        slot->op.version = version;
    }
    return &slot->op;
}

}  // namespace quern
