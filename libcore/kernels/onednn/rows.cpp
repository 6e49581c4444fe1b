#include "libcore/kernels/onednn/rows.h"

#include <fmt/core.h>

#include <oneapi/dnnl/dnnl.hpp>
#include <string>

#include "libcore/kernels/isa.h"

// oneDNN takes it until it makes its first primitive; its lowest set is SSE 4.1.
static void limit_onednn() {
    constexpr std::array sets{dnnl::cpu_isa::sse41, dnnl::cpu_isa::avx2, dnnl::cpu_isa::avx512_core};
    if (quern::is_isa_limited()) dnnl::set_max_cpu_isa(sets[static_cast<size_t>(quern::isa())]);
}

extern "C" const char* quern_library_version() {
    static const std::string text = [] {
        const dnnl_version_t& version = *dnnl::version();
        return fmt::format("{}.{}.{}", version.major, version.minor, version.patch);
    }();
    return text.c_str();
}

extern "C" std::span<const quern::KernelRow> quern_onednn_rows() {
    using namespace quern;
    static const auto rows = [] {
        limit_onednn();
        std::vector<KernelRow> all{onednn::conv_row()};
        for (const auto family : {onednn::matmul_rows(), onednn::pool_rows(), onednn::norm_rows(), onednn::eltwise_rows()})
            all.insert(all.end(), family.begin(), family.end());
        return all;
    }();
    return rows;
}
