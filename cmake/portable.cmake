# The texts of libcore/ops/portable as pieces of generated C: what a file includes is what its function calls.
file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/ops/portable/*.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
set(rows "")
foreach(file ${files})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(REGEX MATCHALL "portable/[a-z0-9_]+" needs "${text}")
    string(REPLACE "portable/" "" needs "${needs}")
    string(REPLACE ";" " " needs "${needs}")
    string(REGEX REPLACE "#[^\n]*\n" "" text "${text}")
    string(APPEND rows "    {\"${name}\", R\"quern(${text})quern\", \"${needs}\"},\n")
endforeach()
set(embedded ${generated}/libcore/ops/portable.cpp)
file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
#include "libcore/codegen/c/source.h"

namespace quern::cgen {
namespace {

constexpr Piece rows[] = {
@rows@};

}  // namespace

std::span<const Piece> portable_pieces() { return rows; }

}  // namespace quern::cgen
]])
target_sources(quern PRIVATE ${embedded})
