# The texts of libcore/ops/portable and libcore/integer as pieces of generated C: what a file includes is what it calls. A first line
# /* holes: A B */ names words that stand for something else in each copy of the file's function (libcore/codegen/c/source.h). Those of
# libcore/codegen/c/kernels, which libquern does not compile, have the words as @A@ and a line /* kernel NAME: WHAT IT CALLS */ before each.
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/ops/portable/*.h ${CMAKE_SOURCE_DIR}/libcore/integer/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
set(rows "")
foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(REGEX MATCHALL "(portable|integer)/[a-z0-9_]+\\.h\"" needs "${text}")
    list(TRANSFORM needs REPLACE ".*/(.*)\\.h\"" "\\1")
    list(REMOVE_ITEM needs elements)
    string(REPLACE ";" " " needs "${needs}")
    string(REGEX MATCH "^/\\* holes: ([A-Z_ ]+) \\*/\n" line "${text}")
    set(holes ${CMAKE_MATCH_1})
    string(REGEX REPLACE "(^/\\* holes: [^\n]*\n|#[^\n]*\n)" "" text "${text}")
    string(REGEX REPLACE " +// NOLINT[^\n]*" "" text "${text}")  # nests of loops; rounding as the runtimes do it
    string(REGEX REPLACE "^\n+" "\n" text "${text}")
    if(line)
        separate_arguments(holes)
        foreach(hole ${holes} ${name})
            set(word ${hole})
            if(hole STREQUAL name)
                set(word name)
            endif()
            foreach(time 1 2)  # a match takes the characters around it
                string(REGEX REPLACE "([^A-Za-z0-9_@])${hole}([^A-Za-z0-9_@])" "\\1@${word}@\\2" text "${text}")
            endforeach()
        endforeach()
    endif()
    string(APPEND rows "    {\"${name}\", \"${needs}\", R\"quern(${text})quern\"},\n")
endforeach()
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/codegen/c/kernels/*.c)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
foreach(file ${files})
    file(READ ${file} text)
    string(FIND "${text}" "\n/* kernel " first)
    string(SUBSTRING "${text}" ${first} -1 text)
    string(REGEX REPLACE "\n/\\* kernel ([a-z0-9_]+):? ?([a-z0-9_ ]*) \\*/\n" ")quern\"},\n    {\"\\1\", \"\\2\", R\"quern(\n" text "${text}")
    string(REGEX REPLACE "^\\)quern\"},\n" "" text "${text}")
    string(APPEND rows "${text})quern\"},\n")
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
