# The header of model libraries, as text in libquern: codegen --plugin cpp writes it beside the source that includes it.
set(builder_header ${CMAKE_SOURCE_DIR}/formats/library/builder.h)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${builder_header})
file(READ ${builder_header} builder_text)
set(embedded ${generated}/libcore/session/codegen/embedded_builder.cpp)
file(CONFIGURE OUTPUT ${embedded} @ONLY CONTENT [[
#include "libcore/session/codegen/cpp/embedded.h"

namespace quern {

const std::string_view builder_header = R"quern(@builder_text@)quern";

}  // namespace quern
]])
target_sources(quern PRIVATE ${embedded})
install(FILES ${builder_header} DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}/quern)
