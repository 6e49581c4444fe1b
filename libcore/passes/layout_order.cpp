// Arithmetic of orders.
#include <algorithm>
#include <numeric>

#include "libcore/passes/layout.h"

namespace quern {

Order source_order(size_t rank) {
    Order order(rank);
    std::iota(order.begin(), order.end(), 0);
    return order;
}

bool in_source_order(const Order& order) { return std::is_sorted(order.begin(), order.end()); }

Order channels_order(bool last, size_t rank) {
    Order order = source_order(rank);
    if (rank < 3) return order;
    if (last)
        std::rotate(order.begin() + 1, order.begin() + 2, order.end());
    else
        std::rotate(order.begin() + 1, order.end() - 1, order.end());
    return order;
}

int64_t place_of(const Order& order, int64_t axis) { return std::find(order.begin(), order.end(), axis) - order.begin(); }

Order between(const Order& from, const Order& to) {
    Order perm;
    for (const int64_t axis : to) perm.push_back(place_of(from, axis));
    return perm;
}

Order without(const Order& order, std::span<const int64_t> axes) {
    Order left;
    for (const int64_t axis : order) {
        if (std::find(axes.begin(), axes.end(), axis) != axes.end()) continue;
        left.push_back(axis - std::count_if(axes.begin(), axes.end(), [&](int64_t a) { return a < axis; }));
    }
    return left;
}

Order with_ones(const Order& rest, std::span<const int64_t> ones, bool last) {
    const size_t rank = rest.size() + ones.size();
    for (const Order& wish : {source_order(rank), channels_order(last, rank)})
        if (without(wish, ones) == without(rest, ones)) return wish;
    Order order(ones.begin(), ones.end());
    order.insert(order.end(), rest.begin(), rest.end());
    return order;
}

namespace {

// Dims that make up the same elements on both sides of a reshape.
struct Group {
    std::vector<int64_t> from, to;
};

// The places of dims other than 1; nullopt if one is 0.
std::optional<std::vector<int64_t>> real_dims(const Shape& shape) {
    std::vector<int64_t> out;
    for (size_t i = 0; i < shape.rank(); ++i) {
        if (shape.dims[i].value == 0) return std::nullopt;
        if (shape.dims[i].value != 1) out.push_back(static_cast<int64_t>(i));
    }
    return out;
}

std::vector<int64_t> ones_of(const Shape& shape) {
    std::vector<int64_t> out;
    for (size_t i = 0; i < shape.rank(); ++i)
        if (shape.dims[i].value == 1) out.push_back(static_cast<int64_t>(i));
    return out;
}

std::optional<std::vector<Group>> groups_of(const Shape& from, const Shape& to) {
    const auto a = real_dims(from), b = real_dims(to);
    if (!a || !b) return std::nullopt;
    const auto length = [](const Shape& shape, int64_t i) { return shape.dims[static_cast<size_t>(i)].value; };
    const auto open = [&](const Shape& shape, const std::vector<int64_t>& places) {
        return std::count_if(places.begin(), places.end(), [&](int64_t i) { return length(shape, i) < 0; });
    };
    if (open(from, *a) > 1 || open(to, *b) > 1) return std::nullopt;  // one on each side is the same one
    std::vector<Group> groups;
    for (size_t i = 0, j = 0; i < a->size() || j < b->size();) {
        if (i == a->size() || j == b->size()) return std::nullopt;
        Group group{{(*a)[i]}, {(*b)[j]}};
        int64_t left = length(from, (*a)[i++]), right = length(to, (*b)[j++]);
        while (left != right) {
            auto& side = left < right ? group.from : group.to;
            const auto& places = left < right ? *a : *b;
            size_t& at = left < right ? i : j;
            int64_t& product = left < right ? left : right;
            if (left < 0 || right < 0 || at == places.size()) return std::nullopt;
            const int64_t next = length(left < right ? from : to, places[at]);
            if (next < 0 || __builtin_mul_overflow(product, next, &product)) return std::nullopt;
            side.push_back(places[at++]);
        }
        groups.push_back(std::move(group));
    }
    return groups;
}

}  // namespace

std::optional<Carried> carried(const Shape& from, const Shape& to, const Order& order, bool last) {
    auto groups = groups_of(from, to);
    if (!groups) return std::nullopt;
    const auto first = [&](const Group& group) {
        int64_t place = static_cast<int64_t>(order.size());
        for (const int64_t axis : group.from) place = std::min(place, place_of(order, axis));
        return place;
    };
    std::stable_sort(groups->begin(), groups->end(), [&](const Group& x, const Group& y) { return first(x) < first(y); });
    Order in, out;
    for (const Group& group : *groups) {
        in.insert(in.end(), group.from.begin(), group.from.end());
        out.insert(out.end(), group.to.begin(), group.to.end());
    }
    const auto ones = ones_of(from), ones_behind = ones_of(to);
    Order lies;
    for (const int64_t axis : order)
        if (std::find(ones.begin(), ones.end(), axis) == ones.end()) lies.push_back(axis);
    return Carried{lies == in ? order : with_ones(in, ones, last), with_ones(out, ones_behind, last)};
}

}  // namespace quern
