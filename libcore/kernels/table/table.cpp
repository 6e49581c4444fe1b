#include "libcore/kernels/table/table.h"

#include "libcore/kernels/attention/rows.h"
#include "libcore/kernels/simd/rows.h"
#include "libcore/kernels/table/loader.h"

namespace quern {

std::span<const KernelRow> code_kernel_rows() { return codes_library().rows; }

std::span<const KernelRow> kernel_rows(std::string_view family) {
    if (family == "simd") return simd::simd_rows();
    if (family == "attention") return attention::attention_rows();
    if (const KernelLibrary* library = kernel_library(family)) return library->rows;
    if (!family.empty()) return {};
    static const std::vector<KernelRow> rows = [] {
        std::vector<KernelRow> all;
        for (const auto part : {direct_library().rows, onednn_library().rows, simd::simd_rows(), attention::attention_rows()})
            all.insert(all.end(), part.begin(), part.end());
        return all;
    }();
    return rows;
}

}  // namespace quern
