# Compiler settings shared by every target.
if(NOT CMAKE_BUILD_TYPE)
    set(CMAKE_BUILD_TYPE RelWithDebInfo)
endif()
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
find_program(ccache_program ccache)
if(ccache_program AND NOT CMAKE_CXX_COMPILER_LAUNCHER)
    # A clone in another folder finds what this one has compiled: paths below the source folder are relative in what ccache compares. The rest is
    # what it wants to be told before it takes compilations with precompiled headers; by CCACHE_DEPEND it does not preprocess sources. A
    # header that changes while a compilation reads it must not be taken for the one that was compiled: nothing is said about times of files.
    set(CMAKE_C_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 ${ccache_program})
    set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_BASEDIR=${CMAKE_SOURCE_DIR} CCACHE_NOHASHDIR=1 CCACHE_DEPEND=1
        CCACHE_SLOPPINESS=pch_defines,time_macros ${ccache_program})
    if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)
        add_compile_options($<$<COMPILE_LANGUAGE:CXX>:-fpch-preprocess>)
    elseif(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
        add_compile_options("$<$<COMPILE_LANGUAGE:CXX>:SHELL:-Xclang -fno-pch-timestamp>")
    endif()
endif()

add_library(quern_settings INTERFACE)
target_compile_features(quern_settings INTERFACE cxx_std_20)
target_include_directories(quern_settings INTERFACE ${CMAKE_SOURCE_DIR})
# Codes are decided in float32 as written: no contraction into fused multiply-adds, no fast math.
target_compile_options(quern_settings INTERFACE -ffp-contract=off -fno-math-errno -Wall -Wextra -Wpedantic $<$<BOOL:${QUERN_WERROR}>:-Werror>
    -Wno-missing-field-initializers)
set(CMAKE_CXX_FLAGS_RELWITHDEBINFO "-O2 -g1")
set(CMAKE_CXX_FLAGS_RELEASE "-O2")
if(CMAKE_CXX_COMPILER_ID STREQUAL GNU)  # its collector of garbage takes a tenth of the time; with it a compilation stays below 900 MB
    add_compile_options($<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-expand=200> $<$<COMPILE_LANGUAGE:CXX>:--param=ggc-min-heapsize=400000>)
endif()
find_package(Threads REQUIRED)
target_link_libraries(quern_settings INTERFACE Threads::Threads)

if(QUERN_FUZZERS)
    add_compile_options(-fsanitize=address,undefined,fuzzer-no-link -fno-omit-frame-pointer -O1)
    add_link_options(-fsanitize=address,undefined)
endif()
if(QUERN_THREAD_SANITIZER)
    add_compile_options(-fsanitize=thread -fno-omit-frame-pointer -O1)
    add_link_options(-fsanitize=thread)
endif()
