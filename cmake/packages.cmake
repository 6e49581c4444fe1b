# What quern is built from; all in Debian 12.
find_package(fmt REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(CLI11 REQUIRED)
find_package(ZLIB REQUIRED)
find_package(Protobuf REQUIRED)
find_package(FlatBuffers REQUIRED)
find_program(FLATC flatc REQUIRED)
# Debian's dnnl package config asks for OpenCL headers; the library itself is enough.
find_path(DNNL_INCLUDE oneapi/dnnl/dnnl.hpp)
find_library(DNNL_LIBRARY dnnl)
find_path(UTF8PROC_INCLUDE utf8proc.h REQUIRED)
find_library(UTF8PROC_LIBRARY utf8proc REQUIRED)
