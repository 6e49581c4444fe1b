// CodeLoops (code_loops.h) for AVX2.
#include "libcore/kernels/blocks/panel_avx2.h"

#if defined(__x86_64__)
namespace quern::block_kernels {
namespace {

template <class F>
struct Avx2Loops {
    static constexpr CodeLoops loops{few_avx2<F>, many_avx2<F>};
};

}  // namespace

const CodeLoops* avx2_loops(std::string_view format) { return loops_of<CodeLoops, Avx2Loops>(format); }

}  // namespace quern::block_kernels
#endif
