// The types of ggml that no file is read in (layout.h), with the reasons.
#include <algorithm>
#include <array>

#include "formats/gguf/file/layout.h"

namespace quern::gguf {
namespace {

constexpr std::string_view withdrawn = "which was withdrawn from ggml",
                           repacked = "a repacked type that was withdrawn: files have the plain one today",
                           running = "which exists only while a model runs";
constexpr std::array unread_types_table{
    UnreadType{4, "Q4_2", withdrawn},       UnreadType{5, "Q4_3", withdrawn},       UnreadType{9, "Q8_1", running},
    UnreadType{15, "Q8_K", running},        UnreadType{31, "Q4_0_4_4", repacked},   UnreadType{32, "Q4_0_4_8", repacked},
    UnreadType{33, "Q4_0_8_8", repacked},   UnreadType{36, "IQ4_NL_4_4", repacked}, UnreadType{37, "IQ4_NL_4_8", repacked},
    UnreadType{38, "IQ4_NL_8_8", repacked},
};

}  // namespace

const UnreadType* unread_type(uint32_t ggml_type) {
    const auto found = std::ranges::find(unread_types_table, ggml_type, &UnreadType::ggml_type);
    return found == unread_types_table.end() ? nullptr : &*found;
}

}  // namespace quern::gguf
