# Debian packages by cpack (scripts/package, preset "package"): quern (the tools), libquern0, libquern-dev, quern-opencl where
# OpenCL is, and of what contains programs the debug information. What a package depends on is found by dpkg-shlibdeps.
set(QUERN_MAINTAINER "quern maintainers <maintainers@quern.invalid>" CACHE STRING "Who the packages say maintains them: NAME <ADDRESS>")
set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME quern)
set(CPACK_PACKAGE_VENDOR quern)
set(CPACK_PACKAGE_CONTACT "${QUERN_MAINTAINER}")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_DEB_COMPONENT_INSTALL ON)
set(CPACK_COMPONENTS_ALL tools runtime dev)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_RELEASE 1)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS_PRIVATE_DIRS ${CMAKE_BINARY_DIR}/lib)
set(CPACK_DEBIAN_PACKAGE_CONTROL_STRICT_PERMISSION ON)
set(same_release "(= ${PROJECT_VERSION}-${CPACK_DEBIAN_PACKAGE_RELEASE})")
set(what_quern_is "quern takes a trained neural network (ONNX, TFLite, Circle, GGUF) to what an
NPU or a microcontroller runs: it collects ranges, quantizes, compares, places
and generates code, exactly and with bounded memory.")

set(CPACK_DEBIAN_TOOLS_PACKAGE_NAME quern)
set(CPACK_DEBIAN_TOOLS_PACKAGE_SECTION science)
set(CPACK_DEBIAN_TOOLS_PACKAGE_DEPENDS "libquern0 ${same_release}")
set(CPACK_DEBIAN_TOOLS_PACKAGE_SUGGESTS "libquern-dev, g++")  # codegen --lib compiles
set(CPACK_COMPONENT_TOOLS_DESCRIPTION "quantizer and compiler of neural networks for NPUs
${what_quern_is}
.
This package has the tools, their pages and examples.")
set(CPACK_DEBIAN_TOOLS_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_RUNTIME_PACKAGE_NAME libquern${quern_soversion})
set(CPACK_DEBIAN_RUNTIME_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_RUNTIME_PACKAGE_RECOMMENDS "quern ${same_release}")  # which has the process for libraries of others
set(control ${CMAKE_BINARY_DIR}/debian)
file(WRITE ${control}/shlibs "libquern ${quern_soversion} libquern${quern_soversion} (>= ${PROJECT_VERSION})\n")
file(WRITE ${control}/triggers "activate-noawait ldconfig\n")
set(CPACK_DEBIAN_RUNTIME_PACKAGE_CONTROL_EXTRA ${control}/shlibs ${control}/triggers)
set(CPACK_COMPONENT_RUNTIME_DESCRIPTION "quantizer and compiler of neural networks - library
${what_quern_is}
.
This package has the library, whose sessions run models in a program.")
set(CPACK_DEBIAN_RUNTIME_DEBUGINFO_PACKAGE ON)

set(CPACK_DEBIAN_DEV_PACKAGE_NAME libquern-dev)
set(CPACK_DEBIAN_DEV_PACKAGE_SECTION libdevel)
set(CPACK_DEBIAN_DEV_PACKAGE_DEPENDS "libquern${quern_soversion} ${same_release}")
set(CPACK_COMPONENT_DEV_DESCRIPTION "quantizer and compiler of neural networks - headers
${what_quern_is}
.
This package has the headers of sessions, back ends and plugins, and what CMake
and pkg-config ask.")

# The back end for OpenCL's devices is a package of its own: nobody else has to have OpenCL.
if(TARGET quern_opencl)
    list(APPEND CPACK_COMPONENTS_ALL opencl)
    set(CPACK_DEBIAN_OPENCL_PACKAGE_NAME quern-opencl)
    set(CPACK_DEBIAN_OPENCL_PACKAGE_SECTION science)
    set(CPACK_DEBIAN_OPENCL_PACKAGE_DEPENDS "libquern${quern_soversion} ${same_release}")
    set(CPACK_DEBIAN_OPENCL_PACKAGE_RECOMMENDS "opencl-icd")  # a driver
    set(CPACK_COMPONENT_OPENCL_DESCRIPTION "quantizer and compiler of neural networks - OpenCL
${what_quern_is}
.
This package has the back end for GPUs and other devices of OpenCL.")
    set(CPACK_DEBIAN_OPENCL_DEBUGINFO_PACKAGE ON)
    set(opencl_package opencl=quern-opencl)
endif()

set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/debian/finish.cmake)
set(CPACK_QUERN_PACKAGES tools=quern runtime=libquern${quern_soversion} dev=libquern-dev ${opencl_package})
set(CPACK_QUERN_SOURCE ${CMAKE_SOURCE_DIR})
include(CPack)
