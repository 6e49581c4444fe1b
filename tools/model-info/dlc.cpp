#include "tools/model-info/dlc.h"

#include "formats/archive/zip.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/cli/tool.h"
#include "tools/model-info/row.h"

namespace quern {
namespace {

constexpr std::string_view zip_magic = "PK\3\4", graph_member = "model", history = "dlc.metadata.history";

// The programs that made it, by its history, which is JSON: "qnn-net-run 2.51.0.260929181845". Archives of QNN's have no checksums.
std::vector<std::string> makers_of(const ZipArchive& archive) {
    std::vector<std::string> out;
    for (const ZipArchive::Member& member : archive.members()) {
        constexpr uint64_t max = 1 << 20;
        if (!member.name.starts_with(history) || member.method != 0 || member.size > max) continue;
        const Json json = parse_json(archive.packed_of(member).text());
        const JsonView made = JsonView(json)["dlcGenerationInfo"];
        for (size_t i = 0; i < made.size(); ++i) {
            const JsonView command = made.at(i)["converterCommand"];
            out.push_back(fmt::format("{} {}", command["tool"].text(), command["converterVersion"].text()));
        }
    }
    return out;
}

}  // namespace

bool is_dlc(const Bytes& bytes) {
    if (!bytes.text().starts_with(zip_magic)) return false;
    try {
        const ZipArchive archive(bytes);
        const auto named = [](const ZipArchive::Member& member) { return member.name.starts_with("dlc.metadata"); };
        return archive.find(graph_member) && std::ranges::any_of(archive.members(), named);
    } catch (const Error&) {
        return false;  // whoever reads it says what is wrong
    }
}

Exit show_dlc(const Bytes& bytes, bool json) {
    const ZipArchive archive(bytes);
    const std::vector<std::string> makers = makers_of(archive);
    if (json) {
        Json members = Json::array();
        for (const ZipArchive::Member& member : archive.members()) members.push_back({{"name", member.name}, {"bytes", member.size}});
        print(json_document({{"kind", "dlc"}, {"makers", makers}, {"members", std::move(members)}}));
        return Exit::ok;
    }
    row("container", fmt::format("of Qualcomm's tools, {} bytes", bytes.size()));
    for (const std::string& maker : makers) row("made by", escape(maker));
    std::string_view what = "members";
    for (const ZipArchive::Member& member : archive.members()) {
        row(what, fmt::format("{:<44} {:>10} bytes", escape(member.name), member.size));
        what = "";
    }
    return Exit::ok;
}

}  // namespace quern
