// The table of block formats (block_format.h): rows of all families, in the order of ggml's numbers.
#include <algorithm>

#include "libcore/base/error.h"
#include "libcore/base/text.h"
#include "libcore/blocks/codec.h"
#include "libcore/blocks/families.h"

namespace quern {

std::vector<BlockFormat> blocks::all_formats(bool wide) {
    std::vector<BlockFormat> rows;
    for (const auto family :
         {plain_formats, legacy_formats, k_ranged_formats, k_scaled_formats, iq_formats, iq4_formats, ternary_formats, micro_formats})
        std::ranges::copy(family(wide), std::back_inserter(rows));
    std::ranges::sort(rows, {}, &BlockFormat::ggml_type);
    return rows;
}

std::span<const BlockFormat> block_formats() {
    static const std::vector<BlockFormat> all = blocks::all_formats(blocks::has_avx2());
    return all;
}

const BlockFormat* block_format_named(std::string_view name) {
    const auto found = std::ranges::find(block_formats(), name, &BlockFormat::name);
    return found == block_formats().end() ? nullptr : &*found;
}

const BlockFormat& need_block_format(std::string_view name) {
    if (const BlockFormat* format = block_format_named(name)) return *format;
    throw bad_input("there is no format of blocks \"{}\"", escape(name));
}

const BlockFormat* block_format_of_ggml(uint32_t ggml_type) {
    const auto found = std::ranges::find(block_formats(), ggml_type, &BlockFormat::ggml_type);
    return found == block_formats().end() ? nullptr : &*found;
}

std::string ggml_name(const BlockFormat& format) {
    std::string name(format.name);
    for (char& c : name) c = static_cast<char>(c >= 'a' && c <= 'z' ? c - 'a' + 'A' : c);
    return name;
}

}  // namespace quern
