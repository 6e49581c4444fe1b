#include "libcore/opencl/options.h"

#include <nlohmann/json.hpp>

#include "libcore/opencl/failure.h"

namespace quern::opencl {
namespace {

using Json = nlohmann::json;

Json object_of(const char* text) {
    if (!text || !*text) return Json::object();
    Json out = Json::parse(text, nullptr, false);
    if (!out.is_object()) throw misused("options are not a JSON object");
    return out;
}

std::string text_of(const std::string& key, const Json& member) {
    if (!member.is_string()) throw misused("option \"{}\" is {}, need a text", key, member.dump());
    return member.get<std::string>();
}

}  // namespace

Options options_of(const char* text) {
    Options out;
    const Json object = object_of(text);
    for (const auto& [key, member] : object.items()) {
        if (key == "device") {
            out.device = text_of(key, member);
        } else if (key == "tuning") {
            out.tuning = text_of(key, member);
        } else if (key == "tune") {
            if (!member.is_boolean()) throw misused("option \"tune\" is {}, need true or false", member.dump());
            out.tune = member.get<bool>();
        } else {
            throw misused("option \"{}\" is not known, but \"device\", \"tune\" and \"tuning\"", key);
        }
    }
    return out;
}

bool is_integer_run(const char* text) {
    const Json options = object_of(text);
    const std::string mode = options.value("mode", "float"), profile = options.value("profile", "onnx");
    if (mode == "float") return false;
    if (mode != "int") throw refused("runs of mode {}", mode);
    if (!profile.empty() && profile != "onnx") throw refused("integer arithmetic of profile {}, need onnx", profile);
    return true;
}

}  // namespace quern::opencl
