# Tables that ship as JSON, as text in libquern: embed_tables(FOLDER NAMESPACE TYPE FUNCTION HEADER).
function(embed_tables folder namespace type function header)
    file(GLOB files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/${folder}/*.json)
    set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${files})
    set(rows "")
    foreach(file ${files})
        get_filename_component(name ${file} NAME_WE)
        file(READ ${file} text)
        string(APPEND rows "    {\"${name}\", R\"quern(${text})quern\"},\n")
    endforeach()
    set(embedded ${generated}/${folder}.cpp)
    file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
#include "@header@"

namespace quern::@namespace@ {
namespace {

constexpr @type@ rows[] = {
@rows@};

}  // namespace

std::span<const @type@> @function@() { return rows; }

}  // namespace quern::@namespace@
]])
    target_sources(quern PRIVATE ${embedded})
endfunction()

# The targets (installed, too, for those who write their own), and what runtimes have kernels for.
embed_tables(libcore/place/targets place EmbeddedTarget embedded_targets libcore/place/embedded.h)
embed_tables(libcore/support/runtimes support EmbeddedRuntime embedded_runtimes libcore/support/runtime.h)
file(GLOB target_files CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/place/targets/*.json)
install(FILES ${target_files} DESTINATION ${CMAKE_INSTALL_DATADIR}/quern/targets)
