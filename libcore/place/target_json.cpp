#include "libcore/place/target_json.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <functional>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/summary.h"
#include "libcore/quant/scheme.h"
#include "libcore/support/quantity.h"

namespace quern::place {
namespace {

using Member = std::pair<std::string_view, std::function<void(const JsonView&)>>;

// Every member of an object through its row; an unknown key is an error, keys that begin with "_" are comments.
void read_object(const JsonView& json, std::string_view what, std::span<const Member> rows,
                 std::span<const std::string_view> required = {}) {
    for (const std::string_view key : required) (void)json[key];
    json.each([&](const std::string& key, const JsonView& member) {
        if (key.starts_with("_")) return;
        std::vector<std::string> names;
        for (const auto& [name, read] : rows) {
            if (key == name) return read(member);
            names.emplace_back(name);
        }
        member.fail(fmt::format("is not a key of a {}{}", what, did_you_mean(key, names)));
    });
}

Member number(std::string_view name, double& to) {
    return {name, [&to](const JsonView& json) {
                to = json.real();
                if (!std::isfinite(to) || to < 0) json.fail("need a finite number that is not negative");
            }};
}

Member words(std::string_view name, std::string& to) {
    return {name, [&to](const JsonView& json) { to = json.text(); }};
}

template <class Fn>
Member list(std::string_view name, const Fn& read) {
    return {name, [read](const JsonView& json) {
                for (size_t i = 0; i < json.size(); ++i) read(json.at(i));
            }};
}

std::string lower(std::string_view text) {
    std::string out(text);
    for (char& c : out)
        if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
    return out;
}

// A name that can stand in a placement file, on a command line and in a regex as it is.
std::string plain_name(const JsonView& json) {
    std::string name = lower(json.text());
    const bool plain = name.find_first_not_of("abcdefghijklmnopqrstuvwxyz0123456789_-") == std::string::npos;
    if (name.empty() || name.size() > 64 || !plain)
        json.fail(fmt::format("\"{}\" is not a name: need 1 to 64 of a-z 0-9 _ -", escape(name)));
    return name;
}

Member named(std::string_view name, std::string& to) {
    return {name, [&to](const JsonView& json) { to = plain_name(json); }};
}

std::string operator_name(const JsonView& json, bool wild) {
    const std::string& name = json.text();
    if ((wild && name == "*") || name.find('.') != std::string::npos) return name;
    std::vector<std::string> names;
    for (const Op* op : all_ops()) {
        if (op->domain.empty() && op->name == name) return name;
        names.push_back(full_name(*op));
    }
    json.fail(fmt::format("\"{}\" is not an operator{}", escape(name), did_you_mean(name, names)));
}

Memory read_memory(const JsonView& json) {
    Memory memory;
    const Member rows[] = {named("name", memory.name),
                           {"bytes", [&](const JsonView& member) { memory.bytes = member.natural(); }},
                           number("bytes_per_second", memory.bytes_per_second)};
    static constexpr std::array<std::string_view, 1> required{"name"};
    read_object(json, "memory", rows, required);
    return memory;
}

Link read_link(const JsonView& json) {
    Link link;
    const Member rows[] = {named("from", link.from), named("to", link.to), number("seconds", link.seconds),
                           number("bytes_per_second", link.bytes_per_second)};
    static constexpr std::array<std::string_view, 2> required{"from", "to"};
    read_object(json, "link", rows, required);
    return link;
}

CostRow read_cost(const JsonView& json) {
    static const std::array<std::string, 4> precisions{"float", "int8", "int16", "*"};
    CostRow row{"*", "*"};
    const Member rows[] = {{"op", [&](const JsonView& member) { row.op = operator_name(member, true); }},
                           {"precision",
                            [&](const JsonView& member) {
                                row.precision = member.text();
                                if (std::find(precisions.begin(), precisions.end(), row.precision) == precisions.end())
                                    member.fail(fmt::format("is \"{}\", need float, int8, int16 or *", escape(row.precision)));
                            }},
                           number("seconds", row.seconds),
                           number("macs_per_second", row.macs_per_second),
                           number("bytes_per_second", row.bytes_per_second)};
    read_object(json, "cost", rows);
    return row;
}

OpSupport read_support(const JsonView& json) {
    OpSupport support;
    const Member rows[] = {list("ops", [&](const JsonView& item) { support.ops.push_back(operator_name(item, false)); }),
                           list("constraints", [&](const JsonView& item) { support.constraints.push_back(read_constraint(item)); })};
    static constexpr std::array<std::string_view, 1> required{"ops"};
    read_object(json, "list of operators", rows, required);
    return support;
}

Device read_device(const JsonView& json) {
    Device device;
    const Member rows[] = {named("name", device.name),
                           words("backend", device.backend),
                           {"memory", [&](const JsonView& member) { device.memory = member.text().empty() ? "" : plain_name(member); }},
                           number("recode_bytes_per_second", device.recode_bytes_per_second),
                           list("tile",
                                [&](const JsonView& item) {
                                    constexpr uint64_t most = 65536;
                                    const uint64_t length = item.natural();
                                    if (length == 0 || length > most) item.fail(fmt::format("is {}, need 1 to {}", length, most));
                                    device.tile.push_back(static_cast<int64_t>(length));
                                }),
                           list("generic", [&](const JsonView& item) { device.generic.push_back(read_constraint(item)); }),
                           list("ops", [&](const JsonView& item) { device.ops.push_back(read_support(item)); }),
                           list("costs", [&](const JsonView& item) { device.costs.push_back(read_cost(item)); })};
    static constexpr std::array<std::string_view, 1> required{"name"};
    read_object(json, "device", rows, required);
    return device;
}

std::string format_word(const JsonView& json) {
    const std::string& word = json.text();
    if (!word.empty() && word != "tflite" && word != "circle") json.fail(fmt::format("is \"{}\", need tflite or circle", escape(word)));
    return word;
}

std::string type_word(const JsonView& json) {
    const std::string& word = json.text();
    try {
        return std::string(scheme_named(word).name);
    } catch (const Error& error) {
        json.fail(error.message());
    }
}

// The names that a target's parts refer to each other by.
void check_names(const Target& target, const JsonView& json) {
    std::vector<std::string> memories, devices;
    const auto take = [&](std::vector<std::string>& names, const std::string& name, std::string_view what) {
        if (std::find(names.begin(), names.end(), name) != names.end()) json.fail(fmt::format("has two {} \"{}\"", what, name));
        names.push_back(name);
    };
    for (const Memory& memory : target.memories) take(memories, memory.name, "memories");
    for (const Device& device : target.devices) take(devices, device.name, "devices");
    for (const Device& device : target.devices)
        if (!device.memory.empty() && !find_memory(target, device.memory))
            json.fail(fmt::format("device \"{}\" is in memory \"{}\", which is not there{}", device.name, device.memory,
                                  did_you_mean(device.memory, memories)));
    for (const Link& link : target.links)
        for (const std::string& end : {link.from, link.to})
            if (!find_device(target, end))
                json.fail(fmt::format("a link ends at device \"{}\", which is not there{}", end, did_you_mean(end, devices)));
}

// Items of `child` over those of `parent` that have the same key.
Json merge_lists(Json parent, const Json& child, const std::function<std::string(const Json&)>& key) {
    if (!parent.is_array() || !child.is_array()) return child;
    for (const Json& item : child) {
        const auto same = std::find_if(parent.begin(), parent.end(), [&](const Json& other) {
            return other.is_object() && item.is_object() && !key(item).empty() && key(other) == key(item);
        });
        if (same == parent.end())
            parent.push_back(item);
        else
            same->update(item);
    }
    return parent;
}

std::string text_of(const Json& json, const char* key) {
    const auto found = json.find(key);
    return found != json.end() && found->is_string() ? lower(found->get<std::string>()) : std::string();
}

}  // namespace

Json merge_targets(Json parent, const Json& child) {
    for (const auto& [key, member] : child.items()) {
        if (parent.contains(key) && (key == "memories" || key == "devices"))
            parent[key] = merge_lists(parent[key], member, [](const Json& item) { return text_of(item, "name"); });
        else if (parent.contains(key) && key == "links")
            parent[key] = merge_lists(parent[key], member, [](const Json& item) {
                const std::string from = text_of(item, "from"), to = text_of(item, "to");
                return from.empty() || to.empty() ? std::string() : fmt::format("{} {}", from, to);
            });
        else
            parent[key] = member;
    }
    parent.erase("extends");
    return parent;
}

Target read_target(const Json& document) {
    Target target;
    const JsonView json(document);
    json.check_kind("target", 1);
    const auto skip = [](const JsonView&) {};
    const Member rows[] = {{"kind", skip},
                           {"version", skip},
                           named("name", target.name),
                           words("doc", target.doc),
                           words("basis", target.basis),
                           {"format", [&](const JsonView& member) { target.format = format_word(member); }},
                           {"type", [&](const JsonView& member) { target.type = type_word(member); }},
                           list("memories", [&](const JsonView& item) { target.memories.push_back(read_memory(item)); }),
                           list("devices", [&](const JsonView& item) { target.devices.push_back(read_device(item)); }),
                           list("links", [&](const JsonView& item) { target.links.push_back(read_link(item)); })};
    static constexpr std::array<std::string_view, 1> required{"name"};
    read_object(json, "target", rows, required);
    if (!find_device(target, cpu_device)) {
        Device cpu;
        cpu.name = cpu.backend = cpu_device;
        target.devices.insert(target.devices.begin(), std::move(cpu));
    }
    check_names(target, json);
    return target;
}

}  // namespace quern::place
