#include "libcore/api/nnpackage.h"

#include <filesystem>

#include "formats/read.h"
#include "libcore/backend/client.h"
#include "libcore/base/error.h"
#include "libcore/base/json.h"
#include "libcore/base/text.h"
#include "libcore/graph/device.h"
#include "libcore/os/folder.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

std::string inside(const JsonView& name) {
    const fs::path path = fs::path(name.text()).lexically_normal();
    if (path.empty() || path.is_absolute() || *path.begin() == "..") name.fail("is not the name of a file in the package");
    return path.string();
}

// NAME=TEXT lines; # begins a comment.
std::map<std::string, std::string> read_settings(const std::string& folder, const std::string& name) {
    const Bytes bytes = map_inside(folder, name);
    return at_place((fs::path(folder) / name).string(), [&] {
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

constexpr const char* manifest = "metadata/MANIFEST";

}  // namespace

bool is_nnpackage(const std::string& path) {
    std::error_code failed;
    return fs::is_directory(path, failed);
}

NnPackage read_nnpackage(const std::string& folder) {
    const std::string path = (fs::path(folder) / manifest).string();
    if (!file_exists(path)) throw bad_input("is a folder without metadata/MANIFEST, so no nnpackage").at(display_name(folder));
    const Bytes bytes = at_place(display_name(folder), [&] { return map_inside(folder, manifest); });
    return at_place(path, [&] {
        const Json document = parse_json(bytes.text());
        const JsonView json(document);
        NnPackage package;
        const JsonView models = json["models"];
        if (models.size() > 1) throw unsupported("names {} models, quern runs packages of one", models.size());
        const std::string model = inside(models.at(0));
        if (is_library(model))
            models.at(0).fail("is a library by its name, which is code: the model of a package is a file of another format");
        path_inside(folder, model);
        package.model = (fs::path(folder) / model).string();
        if (json.has("configs") && json["configs"].size() > 0)
            package.settings = read_settings((fs::path(folder) / "metadata").string(), inside(json["configs"].at(0)));
        return package;
    });
}

}  // namespace quern
