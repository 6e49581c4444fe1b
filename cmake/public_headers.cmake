# The C interfaces. The header of model libraries goes into libquern as text, too, with the views that it includes: codegen --plugin cpp writes
# it beside the source that includes it.
set(public_headers ${CMAKE_SOURCE_DIR}/include/quern)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers}/graph.h ${public_headers}/builder.h)
file(READ ${public_headers}/graph.h graph_text)
file(READ ${public_headers}/builder.h builder_text)
string(REPLACE "#include \"graph.h\"\n" "${graph_text}" builder_text "${builder_text}")
set(embedded ${generated}/libcore/codegen/embedded_builder.cpp)
file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
#include "libcore/codegen/cpp/embedded.h"

namespace quern {

const std::string_view builder_header = R"quern(@builder_text@)quern";

}  // namespace quern
]])
target_sources(quern PRIVATE ${embedded})
install(DIRECTORY ${public_headers} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT dev FILES_MATCHING PATTERN *.h)
