// A mark of functions whose loops compilers vectorize: compiled for AVX2, too, and chosen when the program starts. Their results are the
// same: nothing is contracted.
#pragma once

#if defined(__x86_64__)
#define QUERN_WIDE __attribute__((target_clones("avx2", "default")))
#else
#define QUERN_WIDE
#endif
