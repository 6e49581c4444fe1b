// What a library says of itself, and its beginning and end.
#include "include/quern/backend.h"
#include "libcore/backend/custom_op.h"
#include "libcore/backend/library.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/conformance/calls.h"
#include "libcore/conformance/checks.h"
#include "libcore/conformance/part_check.h"

namespace quern::conformance {
namespace {

void check_line(const char* text, std::string_view what) {
    if (!text || !*text) throw fault("{} is empty", what);
    if (const std::string_view line = text; !is_utf8(line) || line.find('\n') != line.npos)
        throw fault("{} is not one line of UTF-8: {}", what, printable(line));
}

std::string table(const Context& context) {
    const quern_backend_api& own = context.table;
    check_line(own.name, "name"), check_line(own.version, "version"), check_line(own.doc, "doc");
    if (own.struct_size > sizeof own && own.struct_size > 16 * sizeof own) throw fault("struct_size is {}", own.struct_size);
    if (!QUERN_OPTIONAL(own, start) != !QUERN_OPTIONAL(own, wait)) throw fault("it has one of start and wait, and not the other");
    if (QUERN_HAS(&own, ops)) register_custom_ops(listed(own.ops, own.op_count, "ops"));
    return fmt::format("{} {}: {}", own.name, own.version, own.doc);
}

std::string other_versions(const Context& context) {
    for (const uint32_t abi : {QUERN_BACKEND_ABI + 1, 0u, UINT32_MAX})
        if (!context.settings.path.empty() && serves_version(context.settings.path, abi))
            throw fault("{} gives a table for version {} of the interface, too", QUERN_BACKEND_ENTRY, abi);
    return {};
}

std::string many(const Context& context) {
    constexpr size_t count = 20;
    std::vector<std::unique_ptr<Calls>> alive;
    for (size_t i = 0; i < count; ++i) {
        Calls(context).end();
        alive.push_back(std::make_unique<Calls>(context));
    }
    for (const auto& one : alive) one->end();
    return fmt::format("{} one after the other, {} at once", count, count);
}

std::string wrong_options(const Context& context) {
    const Calls sound(context);  // which what follows leaves as it is
    const std::string options =
        merged_backend_options(context.settings.options.empty() ? "{}" : context.settings.options, R"({"no option of any back end": 1})");
    if (Calls::can_create(context, options)) throw fault("create took the options {}", options);
    return {};
}

std::string no_options(const Context& context) {
    if (context.settings.options.empty()) Calls(context, "{}").end();
    return {};
}

std::string devices(const Context& context) {
    const auto instance = instance_of(context);
    const std::vector<DeviceInfo> first = instance->devices(), again = instance->devices();
    if (first.size() != again.size()) throw fault("devices gives {} of them, then {}", first.size(), again.size());
    std::vector<std::string> names;
    for (size_t i = 0; i < first.size(); ++i) {
        check_line(first[i].name.c_str(), fmt::format("the name of device {}", i));
        if (first[i].name != again[i].name) throw fault("devices answers otherwise when it is asked again");
        names.push_back(first[i].name);
    }
    for (size_t i = 0; names.size() > 1 && i < names.size(); ++i)
        Calls(context, merged_backend_options(context.settings.options, json_line({{"device", names[i]}}))).end();
    return names.empty() ? "none" : join(names, ", ");
}

}  // namespace

std::vector<Step> table_steps(const Context& context) {
    return {{"", [&context] { return table(context); }}, {"other versions", [&context] { return other_versions(context); }}};
}
std::vector<Step> create_steps(const Context& context) {
    return {{"", [&context] { return many(context); }},
            {"no options", [&context] { return no_options(context); }},
            {"unknown option", [&context] { return wrong_options(context); }}};
}
std::vector<Step> devices_steps(const Context& context) {
    return {{"", [&context] { return devices(context); }}};
}

}  // namespace quern::conformance
