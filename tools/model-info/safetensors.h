// What model-info shows of a container of tensors.
#pragma once

#include <string>

#include "libcore/base/bytes.h"
#include "libcore/base/error.h"

namespace quern {

bool is_safetensors(const Bytes& bytes, const std::string& path);
Exit show_safetensors(const Bytes& bytes, const std::string& path, bool json);

}  // namespace quern
