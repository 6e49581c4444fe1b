// Whether this is a build with a sanitizer, which maps terabytes, keeps what is freed and makes calls of its own; or a program in which one
// was loaded first for a library that was built so.
#pragma once

#include <dlfcn.h>

namespace quern {

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
inline constexpr bool sanitized = true;
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
inline constexpr bool sanitized = true;
#else
inline constexpr bool sanitized = false;
#endif
#else
inline constexpr bool sanitized = false;
#endif

inline bool is_sanitized() { return sanitized || ::dlsym(RTLD_DEFAULT, "__tsan_init"); }

}  // namespace quern
