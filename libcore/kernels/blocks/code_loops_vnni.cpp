// CodeLoops (code_loops.h) for AVX-VNNI.
#include "libcore/kernels/blocks/panel_vnni.h"
#include "libcore/kernels/vnni.h"

#if defined(__x86_64__)
namespace quern::block_kernels {
namespace {

template <class F>
constexpr CodeLoops loops_for() {
    if constexpr (requires { F::nibbles_at; }) return {few_nibbles<F>, many_vnni<F>, nibble_columns};
    if constexpr (F::elements == 256 && !F::is_signed) return {few_256<F>, many_vnni<F>};
    return {few_avx2<F>, many_vnni<F>};
}

template <class F>
struct VnniLoops {  // GCC merges templates over templates of the same name, also of unnamed namespaces
    static constexpr CodeLoops loops = loops_for<F>();
};

}  // namespace

const CodeLoops* vnni_loops(std::string_view format) {
    static const bool here = cpu_has_avx512_vnni();
    return here ? loops_of<CodeLoops, VnniLoops>(format) : nullptr;
}

}  // namespace quern::block_kernels
#endif
