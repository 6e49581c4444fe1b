#include "formats/gguf/file/container.h"

#include "formats/gguf/file/byte_order.h"
#include "formats/gguf/file/layout.h"

namespace quern::gguf {

int64_t TensorInfo::elements() const {
    int64_t elements = 1;
    for (const int64_t dim : dims) elements *= dim;
    return elements;
}

Bytes TensorInfo::data() const { return big_endian ? swapped_blocks(stored, *format) : stored; }

const TensorInfo* File::find(std::string_view name) const {
    const auto found = index_.find(std::string(name));
    return found == index_.end() ? nullptr : &tensors[found->second];
}

bool File::add(TensorInfo tensor) {
    if (!index_.emplace(tensor.name, tensors.size()).second) return false;
    tensors.push_back(std::move(tensor));
    return true;
}

bool has_magic(const Bytes& bytes) { return bytes.text().starts_with(magic); }

}  // namespace quern::gguf
