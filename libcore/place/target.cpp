#include "libcore/place/target.h"

#include <algorithm>

namespace quern::place {
namespace {

template <class Item>
const Item* by_name(const std::vector<Item>& items, std::string_view name) {
    const auto found = std::find_if(items.begin(), items.end(), [&](const Item& item) { return equal_in_any_case(item.name, name); });
    return found == items.end() ? nullptr : &*found;
}

}  // namespace

bool equal_in_any_case(std::string_view a, std::string_view b) {
    const auto low = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
    return std::equal(a.begin(), a.end(), b.begin(), b.end(), [&](char x, char y) { return low(x) == low(y); });
}

bool Device::lists(std::string_view op) const {
    if (ops.empty()) return true;
    return std::any_of(ops.begin(), ops.end(), [&](const OpSupport& support) {
        return std::find(support.ops.begin(), support.ops.end(), op) != support.ops.end();
    });
}

const Device* find_device(const Target& target, std::string_view name) { return by_name(target.devices, name); }
const Memory* find_memory(const Target& target, std::string_view name) { return by_name(target.memories, name); }

bool measured(const Target& target) { return target.basis.starts_with("measured"); }

const Link* find_link(const Target& target, std::string_view from, std::string_view to) {
    const auto found = std::find_if(target.links.begin(), target.links.end(),
                                    [&](const Link& link) { return equal_in_any_case(link.from, from) && equal_in_any_case(link.to, to); });
    return found == target.links.end() ? nullptr : &*found;
}

std::vector<std::string> device_names(const Target& target) {
    std::vector<std::string> names;
    for (const Device& device : target.devices) names.push_back(device.name);
    return names;
}

}  // namespace quern::place
