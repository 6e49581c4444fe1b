// PyTorch: exported programs (.pt2 of torch 2.5 to 2.15) become graphs; dictionaries of tensors (torch.save) are refused with what to do.
#pragma once

#include "formats/shared/format.h"

namespace quern::torch_format {

Model read(const Bytes& bytes, const std::string& path);
Model read_signature(const Bytes& bytes, const std::string& path, const std::string& name);

}  // namespace quern::torch_format
