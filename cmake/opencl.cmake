# The back end for OpenCL's devices, where its headers and loader are: libcore/opencl, which sees no more of quern than the public header. Its
# kernels lie in it as texts.
set(opencl_without_device blob elementwise functions lines lowering movement net products windows)  # which fuzz targets contain
list(TRANSFORM opencl_without_device REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/libcore/opencl/\\1.cpp")
find_package(OpenCL QUIET)
if(NOT OpenCL_FOUND)
    message(STATUS "OpenCL is not here: the back end opencl is left out")
    return()
endif()
file(GLOB opencl_sources CONFIGURE_DEPENDS libcore/opencl/*.cpp)
file(GLOB opencl_kernels CONFIGURE_DEPENDS ${CMAKE_SOURCE_DIR}/libcore/opencl/kernels/*.cl)
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${opencl_kernels})
set(rows "")
foreach(file ${opencl_kernels})
    get_filename_component(name ${file} NAME_WE)
    file(READ ${file} text)
    string(APPEND rows "    {\"${name}\", R\"quern(${text})quern\"},\n")
endforeach()
set(opencl_texts ${generated}/libcore/opencl_texts.cpp)
file(CONFIGURE OUTPUT ${opencl_texts} @ONLY CONTENT [[
#include "libcore/opencl/device.h"

namespace quern::opencl {
namespace {

struct Text {
    std::string_view family, text;
};
constexpr Text texts[] = {
@rows@};

}  // namespace

std::string_view kernel_text(std::string_view family) {
    for (const Text& text : texts)
        if (text.family == family) return text.text;
    throw Failure(QUERN_INTERNAL, fmt::format("there is no kernel {}", family));
}

}  // namespace quern::opencl
]])
quern_unity(opencl_sources opencl)
set(opencl_backend quern_opencl)
add_library(quern_opencl MODULE ${opencl_sources} ${opencl_texts})
target_link_libraries(quern_opencl PRIVATE quern_settings fmt::fmt nlohmann_json::nlohmann_json OpenCL::OpenCL)
find_path(CLBLAST_INCLUDE clblast_c.h)
find_library(CLBLAST_LIBRARY clblast)
if(CLBLAST_INCLUDE AND CLBLAST_LIBRARY)
    target_compile_definitions(quern_opencl PRIVATE QUERN_CLBLAST)
    target_include_directories(quern_opencl SYSTEM PRIVATE ${CLBLAST_INCLUDE})
    target_link_libraries(quern_opencl PRIVATE ${CLBLAST_LIBRARY})
else()
    message(STATUS "CLBlast is not here: the back end opencl computes products of matrices by its own kernels alone")
endif()
install(TARGETS quern_opencl LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}/quern/backends COMPONENT opencl)
set_target_properties(quern_opencl PROPERTIES DEFINE_SYMBOL "" LIBRARY_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/lib/quern/backends)
