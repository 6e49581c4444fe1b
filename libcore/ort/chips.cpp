#include "libcore/ort/chips.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <vector>

#include "libcore/base/error.h"
#include "libcore/base/text.h"

namespace quern::ort {
namespace {

struct Chip {
    std::string_view number, part, trade = {};
};

// Numbers: ExecuTorch's schema of QNN's compile options.
constexpr std::array chips{
    Chip{"30", "SM8350", "Snapdragon 888"},
    Chip{"36", "SM8450", "Snapdragon 8 Gen 1"},
    Chip{"39", "SA8295"},
    Chip{"42", "SM8475", "Snapdragon 8+ Gen 1"},
    Chip{"43", "SM8550", "Snapdragon 8 Gen 2"},
    Chip{"45", "SXR1230P"},
    Chip{"46", "SSG2115P"},
    Chip{"52", "SA8255"},
    Chip{"53", "SXR2230P", "Snapdragon XR2 Gen 2"},
    Chip{"57", "SM8650", "Snapdragon 8 Gen 3"},
    Chip{"58", "SSG2125P"},
    Chip{"60", "SC8380XP", "Snapdragon X Elite"},
    Chip{"68", "SM8635", "Snapdragon 8s Gen 3"},
    Chip{"69", "SM8750", "Snapdragon 8 Elite"},
    Chip{"75", "SXR2330P"},
    Chip{"77", "QCS9100"},
    Chip{"85", "SM8735", "Snapdragon 8s Gen 4"},
    Chip{"87", "SM8850", "Snapdragon 8 Elite Gen 5"},
    Chip{"95", "SAR2230P"},
    Chip{"96", "SW6100"},
};

std::string plain(std::string_view name) {
    std::string out;
    for (const char c : name)
        if (c != ' ' && c != '_' && c != '-') out += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    return out;
}

}  // namespace

std::string soc_model(std::string_view chip) {
    if (const auto number = parse_int(chip); number && *number > 0) return std::string(chip);
    const std::string wanted = plain(chip);
    std::vector<std::string> names, listed;
    for (const Chip& row : chips) {
        for (const std::string_view name : {row.part, row.trade})
            if (!name.empty() && plain(name) == wanted) return std::string(row.number);
        names.emplace_back(row.part);
        if (!row.trade.empty()) names.emplace_back(row.trade);
        listed.push_back(fmt::format("{}{} ({})", row.part, row.trade.empty() ? "" : fmt::format(", {}", row.trade), row.number));
    }
    throw usage_error("chip \"{}\" is unknown{}", escape(chip), did_you_mean(std::string(chip), names))
        .with_hint("a number stands for any; by name there are " + join(listed, "; "));
}

}  // namespace quern::ort
