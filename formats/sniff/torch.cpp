#include <algorithm>
#include <cctype>

#include "formats/sniff/sniff.h"
#include "libcore/base/error.h"

namespace quern::torch_format {

bool is_executorch(const Bytes& bytes) {
    return bytes.size() > 8 && bytes.text().substr(4, 2) == "ET" && std::isdigit(static_cast<unsigned char>(bytes.text()[6]));
}

// Arrays of NumPy are ZIP archives, too: those have another kind.
bool sniff(const Bytes& bytes) {
    if (is_executorch(bytes)) return true;
    if (!bytes.text().starts_with("PK\x03\x04")) return false;
    try {
        return !kind_of(ZipArchive(bytes)).empty();
    } catch (const Error&) {  // a broken archive is told of by whoever reads it
        return false;
    }
}

bool is_program(const std::string& member) { return member.find("/models/") != std::string::npos && member.ends_with(".json"); }

std::string pickle_root(const ZipArchive& zip) {
    for (const ZipArchive::Member& member : zip.members())
        if (member.name.ends_with("/data.pkl") && std::ranges::count(member.name, '/') == 1)
            return member.name.substr(0, member.name.size() - 8);
    return {};
}

std::string kind_of(const ZipArchive& zip) {
    const auto any = [&](const auto& is) {
        return std::ranges::any_of(zip.members(), [&](const auto& member) { return is(member.name); });
    };
    if (zip.find(flat_program) || any(is_program)) return "package";
    if (any([](const std::string& name) { return name.find("/data/aotinductor/") != std::string::npos; }))
        return "a package of AOTInductor, which holds machine code and no graph";
    if (any([](const std::string& name) { return name.find("/code/") != std::string::npos && name.ends_with(".py"); }))
        return "a TorchScript archive";
    return pickle_root(zip).empty() ? "" : "state";
}

}  // namespace quern::torch_format
