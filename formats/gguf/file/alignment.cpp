#include "formats/gguf/file/alignment.h"

#include <bit>

#include "formats/gguf/file/layout.h"
#include "libcore/base/error.h"

namespace quern::gguf {

uint64_t alignment_of(const Metadata& metadata) {
    const MetaValue* value = metadata.find("general.alignment");
    if (!value) return default_alignment;
    if (value->array || value->element != ValueType::u32)
        throw bad_input("metadata \"general.alignment\" is {}, need uint32", value->type_name());
    const auto alignment = static_cast<uint64_t>(value->integer_at(0));
    if (!std::has_single_bit(alignment) || alignment < least_alignment || alignment > greatest_alignment)
        throw bad_input("metadata \"general.alignment\" is {}, need a power of two from {} to {}", alignment, least_alignment,
                        greatest_alignment);
    return alignment;
}

}  // namespace quern::gguf
