# The texts of libcore/ops/portable, libcore/integer and libcore/codegen/c/kernels as pieces of generated C. A line /* kernel NAME: A B */
# begins each, with words that stand for something else in each copy of it (libcore/codegen/c/source.h): where they are words of the text,
# or the last part of one (low_A). What stands before the first, and `inline`, is for C++ alone.
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/ops/portable/*.h ${CMAKE_SOURCE_DIR}/libcore/integer/*.h
     ${CMAKE_SOURCE_DIR}/libcore/codegen/c/kernels/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
set(rows "")
foreach(file ${files})
    file(READ ${file} rest)
    string(REGEX REPLACE " +// NOLINT[^\n]*" "" rest "${rest}")  # nests of loops; rounding as the runtimes do it
    string(REGEX REPLACE "\nstatic inline " "\nstatic " rest "\n${rest}")
    string(FIND "${rest}" "\n/* kernel " at)
    while(NOT at EQUAL -1)
        string(SUBSTRING "${rest}" ${at} -1 rest)
        string(REGEX MATCH "^\n/\\* kernel ([a-z0-9_]+):? ?([A-Za-z0-9_ ]*) \\*/\n" line "${rest}")
        set(name ${CMAKE_MATCH_1})
        string(REPLACE " " ";" holes "${CMAKE_MATCH_2}")
        string(LENGTH "${line}" length)
        string(SUBSTRING "${rest}" ${length} -1 rest)
        string(FIND "${rest}" "\n/* kernel " at)
        string(SUBSTRING "${rest}" 0 ${at} text)
        set(text "\n${text}\n")
        string(REGEX REPLACE "\n+$" "\n" text "${text}")
        if(holes)
            foreach(hole ${holes} ${name})
                set(word ${hole})
                if(hole STREQUAL name)
                    set(word name)
                endif()
                foreach(time 1 2)  # a match takes the characters around it
                    string(REGEX REPLACE "([^A-Za-z0-9@])${hole}([^A-Za-z0-9_@])" "\\1@${word}@\\2" text "${text}")
                endforeach()
            endforeach()
            string(REGEX REPLACE " (@(PARAMETERS|MORE)@\\))" "\\1" text "${text}")  # these begin with a comma, or are empty
        endif()
        string(APPEND rows "    {\"${name}\", R\"quern(${text})quern\"},\n")
    endwhile()
endforeach()
set(embedded ${generated}/libcore/texts.cpp)
file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr Piece rows[] = {
@rows@};

}  // namespace

std::span<const Piece> all_pieces() { return rows; }

}  // namespace quern::cgen
]])
target_sources(quern PRIVATE ${embedded})
