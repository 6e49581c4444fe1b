#include "libcore/opencl/tuning.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <set>

namespace quern::opencl {
namespace {

using Json = nlohmann::json;
constexpr size_t usual = 64, few = 8;
constexpr size_t largest_file = 16 << 20;

// Letters and digits of a device's name and its driver's.
std::string file_name(const Found& found) {
    std::string out = "opencl-";
    for (const char letter : found.doc + "-" + found.driver) out += std::isalnum(static_cast<unsigned char>(letter)) ? letter : '_';
    return out.substr(0, 160) + ".json";
}

std::string cache_folder() {
    const char* folder = std::getenv("XDG_CACHE_HOME");
    if (folder && *folder == '/') return fmt::format("{}/quern", folder);
    const char* home = std::getenv("HOME");
    return home && *home == '/' ? fmt::format("{}/.cache/quern", home) : "";
}

std::string read_whole(const std::string& path) {
    std::ifstream in(path, std::ios::binary);
    std::string text(largest_file + 1, '\0');
    in.read(text.data(), static_cast<std::streamsize>(text.size()));
    text.resize(static_cast<size_t>(in.gcount()));
    if (text.size() > largest_file) throw broken("{}: has more than {} bytes", path, largest_file);
    return text;
}

// A member that stands twice is refused, too.
Json parsed(const std::string& text) {
    std::vector<std::set<std::string>> seen;
    bool twice = false;
    const auto look = [&](int, Json::parse_event_t event, Json& item) {
        if (event == Json::parse_event_t::object_start) seen.emplace_back();
        if (event == Json::parse_event_t::object_end && !seen.empty()) seen.pop_back();
        if (event == Json::parse_event_t::key && !seen.empty()) twice |= !seen.back().insert(item.get<std::string>()).second;
        return true;
    };
    Json whole = Json::parse(text, look, false);
    return twice ? Json() : whole;
}

}  // namespace

Tuning::Tuning(const Found& found, std::string file, bool measure)
    : device_(fmt::format("{}, {}", found.doc, found.driver)), file_(std::move(file)), given_(!file_.empty()), measure_(measure) {
    if (!given_) {
        const std::string folder = cache_folder();
        if (!folder.empty()) file_ = fmt::format("{}/{}", folder, file_name(found));
    }
    if (!is_there()) return;
    try {
        read(read_whole(file_));
    } catch (const Failure&) {
        sizes_.clear();
        if (given_) throw;  // one of the cache is made anew
    }
}

// What is not a regular file is never replaced: a device, a pipe, a link.
bool Tuning::is_there() const {
    if (file_.empty()) return false;
    std::error_code ignored;
    const auto type = std::filesystem::symlink_status(file_, ignored).type();
    const bool linked = type == std::filesystem::file_type::symlink && std::filesystem::is_regular_file(file_, ignored);
    if (type == std::filesystem::file_type::regular || (linked && !measure_)) return true;
    if (type != std::filesystem::file_type::not_found) throw Failure(QUERN_IO, fmt::format("{}: is not a regular file", file_));
    if (given_ && !measure_) throw Failure(QUERN_IO, fmt::format("{}: there is no such file", file_));
    return false;
}

void Tuning::read(const std::string& text) {
    const Json whole = parsed(text);
    if (!whole.is_object()) throw broken("{}: is not a JSON object whose members stand once", file_);
    for (const auto& [key, member] : whole.items())
        if (key != "kind" && key != "version" && key != "device" && key != "sizes")
            throw broken("{}: has an unknown member \"{}\"", file_, key);
    const auto text_at = [&](const char* key) {
        return whole.contains(key) && whole[key].is_string() ? whole[key].get<std::string>() : "";
    };
    if (text_at("kind") != "opencl-tuning" || whole.value("version", Json()) != 1)
        throw broken("{}: is not of kind opencl-tuning, version 1", file_);
    if (text_at("device") != device_) throw broken("{}: is of device \"{}\", this is \"{}\"", file_, text_at("device"), device_);
    if (!whole.contains("sizes") || !whole["sizes"].is_object()) throw broken("{}: has no sizes", file_);
    for (const auto& [key, size] : whole["sizes"].items()) {
        if (!size.is_number_unsigned() || std::ranges::find(local_size_choices, size.get<size_t>()) == std::end(local_size_choices))
            throw broken("{}: the size of \"{}\" is {}, need one of 8, 16, 32, 64, 128, 256", file_, key, size.dump());
        sizes_[key] = size.get<size_t>();
    }
}

std::string Tuning::key_of(const Step& step) {
    return fmt::format("{} {} {}x{}x{}", step.family, step.options, step.items[0], step.items[1], step.items[2]);
}

size_t Tuning::local_size(const Step& step) const {
    const auto found = sizes_.find(key_of(step));
    if (found != sizes_.end()) return found->second;
    return step.items[0] < usual ? few : usual;
}

void Tuning::save() const {
    if (file_.empty()) return;
    const Json whole{{"kind", "opencl-tuning"}, {"version", 1}, {"device", device_}, {"sizes", sizes_}};
    std::error_code error;
    const std::filesystem::path path(file_);
    if (path.has_parent_path()) std::filesystem::create_directories(path.parent_path(), error);
    const std::string fresh = fmt::format("{}.{}.tmp", file_, ::getpid());
    {
        std::ofstream out(fresh, std::ios::binary | std::ios::trunc);
        out << whole.dump(1) << '\n';
        out.close();
        if (!out) error = std::make_error_code(std::errc::io_error);
    }
    if (!error) std::filesystem::rename(fresh, path, error);
    if (!error) return;
    std::error_code ignored;
    std::filesystem::remove(fresh, ignored);
    throw Failure(QUERN_IO, fmt::format("{}: cannot be written: {}", file_, error.message()));
}

}  // namespace quern::opencl
