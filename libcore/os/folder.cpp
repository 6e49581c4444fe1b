#include "libcore/os/folder.h"

#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <cstdlib>
#include <filesystem>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/os/io.h"

namespace quern {
namespace {

namespace fs = std::filesystem;

std::atomic<bool> any_link = false;

bool follows_links() {
    if (any_link) return true;
    const char* wanted = std::getenv("QUERN_FOLLOW_LINKS");
    return wanted && *wanted && std::string_view(wanted) != "0";
}

bool is_under(const fs::path& root, const fs::path& path) {
    return std::mismatch(root.begin(), root.end(), path.begin(), path.end()).first == root.end();
}

// Where the links of snapshots/REVISION, and of folders in it, lead to; "": it is none.
fs::path blobs_of(const fs::path& folder) {
    for (fs::path at = folder; at.has_relative_path(); at = at.parent_path())
        if (at.parent_path().filename() == "snapshots") return at.parent_path().parent_path() / "blobs";
    return {};
}

fs::path folder_of(const fs::path& path) { return path.has_parent_path() ? path.parent_path() : "."; }

// `further`: folders into which links may lead, too.
std::string inside(const std::string& folder, const std::string& location, std::vector<fs::path> further) {
    const auto refuse = [&](const char* why) { return bad_input("\"{}\" {}", escape(location), why); };
    const fs::path relative(location);
    if (location.empty() || location.find('\0') != std::string::npos || relative.is_absolute()) throw refuse("is not a relative path");
    for (const fs::path& part : relative)
        if (part == "..") throw refuse("leaves the folder of the model");
    std::error_code error;
    const fs::path root = fs::canonical(folder.empty() ? "." : folder, error);
    if (error) throw io_error("{}: {}", folder, error.message());
    const fs::path real = fs::canonical(root / relative, error);
    if (error) throw refuse("is not there");
    further.push_back(root);
    if (const fs::path blobs = blobs_of(root); !blobs.empty()) further.push_back(blobs);
    const bool allowed = std::ranges::any_of(further, [&](const fs::path& one) { return is_under(one, real); });
    if (!allowed && !follows_links())
        throw refuse("leaves the folder of the model through a link").with_hint("--follow-links, or QUERN_FOLLOW_LINKS=1, follows it");
    if (!fs::is_regular_file(real, error)) throw refuse("is not a file");
    return real.string();
}

Bytes mapped(const std::string& real, const std::string& location) {
    return at_place([&] { return fmt::format("\"{}\"", escape(location)); }, [&] { return map_regular(real); });
}

}  // namespace

std::string path_inside(const std::string& folder, const std::string& location) { return inside(folder, location, {}); }

Bytes map_inside(const std::string& folder, const std::string& location) { return mapped(path_inside(folder, location), location); }

Bytes map_beside(const std::string& file, const std::string& location) {
    std::error_code error;
    const fs::path real = fs::canonical(file, error);  // in memory there is none
    const std::vector<fs::path> further = error ? std::vector<fs::path>() : std::vector{real.parent_path()};
    return mapped(inside(folder_of(file).string(), location, further), location);
}

void follow_links() { any_link = true; }

void ProductFolder::add(const std::string& path) {
    std::error_code error;
    const fs::path folder = fs::path(path + "/.").lexically_normal().parent_path();  // without the slash at its end
    std::vector<std::string> missing;
    for (fs::path at = folder; !at.empty() && !fs::exists(at, error); at = at.parent_path()) missing.push_back(at);
    made_.insert(made_.begin(), missing.begin(), missing.end());
    make_folder(path);
}

ProductFolder::~ProductFolder() {
    for (const std::string& folder : made_) ::rmdir(folder.c_str());
}

}  // namespace quern
