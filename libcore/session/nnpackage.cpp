#include "libcore/session/nnpackage.h"

#include <filesystem>

#include "formats/read.h"
#include "libcore/backend/client.h"
#include "libcore/base/error.h"
#include "libcore/base/io.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/device.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

std::string inside(const std::string& folder, const JsonView& name) {
    const fs::path path = fs::path(name.text()).lexically_normal();
    if (path.empty() || path.is_absolute() || *path.begin() == "..") name.fail("is not the name of a file in the package");
    return (fs::path(folder) / path).string();
}

// NAME=TEXT lines; # begins a comment.
std::map<std::string, std::string> read_settings(const std::string& path) {
    const Bytes bytes = map_input(path);
    return at_place(path, [&] {
        std::map<std::string, std::string> settings;
        size_t number = 0;
        for (const std::string& whole : split(bytes.text(), '\n')) {
            ++number;
            const std::string_view line = trim(std::string_view(whole).substr(0, whole.find('#')));
            if (line.empty()) continue;
            const size_t equals = line.find('=');
            if (equals == line.npos) throw bad_input("line {}: got \"{}\", need NAME=TEXT", number, escape(line));
            std::string_view text = trim(line.substr(equals + 1));
            if (text.size() >= 2 && text.front() == '"' && text.back() == '"') text = text.substr(1, text.size() - 2);
            settings[std::string(trim(line.substr(0, equals)))] = text;
        }
        for (const std::string& name : backend_names(settings["BACKENDS"]))
            if (!is_device_name(name)) throw bad_input("BACKENDS: got \"{}\", {}", escape(name), device_name_rule);
        if (settings["BACKENDS"].empty()) settings.erase("BACKENDS");
        return settings;
    });
}

std::string manifest_of(const std::string& folder) { return (fs::path(folder) / "metadata" / "MANIFEST").string(); }

}  // namespace

bool is_nnpackage(const std::string& path) {
    std::error_code failed;
    return fs::is_directory(path, failed);
}

NnPackage read_nnpackage(const std::string& folder) {
    const std::string path = manifest_of(folder);
    if (!file_exists(path)) throw bad_input("is a folder without metadata/MANIFEST, so no nnpackage").at(display_name(folder));
    const Bytes bytes = map_input(path);
    return at_place(path, [&] {
        const Json document = parse_json(bytes.text());
        const JsonView json(document);
        NnPackage package;
        const JsonView models = json["models"];
        if (models.size() > 1) throw unsupported("names {} models, quern runs packages of one", models.size());
        package.model = inside(folder, models.at(0));
        if (is_library(package.model))
            models.at(0).fail("is a library by its name, which is code: the model of a package is a file of another format");
        if (json.has("configs") && json["configs"].size() > 0)
            package.settings = read_settings(inside((fs::path(folder) / "metadata").string(), json["configs"].at(0)));
        return package;
    });
}

}  // namespace quern
