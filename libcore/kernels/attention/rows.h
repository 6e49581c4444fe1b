// The rows of what a language model runs beside its products, for values in row-major float32: attention over a cache, rows written into
// it, rotary positions.
#pragma once

#include <span>

#include "libcore/kernels/kernel.h"

namespace quern::attention {

std::span<const KernelRow> attention_rows();

// The makers, by the files that they are in.
std::unique_ptr<Kernel> make_attention(const Site& site, std::string& refusal);
std::unique_ptr<Kernel> make_rotary(const Site& site, std::string& refusal);
std::unique_ptr<Kernel> make_cache_rows(const Site& site, std::string& refusal);
bool absorbs_cache_rows(const Site& site, const Node& next);  // behind a Reshape: see KernelRow::absorbs

}  // namespace quern::attention
