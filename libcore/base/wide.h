// A mark of functions whose loops compilers vectorize: compiled for AVX2, too, and chosen when the program starts. Their results are the
// same: nothing is contracted.
#pragma once

#if defined(__has_feature)
#if __has_feature(thread_sanitizer)  // what chooses would call it before it is there
#define QUERN_WIDE
#endif
#endif

#if !defined(QUERN_WIDE) && defined(__x86_64__)
#define QUERN_WIDE __attribute__((target_clones("avx2", "default")))
#elif !defined(QUERN_WIDE)
#define QUERN_WIDE
#endif
