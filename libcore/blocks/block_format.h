// Block formats: the types in which ggml stores tensors, one row each. A row of a tensor is a run of blocks; blocks never cross rows.
//
// Every quantized format is small codes times a float32 scale of a sub-block, plus a float32 minimum of it in some: real = code * scale
// (+ min), one rounding each, has exactly the bits that ggml decodes (a half has 11 digits, a scale at most 8, a code at most 7: 24 in
// all). Layouts: ggml's docs and block structures; tests compare with PyPI's gguf.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

namespace quern {

struct BlockFormat {
    std::string_view name;  // "q4_k", as in flags and files of ours; ggml writes Q4_K
    uint32_t ggml_type;     // its number in GGUF
    int64_t elements;       // of a block
    size_t bytes;           // of a block

    // Its codes; those of plain numbers (code_bits 0) are none.
    int code_bits = 0;        // 4, or 8 of more
    bool code_signed = true;  // else from 0 on
    int64_t sub_block = 0;    // elements that share a scale
    bool has_min = false;
    bool quantized() const { return code_bits > 0; }

    // `count` blocks to float32.
    void (*decode)(const std::byte* blocks, size_t count, float* to) = nullptr;
    // One block: its codes, unsigned ones too from 0 to 127; a scale and, where it has_min, a minimum for each sub-block.
    void (*unpack)(const std::byte* block, int8_t* codes, float* scales, float* mins) = nullptr;
    // The reverse of it: false where no block says these. nullptr: several blocks may say the same, in formats whose scales are products.
    bool (*pack)(const int8_t* codes, const float* scales, const float* mins, std::byte* block) = nullptr;
    // `count` blocks from float32: a row of a tensor, as some formats weigh by the mean square of it. `importance`: a weight of at least 0
    // for each of the elements, or nullptr. The bytes are those of ggml's quantizers, by scales that fit best in the sense
    // of weighted least squares (search.h). nullptr: is not written.
    void (*encode)(const float* from, size_t count, const float* importance, std::byte* to) = nullptr;
    bool needs_importance = false;  // cannot be written sensibly without

    size_t row_bytes(int64_t row_elements) const { return static_cast<size_t>(row_elements / elements) * bytes; }
};

// In the order of their numbers in GGUF.
std::span<const BlockFormat> block_formats();
const BlockFormat* block_format_named(std::string_view name);  // nullptr: none
const BlockFormat& need_block_format(std::string_view name);   // throws Exit::bad_input
const BlockFormat* block_format_of_ggml(uint32_t ggml_type);   // nullptr: none, or one that was withdrawn
std::string ggml_name(const BlockFormat& format);              // "Q4_K"

}  // namespace quern
