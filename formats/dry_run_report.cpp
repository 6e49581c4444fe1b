// A dry run (dry_run.h) as text and JSON.
#include <fmt/format.h>

#include <utility>

#include "formats/dry_run.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"

namespace quern {
namespace {

std::string line(std::string_view what, std::string_view text) { return fmt::format("{:<13}{}\n", what, text); }

std::string type_line(std::string_view what, const DryRun::Type& type, bool told) {
    const std::string name = type.to.empty() ? type.name : fmt::format("{} to {}", type.name, type.to);
    return line(what, fmt::format("{:<13}{:>6} tensors {:>13} elements {:>13} bytes{}", name, type.tensors, type.elements, type.before,
                                  told ? fmt::format(" -> {:>13}", type.after) : ""));
}

}  // namespace

DryRun::Type DryRun::total() const {
    Type all{.name = "all"};
    for (const Type& type : types) {
        all.tensors += type.tensors;
        all.elements += type.elements;
        all.before += type.before;
        all.after += type.after;
    }
    return all;
}

std::string dry_run_text(const DryRun& plan) {
    std::string out;
    const DryRun::Type all = plan.total();
    if (!plan.architecture.empty()) out += line("architecture", escape(plan.architecture));
    out += line("parameters", fmt::format("{}", all.elements));
    std::string_view what = "weights";
    for (const DryRun::Type& type : plan.types) out += type_line(std::exchange(what, ""), type, plan.told);
    if (plan.types.size() > 1) out += type_line("", all, plan.told);
    if (plan.beside > 0) out += line("beside them", fmt::format("{} bytes: shapes, tables and other constants", plan.beside));
    what = "operators";
    for (const auto& [name, count] : plan.operators) out += line(std::exchange(what, ""), fmt::format("{:<36}{:>6}", escape(name), count));
    for (const DryRunOutputs::Output& file : plan.files)
        out += line("would write", fmt::format("{} bytes to {}", file.bytes, escape(file.path)));
    return out;
}

std::string dry_run_json(const DryRun& plan) {
    const DryRun::Type all = plan.total();
    Json out{{"kind", "dry-run"}, {"version", 1}, {"parameters", all.elements}, {"types", Json::array()}, {"files", Json::array()}};
    if (!plan.architecture.empty()) out["architecture"] = plan.architecture;
    for (const DryRun::Type& type : plan.types) {
        Json row{{"type", type.name}, {"tensors", type.tensors}, {"elements", type.elements}, {"bytes_before", type.before}};
        if (plan.told) row["bytes_after"] = type.after;
        if (!type.to.empty()) row["to"] = type.to;
        out["types"].push_back(std::move(row));
    }
    if (plan.told) out["weight_bytes"] = all.after + plan.beside;
    if (!plan.operators.empty()) out["operators"] = plan.operators;
    for (const DryRunOutputs::Output& file : plan.files) out["files"].push_back({{"path", file.path}, {"bytes", file.bytes}});
    return json_document(out);
}

}  // namespace quern
