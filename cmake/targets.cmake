# The targets that ship, as text in libquern: libcore/place/targets/*.json (and installed, for those who write their own).
file(GLOB target_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/place/targets/*.json)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${target_files})
set(embedded_targets "")
foreach(file ${target_files})
    get_filename_component(target ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND embedded_targets "    {\"${target}\", R\"quern(${text})quern\"},\n")
endforeach()
set(embedded ${generated}/libcore/place/embedded_targets.cpp)
file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
#include "libcore/place/embedded.h"

namespace quern::place {
namespace {

constexpr EmbeddedTarget rows[] = {
@embedded_targets@};

}  // namespace

std::span<const EmbeddedTarget> embedded_targets() { return rows; }

}  // namespace quern::place
]])
target_sources(quern PRIVATE ${embedded})
install(FILES ${target_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/quern/targets)
