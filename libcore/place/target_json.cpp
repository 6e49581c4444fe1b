#include "libcore/place/target_json.h"

#include <algorithm>
#include <array>
#include <functional>
#include <set>

#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/device.h"
#include "libcore/graph/summary.h"
#include "libcore/quant/types/scheme.h"
#include "libcore/support/quantity.h"

namespace quern::place {
namespace {

// A key of an object, what it means and how it is read.
struct Member {
    std::string_view name, doc;
    std::function<void(const JsonView&)> read;
    bool needed = false;
};
using Members = std::vector<Member>;

// Every member of an object through its row; an unknown key is an error, keys that begin with "_" are comments.
void read_object(const JsonView& json, std::string_view what, const Members& rows) {
    for (const Member& row : rows)
        if (row.needed) (void)json[row.name];
    json.each([&](const std::string& key, const JsonView& member) {
        if (key.starts_with("_")) return;
        std::vector<std::string> names;
        for (const Member& row : rows) {
            if (key == row.name) return row.read(member);
            names.emplace_back(row.name);
        }
        member.fail(fmt::format("is not a key of a {}{}", what, did_you_mean(key, names)));
    });
}

Member needed(Member row) {
    row.needed = true;
    return row;
}

// Of a cost, where 0 would be no rate: it is left out.
Member rate(std::string_view name, double& to, std::string_view doc) {
    return {name, doc, [&to](const JsonView& json) {
                constexpr double max = 1e30;
                to = json.real();
                if (!(to >= 1 && to <= max)) json.fail(fmt::format("is {}, need 1 to {}", to, max));
            }};
}

Member seconds(std::string_view name, double& to, std::string_view doc) {
    return {name, doc, [&to](const JsonView& json) {
                constexpr double max = 1e9;
                to = json.real();
                if (!(to >= 0 && to <= max)) json.fail(fmt::format("is {}, need 0 to {}", to, max));
            }};
}

Member words(std::string_view name, std::string& to, std::string_view doc) {
    return {name, doc, [&to](const JsonView& json) { to = json.text(); }};
}

template <class Fn>
Member list(std::string_view name, const Fn& read, std::string_view doc) {
    return {name, doc, [read](const JsonView& json) {
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

Member named(std::string_view name, std::string& to, std::string_view doc) {
    return {name, doc, [&to](const JsonView& json) { to = plain_name(json); }};
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

Members memory_rows(Memory& memory) {
    return {needed(named("name", memory.name, "1 to 64 of a-z 0-9 _ -; needed")),
            {"bytes", "its size, which what partitions need is compared with (default: unbounded)",
             [&](const JsonView& member) { memory.bytes = member.natural(); }},
            {"cache", "it holds parts of what lies elsewhere: nothing is split or refused for its size (default: false)",
             [&](const JsonView& member) { memory.cache = member.boolean(); }},
            rate("bytes_per_second", memory.bytes_per_second,
                 "rate at which stripes read again, of the host's memory, the device's and the link between them the least (default: not "
                 "counted)")};
}

Members link_rows(Link& link) {
    return {needed(named("from", link.from, "a device; needed")), needed(named("to", link.to, "a device; needed")),
            seconds("seconds", link.seconds, "of each transfer of a value"),
            rate("bytes_per_second", link.bytes_per_second, "rate beyond that (default: unbounded)")};
}

std::string precision(const JsonView& json) {
    static const std::array<std::string, 4> precisions{"float", "int8", "int16", "*"};
    const std::string& word = json.text();
    if (std::find(precisions.begin(), precisions.end(), word) == precisions.end())
        json.fail(fmt::format("is \"{}\", need float, int8, int16 or *", escape(word)));
    return word;
}

Members cost_rows(CostRow& row) {
    return {{"op", "an operator, or * (default: *)", [&](const JsonView& member) { row.op = operator_name(member, true); }},
            {"precision", "float, int8 (8 bits and fewer), int16 or *, by the encoding of the output (default: *)",
             [&](const JsonView& member) { row.precision = precision(member); }},
            seconds("seconds", row.seconds, "of each call"),
            rate("macs_per_second", row.macs_per_second, "rate of multiply-accumulates (default: they take no time)"),
            rate("bytes_per_second", row.bytes_per_second, "rate of bytes read and written (default: they take no time)")};
}

Members support_rows(OpSupport& support) {
    return {needed(list(
                "ops", [&](const JsonView& item) { support.ops.push_back(operator_name(item, false)); },
                "operators, of other domains than ONNX with it: com.microsoft.Gelu; needed")),
            list(
                "fused", [&](const JsonView& item) { support.fused.push_back(operator_name(item, false)); },
                "operators that it runs in the integer unit of one of these alone: activations, the Add of a bias (default: none)"),
            list(
                "constraints", [&](const JsonView& item) { support.constraints.push_back(read_constraint(item)); },
                "what must hold of a node of these")};
}

int64_t tile_length(const JsonView& json) {
    constexpr uint64_t max = 65536;
    const uint64_t length = json.natural();
    if (length == 0 || length > max) json.fail(fmt::format("is {}, need 1 to {}", length, max));
    return static_cast<int64_t>(length);
}

void read_stripes(const JsonView& json, Device& device) {
    const std::string& word = json.text();
    if (word != "rows" && word != "channels") json.fail(fmt::format("is \"{}\", need rows or channels", escape(word)));
    bool& stripes = word == "rows" ? device.stripes_rows : device.stripes_channels;
    if (stripes) json.fail("stands there twice");
    stripes = true;
}

template <class Item>
Item read_item(const JsonView& json, std::string_view what, Members (*rows)(Item&), Item item = {}) {
    read_object(json, what, rows(item));
    return item;
}

std::string backend_name(const JsonView& json) {
    const std::string& name = json.text();
    if (!name.empty() && !is_backend_name(name)) json.fail(fmt::format("is \"{}\", {}", escape(name), device_name_rule));
    return name;
}

Members device_rows(Device& device) {
    return {needed(named("name", device.name, "1 to 64 of a-z 0-9 _ -; cpu is the host, and added where it is not stated; needed")),
            {"backend",
             "what runs it: cpu, ref, or the name of a library, perhaps with a device of it, as ort:qnn,soc=57 (default: none, it is "
             "simulated on ref)",
             [&](const JsonView& member) { device.backend = backend_name(member); }},
            {"memory", "the memory in which it works (default: none stated, everything fits)",
             [&](const JsonView& member) { device.memory = member.text().empty() ? "" : plain_name(member); }},
            {"weights", "the memory in which constants of a partition lie while it runs, perhaps the same (default: none stated, all fit)",
             [&](const JsonView& member) { device.weights = member.text().empty() ? "" : plain_name(member); }},
            rate("recode_bytes_per_second", device.recode_bytes_per_second,
                 "rate at which it changes the encoding of a value at its edge (default: that takes no time)"),
            list(
                "tile", [&](const JsonView& item) { device.tile.push_back(tile_length(item)); },
                "it works on whole tiles: costs count the last dims, of data with channels the width and the channels, rounded up to "
                "multiples of these, each 1 to 65536"),
            list(
                "stripes", [&](const JsonView& item) { read_stripes(item, device); },
                "how it runs a unit that its memory does not hold whole: rows, stripe by stripe of the result's rows, what a window reads "
                "beyond its stripe being read again; channels, with weights brought in by groups of output channels, again for each "
                "stripe (default: neither, the unit is refused)"),
            list(
                "generic", [&](const JsonView& item) { device.generic.push_back(read_constraint(item)); }, "constraints on every operator"),
            list(
                "ops", [&](const JsonView& item) { device.ops.push_back(read_item<OpSupport>(item, "list of operators", support_rows)); },
                "what it runs: lists of operators; where an operator stands in several, all of them hold (default: every operator)"),
            list(
                "costs",
                [&](const JsonView& item) {
                    device.costs.push_back(read_item<CostRow>(item, "cost", cost_rows, {"*", "*"}));
                },
                "rows of times: the first that fits the operator and the precision counts")};
}

std::string format_word(const JsonView& json) {
    const std::string& word = json.text();
    if (!word.empty() && word != "tflite" && word != "circle") json.fail(fmt::format("is \"{}\", need tflite or circle", escape(word)));
    return word;
}

bool decides_word(const JsonView& json) {
    const std::string& word = json.text();
    if (word != "place" && word != "compiler") json.fail(fmt::format("is \"{}\", need place or compiler", escape(word)));
    return word == "compiler";
}

std::string runtime_word(const JsonView& json) {
    const std::string& word = json.text();
    if (!word.empty() && word != "qnn") json.fail(fmt::format("is \"{}\", need qnn", escape(word)));
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

// Values of stripes lie in the host's memory meanwhile.
void check_stripes(const Target& target, const JsonView& json) {
    const Device* host = find_device(target, cpu_device);
    for (const Device& device : target.devices) {
        if (!device.stripes_rows && !device.stripes_channels) continue;
        if (device.name == cpu_device)
            json.fail(fmt::format("device \"{}\" has stripes, but no other memory to bring them from", device.name));
        if (host && !device.memory.empty() && device.memory == host->memory)
            json.fail(fmt::format("device \"{}\" has stripes, but its memory is the host's, \"{}\"", device.name, device.memory));
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
        for (const std::string& memory : {device.memory, device.weights})
            if (!memory.empty() && !find_memory(target, memory))
                json.fail(fmt::format("device \"{}\" is in memory \"{}\", which is not there{}", device.name, memory,
                                      did_you_mean(memory, memories)));
    check_stripes(target, json);
    for (const Link& link : target.links)
        for (const std::string& end : {link.from, link.to})
            if (!find_device(target, end))
                json.fail(fmt::format("a link ends at device \"{}\", which is not there{}", end, did_you_mean(end, devices)));
}

// Items of `child` over those of `parent` that have the same key, which no two of `child` have.
Json merge_lists(Json parent, const Json& child, const std::string& name, const std::function<std::string(const Json&)>& key) {
    if (!parent.is_array() || !child.is_array()) return child;
    std::set<std::string> keys;
    for (const Json& item : child)
        if (item.is_object() && !key(item).empty() && !keys.insert(key(item)).second)
            throw bad_input("has two {} \"{}\"", name, escape(key(item)));
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

Members target_rows(Target& target) {
    const auto skip = [](const JsonView&) {};
    return {{"kind", "\"target\"; needed", skip},
            {"version", "1; needed", skip},
            needed(named("name", target.name, "1 to 64 of a-z 0-9 _ -; needed")),
            {"extends", "a target that ships, or a file beside this one, which holds where this one says nothing", skip},
            words("doc", target.doc, "a line for --list-targets"),
            words("basis", target.basis, "where its costs are from: measured on ..., estimate: ..."),
            {"format", "tflite or circle: models reach it in such files, whose operators devices are asked about (default: any)",
             [&](const JsonView& member) { target.format = format_word(member); }},
            {"runtime", "qnn: encodings follow its rules (default: those of the format, or of onnxruntime)",
             [&](const JsonView& member) { target.runtime = runtime_word(member); }},
            {"type", "of quantize --list-types, which quantize --target takes (default: none)",
             [&](const JsonView& member) { target.type = type_word(member); }},
            {"static_shapes", "true: models reach it without open dims, a batch being 1 where none is given (default: false)",
             [&](const JsonView& member) { target.static_shapes = member.boolean(); }},
            {"decides", "place: times decide what goes to a device; compiler: the target's own takes whatever it can run (default: place)",
             [&](const JsonView& member) { target.compiler_decides = decides_word(member); }},
            {"parallel", "true: devices and links work at the same time, and place reports the makespan (default: false)",
             [&](const JsonView& member) { target.parallel = member.boolean(); }},
            words("soc", target.soc, "the chip that compile generates code for, as the generator's option soc takes it (default: none)"),
            list(
                "memories", [&](const JsonView& item) { target.memories.push_back(read_item<Memory>(item, "memory", memory_rows)); },
                "memories of devices"),
            list(
                "devices", [&](const JsonView& item) { target.devices.push_back(read_item<Device>(item, "device", device_rows)); },
                "what runs nodes"),
            list(
                "links", [&](const JsonView& item) { target.links.push_back(read_item<Link>(item, "link", link_rows)); },
                "what a transfer takes; devices without a link exchange through cpu, and a link that is not stated is free")};
}

template <class Item>
KeyGroup keys_of(std::string_view what, Members (*rows)(Item&)) {
    Item item;
    KeyGroup group{what, {}};
    for (const Member& row : rows(item)) group.keys.push_back({row.name, row.doc});
    return group;
}

}  // namespace

Json merge_targets(Json parent, const Json& child) {
    for (const auto& [key, member] : child.items()) {
        if (parent.contains(key) && (key == "memories" || key == "devices"))
            parent[key] = merge_lists(parent[key], member, key, [](const Json& item) { return text_of(item, "name"); });
        else if (parent.contains(key) && key == "links")
            parent[key] = merge_lists(parent[key], member, key, [](const Json& item) {
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
    read_object(json, "target", target_rows(target));
    if (!find_device(target, cpu_device)) {
        Device cpu;
        cpu.name = cpu.backend = cpu_device;
        target.devices.insert(target.devices.begin(), std::move(cpu));
    }
    check_names(target, json);
    return target;
}

std::vector<KeyGroup> target_keys() {
    const std::span<const Key> constraint = constraint_keys();
    return {keys_of("a target", target_rows),
            keys_of("a memory", memory_rows),
            keys_of("a device", device_rows),
            keys_of("a list of operators", support_rows),
            {"a constraint", {constraint.begin(), constraint.end()}},
            keys_of("a cost", cost_rows),
            keys_of("a link", link_rows)};
}

}  // namespace quern::place
