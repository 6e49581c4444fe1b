// Numbers of the GGUF layout, and how much of each thing is read at most.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

namespace quern::gguf {

inline constexpr std::string_view magic = "GGUF";
inline constexpr std::string_view split_prefix = "split.";  // of keys that say which shard a file is
inline constexpr uint64_t default_alignment = 32, least_alignment = 8, greatest_alignment = uint64_t{1} << 20;

// Of ggml and its readers: names of 63 characters, 4 dims. The others are far above what models have.
inline constexpr uint64_t tensor_name_limit = 63, rank_limit = 4, key_name_limit = 65535;
inline constexpr uint64_t key_limit = 1 << 16, tensor_limit = 1 << 17;
inline constexpr uint64_t text_limit = uint64_t{64} << 20, array_limit = uint64_t{64} << 20;  // characters, elements

// A key of one character with a value of one byte; a tensor with a name of one character and no dims.
inline constexpr uint64_t least_key_bytes = 8 + 1 + 4 + 1, least_tensor_bytes = 8 + 1 + 4 + 4 + 8;

// `alignment` is a power of two.
constexpr uint64_t align_up(uint64_t at, uint64_t alignment) { return (at + alignment - 1) & ~(alignment - 1); }

// Numbers of ggml's types that no model of today has.
struct UnreadType {
    uint32_t ggml_type;
    std::string_view name, why;
};
const UnreadType* unread_type(uint32_t ggml_type);  // nullptr: it is none of them

}  // namespace quern::gguf
